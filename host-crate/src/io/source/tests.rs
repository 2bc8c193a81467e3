//! Tests of [`Source`].

use super::*;
use std::sync::{Barrier, mpsc::channel};
use std::thread;
use std::time::Duration;

#[test]
fn peeking_consumes_nothing() {
    let mut source = Source::from_bytes(b"abc def");
    assert_eq!(source.peek(3).unwrap(), b"abc");
    assert_eq!(source.peek(100).unwrap(), b"abc def");
    assert_eq!(
        (source.position(), source.remaining()),
        (0, Remaining::Exactly(7))
    );
    assert_eq!(source.word(100).unwrap().unwrap(), b"abc");
    assert_eq!(
        (source.position(), source.remaining()),
        (4, Remaining::Exactly(3))
    );
    assert_eq!(source.skip(2).unwrap(), 2);
    assert_eq!(source.word(100).unwrap().unwrap(), b"f");
    assert_eq!(source.word(100).unwrap(), None);
}

#[test]
fn lines_end_with_lf_or_cr_lf_and_are_cut_at_the_limit() {
    let mut source = Source::from_bytes(b"one\r\n\ntwo\n0123456789");
    assert_eq!(source.line(100).unwrap().unwrap(), b"one");
    assert_eq!(source.line(100).unwrap().unwrap(), b"");
    assert_eq!(source.line(100).unwrap().unwrap(), b"two");
    assert_eq!(source.line(4).unwrap().unwrap(), b"0123");
    assert_eq!(source.line(100).unwrap().unwrap(), b"456789");
    assert_eq!(source.line(100).unwrap(), None);
}

#[test]
fn decompressed_length_is_bounded() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    io::Write::write_all(&mut encoder, &vec![0; 1 << 20]).unwrap();
    let packed = encoder.finish().unwrap();
    let mut source = Source::from_bytes(&packed).gunzip();
    let Remaining::AtMost(bound) = source.remaining() else {
        panic!("compressed data have a bound")
    };
    assert!(bound >= 1 << 20, "{bound}");
    assert_eq!(source.skip(u64::MAX).unwrap(), 1 << 20);
}

#[test]
fn long_skips_end_at_the_same_position_as_short_ones() {
    let content: Vec<u8> = (0..BUFFER * 3).map(|i| (i / 5) as u8).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    std::fs::write(&path, &content).unwrap();
    let mut source = Source::open(&path).unwrap();
    assert_eq!(source.peek(10).unwrap(), content[..10]);
    assert_eq!(source.skip(3).unwrap(), 3);
    let far = BUFFER + 1000;
    assert_eq!(source.skip(far as u64).unwrap(), far as u64);
    assert_eq!(source.position(), far as u64 + 3);
    assert_eq!(source.peek(10).unwrap(), content[far + 3..far + 13]);
    let left = content.len() - far - 3;
    assert_eq!(source.remaining(), Remaining::Exactly(left as u64));
    assert_eq!(source.skip(u64::MAX).unwrap(), left as u64);
    assert!(source.peek(1).unwrap().is_empty());
}

/// Returns bytes that deflate compresses to about three quarters.
fn noise(len: u32) -> Vec<u8> {
    let mut state = 1_u32;
    (0..len)
        .map(|i| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 26) as u8 + (i >> 16) as u8
        })
        .collect()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    io::Write::write_all(&mut encoder, content).unwrap();
    encoder.finish().unwrap()
}

fn pool(threads: usize) -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap()
}

#[test]
fn large_gzip_files_are_decoded_ahead_from_any_position() {
    let content = noise(4_000_000);
    let packed = [&b"header"[..], &gzip(&content)].concat();
    assert!(packed.len() > 2 << 20, "{}", packed.len());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gz");
    std::fs::write(&path, &packed).unwrap();
    let check = |mut source: Source<'_>, start: usize, end: usize| {
        assert_eq!(source.skip(6).unwrap(), 6);
        let mut source = source.gunzip();
        assert_eq!(source.peek(10).unwrap(), content[..10]);
        assert_eq!(source.skip(start as u64).unwrap(), start as u64);
        let count = (end - start) as u64;
        let source = source.limited(count);
        thread::scope(|scope| {
            let mut source = source.decoded_ahead(scope);
            let mut found = vec![0; end - start];
            assert_eq!(source.fill(&mut found).unwrap(), end - start);
            assert!(found == content[start..end]);
            assert_eq!(source.skip(1).unwrap(), 0);
        });
    };
    pool(4).install(|| {
        for (start, end) in [(0, content.len()), (352, 3_000_000), (1_200_000, 1_200_001)] {
            check(Source::open(&path).unwrap(), start, end);
            check(Source::from_bytes(&packed), start, end);
        }
    });
}

/// Each thread of a pool waits for the decoder of a file, those of the global pool for the test.
#[test]
fn gzip_files_are_decoded_while_all_threads_of_pools_wait() {
    let content = noise(3_000_000);
    let packed = gzip(&content);
    let pool = pool(3);
    let start = Barrier::new(pool.current_num_threads());
    let read = |_: rayon::BroadcastContext<'_>| {
        start.wait();
        let source = Source::from_bytes(&packed).gunzip();
        thread::scope(|scope| {
            let mut source = source.decoded_ahead(scope);
            let mut found = vec![0; content.len()];
            assert_eq!(source.fill(&mut found).unwrap(), content.len());
            assert!(found == content);
        });
    };
    let global_pool = Barrier::new(rayon::current_num_threads() + 1);
    let (finish, finished) = channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            rayon::broadcast(|_| {
                global_pool.wait();
                global_pool.wait();
            })
        });
        global_pool.wait();
        scope.spawn(|| {
            pool.broadcast(read);
            finish.send(()).unwrap();
        });
        let found = finished.recv_timeout(Duration::from_secs(60));
        global_pool.wait();
        found.unwrap();
    });
}
