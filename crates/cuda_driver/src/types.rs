//! The driver's own types, as its binary interface has them.

use std::ffi::{c_int, c_uint, c_void};

/// A device, by the number the driver gives it. Not the ordinal, though the two agree in practice.
pub type CUdevice = c_int;
/// An address in device memory. 64 bits on every platform CUDA still supports.
pub type CUdeviceptr = u64;
/// The key of one just-in-time compilation option; see [`crate::jit_option`].
#[expect(non_camel_case_types, reason = "the driver's own name for it")]
pub type CUjit_option = c_int;

macro_rules! opaque_handles {
    ($($(#[$text:meta])* $handle:ident = $opaque:ident;)*) => {$(
        #[doc = concat!("What a [`", stringify!($handle), "`] points at; only the driver knows what is in it.")]
        #[derive(Debug)]
        #[repr(C)]
        pub struct $opaque {
            _private: [u8; 0],
        }
        $(#[$text])*
        pub type $handle = *mut $opaque;
    )*};
}

opaque_handles! {
    /// A context: the state of one process on one device.
    CUcontext = OpaqueContext;
    /// A loaded module: code and globals.
    CUmodule = OpaqueModule;
    /// A kernel of a loaded module.
    CUfunction = OpaqueFunction;
    /// A queue of work in order. Null is the default stream.
    CUstream = OpaqueStream;
    /// A point in a stream.
    CUevent = OpaqueEvent;
    /// A linker at work.
    CUlinkState = OpaqueLinkState;
    /// Work that is described, not run.
    CUgraph = OpaqueGraph;
    /// A piece of work of a graph.
    CUgraphNode = OpaqueGraphNode;
    /// A graph made ready to run.
    CUgraphExec = OpaqueGraphExec;
    /// A pool that stream-ordered allocations come from.
    CUmemoryPool = OpaqueMemoryPool;
}

/// The 16 bytes that identify a device across processes and machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct CUuuid {
    /// The bytes in the order in which `nvidia-smi -L` prints them.
    pub bytes: [u8; 16],
}

/// The shape of a launch: blocks in the grid, threads in a block, and dynamic shared memory per
/// block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchDims {
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads per block along x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared_bytes: u32,
}

/// A value that travels in a pointer-sized slot, as just-in-time options do.
pub(crate) fn as_slot(value: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(value)
}

/// `CUDA_MEMCPY2D` of the driver's second interface: rows from one place to another.
#[repr(C)]
pub(crate) struct Memcpy2d {
    pub(crate) source: Memcpy2dEnd<*const c_void>,
    pub(crate) destination: Memcpy2dEnd<*mut c_void>,
    pub(crate) width_bytes: usize,
    pub(crate) height: usize,
}

/// One end of a [`Memcpy2d`].
#[repr(C)]
pub(crate) struct Memcpy2dEnd<P> {
    pub(crate) x_bytes: usize,
    pub(crate) y: usize,
    /// 1: `host` counts; 2: `device` counts.
    pub(crate) memory_type: c_int,
    pub(crate) host: P,
    pub(crate) device: CUdeviceptr,
    /// A CUDA array, of which there are none here.
    pub(crate) array: *mut c_void,
    pub(crate) pitch: usize,
}

/// `CUDA_KERNEL_NODE_PARAMS` of the driver's second interface, of which the first is all but the
/// last two.
#[repr(C)]
pub(crate) struct KernelNodeParams {
    pub(crate) function: CUfunction,
    pub(crate) grid: [c_uint; 3],
    pub(crate) block: [c_uint; 3],
    pub(crate) shared_bytes: c_uint,
    pub(crate) arguments: *mut *mut c_void,
    pub(crate) extra: *mut *mut c_void,
    /// A kernel without a context, of which there are none here.
    pub(crate) kernel: *mut c_void,
    /// Null is the current context.
    pub(crate) context: CUcontext,
}
