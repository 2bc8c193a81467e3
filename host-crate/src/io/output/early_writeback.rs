//! Early transfer of written bytes to the disk.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

/// Number of written bytes whose transfer is started together.
const STEP: u64 = 4 << 20;

/// Writer of a file that is synchronized once it is complete.
///
/// The system keeps written bytes in memory until the file is synchronized, which would then wait
/// for all of them. Here their transfer to the disk starts while later ones are computed and
/// written, on systems with a call for it (Linux).
pub(crate) struct EarlyWriteback<'f> {
    file: &'f mut File,
    progress: Progress,
}

/// Numbers of bytes of a file that is written from its start to its end.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    written: u64,
    /// Number of bytes whose transfer has been started.
    started: u64,
    writeback: Writeback,
}

impl Progress {
    /// Counts bytes that have been written to the end of `file`, and starts their transfer if there
    /// are many.
    pub fn add(&mut self, file: &File, bytes: u64) {
        self.written += bytes;
        let waiting = self.written - self.started;
        if waiting >= STEP {
            self.writeback.start(file, self.started, waiting);
            self.started = self.written;
        }
    }
}

/// Thread that starts the transfers of a file, since starting one takes about half as long as
/// writing its bytes to the page cache.
#[derive(Debug, Default)]
enum Writeback {
    #[default]
    NotStarted,
    Thread {
        /// Offset and number of bytes of each transfer. Dropping the sender ends the thread.
        ranges: Option<mpsc::Sender<(u64, u64)>>,
        thread: Option<JoinHandle<()>>,
    },
    /// The writer starts the transfers: there is no thread, or no disk, as for a pipe.
    Inline,
}

impl Writeback {
    fn start(&mut self, file: &File, offset: u64, bytes: u64) {
        if let Self::NotStarted = self {
            *self = Self::thread(file).unwrap_or(Self::Inline);
        }
        match self {
            Self::Thread {
                ranges: Some(ranges),
                ..
            } => {
                // an error means that the thread has panicked
                let _ = ranges.send((offset, bytes));
            }
            _ => start_writeback(file, offset, bytes),
        }
    }

    fn thread(file: &File) -> io::Result<Self> {
        if !file.metadata()?.is_file() {
            return Ok(Self::Inline);
        }
        let file = file.try_clone()?;
        let (ranges, requested) = mpsc::channel();
        let thread = thread::Builder::new().name("writeback".into());
        let thread = thread.spawn(move || {
            for (offset, bytes) in requested {
                start_writeback(&file, offset, bytes);
            }
        })?;
        Ok(Self::Thread {
            ranges: Some(ranges),
            thread: Some(thread),
        })
    }
}

impl Drop for Writeback {
    /// Waits for the thread, whose descriptor keeps the file open.
    fn drop(&mut self) {
        if let Self::Thread { ranges, thread } = self {
            drop(ranges.take());
            if let Some(thread) = thread.take() {
                let _ = thread.join();
            }
        }
    }
}

impl<'f> EarlyWriteback<'f> {
    /// Creates a writer of a file that is empty so far.
    pub fn new(file: &'f mut File) -> Self {
        Self {
            file,
            progress: Progress::default(),
        }
    }

    /// Appends the rest of another file, which the operating system copies. Returns the number of
    /// bytes.
    pub fn append_file(&mut self, from: &mut File) -> io::Result<u64> {
        let mut total = 0;
        loop {
            let copied = io::copy(&mut from.take(STEP), self.file)?;
            if copied == 0 {
                return Ok(total);
            }
            total += copied;
            self.progress.add(self.file, copied);
        }
    }
}

impl Write for EarlyWriteback<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.progress.add(self.file, written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Starts to transfer a range of bytes of a file to the disk. A failure has no effect: it is
/// reported when the file is synchronized.
#[cfg(target_os = "linux")]
fn start_writeback(file: &File, offset: u64, bytes: u64) {
    use std::os::fd::AsRawFd;
    let (Ok(offset), Ok(bytes)) = (offset.try_into(), bytes.try_into()) else {
        return;
    };
    // SAFETY: the call refers to no memory of the process, and the descriptor is open while the
    // file is borrowed.
    unsafe { libc::sync_file_range(file.as_raw_fd(), offset, bytes, libc::SYNC_FILE_RANGE_WRITE) };
}

#[cfg(not(target_os = "linux"))]
fn start_writeback(_: &File, _: u64, _: u64) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, SeekFrom};

    #[test]
    fn bytes_are_written_and_copied_in_order() {
        let content: Vec<u8> = (0..3 * STEP + 77).map(|i| (i * 31 / 8) as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        let mut source = tempfile::tempfile().unwrap();
        source.write_all(&content).unwrap();
        source.seek(SeekFrom::Start(5)).unwrap();
        let mut out = EarlyWriteback::new(&mut file);
        out.write_all(&content[..STEP as usize + 1]).unwrap();
        let copied = out.append_file(&mut source).unwrap();
        assert_eq!(copied, content.len() as u64 - 5);
        out.write_all(&content[..9]).unwrap();
        out.flush().unwrap();
        let mut found = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut found).unwrap();
        let expected = [&content[..STEP as usize + 1], &content[5..], &content[..9]].concat();
        assert!(found == expected);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pipes_are_written_without_a_transfer() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut file = File::from(std::os::fd::OwnedFd::from(writer));
        let reading = thread::spawn(move || {
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).map(|_| bytes.len())
        });
        let mut out = EarlyWriteback::new(&mut file);
        out.write_all(&vec![7; STEP as usize + 3]).unwrap();
        drop(file);
        assert_eq!(reading.join().unwrap().unwrap() as u64, STEP + 3);
    }
}
