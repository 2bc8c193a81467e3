//! Printing by the driver's `vprintf`.

use core::ffi::c_void;
use core::fmt::{self, Write};

use super::PIECE;

unsafe extern "C" {
    /// The driver's: prints as C's `vprintf`, from arguments that lie one after the other, each
    /// aligned to its size.
    ///
    /// # Safety
    ///
    /// The format ends in a byte 0, and the arguments are what it asks for.
    pub fn vprintf(format: *const u8, valist: *const c_void) -> i32;

    /// The driver's: writes the message with file, line, function, block and thread, and ends the
    /// launch with an error.
    ///
    /// # Safety
    ///
    /// The three texts end in a byte 0; characters have `char_size` bytes, 1.
    pub fn __assertfail(
        message: *const u8,
        file: *const u8,
        line: u32,
        function: *const u8,
        char_size: usize,
    );
}

/// A piece of text, and room for the byte 0 after it.
struct Piece {
    bytes: [u8; PIECE],
    len: usize,
    /// Whether a piece that is full is printed, or else kept, and the rest left out.
    prints: bool,
}

impl Piece {
    #[inline(always)]
    fn new(prints: bool) -> Self {
        Self {
            bytes: [0; PIECE],
            len: 0,
            prints,
        }
    }

    /// Ends the text, and gives its first byte.
    #[inline(always)]
    fn ended(&mut self) -> *const u8 {
        // SAFETY: the length is at most that of the array less one.
        unsafe { *self.bytes.get_unchecked_mut(self.len) = 0 };
        self.bytes.as_ptr()
    }

    #[inline(always)]
    fn print(&mut self) {
        if self.len > 0 {
            let argument = self.ended();
            // SAFETY: the format asks for one text that ends in a byte 0, and here is its address.
            unsafe { vprintf(c"%s".as_ptr().cast(), (&raw const argument).cast()) };
            self.len = 0;
        }
    }
}

impl Write for Piece {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if self.len == PIECE - 1 {
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

/// Prints.
#[inline(never)]
pub fn print_text(text: fmt::Arguments<'_>) {
    let mut piece = Piece::new(true);
    // No call of `Piece` fails.
    let _ = piece.write_fmt(text);
    piece.print();
}

/// Ends the launch with a message. `file` ends in a byte 0.
#[cold]
#[inline(never)]
pub fn assertion_failed(text: fmt::Arguments<'_>, file: &'static str, line: u32) -> ! {
    let mut piece = Piece::new(false);
    let _ = piece.write_fmt(text);
    let nothing = c"kernel".as_ptr().cast();
    // SAFETY: the three texts end in a byte 0.
    unsafe { __assertfail(piece.ended(), file.as_ptr(), line, nothing, 1) };
    crate::trap()
}
