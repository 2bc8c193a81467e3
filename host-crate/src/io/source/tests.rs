//! Tests of [`Source`].

use super::*;

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
