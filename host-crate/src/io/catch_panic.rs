//! Panics of readers as errors.
//!
//! Some decoders are other crates', and files are damaged in unforeseen ways. Every function that
//! reads a file calls [`read_file`], so that a panic becomes an error with the name of the file,
//! and a program that processes many files continues with the next. This requires `panic =
//! "unwind"`, the default of Rust.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::Path,
};

use crate::io::{FileError, FileProblem};
use crate::memory::OutOfMemory;
use crate::parallel;

/// Returns `true` if a panic of the calling thread becomes an error of the file that it reads, also
/// on the threads that decode parts of it. The error quotes the message of the panic, which a panic
/// hook need not print.
pub fn is_panic_caught() -> bool {
    parallel::is_panic_caught()
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
    // unwind safety: callers drop what they have read when they receive an error
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        parallel::with_caught_panics(true, read)
    }));
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
    fn threads_of_a_reader_inherit_that_panics_are_caught() {
        let read = || {
            let caught = parallel::map(64, |_| {
                std::thread::sleep(std::time::Duration::from_millis(1));
                is_panic_caught()
            });
            assert!(caught.iter().all(|it| *it), "{caught:?}");
            let decode = |index: usize| -> Result<(), FileProblem> {
                assert!(index < 40, "item {index}");
                Ok(())
            };
            parallel::try_map(64, decode).map(|_| ())
        };
        let error = read_file(Path::new("scan.abc"), read).unwrap_err();
        assert!(error.to_string().contains("item"), "{error}");
        // the threads of the pool are used again by others
        assert!(
            parallel::map(64, |_| is_panic_caught())
                .iter()
                .all(|it| !it)
        );
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
