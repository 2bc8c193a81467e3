//! Markers and ranges, recorded by a stand-in for NVIDIA's library. Skipped with a message without
//! a C compiler.
#![cfg(target_os = "linux")]

use std::ffi::{CStr, c_char};
use std::process::Command;

use cust::nvtx;
use libloading::Library;

const LIBRARY: &str = r#"
#include <string.h>
static char log[1000];
static int depth;
void nvtxMarkA(const char *text) { strcat(strcat(log, "!"), text); }
int nvtxRangePushA(const char *text) { strcat(strcat(log, "("), text); return depth++; }
int nvtxRangePop(void) { if (!depth) return -1; strcat(log, ")"); return --depth; }
const char *fake_log(void) { return log; }
"#;

#[test]
fn marks_and_ranges_reach_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let (source, path) = (
        folder.path().join("nvtx.c"),
        folder.path().join("libnvtx.so"),
    );
    std::fs::write(&source, LIBRARY).unwrap();
    let compiler = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&path, &source])
        .status();
    if !compiler.is_ok_and(|status| status.success()) {
        eprintln!("no C compiler (cc): skipped");
        return;
    }
    // SAFETY: the only test of this process, and nothing was opened yet.
    unsafe { std::env::set_var(nvtx::LIBRARY_VARIABLE, &path) };
    assert!(nvtx::is_present());
    {
        let _frame = nvtx::range("frame");
        nvtx::mark(String::from("here"));
        let _upload = nvtx::range("upload\0and more");
    }
    nvtx::range_push("by hand");
    nvtx::range_pop();
    nvtx::range_pop();
    // SAFETY: the library of this test, without initializers and already opened; its function
    // returns NUL-terminated text.
    let log = unsafe {
        let library = Library::new(&path).unwrap();
        let read_log = library
            .get::<extern "C" fn() -> *const c_char>("fake_log")
            .unwrap();
        CStr::from_ptr(read_log()).to_str().unwrap().to_owned()
    };
    assert_eq!(log, "(frame!here(upload))(by hand)");
}
