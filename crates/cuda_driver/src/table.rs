//! Table of the driver's functions: symbol, signature, and the CUDA version that introduced each.

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};
use std::fmt;

use libloading::Library;

use crate::types::{
    CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphExec, CUgraphNode,
    CUjit_option, CUlinkState, CUmemoryPool, CUmodule, CUstream, CUuuid, KernelNodeParams,
    Memcpy2d, MemoryPoolProps,
};

/// A driver function that the installed driver does not provide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MissingFunction {
    /// Symbol in the driver library.
    pub symbol: &'static str,
    /// First CUDA version whose driver provides the function, as 1000 × major + 10 × minor.
    pub since: u32,
}

/// A function of the driver, if the installed driver provides it.
pub(crate) struct Entry<F> {
    function: Option<F>,
    missing: MissingFunction,
}

impl<F: Copy> Entry<F> {
    /// Returns the function, or its symbol and the required driver version.
    pub(crate) fn get(&self) -> Result<F, MissingFunction> {
        self.function.ok_or(self.missing)
    }

    /// Returns `true` if the installed driver provides the function.
    pub(crate) fn is_present(&self) -> bool {
        self.function.is_some()
    }

    fn look_up(library: &Library, symbol: &'static str, since: u32) -> Entry<F> {
        // SAFETY: F is the signature that the driver's published ABI gives this versioned symbol
        // (the declarations below); the library is never closed, so the copied pointer stays valid.
        let function = unsafe { library.get::<F>(symbol) }.ok().map(|found| *found);
        Entry {
            function,
            missing: MissingFunction { symbol, since },
        }
    }
}

/// Declares one field per function and the code that looks it up. A macro, because every field has
/// its own type.
macro_rules! function_table {
    ($($since:literal $field:ident $symbol:literal ($($kind:ty),* $(,)?);)*) => {
        /// Every driver function that this crate calls.
        pub(crate) struct Table {
            $(pub(crate) $field: Entry<unsafe extern "system" fn($($kind),*) -> c_int>,)*
        }

        impl Table {
            pub(crate) fn look_up(library: &Library) -> Table {
                Table { $($field: Entry::look_up(library, $symbol, $since),)* }
            }

            fn count_present(&self) -> usize {
                [$(self.$field.is_present()),*].iter().filter(|present| **present).count()
            }
        }
    };
}

impl Table {
    /// Returns the first function that every CUDA driver exports and this library does not.
    pub(crate) fn first_missing_mandatory_function(&self) -> Option<&'static str> {
        [
            (self.init.is_present(), "cuInit"),
            (self.driver_get_version.is_present(), "cuDriverGetVersion"),
            (self.device_get_count.is_present(), "cuDeviceGetCount"),
        ]
        .iter()
        .find(|(present, _)| !present)
        .map(|(_, symbol)| *symbol)
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} functions present)", self.count_present())
    }
}

