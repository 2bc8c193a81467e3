//! Putting a file onto the disk while it is written.

use std::fs::File;
use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// How often the file is looked at, and by how much it must have grown. A smaller file is put onto the disk at its end, as ever.
const EVERY: Duration = Duration::from_millis(10);
const LEAST: u64 = 16 << 20;

/// A thread that asks the system again and again to put onto the disk what has been written. Without it the disk is idle while a large file
/// is made, and then all of it is waited for.
pub(crate) struct WriteBack {
    /// Dropped, it ends the thread.
    end: Sender<()>,
    thread: JoinHandle<io::Result<()>>,
}

impl WriteBack {
    /// Nothing where the system gives no second handle or no thread: then the file is put onto the disk at its end.
    pub fn begin(file: &File) -> Option<Self> {
        let file = file.try_clone().ok()?;
        let (end, ended) = channel::<()>();
        let work = move || {
            let mut on_the_disk = 0;
            while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                let bytes = file.metadata()?.len();
                if bytes >= on_the_disk + LEAST {
                    file.sync_data()?;
                    on_the_disk = bytes;
                }
            }
            Ok(())
        };
        let thread = Builder::new().name("ferrovox write-back".to_owned());
        let thread = thread.spawn(work).ok()?;
        Some(Self { end, thread })
    }

    /// Ends it.
    ///
    /// # Errors
    /// What the system said when the data could not be put onto the disk: it says so once, so the caller must not ask again instead.
    pub fn end(self) -> io::Result<()> {
        drop(self.end);
        match self.thread.join() {
            Ok(result) => result,
            Err(_) => Err(io::Error::other("the thread that writes back panicked")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn large_and_small_files_are_what_was_written() {
        for bytes in [0, 1, LEAST as usize - 1, 3 * LEAST as usize] {
            let mut file = tempfile::tempfile().unwrap();
            let back = WriteBack::begin(&file).unwrap();
            for _ in 0..bytes >> 20 {
                file.write_all(&[7; 1 << 20]).unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
            file.write_all(&vec![7; bytes & ((1 << 20) - 1)]).unwrap();
            back.end().unwrap();
            assert_eq!(file.metadata().unwrap().len(), bytes as u64);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_error_is_kept() {
        // a pipe has a length of 0 and cannot be put onto a disk: nothing is asked of it
        let (_reader, writer) = io::pipe().unwrap();
        let writer = File::from(std::os::fd::OwnedFd::from(writer));
        let back = WriteBack::begin(&writer).unwrap();
        std::thread::sleep(3 * EVERY);
        back.end().unwrap();
    }
}
