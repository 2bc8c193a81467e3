//! Builds a fault-injecting driver on top of the stand-in driver of the tests of `cust`, and loads
//! it into this process.
//!
//! `FERROVOX_FAULTS_DRIVER` names another underlying driver, such as the machine's own,
//! `libcuda.so.1`.

use libloading::Library;
use std::{
    ffi::{CStr, c_char, c_int, c_long},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Driver statuses that are injected, by number and name.
pub const STATUSES: [(c_int, &str); 4] = [
    (719, "CUDA_ERROR_LAUNCH_FAILED"),
    (214, "CUDA_ERROR_ECC_UNCORRECTABLE"),
    (2, "CUDA_ERROR_OUT_OF_MEMORY"),
    (999, "CUDA_ERROR_UNKNOWN"),
];

/// Loaded driver.
pub struct Driver {
    library: Library,
    _folder: tempfile::TempDir,
}

/// Call that failed.
pub struct FailedCall {
    /// Name of the driver function.
    pub function: String,
    /// Device of the call, if it has one.
    pub device: Option<c_int>,
}

/// Numbers of live device allocations, pinned allocations, streams, events, modules and contexts.
pub type LiveObjects = [c_long; 6];

/// Returns `true` if the environment names the underlying driver.
pub fn is_named() -> bool {
    std::env::var_os("FERROVOX_FAULTS_DRIVER").is_some()
}

impl Driver {
    /// Builds the driver and makes it this process's driver. Prints a message and returns `None` on
    /// a machine without a C compiler.
    ///
    /// # Panics
    /// If there is no C compiler although a driver was named.
    pub fn open() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let base = folder.path().join("libbase.so");
        let stand_in = include_str!("../../../crates/cust/tests/fake_driver/libcuda.c");
        let named = format!("-DBASE=\"{}\"", base.display());
        let built = compile(folder.path(), stand_in, &base, &["-DANY_KERNEL"]).and_then(|()| {
            let driver = folder.path().join("libfaults.so");
            let flags = [named.as_str(), "-ldl", "-lpthread"];
            compile(folder.path(), include_str!("faults.c"), &driver, &flags)?;
            Some(driver)
        });
        let Some(driver) = built else {
            assert!(
                !is_named(),
                "no C compiler (cc) found; install one to use FERROVOX_FAULTS_DRIVER"
            );
            return None;
        };
        // SAFETY: the only test of this program sets it, before starting threads.
        unsafe { std::env::set_var("FERROVOX_LIBCUDA", &driver) };
        // SAFETY: our own library; its initialiser loads another one. The loader returns the same
        // instance to the driver crate.
        let library = unsafe { Library::new(&driver) }.expect("driver can be opened");
        Some(Self {
            library,
            _folder: folder,
        })
    }

    /// Makes the `at`-th call from now on fail with this status, and with `lasting` also all later
    /// calls for its device; 0 disarms.
    pub fn arm(&self, at: c_long, status: c_int, lasting: bool) {
        // SAFETY: parameters and result are as in `faults.c`.
        unsafe {
            let arm = self
                .library
                .get::<extern "C" fn(c_long, c_int, c_int)>("faults_arm");
            arm.expect("in faults.c")(at, status, c_int::from(lasting));
        }
    }

    /// Returns the number of calls since the last [`arm`](Self::arm).
    pub fn calls(&self) -> c_long {
        // SAFETY: parameters and result are as in `faults.c`.
        unsafe {
            let calls = self
                .library
                .get::<extern "C" fn() -> c_long>("faults_calls");
            calls.expect("in faults.c")()
        }
    }

    /// Returns the call that failed, if any.
    pub fn failed_call(&self) -> Option<FailedCall> {
        // SAFETY: parameters and results are as in `faults.c`; the name is a literal there.
        unsafe {
            let name = self
                .library
                .get::<extern "C" fn() -> *const c_char>("faults_hit");
            let name = name.expect("in faults.c")();
            let device = self
                .library
                .get::<extern "C" fn() -> c_int>("faults_device");
            let device = device.expect("in faults.c")();
            (!name.is_null()).then(|| FailedCall {
                function: CStr::from_ptr(name).to_string_lossy().into_owned(),
                device: (device >= 0).then_some(device),
            })
        }
    }

    /// Returns the numbers of live objects.
    pub fn live_objects(&self) -> LiveObjects {
        let mut live_objects = LiveObjects::default();
        // SAFETY: parameters and result are as in `faults.c`, which writes this many numbers.
        unsafe {
            let count = self
                .library
                .get::<extern "C" fn(*mut c_long)>("faults_live");
            count.expect("in faults.c")(live_objects.as_mut_ptr());
        }
        live_objects
    }
}

fn compile(folder: &Path, source: &str, library: &PathBuf, flags: &[&str]) -> Option<()> {
    let path = folder.join("source.c");
    fs::write(&path, source).expect("source can be written");
    if !test_cases::has_programs(&["cc"]) {
        return None;
    }
    let output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(library)
        .arg(&path)
        .args(flags)
        .output()
        .expect("cc starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cc failed: {message}");
    Some(())
}