// Columns: CUDA version that introduced the function (1000 × major + 10 × minor), field, symbol,
// parameters. Every function returns a status code.
function_table! {
    2000 init "cuInit" (c_uint);
    2020 driver_get_version "cuDriverGetVersion" (*mut c_int);

    2000 device_get_count "cuDeviceGetCount" (*mut c_int);
    2000 device_get "cuDeviceGet" (*mut CUdevice, c_int);
    2000 device_get_name "cuDeviceGetName" (*mut c_char, c_int, CUdevice);
    9020 device_get_uuid "cuDeviceGetUuid" (*mut CUuuid, CUdevice);
    2000 device_get_attribute "cuDeviceGetAttribute" (*mut c_int, c_int, CUdevice);
    3020 device_total_mem "cuDeviceTotalMem_v2" (*mut usize, CUdevice);

    7000 primary_ctx_retain "cuDevicePrimaryCtxRetain" (*mut CUcontext, CUdevice);
    11000 primary_ctx_release "cuDevicePrimaryCtxRelease_v2" (CUdevice);
    7000 primary_ctx_release_v1 "cuDevicePrimaryCtxRelease" (CUdevice);
    11000 primary_ctx_reset "cuDevicePrimaryCtxReset_v2" (CUdevice);
    11000 primary_ctx_set_flags "cuDevicePrimaryCtxSetFlags_v2" (CUdevice, c_uint);

    4000 ctx_get_current "cuCtxGetCurrent" (*mut CUcontext);
    4000 ctx_set_current "cuCtxSetCurrent" (CUcontext);
    4000 ctx_push_current "cuCtxPushCurrent_v2" (CUcontext);
    4000 ctx_pop_current "cuCtxPopCurrent_v2" (*mut CUcontext);
    3020 ctx_create "cuCtxCreate_v2" (*mut CUcontext, c_uint, CUdevice);
    4000 ctx_destroy "cuCtxDestroy_v2" (CUcontext);
    2000 ctx_synchronize "cuCtxSynchronize" ();
    2000 ctx_get_device "cuCtxGetDevice" (*mut CUdevice);
    7000 ctx_get_flags "cuCtxGetFlags" (*mut c_uint);
    3020 ctx_get_api_version "cuCtxGetApiVersion" (CUcontext, *mut c_uint);
    3020 ctx_get_limit "cuCtxGetLimit" (*mut usize, c_int);
    3020 ctx_set_limit "cuCtxSetLimit" (c_int, usize);
    3020 ctx_get_cache_config "cuCtxGetCacheConfig" (*mut c_int);
    3020 ctx_set_cache_config "cuCtxSetCacheConfig" (c_int);
    4020 ctx_get_shared_mem_config "cuCtxGetSharedMemConfig" (*mut c_int);
    4020 ctx_set_shared_mem_config "cuCtxSetSharedMemConfig" (c_int);
    5050 ctx_get_stream_priority_range "cuCtxGetStreamPriorityRange" (*mut c_int, *mut c_int);

    4000 device_can_access_peer "cuDeviceCanAccessPeer" (*mut c_int, CUdevice, CUdevice);
    4000 ctx_enable_peer_access "cuCtxEnablePeerAccess" (CUcontext, c_uint);

    2010 module_load_data_ex "cuModuleLoadDataEx" (*mut CUmodule, *const c_void, c_uint, *mut CUjit_option, *mut *mut c_void);
    2000 module_unload "cuModuleUnload" (CUmodule);
    2000 module_get_function "cuModuleGetFunction" (*mut CUfunction, CUmodule, *const c_char);
    3020 module_get_global "cuModuleGetGlobal_v2" (*mut CUdeviceptr, *mut usize, CUmodule, *const c_char);

    6050 link_create "cuLinkCreate_v2" (c_uint, *mut CUjit_option, *mut *mut c_void, *mut CUlinkState);
    6050 link_add_data "cuLinkAddData_v2" (CUlinkState, c_int, *mut c_void, usize, *const c_char, c_uint, *mut CUjit_option, *mut *mut c_void);
    5050 link_complete "cuLinkComplete" (CUlinkState, *mut *mut c_void, *mut usize);
    5050 link_destroy "cuLinkDestroy" (CUlinkState);

    10000 graph_create "cuGraphCreate" (*mut CUgraph, c_uint);
    10000 graph_destroy "cuGraphDestroy" (CUgraph);
    12000 graph_add_kernel_node "cuGraphAddKernelNode_v2" (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const KernelNodeParams);
    10000 graph_add_kernel_node_v1 "cuGraphAddKernelNode" (*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const KernelNodeParams);
    10000 graph_get_nodes "cuGraphGetNodes" (CUgraph, *mut CUgraphNode, *mut usize);
    10000 graph_get_edges "cuGraphGetEdges" (CUgraph, *mut CUgraphNode, *mut CUgraphNode, *mut usize);
    10000 graph_node_get_type "cuGraphNodeGetType" (CUgraphNode, *mut c_int);
    11030 graph_debug_dot_print "cuGraphDebugDotPrint" (CUgraph, *const c_char, c_uint);
    11040 graph_instantiate "cuGraphInstantiateWithFlags" (*mut CUgraphExec, CUgraph, c_ulonglong);
    10000 graph_launch "cuGraphLaunch" (CUgraphExec, CUstream);
    10000 graph_exec_destroy "cuGraphExecDestroy" (CUgraphExec);

    2020 func_get_attribute "cuFuncGetAttribute" (*mut c_int, c_int, CUfunction);
    9000 func_set_attribute "cuFuncSetAttribute" (CUfunction, c_int, c_int);
    3000 func_set_cache_config "cuFuncSetCacheConfig" (CUfunction, c_int);
    4020 func_set_shared_mem_config "cuFuncSetSharedMemConfig" (CUfunction, c_int);

    6050 occupancy_max_active_blocks "cuOccupancyMaxActiveBlocksPerMultiprocessor" (*mut c_int, CUfunction, c_int, usize);
    7000 occupancy_max_active_blocks_with_flags "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags" (*mut c_int, CUfunction, c_int, usize, c_uint);
    6050 occupancy_max_potential_block_size "cuOccupancyMaxPotentialBlockSize" (*mut c_int, *mut c_int, CUfunction, *const c_void, usize, c_int);
    11000 occupancy_available_dynamic_smem "cuOccupancyAvailableDynamicSMemPerBlock" (*mut usize, CUfunction, c_int, c_int);

    4000 launch_kernel "cuLaunchKernel" (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void);
    9000 launch_cooperative_kernel "cuLaunchCooperativeKernel" (CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void);
    10000 launch_host_func "cuLaunchHostFunc" (CUstream, unsafe extern "system" fn(*mut c_void), *mut c_void);

    3020 mem_alloc "cuMemAlloc_v2" (*mut CUdeviceptr, usize);
    3020 mem_free "cuMemFree_v2" (CUdeviceptr);
    11020 mem_alloc_async "cuMemAllocAsync" (*mut CUdeviceptr, usize, CUstream);
    11020 mem_free_async "cuMemFreeAsync" (CUdeviceptr, CUstream);
    3020 mem_get_info "cuMemGetInfo_v2" (*mut usize, *mut usize);
    6000 mem_alloc_managed "cuMemAllocManaged" (*mut CUdeviceptr, usize, c_uint);
    3020 mem_alloc_pitch "cuMemAllocPitch_v2" (*mut CUdeviceptr, *mut usize, usize, usize, c_uint);
    6000 pointer_get_attribute "cuPointerGetAttribute" (*mut c_void, c_int, CUdeviceptr);
    8000 mem_prefetch_async "cuMemPrefetchAsync" (CUdeviceptr, usize, CUdevice, CUstream);
    8000 mem_advise "cuMemAdvise" (CUdeviceptr, usize, c_int, CUdevice);
    2020 mem_host_alloc "cuMemHostAlloc" (*mut *mut c_void, usize, c_uint);
    2000 mem_free_host "cuMemFreeHost" (*mut c_void);
    11020 device_get_default_mem_pool "cuDeviceGetDefaultMemPool" (*mut CUmemoryPool, CUdevice);
    11020 mem_alloc_from_pool_async "cuMemAllocFromPoolAsync" (*mut CUdeviceptr, usize, CUmemoryPool, CUstream);
    11020 mem_pool_create "cuMemPoolCreate" (*mut CUmemoryPool, *const MemoryPoolProps);
    11020 mem_pool_destroy "cuMemPoolDestroy" (CUmemoryPool);
    11020 mem_pool_set_attribute "cuMemPoolSetAttribute" (CUmemoryPool, c_int, *mut c_void);
    11020 mem_pool_get_attribute "cuMemPoolGetAttribute" (CUmemoryPool, c_int, *mut c_void);
    11020 mem_pool_trim_to "cuMemPoolTrimTo" (CUmemoryPool, usize);

    3020 memcpy_htod "cuMemcpyHtoD_v2" (CUdeviceptr, *const c_void, usize);
    3020 memcpy_dtoh "cuMemcpyDtoH_v2" (*mut c_void, CUdeviceptr, usize);
    3020 memcpy_dtod "cuMemcpyDtoD_v2" (CUdeviceptr, CUdeviceptr, usize);
    3020 memcpy_htod_async "cuMemcpyHtoDAsync_v2" (CUdeviceptr, *const c_void, usize, CUstream);
    3020 memcpy_dtoh_async "cuMemcpyDtoHAsync_v2" (*mut c_void, CUdeviceptr, usize, CUstream);
    3020 memcpy_dtod_async "cuMemcpyDtoDAsync_v2" (CUdeviceptr, CUdeviceptr, usize, CUstream);
    4000 memcpy_peer "cuMemcpyPeer" (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, usize);
    4000 memcpy_peer_async "cuMemcpyPeerAsync" (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, usize, CUstream);
    3020 memcpy_2d "cuMemcpy2D_v2" (*const Memcpy2d);
    3020 memcpy_2d_async "cuMemcpy2DAsync_v2" (*const Memcpy2d, CUstream);
    3020 memset_d8 "cuMemsetD8_v2" (CUdeviceptr, c_uchar, usize);
    3020 memset_d16 "cuMemsetD16_v2" (CUdeviceptr, c_ushort, usize);
    3020 memset_d32 "cuMemsetD32_v2" (CUdeviceptr, c_uint, usize);
    3020 memset_d8_async "cuMemsetD8Async" (CUdeviceptr, c_uchar, usize, CUstream);
    3020 memset_d16_async "cuMemsetD16Async" (CUdeviceptr, c_ushort, usize, CUstream);
    3020 memset_d32_async "cuMemsetD32Async" (CUdeviceptr, c_uint, usize, CUstream);

    5050 stream_create_with_priority "cuStreamCreateWithPriority" (*mut CUstream, c_uint, c_int);
    4000 stream_destroy "cuStreamDestroy_v2" (CUstream);
    2000 stream_synchronize "cuStreamSynchronize" (CUstream);
    2000 stream_query "cuStreamQuery" (CUstream);
    3020 stream_wait_event "cuStreamWaitEvent" (CUstream, CUevent, c_uint);
    5050 stream_get_flags "cuStreamGetFlags" (CUstream, *mut c_uint);
    5050 stream_get_priority "cuStreamGetPriority" (CUstream, *mut c_int);

    2000 event_create "cuEventCreate" (*mut CUevent, c_uint);
    4000 event_destroy "cuEventDestroy_v2" (CUevent);
    2000 event_record "cuEventRecord" (CUevent, CUstream);
    2000 event_query "cuEventQuery" (CUevent);
    2000 event_synchronize "cuEventSynchronize" (CUevent);
    2000 event_elapsed_time "cuEventElapsedTime" (*mut f32, CUevent, CUevent);
}
