//! Builds the stand-in driver with the machine's C compiler, opens it in this process, and lets
//! tests look inside.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use cust::CudaFlags;
use libloading::Library;

/// What to count among the driver's handles.
#[derive(Clone, Copy)]
pub enum Handle {
    Stream = 1,
    Event = 2,
    Module = 3,
}

/// The stand-in driver, opened.
pub struct Fake {
    library: Library,
    _folder: tempfile::TempDir,
}

static FAKE: LazyLock<Option<Fake>> = LazyLock::new(build);
/// The stand-in's state is one for the process, so its tests take turns.
static TURN: Mutex<()> = Mutex::new(());

/// The stand-in and the turn to use it, with the driver initialised; `None`, said aloud, on a
/// machine without a C compiler.
pub fn open() -> Option<(&'static Fake, MutexGuard<'static, ()>)> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(fake) = FAKE.as_ref() else {
        eprintln!("no C compiler (cc): skipped");
        return None;
    };
    cust::init(CudaFlags::empty()).expect("the stand-in initialises");
    fake.set_pools(true);
    fake.set_concurrent(true);
    fake.set_pending(false);
    Some((fake, turn))
}

fn build() -> Option<Fake> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("libcuda.c");
    std::fs::write(
        &source,
        concat!(include_str!("libcuda.c"), include_str!("graphs.c")),
    )
    .expect("the source is written");
    let library = compile(&source, folder.path())?;
    // SAFETY: set once, before anything in this process opens a driver, while `LazyLock` keeps all
    // users of the stand-in waiting; no other thread of these tests reads the environment other
    // than through the standard library, which locks.
    unsafe { std::env::set_var("FERROVOX_LIBCUDA", &library) };
    // SAFETY: our own library, without initialisers. The loader gives the driver crate the same
    // instance.
    let library = unsafe { Library::new(&library) }.expect("the stand-in opens");
    Some(Fake {
        library,
        _folder: folder,
    })
}

fn compile(source: &Path, folder: &Path) -> Option<PathBuf> {
    let library = folder.join("libfakecuda.so");
    let output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(source)
        .output()
        .ok()?;
    assert!(
        output.status.success(),
        "cc failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(library)
}

impl Fake {
    fn call<A, R>(&self, name: &str, argument: A) -> R {
        // SAFETY: the callers below name functions of `libcuda.c` with their parameter and result
        // types.
        unsafe {
            self.library
                .get::<extern "C" fn(A) -> R>(name)
                .expect("in libcuda.c")(argument)
        }
    }

    /// How many handles of a kind exist.
    pub fn live(&self, kind: Handle) -> i32 {
        self.call("fake_live", kind as i32)
    }

    /// How many linkers exist.
    pub fn linkers(&self) -> i32 {
        self.call("fake_links", ())
    }

    /// How many graphs exist, and how many that are ready to run.
    pub fn graphs(&self) -> i32 {
        self.call("fake_graphs", ())
    }

    /// How many allocations exist.
    pub fn blocks(&self) -> i32 {
        self.call("fake_blocks", ())
    }

    /// How many pieces of pinned memory exist.
    pub fn pinned(&self) -> i32 {
        self.call("fake_pinned", ())
    }

    /// Whether an address is of managed memory.
    pub fn is_managed(&self, address: u64) -> bool {
        self.call::<_, i32>("fake_is_managed", address) != 0
    }

    /// Whether device 1 says that it uses managed memory together with the host, as device 0 always
    /// does.
    pub fn set_concurrent(&self, on: bool) {
        self.call("fake_set_concurrent", i32::from(on))
    }

    /// How often a device's context is retained.
    pub fn owners(&self, device: i32) -> i32 {
        self.call("fake_owners", device)
    }

    /// How many contexts there are beside the primary ones.
    pub fn own_contexts(&self) -> i32 {
        self.call("fake_own", ())
    }

    /// The device that an address was allocated on, or -1.
    pub fn device_of(&self, address: u64) -> i32 {
        self.call("fake_block_device", address)
    }

    /// Grid, block and dynamic shared bytes of the last launch.
    pub fn last_launch(&self) -> [u32; 7] {
        let mut out = [0; 7];
        self.call::<_, ()>("fake_last_launch", out.as_mut_ptr());
        out
    }

    /// How many peer copies ('p'), stream-ordered allocations ('a') and frees ('f'), and advices
    /// for managed memory ('m') there were.
    pub fn count(&self, what: char) -> i32 {
        self.call("fake_count", what as std::ffi::c_char)
    }

    /// Whether the devices say they have memory pools.
    pub fn set_pools(&self, on: bool) {
        self.call("fake_set_pools", i32::from(on))
    }

    /// Whether streams and events say they are still under way.
    pub fn set_pending(&self, on: bool) {
        self.call("fake_set_pending", i32::from(on))
    }
}
