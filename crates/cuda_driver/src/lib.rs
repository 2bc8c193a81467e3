//! Bindings to the CUDA driver API that open the driver library (libcuda) at run time.
//!
//! A program linked with `-lcuda` does not start on a machine without an NVIDIA driver. This crate
//! opens the library at the first call of [`Driver::get`], looks up its functions by their
//! versioned symbols (`cuMemAlloc_v2`, …), and reports a missing driver as a [`LoadError`].
//! Building it does not require the CUDA toolkit.
//!
//! | situation | behaviour |
//! | --- | --- |
//! | library opened | `libcuda.so.1` or `nvcuda.dll`; `FERROVOX_LIBCUDA` overrides the name |
//! | no driver installed | [`LoadError::NoDriver`] with the libraries tried and the reasons |
//! | driver older than a function | only that function fails, with [`CudaError::MissingFunction`] |
//! | error messages | part of [`CudaError`] for every status code; no driver is required |
//!
//! The methods of [`Driver`] wrap the functions of the driver API one to one and return
//! out-parameters as results. Safe, owning handles are provided by `cust`, which builds on this
//! crate. [`device_memory`] asks NVIDIA's management library (NVML) instead.
//!
//! ```
//! match cuda_driver::Driver::get() {
//!     Ok(driver) => println!("CUDA {:?}", driver.version()),
//!     Err(error) => println!("{error}"),
//! }
//! ```

mod context;
mod context_limits;
mod context_stack;
mod copy;
mod copy_2d;
mod device;
mod driver;
mod error;
mod event;
mod function;
mod graph;
mod init;
mod launch;
mod link;
mod load;
mod management;
mod memory;
mod memset;
mod module;
mod occupancy;
mod peer;
mod pool;
mod stream;
mod table;
mod types;
mod unified;

pub use copy_2d::Rows;
pub use driver::Driver;
pub use error::{CudaError, CudaResult};
pub use link::LinkInput;
pub use load::{LIBRARY_VARIABLE, LoadError, TriedLibrary};
pub use management::{DeviceMemory, device_memory};
pub use module::{JitLog, jit_option};
pub use table::MissingFunction;
pub use types::{
    CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphExec, CUgraphNode,
    CUjit_option, CUlinkState, CUmemoryPool, CUmodule, CUstream, CUuuid, LaunchDims, OpaqueContext,
    OpaqueEvent, OpaqueFunction, OpaqueGraph, OpaqueGraphExec, OpaqueGraphNode, OpaqueLinkState,
    OpaqueMemoryPool, OpaqueModule, OpaqueStream,
};
pub use unified::Advice;
