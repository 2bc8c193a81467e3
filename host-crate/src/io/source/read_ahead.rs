//! Decoding ahead in a separate thread.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread::{Builder, Scope};

use crate::io::FileProblem;
use crate::io::catch_panic::catch_panic;
use crate::io::source::Reader;
use crate::io::source::buffered::with_buffer;
use crate::memory;

/// Number of chunks of a sequential decoder in circulation, including the one that is being read.
pub(super) const CHUNKS: usize = 8;

/// Decoder that can run in a thread of its own.
pub(super) trait AheadDecoder: Send {
    /// Calls `decode` on a thread whose loops run on the threads of the decoder.
    fn with_threads(&mut self, decode: impl FnOnce(&mut Self) + Send) {
        decode(self);
    }

    /// Replaces the contents of `chunk` by the next decoded bytes; by nothing after a step that
    /// gave none, and at the end. Returns `false` at the end.
    fn next_chunk(&mut self, chunk: &mut Vec<u8>) -> io::Result<bool>;
}

/// Sequential decoders return the contents of their buffers.
impl AheadDecoder for Reader<'_> {
    fn next_chunk(&mut self, chunk: &mut Vec<u8>) -> io::Result<bool> {
        chunk.clear();
        let copy = |found: &[u8]| memory::try_extend("decoded bytes", chunk, found);
        let copied = with_buffer(self, copy)?;
        copied.map_err(|error| io::Error::other(FileProblem::from(error)))?;
        self.consume(chunk.len());
        Ok(!chunk.is_empty())
    }
}

/// Moves `decoder` to a thread of `scope` that decodes ahead of the returned reader, at most
/// `chunks` chunks.
///
/// Bytes and errors arrive in their original order. The thread ends when the returned reader is
/// dropped, at the latest after its current call of the decoder.
///
/// # Errors
/// `decoder` itself if no thread can be started.
pub(super) fn read_ahead<'scope, D: AheadDecoder + 'scope>(
    decoder: D,
    chunks: usize,
    scope: &'scope Scope<'scope, '_>,
) -> Result<Reader<'scope>, D> {
    let (decoder_sender, decoder_receiver) = channel::<D>();
    let (fill, filled) = channel();
    let (recycle, empty) = channel();
    let alive = Arc::new(());
    let reader = Arc::downgrade(&alive);
    let decode = move || {
        if let Ok(mut decoder) = decoder_receiver.recv() {
            decoder.with_threads(move |decoder| decode_all(decoder, &empty, &fill, &reader));
        }
    };
    let thread = Builder::new().name("decode ahead".to_owned());
    if thread.spawn_scoped(scope, decode).is_err() {
        return Err(decoder);
    }
    // The returned reader starts with one more chunk. The receivers exist, so sending succeeds.
    for _ in 1..chunks {
        let _ = recycle.send(Vec::new());
    }
    let _ = decoder_sender.send(decoder);
    Ok(Box::new(ReadAhead {
        chunk: Vec::new(),
        consumed: 0,
        filled,
        recycle,
        has_ended: false,
        _alive: alive,
    }))
}

/// Fills chunks, the last with nothing, while `reader` exists.
fn decode_all(
    decoder: &mut impl AheadDecoder,
    empty: &Receiver<Vec<u8>>,
    fill: &Sender<io::Result<Vec<u8>>>,
    reader: &Weak<()>,
) {
    while let Ok(mut chunk) = empty.recv() {
        let read = loop {
            let read = catch_panic(|| Ok(decoder.next_chunk(&mut chunk)));
            let read = read.unwrap_or_else(|problem| Err(io::Error::other(problem)));
            let is_continued = matches!(read, Ok(true)) && chunk.is_empty();
            if !is_continued || reader.strong_count() == 0 {
                break read;
            }
        };
        let is_last = !matches!(read, Ok(true));
        if fill.send(read.map(|_| chunk)).is_err() || is_last {
            return;
        }
    }
}

/// Receives the chunks that the decoding thread fills.
struct ReadAhead {
    chunk: Vec<u8>,
    /// Number of bytes of the chunk that have been consumed.
    consumed: usize,
    filled: Receiver<io::Result<Vec<u8>>>,
    recycle: Sender<Vec<u8>>,
    has_ended: bool,
    /// Tells the decoding thread that this reader exists.
    _alive: Arc<()>,
}

