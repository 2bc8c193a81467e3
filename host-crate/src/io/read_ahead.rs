//! What a decoder gives, decoded ahead by a thread of its own.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope};

use super::FileProblem;
use crate::memory;

/// Chunks that are there at a time, the one that is being read included. A chunk is what the
/// decoder's own buffer holds.
const CHUNKS: usize = 8;

/// Lets a thread read what comes next. The chunks are those of `reader`, and so are errors, behind
/// the bytes that came before. The thread ends when this reader is dropped, at the latest after
/// what it is reading. Where the system makes no thread, `reader` comes back as it is.
pub(super) fn read_ahead<'scope>(
    reader: Box<dyn BufRead + Send + 'scope>,
    scope: &'scope Scope<'scope, '_>,
) -> Box<dyn BufRead + Send + 'scope> {
    let (hand_over, handed_over) = channel();
    let (fill, filled) = channel();
    let (give_back, empty) = channel();
    let decode = move || {
        if let Ok(reader) = handed_over.recv() {
            decode_all(reader, &empty, &fill);
        }
    };
    let thread = Builder::new().name("decode ahead".to_owned());
    if thread.spawn_scoped(scope, decode).is_err() {
        return reader;
    }
    // beside the one that a reader begins with; who receives these is there
    for _ in 1..CHUNKS {
        let _ = give_back.send(Vec::new());
    }
    let _ = hand_over.send(reader);
    Box::new(ReadAhead {
        chunk: Vec::new(),
        taken: 0,
        filled,
        give_back,
        has_ended: false,
    })
}

fn decode_all(
    mut reader: Box<dyn BufRead + Send + '_>,
    empty: &Receiver<Vec<u8>>,
    fill: &Sender<io::Result<Vec<u8>>>,
) {
    while let Ok(mut chunk) = empty.recv() {
        let read = next_chunk(&mut reader, &mut chunk);
        let is_last = read.is_err() || chunk.is_empty();
        if fill.send(read.map(|()| chunk)).is_err() || is_last {
            return;
        }
    }
}

/// Puts what the reader has at once in the place of what `chunk` holds; nothing at the end.
fn next_chunk(reader: &mut dyn BufRead, chunk: &mut Vec<u8>) -> io::Result<()> {
    chunk.clear();
    let found = loop {
        match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            found => break found?,
        }
    };
    memory::try_extend("bytes that are decoded", chunk, found)
        .map_err(|error| io::Error::other(FileProblem::from(error)))?;
    reader.consume(chunk.len());
    Ok(())
}

struct ReadAhead {
    chunk: Vec<u8>,
    /// Bytes of the chunk that have been taken.
    taken: usize,
    filled: Receiver<io::Result<Vec<u8>>>,
    give_back: Sender<Vec<u8>>,
    has_ended: bool,
}

impl BufRead for ReadAhead {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.chunk.len() && !self.has_ended {
            self.taken = 0;
            // a thread that has ended has sent its last chunk
            let _ = self.give_back.send(std::mem::take(&mut self.chunk));
            // one that panicked sends nothing more, and its panic goes on where it is joined
            let next = self.filled.recv().unwrap_or_else(|_| Ok(Vec::new()));
            self.has_ended = next.as_ref().map_or(true, Vec::is_empty);
            self.chunk = next?;
        }
        Ok(&self.chunk[self.taken..])
    }

    fn consume(&mut self, bytes: usize) {
        self.taken = self.chunk.len().min(self.taken + bytes);
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

    /// Gives bytes, and then an error.
    struct Damaged(Cursor<Vec<u8>>);

    impl Read for Damaged {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            match self.0.read(out)? {
                0 => Err(io::Error::new(io::ErrorKind::InvalidData, "damaged")),
                read => Ok(read),
            }
        }
    }

    fn content(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|i| (i * 31 / 8) as u8).collect()
    }

    #[test]
    fn bytes_come_in_order_and_end() {
        for bytes in [0, 1, 99, 100, 101, 100_003] {
            let content = content(bytes);
            let inner = BufReader::with_capacity(100, Cursor::new(content.clone()));
            let mut found = Vec::new();
            thread::scope(|scope| {
                let mut reader = read_ahead(Box::new(inner), scope);
                reader.read_to_end(&mut found).unwrap();
                assert_eq!(reader.fill_buf().unwrap(), b"");
            });
            assert!(found == content, "{bytes}");
        }
    }

    #[test]
    fn errors_come_behind_the_bytes_before_them() {
        let inner = BufReader::with_capacity(100, Damaged(Cursor::new(content(12_345))));
        thread::scope(|scope| {
            let mut reader = read_ahead(Box::new(inner), scope);
            let mut found = vec![0; 12_345];
            reader.read_exact(&mut found).unwrap();
            assert!(found == content(12_345));
            assert_eq!(reader.fill_buf().unwrap_err().to_string(), "damaged");
            assert_eq!(reader.fill_buf().unwrap(), b"");
        });
    }

    #[test]
    fn a_reader_that_is_dropped_ends_the_thread() {
        let endless = BufReader::with_capacity(100, io::repeat(7));
        thread::scope(|scope| {
            let mut reader = read_ahead(Box::new(endless), scope);
            assert_eq!(reader.fill_buf().unwrap().len(), 100);
        });
    }
}
