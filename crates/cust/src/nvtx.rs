//! Marks and ranges in the time lines of NVIDIA's profilers. (An addition to the published names.)
//!
//! They go to NVIDIA's tools extension library, opened when the first mark is made:
//! `libnvtx3interop.so.1`, which CUDA toolkits bring since 12.9, or `libnvToolsExt.so.1` of those
//! before, or what `FERROVOX_NVTX` names. Where there is none, everything here does nothing, and
//! costs a comparison.
//!
//! ```
//! use cust::nvtx;
//!
//! let _frame = nvtx::range("frame 7"); // until the end of the block
//! nvtx::mark("the input has arrived");
//! {
//!     let _upload = nvtx::range("upload"); // within the frame
//! }
//! ```

use std::ffi::{CString, OsStr, c_char, c_int};
use std::marker::PhantomData;
use std::sync::OnceLock;

use libloading::Library;

/// The environment variable that names the library.
pub const LIBRARY_VARIABLE: &str = "FERROVOX_NVTX";

/// What is used of the library. It is never closed.
struct Functions {
    mark: unsafe extern "C" fn(*const c_char),
    push: unsafe extern "C" fn(*const c_char) -> c_int,
    pop: unsafe extern "C" fn() -> c_int,
}

static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();

fn functions() -> Option<&'static Functions> {
    FUNCTIONS.get_or_init(open).as_ref()
}

fn open() -> Option<Functions> {
    let defaults = if cfg!(windows) {
        ["nvtx3interop.dll", "nvToolsExt64_1.dll"]
    } else {
        ["libnvtx3interop.so.1", "libnvToolsExt.so.1"]
    };
    match std::env::var_os(LIBRARY_VARIABLE).filter(|name| !name.is_empty()) {
        Some(named) => open_one(&named),
        None => defaults.iter().find_map(|name| open_one(name.as_ref())),
    }
}

fn open_one(name: &OsStr) -> Option<Functions> {
    // SAFETY: loading runs the library's initialisers. It is NVIDIA's, or what the user asked for
    // by environment variable; trusting the latter is no more than LD_PRELOAD already asks.
    let library = unsafe { Library::new(name) }.ok()?;
    // SAFETY: the signatures that NVIDIA's header gives these functions; the library stays open.
    let functions = unsafe {
        Functions {
            mark: *library.get(b"nvtxMarkA").ok()?,
            push: *library.get(b"nvtxRangePushA").ok()?,
            pop: *library.get(b"nvtxRangePop").ok()?,
        }
    };
    // A profiler may have put itself into it.
    std::mem::forget(library);
    Some(functions)
}

/// Whether there is a library that takes the marks. Without a profiler it forgets them.
pub fn is_present() -> bool {
    functions().is_some()
}

/// A point in time on this thread.
pub fn mark(text: impl AsRef<str>) {
    if let Some(functions) = functions() {
        let text = c_text(text.as_ref());
        // SAFETY: a string that ends in NUL, which is copied.
        unsafe { (functions.mark)(text.as_ptr()) };
    }
}

/// A range of time on this thread, from now until the value is dropped. Ranges that begin in one
/// another end in one another: they are dropped in the reverse order.
#[must_use = "the range ends where the value is dropped"]
pub fn range(text: impl AsRef<str>) -> Range {
    range_push(text);
    Range {
        _this_thread: PhantomData,
    }
}

/// A range of time, made by [`range`]. It ends where it is dropped, on the thread that it began on.
#[derive(Debug)]
pub struct Range {
    /// Raw pointers are not `Send`.
    _this_thread: PhantomData<*mut ()>,
}

impl Drop for Range {
    fn drop(&mut self) {
        range_pop();
    }
}

/// Begins a range of time on this thread, which [`range_pop`] ends.
pub fn range_push(text: impl AsRef<str>) {
    if let Some(functions) = functions() {
        let text = c_text(text.as_ref());
        // SAFETY: a string that ends in NUL, which is copied.
        unsafe { (functions.push)(text.as_ptr()) };
    }
}

/// Ends the range of this thread that began last; does nothing where there is none.
pub fn range_pop() {
    if let Some(functions) = functions() {
        // SAFETY: no arguments; the library counts the ranges of each thread.
        unsafe { (functions.pop)() };
    }
}

/// The text up to its first NUL.
fn c_text(text: &str) -> CString {
    let until = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..until]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_at_its_first_nul() {
        assert_eq!(c_text("frame 7").as_c_str(), c"frame 7");
        assert_eq!(c_text("a\0b").as_c_str(), c"a");
        assert_eq!(c_text("").as_c_str(), c"");
    }
}
