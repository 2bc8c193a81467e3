//! Builds a driver that fails on demand, over the stand-in driver of the tests of `cust`, and opens
//! it in this process.
//!
//! `FERROVOX_FAULTS_DRIVER` names another driver for it to stand over, such as the machine's own,
//! `libcuda.so.1`.

use libloading::Library;
use std::{
    ffi::{CStr, c_char, c_int, c_long},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Statuses of the driver that calls are made to give, as their numbers and names.
pub const STATUSES: [(c_int, &str); 4] = [
    (719, "CUDA_ERROR_LAUNCH_FAILED"),
    (214, "CUDA_ERROR_ECC_UNCORRECTABLE"),
    (2, "CUDA_ERROR_OUT_OF_MEMORY"),
    (999, "CUDA_ERROR_UNKNOWN"),
];

/// The driver, opened.
pub struct Driver {
    library: Library,
    _folder: tempfile::TempDir,
}

/// The call that failed.
pub struct Hit {
    /// The driver's function.
    pub function: String,
    /// The device it was called for, if for one.
    pub device: Option<c_int>,
}

/// How many there are of device memory, pinned memory, streams, events, modules and contexts.
pub type Live = [c_long; 6];

/// Whether there is a driver below that was named, and not the stand-in.
pub fn is_given() -> bool {
    std::env::var_os("FERROVOX_FAULTS_DRIVER").is_some()
}

impl Driver {
    /// Builds it and makes it this process's driver; `None`, said aloud, on a machine without a C
    /// compiler.
    ///
    /// # Panics
    /// Without a C compiler, if a driver was named: whoever does that means it to be tried.
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
                !is_given(),
                "there is no C compiler (cc), so FERROVOX_FAULTS_DRIVER cannot be tried"
            );
            eprintln!("no C compiler (cc): skipped");
            return None;
        };
        // SAFETY: the one test of this program sets it, before it starts threads.
        unsafe { std::env::set_var("FERROVOX_LIBCUDA", &driver) };
        // SAFETY: our own library; its initialiser opens another one. The loader gives the driver
        // crate the same instance.
        let library = unsafe { Library::new(&driver) }.expect("the driver opens");
        Some(Self {
            library,
            _folder: folder,
        })
    }

    /// Makes the `at`-th call from now on give this status, and if so asked all later ones of its
    /// device; with 0 none does.
    pub fn arm(&self, at: c_long, status: c_int, lasting: bool) {
        // SAFETY: parameters and result as in `faults.c`.
        unsafe {
            let arm = self
                .library
                .get::<extern "C" fn(c_long, c_int, c_int)>("faults_arm");
            arm.expect("in faults.c")(at, status, c_int::from(lasting));
        }
    }

    /// How many calls there were since the last [`arm`](Self::arm).
    pub fn calls(&self) -> c_long {
        // SAFETY: parameters and result as in `faults.c`.
        unsafe {
            let calls = self
                .library
                .get::<extern "C" fn() -> c_long>("faults_calls");
            calls.expect("in faults.c")()
        }
    }

    /// The call that failed, if one did.
    pub fn hit(&self) -> Option<Hit> {
        // SAFETY: parameters and results as in `faults.c`; the name is a literal there.
        unsafe {
            let name = self
                .library
                .get::<extern "C" fn() -> *const c_char>("faults_hit");
            let name = name.expect("in faults.c")();
            let device = self
                .library
                .get::<extern "C" fn() -> c_int>("faults_device");
            let device = device.expect("in faults.c")();
            (!name.is_null()).then(|| Hit {
                function: CStr::from_ptr(name).to_string_lossy().into_owned(),
                device: (device >= 0).then_some(device),
            })
        }
    }

    /// What exists.
    pub fn live(&self) -> Live {
        let mut live = Live::default();
        // SAFETY: parameters and result as in `faults.c`, which fills as many numbers.
        unsafe {
            let count = self
                .library
                .get::<extern "C" fn(*mut c_long)>("faults_live");
            count.expect("in faults.c")(live.as_mut_ptr());
        }
        live
    }
}

fn compile(folder: &Path, source: &str, library: &PathBuf, flags: &[&str]) -> Option<()> {
    let path = folder.join("source.c");
    fs::write(&path, source).expect("the source is written");
    let output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(library)
        .arg(&path)
        .args(flags)
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cc failed: {said}");
    Some(())
}
