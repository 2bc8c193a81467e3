//! libcuda, opened at run time.
//!
//! A program that links `-lcuda` does not even start on a machine without an NVIDIA driver. This
//! crate links nothing: the driver's library is opened when [`Driver::get`] is first called, its
//! functions are looked up by their versioned symbols (`cuMemAlloc_v2`, …), and a machine without a
//! driver is an ordinary [`LoadError`]. Nothing of the CUDA toolkit is needed to build.
//!
//! | question | answer |
//! | --- | --- |
//! | which library is opened? | `libcuda.so.1` (Linux) or `nvcuda.dll` (Windows), or what `FERROVOX_LIBCUDA` names |
//! | what if there is none? | [`LoadError::NoDriver`], naming what was tried and why each failed |
//! | what if the driver is too old for one function? | that function answers [`CudaError::DriverLacks`]; the others work |
//! | what do errors say? | this crate's own words for every code ([`CudaError`]), so a message never needs the driver |
//!
//! The methods of [`Driver`] are the driver's functions with out-parameters turned into results;
//! they add no policy. Safe handles with owners and `Drop` are the business of the crate above,
//! `cust`.
//!
//! ```
//! match cuda_driver::Driver::get() {
//!     Ok(driver) => println!("CUDA {:?}", driver.version()),
//!     Err(missing) => println!("{missing}"),
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
pub use module::{JitLog, jit_option};
pub use table::MissingFunction;
pub use types::{
    CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphExec, CUgraphNode,
    CUjit_option, CUlinkState, CUmemoryPool, CUmodule, CUstream, CUuuid, LaunchDims, OpaqueContext,
    OpaqueEvent, OpaqueFunction, OpaqueGraph, OpaqueGraphExec, OpaqueGraphNode, OpaqueLinkState,
    OpaqueMemoryPool, OpaqueModule, OpaqueStream,
};
pub use unified::Advice;
