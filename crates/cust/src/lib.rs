//! Safe wrapper of the CUDA driver API with the interface of Rust-CUDA's `cust` 0.3.2, which opens
//! libcuda at run time.
//!
//! A program written for Rust-CUDA's `cust` compiles against this crate with the same `use` lines
//! and without a CUDA toolkit; the exceptions are listed at the end of this page. The binary also
//! starts on machines without an NVIDIA driver, where [`init`] returns
//! [`CudaError::NoDriver`](error::CudaError::NoDriver).
//!
//! # Concepts, in order of use
//! | CPU counterpart | type |
//! | --- | --- |
//! | machine | [`Device`], after [`init`] |
//! | process | [`Context`]: the primary context of a device, shared by the whole process |
//! | shared library | [`Module`](module::Module), from PTX |
//! | function | [`Function`](function::Function) |
//! | thread | [`Stream`](stream::Stream): an in-order queue of work |
//! | `Vec` | [`DeviceBuffer`](memory::DeviceBuffer) |
//! | shared memory | [`UnifiedBuffer`](memory::UnifiedBuffer), used by host and device |
//! | function call | [`launch!`]; [`Graph`](graph::Graph) for many at once |
//! | linker | [`Linker`](link::Linker) |
//! | allocator | [`Module::set_heap`](module::Module::set_heap), for kernels that use `alloc` |
//! | clock, condition variable | [`Event`](event::Event) |
//!
//! ```no_run
//! use cust::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let _context = cust::quick_init()?;
//! let module = Module::from_ptx(std::fs::read_to_string("double.ptx")?, &[])?;
//! let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
//! let numbers = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.0])?;
//! // SAFETY: the kernel takes a pointer and a length, and accesses only this range.
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
//! An object (stream, event, buffer, module) is created in the current context of the calling
//! thread, as in Rust-CUDA; [`Context::new`](context::Context::new),
//! [`CurrentContext::set_current`](context::CurrentContext::set_current) and
//! [`Context::enter`](context::Context::enter) select it. The object stores a reference that keeps
//! its context alive. Every later use, including drop, makes that context current for the duration
//! of the call and then restores the previous one. Objects can therefore be moved to, shared with
//! and dropped on any thread, regardless of the thread's current context.
//!
//! # Differences from Rust-CUDA's cust
//! Extensions are marked in their documentation. Conditions on which Rust-CUDA panics (different
//! lengths, names with NUL bytes, symbols of another size) are errors here. Some interfaces are
//! stricter, because safe code could cause undefined behaviour: tuples, `Option` and `Result` are
//! not [`DeviceCopy`], a [callback](stream::Stream::add_callback) must be `'static`, a
//! [`Symbol`](module::Symbol) is read as plain data, and the use of a slice whose buffer was
//! dropped is an [error](error::CudaError::BufferDropped). The derive macro for [`DeviceCopy`]
//! requires a fixed layout. Unified memory is pinned host memory if a device cannot access managed
//! memory concurrently with the host. Not supported: textures, surfaces, arrays, external memory,
//! OptiX, the features `impl_mint` and `impl_num_complex`, and `vek` types as launch dimensions.
//! `docs/kernels/from-rust-cuda-host.md` in the repository lists all names; a program that compiles
//! against both crates tests the table.

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

/// The trait of types that can be copied to the device, and its derive macro. (Rust-CUDA exports
/// only the macro under this name.)
pub use memory::DeviceCopy;

/// Unsafe bindings to the driver's functions.
pub use cuda_driver as sys;
pub use version::CudaApiVersion;

use bitflags::bitflags;

use crate::context::{Context, ContextFlags};
use crate::device::Device;
use crate::error::CudaResult;

bitflags! {
    /// Flags of [`init`]; none are defined yet.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct CudaFlags: u32 {
        #[doc(hidden)]
        const _ZERO = 0;
    }
}

/// Opens and initializes the driver. Must succeed before any other call of this crate, and may be
/// called repeatedly.
///
/// # Errors
/// [`CudaError::NoDriver`](error::CudaError::NoDriver) without a driver,
/// [`CudaError::NoDevice`](error::CudaError::NoDevice) if the driver finds no GPU.
pub fn init(flags: CudaFlags) -> CudaResult<()> {
    driver()?.init(flags.bits())
}

/// Calls [`init`] and makes the primary context of device 0 current on this thread.
///
/// # Errors
/// See [`init`] and [`Context::new`].
#[must_use = "dropping the value releases the context, unless an object created in it keeps it alive"]
pub fn quick_init() -> CudaResult<Context> {
    init(CudaFlags::empty())?;
    let context = Context::new(Device::get_device(0)?)?;
    context.set_flags(ContextFlags::SCHED_AUTO)?;
    Ok(context)
}

/// Returns the driver of the process, or the error if none is installed.
pub(crate) fn driver() -> CudaResult<&'static sys::Driver> {
    Ok(sys::Driver::get()?)
}

pub(crate) mod private {
    /// Prevents other crates from implementing traits whose implementations this crate relies on.
    pub trait Sealed {}
}
