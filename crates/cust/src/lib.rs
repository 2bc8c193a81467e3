//! The CUDA driver API with the names of the published `cust` 0.3.2, on a libcuda opened at run
//! time.
//!
//! A program written for `cust` builds against this crate with the same `use` lines, and with no
//! CUDA toolkit, but for what is listed at the end of this page. The binary starts on machines
//! without an NVIDIA driver too; there, [`init`] answers
//! [`CudaError::NoDriver`](error::CudaError::NoDriver).
//!
//! # In order of use
//! | on the CPU | here |
//! | --- | --- |
//! | which machine? | [`Device`], after [`init`] |
//! | a process | [`Context`]: one per device, shared by everyone in the process |
//! | a shared library | [`Module`](module::Module), from PTX |
//! | a function | [`Function`](function::Function) |
//! | a thread | [`Stream`](stream::Stream): work in it runs in order |
//! | a `Vec` | [`DeviceBuffer`](memory::DeviceBuffer); for both sides [`UnifiedBuffer`](memory::UnifiedBuffer) |
//! | a call | [`launch!`]; many at once [`Graph`](graph::Graph) |
//! | a linker | [`Linker`](link::Linker) |
//! | an allocator | [`Module::set_heap`](module::Module::set_heap), for kernels that use `alloc` |
//! | a clock, a condition | [`Event`](event::Event) |
//!
//! ```no_run
//! use cust::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let _context = cust::quick_init()?;
//! let module = Module::from_ptx(std::fs::read_to_string("double.ptx")?, &[])?;
//! let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
//! let numbers = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.0])?;
//! // SAFETY: the kernel takes a pointer and a length, and stays within it.
//! unsafe {
//!     launch!(module.double<<<1, 3, 0, stream>>>(numbers.as_device_ptr(), numbers.len()))?;
//! }
//! stream.synchronize()?;
//! println!("{:?}", numbers.as_host_vec()?);
//! # Ok(())
//! # }
//! ```
//!
//! # Threads and devices
//! Making something (a stream, an event, a buffer, a module) happens in the context that is current
//! on the calling thread, as in the published crate: [`Context::new`](context::Context::new),
//! [`CurrentContext::set_current`](context::CurrentContext::set_current) and
//! [`Context::enter`](context::Context::enter) choose it. What was made remembers its context and
//! keeps it alive; every later use, and the drop, makes that context current for its own duration
//! and then restores what was. So everything can be moved to, shared with and dropped on any
//! thread, with any device current.
//!
//! # Differences from the published crate
//! Additions are marked so in their documentation. What the published crate answers with a panic
//! (lengths that differ, names with NUL bytes, symbols of another size) is an error here. Stricter,
//! since safe code could do harm: tuples, `Option` and `Result` are no [`DeviceCopy`], a
//! [callback](stream::Stream::add_callback) borrows nothing, a [`Symbol`](module::Symbol) is read
//! as plain data, and a slice of a buffer that was dropped is an
//! [error](error::CudaError::BufferDropped). The derive for [`DeviceCopy`] asks for a fixed layout.
//! Unified memory is pinned memory where a device cannot share it with the host. Not here:
//! textures, surfaces, arrays, external memory, OptiX, and the features that implement
//! [`DeviceCopy`] for other crates' types. `docs/kernels/from-rust-cuda.md` in the repository has all names
//! in a table, which is held to a program that compiles against both crates.

pub mod context;
pub mod device;
pub mod error;
pub mod event;
pub mod function;
pub mod graph;
mod launch;
pub mod link;
pub mod memory;
pub mod module;
pub mod nvtx;
pub mod prelude;
pub mod stream;
pub mod util;
mod version;

/// The trait of what may be copied to the device, and its derive macro. (The published crate has
/// the macro alone under this name.)
pub use memory::DeviceCopy;

/// The driver's functions themselves, without owners.
pub use cuda_driver as sys;
pub use version::CudaApiVersion;

use bitflags::bitflags;

use crate::context::{Context, ContextFlags};
use crate::device::Device;
use crate::error::CudaResult;

bitflags! {
    /// Flags of [`init`]. The driver has none so far.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct CudaFlags: u32 {
        #[doc(hidden)]
        const _ZERO = 0;
    }
}

/// Opens the driver and initialises it. Must succeed before anything else here; may be called again
/// at any time.
///
/// # Errors
/// [`CudaError::NoDriver`](error::CudaError::NoDriver) on a machine without a driver,
/// [`CudaError::NoDevice`](error::CudaError::NoDevice) on one whose driver sees no GPU.
pub fn init(flags: CudaFlags) -> CudaResult<()> {
    driver()?.init(flags.bits())
}

/// [`init`], then the primary context of device 0, current on this thread.
///
/// # Errors
/// As [`init`] and [`Context::new`].
#[must_use = "the context is released with the value, unless something made in it keeps it alive"]
pub fn quick_init() -> CudaResult<Context> {
    init(CudaFlags::empty())?;
    let context = Context::new(Device::get_device(0)?)?;
    context.set_flags(ContextFlags::SCHED_AUTO)?;
    Ok(context)
}

/// The process's driver, or the error that there is none.
pub(crate) fn driver() -> CudaResult<&'static sys::Driver> {
    Ok(sys::Driver::get()?)
}

pub(crate) mod private {
    /// Keeps traits whose implementations the crate relies on from being implemented elsewhere.
    pub trait Sealed {}
}
