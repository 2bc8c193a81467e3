//! Compiles the stand-in driver with the machine's C compiler, opens it in this process, and
//! exposes its internal state to the tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use cust::CudaFlags;
use libloading::Library;

/// Kind of driver handle to count.
#[derive(Clone, Copy)]
pub enum Handle {
    Stream = 1,
    Event = 2,
    Module = 3,
}

/// The opened stand-in driver.
pub struct Fake {
    library: Library,
    _folder: tempfile::TempDir,
}

static FAKE: LazyLock<Option<Fake>> = LazyLock::new(build);
/// The stand-in has one state per process, so its tests run one at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Returns the initialized stand-in and exclusive access to it; prints a message and returns `None`
/// without a C compiler.
pub fn open() -> Option<(&'static Fake, MutexGuard<'static, ()>)> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let fake = FAKE.as_ref()?;
    cust::init(CudaFlags::empty()).expect("the stand-in initializes");
    fake.set_pools(true);
    fake.set_concurrent(true);
    fake.set_pending(false);
    fake.set_failing_frees(false);
    fake.set_slow_copies(false);
    Some((fake, turn))
}

fn build() -> Option<Fake> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("libcuda.c");
    std::fs::write(
        &source,
        concat!(include_str!("libcuda.c"), include_str!("graphs.c")),
    )
    .expect("the source can be written");
    let library = compile(&source, folder.path())?;
    // SAFETY: set once, before anything in this process opens a driver, while `LazyLock` blocks all
    // users of the stand-in; other threads of these tests read the environment only through the
    // standard library, which locks.
    unsafe { std::env::set_var("FERROVOX_LIBCUDA", &library) };
    // SAFETY: the library of these tests, without initializers. The loader returns the same
    // instance to the driver crate.
    let library = unsafe { Library::new(&library) }.expect("the stand-in opens");
    Some(Fake {
        library,
        _folder: folder,
    })
}

fn compile(source: &Path, folder: &Path) -> Option<PathBuf> {
    let library = folder.join("libfakecuda.so");
    if !test_cases::has_programs(&["cc"]) {
        return None;
    }
    let output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(source)
        .output()
        .expect("cc starts");
    assert!(
        output.status.success(),
        "cc failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(library)
}

impl Fake {
    fn call<A, R>(&self, name: &str, argument: A) -> R {
        // SAFETY: callers pass names of functions in `libcuda.c` with matching parameter and result
        // types.
        unsafe {
            self.library
                .get::<extern "C" fn(A) -> R>(name)
                .expect("in libcuda.c")(argument)
        }
    }

    /// Returns the number of live handles of a kind.
    pub fn live(&self, kind: Handle) -> i32 {
        self.call("fake_live", kind as i32)
    }

    /// Returns the number of live linkers.
    pub fn linkers(&self) -> i32 {
        self.call("fake_links", ())
    }

    /// Returns the number of live graphs and of live executable graphs.
    pub fn graphs(&self) -> i32 {
        self.call("fake_graphs", ())
    }

    /// Returns the number of live allocations.
    pub fn blocks(&self) -> i32 {
        self.call("fake_blocks", ())
    }

    /// Returns the number of live memory pools.
    pub fn pools(&self) -> i32 {
        self.call("fake_pools", ())
    }

    /// Returns the number of live pinned allocations.
    pub fn pinned(&self) -> i32 {
        self.call("fake_pinned", ())
    }

    /// Returns `true` if the address belongs to managed memory.
    pub fn is_managed(&self, address: u64) -> bool {
        self.call::<_, i32>("fake_is_managed", address) != 0
    }

    /// Sets whether device 1 reports concurrent managed access, as device 0 always does.
    pub fn set_concurrent(&self, on: bool) {
        self.call("fake_set_concurrent", i32::from(on))
    }

    /// Returns how often a device's context is retained.
    pub fn retain_count(&self, device: i32) -> i32 {
        self.call("fake_owners", device)
    }

    /// Returns the number of explicitly created contexts.
    pub fn explicit_contexts(&self) -> i32 {
        self.call("fake_own", ())
    }

    /// Returns the device of an allocation, or -1.
    pub fn allocation_device(&self, address: u64) -> i32 {
        self.call("fake_block_device", address)
    }

    /// Returns grid, block and dynamic shared bytes of the last launch.
    pub fn last_launch(&self) -> [u32; 7] {
        let mut out = [0; 7];
        self.call::<_, ()>("fake_last_launch", out.as_mut_ptr());
        out
    }

    /// Returns the number of peer copies ('p'), stream-ordered allocations ('a') and frees ('f'),
    /// or hints for managed memory ('m').
    pub fn count(&self, kind: char) -> i32 {
        self.call("fake_count", kind as std::ffi::c_char)
    }

    /// Sets whether the devices report memory pools.
    pub fn set_pools(&self, on: bool) {
        self.call("fake_set_pools", i32::from(on))
    }

    /// Sets whether freeing device memory fails.
    pub fn set_failing_frees(&self, on: bool) {
        self.call("fake_set_failing_frees", i32::from(on))
    }

    /// Sets whether copies are slow, so that copies of several threads overlap.
    pub fn set_slow_copies(&self, on: bool) {
        self.call("fake_set_slow_copies", i32::from(on))
    }

    /// Sets whether streams and events report pending work.
    pub fn set_pending(&self, on: bool) {
        self.call("fake_set_pending", i32::from(on))
    }
}
