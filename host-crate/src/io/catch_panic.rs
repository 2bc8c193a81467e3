//! Panics of readers as errors.
//!
//! Some decoders are other crates', and files are damaged in unforeseen ways. Every function that
//! reads a file calls [`read_file`], so that a panic becomes an error with the name of the file,
//! and a program that processes many files continues with the next. This requires `panic =
//! "unwind"`, the default of Rust.

use std::{
    any::Any,
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::Path,
};

use crate::io::{FileError, FileProblem};
use crate::memory::OutOfMemory;

thread_local! {
    /// `true` while the thread is inside [`catch_panic`].
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Returns `true` if a panic of the calling thread becomes an error of the file that it reads. The
/// error quotes the message of the panic, which a panic hook need not print.
pub fn is_panic_caught() -> bool {
    IS_CAUGHT.get()
}

/// Runs a reader of the file `path`, and adds the path to its problem. A panic becomes
/// [`FileProblem::ReaderPanic`].
pub(super) fn read_file<T>(
    path: &Path,
    read: impl FnOnce() -> Result<T, FileProblem>,
) -> Result<T, FileError> {
    catch_panic(read).map_err(|problem| FileError::new(path, problem))
}

/// Runs a reader or a decoder, and turns a panic into [`FileProblem::ReaderPanic`]. Unwinding by a
/// lack of memory propagates.
pub(super) fn catch_panic<T>(
    read: impl FnOnce() -> Result<T, FileProblem>,
) -> Result<T, FileProblem> {
    let was_caught = IS_CAUGHT.replace(true);
    // unwind safety: callers drop what they have read when they receive an error
    let outcome = catch_unwind(AssertUnwindSafe(read));
    IS_CAUGHT.set(was_caught);
    outcome.unwrap_or_else(|panic| {
        if panic.is::<OutOfMemory>() {
            resume_unwind(panic);
        }
        let message = message(&*panic).to_owned();
        Err(FileProblem::ReaderPanic { message })
    })
}

/// Returns the message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panics() -> Result<(), FileProblem> {
        assert!(is_panic_caught());
        let samples = [0_u8; 2];
        let index = std::hint::black_box(7);
        assert_eq!(samples[index], 0);
        Ok(())
    }

    #[test]
    fn panic_becomes_an_error_with_the_name_and_the_message() {
        let error = read_file(Path::new("scan.abc"), panics).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("scan.abc: the reader failed unexpectedly"),
            "{text}"
        );
        assert!(text.contains("index out of bounds"), "{text}");
        assert!(!is_panic_caught());
        // the next file is read
        assert_eq!(read_file(Path::new("scan.abc"), || Ok(5)).unwrap(), 5);
        let nested = read_file(Path::new("scan.abc"), || {
            assert!(catch_panic(panics).is_err());
            Ok(is_panic_caught())
        });
        assert!(nested.unwrap());
    }

    #[test]
    fn lack_of_memory_propagates() {
        let error = OutOfMemory {
            purpose: "a test",
            bytes: 7,
        };
        let unwound =
            catch_unwind(|| catch_panic(|| -> Result<(), _> { resume_unwind(Box::new(error)) }));
        assert_eq!(unwound.unwrap_err().downcast_ref(), Some(&error));
    }
}