impl BufRead for ReadAhead {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.consumed == self.chunk.len() && !self.has_ended {
            self.consumed = 0;
            // Fails only if the thread has ended; it has then sent its last chunk.
            let _ = self.recycle.send(std::mem::take(&mut self.chunk));
            // A thread that panicked sends nothing more; its panic is propagated by the scope.
            let next = self.filled.recv().unwrap_or_else(|_| Ok(Vec::new()));
            self.has_ended = next.as_ref().map_or(true, Vec::is_empty);
            self.chunk = next?;
        }
        Ok(&self.chunk[self.consumed..])
    }

    fn consume(&mut self, bytes: usize) {
        self.consumed = self.chunk.len().min(self.consumed + bytes);
    }
}

impl Read for ReadAhead {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor};
    use std::thread;

    /// Yields bytes and then an error.
    struct Damaged(Cursor<Vec<u8>>);

    impl Read for Damaged {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            match self.0.read(out)? {
                0 => Err(io::Error::new(io::ErrorKind::InvalidData, "damaged")),
                read => Ok(read),
            }
        }
    }

    fn ahead<'scope>(
        reader: impl BufRead + Send + 'scope,
        scope: &'scope Scope<'scope, '_>,
    ) -> Reader<'scope> {
        let reader: Reader<'_> = Box::new(reader);
        read_ahead(reader, CHUNKS, scope).unwrap_or_else(|reader| reader)
    }

    fn content(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|i| (i * 31 / 8) as u8).collect()
    }

    #[test]
    fn bytes_arrive_in_order_until_the_end() {
        for bytes in [0, 1, 99, 100, 101, 100_003] {
            let content = content(bytes);
            let inner = BufReader::with_capacity(100, Cursor::new(content.clone()));
            let mut found = Vec::new();
            thread::scope(|scope| {
                let mut reader = ahead(inner, scope);
                reader.read_to_end(&mut found).unwrap();
                assert_eq!(reader.fill_buf().unwrap(), b"");
            });
            assert!(found == content, "{bytes}");
        }
    }

    #[test]
    fn errors_arrive_after_the_bytes_before_them() {
        let inner = BufReader::with_capacity(100, Damaged(Cursor::new(content(12_345))));
        thread::scope(|scope| {
            let mut reader = ahead(inner, scope);
            let mut found = vec![0; 12_345];
            reader.read_exact(&mut found).unwrap();
            assert!(found == content(12_345));
            assert_eq!(reader.fill_buf().unwrap_err().to_string(), "damaged");
            assert_eq!(reader.fill_buf().unwrap(), b"");
        });
    }

    /// Decoder with a defect.
    struct Defect;

    impl Read for Defect {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            assert!(crate::io::is_panic_caught());
            panic!("defect of a decoder")
        }
    }

    #[test]
    fn panics_of_the_decoder_are_errors() {
        thread::scope(|scope| {
            let mut reader = ahead(BufReader::new(Defect), scope);
            let error = reader.fill_buf().unwrap_err().to_string();
            assert!(error.contains("defect of a decoder"), "{error}");
            assert_eq!(reader.fill_buf().unwrap(), b"");
        });
    }

    #[test]
    fn dropping_the_reader_ends_the_thread() {
        let endless = BufReader::with_capacity(100, io::repeat(7));
        thread::scope(|scope| {
            let mut reader = ahead(endless, scope);
            assert_eq!(reader.fill_buf().unwrap().len(), 100);
        });
    }

    /// Decoder that skips bytes without end.
    struct Skipping(Sender<()>);

    impl AheadDecoder for Skipping {
        fn next_chunk(&mut self, chunk: &mut Vec<u8>) -> io::Result<bool> {
            chunk.clear();
            let _ = self.0.send(());
            Ok(true)
        }
    }

    #[test]
    fn dropping_the_reader_ends_the_thread_before_any_byte() {
        let (step, steps) = channel();
        thread::scope(|scope| {
            let reader = read_ahead(Skipping(step), CHUNKS, scope).ok().unwrap();
            assert_eq!(steps.iter().take(3).count(), 3);
            drop(reader);
        });
    }
}
