//! Printing through the driver's `vprintf`.

use core::ffi::c_void;
use core::fmt::{self, Write};

use super::TEXT_BUFFER_BYTES;

unsafe extern "C" {
    /// Prints like C's `vprintf`, from arguments stored consecutively, each aligned to its size.
    /// Provided by the driver.
    ///
    /// # Safety
    ///
    /// The format is null-terminated, and the arguments match it.
    pub fn vprintf(format: *const u8, valist: *const c_void) -> i32;

    /// Prints the message with file, line, function, block and thread, and ends the launch with an
    /// error. Provided by the driver.
    ///
    /// # Safety
    ///
    /// The three texts are null-terminated, with characters of `char_size` bytes, which must be 1.
    pub fn __assertfail(
        message: *const u8,
        file: *const u8,
        line: u32,
        function: *const u8,
        char_size: usize,
    );
}

/// Text buffer with space for the terminating null byte.
struct TextBuffer {
    bytes: [u8; TEXT_BUFFER_BYTES],
    len: usize,
    /// `true` if a full buffer is printed; `false` if further text is dropped.
    prints: bool,
}

impl TextBuffer {
    #[inline(always)]
    fn new(prints: bool) -> Self {
        Self {
            bytes: [0; TEXT_BUFFER_BYTES],
            len: 0,
            prints,
        }
    }

    /// Terminates the text and returns the address of its first byte.
    #[inline(always)]
    fn terminate(&mut self) -> *const u8 {
        // SAFETY: the length is less than that of the array.
        unsafe { *self.bytes.get_unchecked_mut(self.len) = 0 };
        self.bytes.as_ptr()
    }

    #[inline(always)]
    fn print(&mut self) {
        if self.len > 0 {
            let argument = self.terminate();
            // SAFETY: the format takes one null-terminated text, whose address is passed.
            unsafe { vprintf(c"%s".as_ptr().cast(), (&raw const argument).cast()) };
            self.len = 0;
        }
    }
}

impl Write for TextBuffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if self.len == TEXT_BUFFER_BYTES - 1 {
                if !self.prints {
                    return Ok(());
                }
                self.print();
            }
            // SAFETY: the length is less than that of the array.
            unsafe { *self.bytes.get_unchecked_mut(self.len) = byte };
            self.len += 1;
        }
        Ok(())
    }
}

/// Prints the text.
#[inline(never)]
pub fn print_text(text: fmt::Arguments<'_>) {
    let mut buffer = TextBuffer::new(true);
    // The methods of `TextBuffer` do not fail.
    let _ = buffer.write_fmt(text);
    buffer.print();
}

/// Ends the launch with a message. `file` is null-terminated.
#[cold]
#[inline(never)]
pub fn assertion_failed(text: fmt::Arguments<'_>, file: &'static str, line: u32) -> ! {
    let mut buffer = TextBuffer::new(false);
    let _ = buffer.write_fmt(text);
    let nothing = c"kernel".as_ptr().cast();
    // SAFETY: the three texts are null-terminated.
    unsafe { __assertfail(buffer.terminate(), file.as_ptr(), line, nothing, 1) };
    crate::trap()
}
