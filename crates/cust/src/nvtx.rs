//! Markers and ranges in the timelines of NVIDIA's profilers. (Not part of Rust-CUDA.)
//!
//! The functions of NVIDIA's tools extension library (NVTX), which is opened at the first use:
//! `libnvtx3interop.so.1` (CUDA toolkits since 12.9), `libnvToolsExt.so.1` (older toolkits), or the
//! library named by `FERROVOX_NVTX`. If no library is found, the functions of this module do
//! nothing and cost one comparison.
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

/// Environment variable that names the library.
pub const LIBRARY_VARIABLE: &str = "FERROVOX_NVTX";

/// Functions of the library, which is never closed.
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
        Some(named) => open_library(&named),
        None => defaults.iter().find_map(|name| open_library(name.as_ref())),
    }
}

fn open_library(name: &OsStr) -> Option<Functions> {
    // SAFETY: loading runs the library's initializers. It is NVIDIA's, or was chosen by the user
    // through an environment variable, which needs the same trust as LD_PRELOAD.
    let library = unsafe { Library::new(name) }.ok()?;
    // SAFETY: the signatures of NVIDIA's header; the library stays open.
    let functions = unsafe {
        Functions {
            mark: *library.get(b"nvtxMarkA").ok()?,
            push: *library.get(b"nvtxRangePushA").ok()?,
            pop: *library.get(b"nvtxRangePop").ok()?,
        }
    };
    // a profiler may have injected itself into the library
    std::mem::forget(library);
    Some(functions)
}

/// Returns `true` if the library is available. Without a profiler it discards all markers.
pub fn is_present() -> bool {
    functions().is_some()
}

/// Adds a marker at the current time on this thread.
pub fn mark(text: impl AsRef<str>) {
    if let Some(functions) = functions() {
        let text = c_text(text.as_ref());
        // SAFETY: a NUL-terminated string, which the library copies.
        unsafe { (functions.mark)(text.as_ptr()) };
    }
}

/// Starts a range on this thread, which ends when the returned value is dropped. Ranges nest: drop
/// them in the reverse order of their creation.
#[must_use = "the range ends when the value is dropped"]
pub fn range(text: impl AsRef<str>) -> Range {
    range_push(text);
    Range {
        _this_thread: PhantomData,
    }
}

/// Range in the timeline, created by [`range`]. It ends when dropped, on the thread on which it
/// started.
#[derive(Debug)]
pub struct Range {
    /// Makes the type `!Send`.
    _this_thread: PhantomData<*mut ()>,
}

impl Drop for Range {
    fn drop(&mut self) {
        range_pop();
    }
}

/// Starts a range on this thread, which [`range_pop`] ends.
pub fn range_push(text: impl AsRef<str>) {
    if let Some(functions) = functions() {
        let text = c_text(text.as_ref());
        // SAFETY: a NUL-terminated string, which the library copies.
        unsafe { (functions.push)(text.as_ptr()) };
    }
}

/// Ends the most recent range of this thread, if there is one.
pub fn range_pop() {
    if let Some(functions) = functions() {
        // SAFETY: no arguments; the library keeps a stack of ranges per thread.
        unsafe { (functions.pop)() };
    }
}

/// Converts the text up to its first NUL.
fn c_text(text: &str) -> CString {
    let until = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..until]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_truncated_at_the_first_nul() {
        assert_eq!(c_text("frame 7").as_c_str(), c"frame 7");
        assert_eq!(c_text("a\0b").as_c_str(), c"a");
        assert_eq!(c_text("").as_c_str(), c"");
    }
}
