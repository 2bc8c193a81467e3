//! Access to the bytes in the buffer of a reader.

use std::io::{self, BufRead};

/// Fills the buffer of a reader if it is empty, again after an interruption, and passes the bytes
/// in it to `look`: none at the end. Does not consume them.
pub(super) fn with_buffer<T>(
    reader: &mut (impl BufRead + ?Sized),
    look: impl FnOnce(&[u8]) -> T,
) -> io::Result<T> {
    loop {
        match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            buffer => return buffer.map(look),
        }
    }
}
