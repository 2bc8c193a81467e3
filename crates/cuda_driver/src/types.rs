//! Types of the driver's ABI.

use std::ffi::{c_int, c_uint, c_void};

/// Device handle. Equal to the device ordinal in practice, but not by specification.
pub type CUdevice = c_int;
/// Address in device memory; 64 bits on every platform that CUDA supports.
pub type CUdeviceptr = u64;
/// Key of a just-in-time compilation option; see [`crate::jit_option`].
#[expect(non_camel_case_types, reason = "the driver's own name for it")]
pub type CUjit_option = c_int;

macro_rules! opaque_handles {
    ($($(#[$text:meta])* $handle:ident = $opaque:ident;)*) => {$(
        #[doc = concat!("Opaque target of [`", stringify!($handle), "`].")]
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
    /// Context: the state of one process on one device.
    CUcontext = OpaqueContext;
    /// Loaded module: code and global variables.
    CUmodule = OpaqueModule;
    /// Kernel of a loaded module.
    CUfunction = OpaqueFunction;
    /// Stream: an in-order queue of work. Null is the default stream.
    CUstream = OpaqueStream;
    /// Event: a point in a stream.
    CUevent = OpaqueEvent;
    /// State of a linker invocation.
    CUlinkState = OpaqueLinkState;
    /// Graph: a description of work.
    CUgraph = OpaqueGraph;
    /// Node of a graph.
    CUgraphNode = OpaqueGraphNode;
    /// Executable graph.
    CUgraphExec = OpaqueGraphExec;
    /// Memory pool for stream-ordered allocations.
    CUmemoryPool = OpaqueMemoryPool;
}

/// UUID of a device, unique across processes and machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct CUuuid {
    /// Bytes in the order printed by `nvidia-smi -L`.
    pub bytes: [u8; 16],
}

/// Dimensions of a launch: blocks in the grid, threads per block, and dynamic shared memory per
/// block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchDims {
    /// Number of blocks along x, y, z.
    pub grid: [u32; 3],
    /// Number of threads per block along x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared_bytes: u32,
}

/// Stores an integer in a pointer-sized slot, as the just-in-time compiler options require.
pub(crate) fn as_slot(value: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(value)
}

/// `CUDA_MEMCPY2D` (ABI version 2): a copy of rows.
#[repr(C)]
pub(crate) struct Memcpy2d {
    pub(crate) source: Memcpy2dEnd<*const c_void>,
    pub(crate) destination: Memcpy2dEnd<*mut c_void>,
    pub(crate) width_bytes: usize,
    pub(crate) height: usize,
}

/// Source or destination of a [`Memcpy2d`].
#[repr(C)]
pub(crate) struct Memcpy2dEnd<P> {
    pub(crate) x_bytes: usize,
    pub(crate) y: usize,
    /// 1 if `host` is used, 2 if `device` is used.
    pub(crate) memory_type: c_int,
    pub(crate) host: P,
    pub(crate) device: CUdeviceptr,
    /// CUDA array; not used.
    pub(crate) array: *mut c_void,
    pub(crate) pitch: usize,
}

/// `CUmemPoolProps`: properties of a memory pool.
#[repr(C)]
pub(crate) struct MemoryPoolProps {
    /// 1 for memory of a device.
    pub(crate) allocation_type: c_int,
    /// 0 for memory that is not shared with other processes.
    pub(crate) handle_types: c_int,
    /// 1 if `location_id` is a device.
    pub(crate) location_type: c_int,
    pub(crate) location_id: c_int,
    /// Security attributes of Windows; not used.
    pub(crate) security_attributes: *mut c_void,
    /// Maximum size in bytes, 0 for the driver's default; reserved before CUDA 12.2, and therefore
    /// 0.
    pub(crate) max_bytes: usize,
    pub(crate) reserved: [u8; 56],
}

/// `CUDA_KERNEL_NODE_PARAMS` (ABI version 2); version 1 lacks the last two fields.
#[repr(C)]
pub(crate) struct KernelNodeParams {
    pub(crate) function: CUfunction,
    pub(crate) grid: [c_uint; 3],
    pub(crate) block: [c_uint; 3],
    pub(crate) shared_bytes: c_uint,
    pub(crate) arguments: *mut *mut c_void,
    pub(crate) extra: *mut *mut c_void,
    /// Context-independent kernel; not used.
    pub(crate) kernel: *mut c_void,
    /// Context of the node; null selects the current context.
    pub(crate) context: CUcontext,
}
