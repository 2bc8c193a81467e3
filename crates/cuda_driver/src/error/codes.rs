//! Status codes of the driver: number, name, and a description of each.

use std::ffi::c_int;

use crate::table::MissingFunction;

/// Declares the error type from one row per code: number, variant, name, description.
macro_rules! status_codes {
    ($($code:literal $variant:ident $name:literal $sentence:literal;)*) => {
        /// Failure of a driver call: a status code of the driver, or an invalid argument found
        /// before the call.
        ///
        /// All descriptions are part of this crate, so printing an error requires no driver.
        ///
        /// An error of an earlier asynchronous launch can be reported by any later call; this is
        /// usually the case for the codes from [`CudaError::IllegalAddress`] to
        /// [`CudaError::LaunchFailed`].
        ///
        /// ```
        /// use cuda_driver::CudaError;
        ///
        /// let error = CudaError::from_code(2);
        /// assert_eq!(error, CudaError::OutOfMemory);
        /// assert!(error.to_string().starts_with("CUDA_ERROR_OUT_OF_MEMORY (2): "));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum CudaError {
            $(
                #[doc = concat!("`", $name, "` (", $code, "): ", $sentence, ".")]
                $variant,
            )*
            /// Status code that has no name in this crate.
            Unlisted(i32),
            /// No driver is installed. [`Driver::get`](crate::Driver::get) and the message of this
            /// error list the libraries that were tried.
            NoDriver,
            /// The installed driver is too old for a function that was called.
            MissingFunction(MissingFunction),
            /// Allocation of zero bytes, or of more bytes than the address space.
            InvalidMemoryAllocation,
            /// Error of OptiX; present for compatibility with Rust-CUDA, never returned.
            OptixError,
            /// Copy between ranges of different lengths.
            LengthMismatch {
                /// Length of the destination, in elements.
                destination: usize,
                /// Length of the source, in elements.
                source: usize,
            },
            /// Fill whose address or size is not a multiple of the fill unit.
            MisalignedFill {
                /// Device address.
                address: u64,
                /// Size of the range, in bytes.
                bytes: usize,
                /// Size of the fill unit, in bytes.
                unit: usize,
            },
            /// Global variable whose size differs from that of the requested type.
            SymbolSize {
                /// Size of the global variable, in bytes.
                symbol: usize,
                /// Size of the requested type, in bytes.
                requested: usize,
            },
            /// Name or PTX text with a NUL byte, at which the driver would truncate it.
            InteriorNul,
            /// Use of a slice whose buffer was dropped. (Not part of Rust-CUDA, whose slices access
            /// freed memory in this case.)
            BufferDropped,
        }

        impl CudaError {
            /// Converts a status code other than 0.
            pub fn from_code(code: c_int) -> CudaError {
                match code {
                    $($code => CudaError::$variant,)*
                    other => CudaError::Unlisted(other),
                }
            }

            /// Returns the status code, its name in the CUDA documentation, and its description;
            /// `None` if the error is not a named status code.
            pub fn status(&self) -> Option<(i32, &'static str, &'static str)> {
                match self {
                    $(CudaError::$variant => Some(($code, $name, $sentence)),)*
                    _ => None,
                }
            }

            /// Returns all named status codes.
            pub fn listed() -> &'static [CudaError] {
                &[$(CudaError::$variant),*]
            }
        }
    };
}

status_codes! {
    1 InvalidValue "CUDA_ERROR_INVALID_VALUE" "an argument is outside what the function accepts";
    2 OutOfMemory "CUDA_ERROR_OUT_OF_MEMORY" "the device has too little free memory for the request";
    3 NotInitialized "CUDA_ERROR_NOT_INITIALIZED" "the driver was used before its initialization; call init first";
    4 Deinitialized "CUDA_ERROR_DEINITIALIZED" "the driver is shutting down with the process";
    5 ProfilerDisabled "CUDA_ERROR_PROFILER_DISABLED" "no profiler is attached to this run";
    6 ProfilerNotInitialized "CUDA_ERROR_PROFILER_NOT_INITIALIZED" "the profiler was used before it was set up";
    7 ProfilerAlreadyStarted "CUDA_ERROR_PROFILER_ALREADY_STARTED" "the profiler is already running";
    8 ProfilerAlreadyStopped "CUDA_ERROR_PROFILER_ALREADY_STOPPED" "the profiler is already stopped";
    34 StubLibrary "CUDA_ERROR_STUB_LIBRARY" "the library opened is the toolkit's link-time stub, not a driver";
    36 CallRequiresNewerDriver "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER" "the call needs a newer driver than the installed one; update the driver";
    46 DeviceUnavailable "CUDA_ERROR_DEVICE_UNAVAILABLE" "the device is unavailable: another process holds it exclusively, or its compute mode forbids use";
    47 MulticastResourceFull "CUDA_ERROR_MULTICAST_RESOURCE_FULL" "the hardware has no room for another multicast binding of this kind";
    100 NoDevice "CUDA_ERROR_NO_DEVICE" "a driver is installed, but it sees no CUDA device";
    101 InvalidDevice "CUDA_ERROR_INVALID_DEVICE" "there is no device with this number";
    102 DeviceNotLicensed "CUDA_ERROR_DEVICE_NOT_LICENSED" "the (virtual) device has no licence for compute work";
    200 InvalidImage "CUDA_ERROR_INVALID_IMAGE" "the module is neither PTX nor a binary the driver can read";
    201 InvalidContext "CUDA_ERROR_INVALID_CONTEXT" "no context is current on this thread, or the current one is not valid";
    202 ContextAlreadyCurrent "CUDA_ERROR_CONTEXT_ALREADY_CURRENT" "the context is already current";
    205 MapFailed "CUDA_ERROR_MAP_FAILED" "a buffer or texture could not be mapped";
    206 UnmapFailed "CUDA_ERROR_UNMAP_FAILED" "a buffer or texture could not be unmapped";
    207 ArrayIsMapped "CUDA_ERROR_ARRAY_IS_MAPPED" "a mapped array cannot be destroyed";
    208 AlreadyMapped "CUDA_ERROR_ALREADY_MAPPED" "the resource is already mapped";
    209 NoBinaryForGpu "CUDA_ERROR_NO_BINARY_FOR_GPU" "the module holds no code that this device can run; it was built for a newer or different architecture";
    210 AlreadyAcquired "CUDA_ERROR_ALREADY_ACQUIRED" "the resource is already acquired";
    211 NotMapped "CUDA_ERROR_NOT_MAPPED" "the resource is not mapped";
    212 NotMappedAsArray "CUDA_ERROR_NOT_MAPPED_AS_ARRAY" "the resource is not mapped as an array";
    213 NotMappedAsPointer "CUDA_ERROR_NOT_MAPPED_AS_POINTER" "the resource is not mapped as a pointer";
    214 EccUncorrectable "CUDA_ERROR_ECC_UNCORRECTABLE" "the device's memory had an error that could not be corrected; results are lost";
    215 UnsupportedLimit "CUDA_ERROR_UNSUPPORTED_LIMIT" "the device does not have this limit";
    216 ContextAlreadyInUse "CUDA_ERROR_CONTEXT_ALREADY_IN_USE" "the context is current on another thread";
    217 PeerAccessUnsupported "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED" "these two devices cannot reach each other's memory";
    218 InvalidPtx "CUDA_ERROR_INVALID_PTX" "the driver's compiler rejected the PTX";
    219 InvalidGraphicsContext "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT" "the graphics context is not valid";
    220 NvlinkUncorrectable "CUDA_ERROR_NVLINK_UNCORRECTABLE" "an NVLink transfer had an error that could not be corrected";
    221 JitCompilerNotFound "CUDA_ERROR_JIT_COMPILER_NOT_FOUND" "the driver's PTX compiler library is not installed";
    222 UnsupportedPtxVersion "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" "the PTX version is newer than this driver's compiler supports; update the driver or emit older PTX";
    223 JitCompilationDisabled "CUDA_ERROR_JIT_COMPILATION_DISABLED" "compilation of PTX is disabled (CUDA_DISABLE_PTX_JIT)";
    224 UnsupportedExecAffinity "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY" "the device cannot restrict a context to some of its multiprocessors";
    225 UnsupportedDevsideSync "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC" "the code waits for child kernels on the device, which this driver no longer supports";
    226 Contained "CUDA_ERROR_CONTAINED" "a device error was contained to this process; the process must restart to use the device";
    227 InsufficientLoaderVersion "CUDA_ERROR_INSUFFICIENT_LOADER_VERSION" "the loader in this driver is too old for the code; update the driver";
    300 InvalidSource "CUDA_ERROR_INVALID_SOURCE" "the kernel source is not valid";
    301 FileNotFound "CUDA_ERROR_FILE_NOT_FOUND" "a file passed to the driver does not exist";
    302 SharedObjectSymbolNotFound "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND" "a library of the driver lacks a symbol; the driver's components may have different versions";
    303 SharedObjectInitFailed "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED" "a library of the driver failed to initialize";
    304 OperatingSystemError "CUDA_ERROR_OPERATING_SYSTEM" "a call of the operating system failed inside the driver";
    400 InvalidHandle "CUDA_ERROR_INVALID_HANDLE" "a handle (stream, event, function, …) is not valid, or belongs to another context";
    401 IllegalState "CUDA_ERROR_ILLEGAL_STATE" "the resource's state does not allow this operation";
    402 LossyQuery "CUDA_ERROR_LOSSY_QUERY" "the query cannot be answered without loss of information";
    500 NotFound "CUDA_ERROR_NOT_FOUND" "the module has no kernel or global with this name, or the named object does not exist";
    600 NotReady "CUDA_ERROR_NOT_READY" "the work is not complete";
    700 IllegalAddress "CUDA_ERROR_ILLEGAL_ADDRESS" "a kernel accessed an invalid address; the context is lost";
    701 LaunchOutOfResources "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" "the launch needs more registers, shared memory or parameters than a block can have; use smaller blocks";
    702 LaunchTimeout "CUDA_ERROR_LAUNCH_TIMEOUT" "a kernel ran longer than the device's watchdog allows; the context is lost";
    703 LaunchIncompatibleTexturing "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING" "the kernel's texturing mode does not match the launch";
    704 PeerAccessAlreadyEnabled "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED" "access to this peer is already enabled";
    705 PeerAccessNotEnabled "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED" "access to this peer is not enabled";
    708 PrimaryContextActive "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE" "the flags of a primary context in use cannot change";
    709 ContextIsDestroyed "CUDA_ERROR_CONTEXT_IS_DESTROYED" "the current context was destroyed";
    710 AssertError "CUDA_ERROR_ASSERT" "an assertion in a kernel failed; the context is lost";
    711 TooManyPeers "CUDA_ERROR_TOO_MANY_PEERS" "the device cannot have more peers";
    712 HostMemoryAlreadyRegistered "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" "this host memory is already registered";
    713 HostMemoryNotRegistered "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED" "this host memory was never registered";
    714 HardwareStackError "CUDA_ERROR_HARDWARE_STACK_ERROR" "a kernel's call stack was corrupted or overflowed; the context is lost";
    715 IllegalInstruction "CUDA_ERROR_ILLEGAL_INSTRUCTION" "a kernel executed an illegal instruction (or a trap); the context is lost";
    716 MisalignedAddress "CUDA_ERROR_MISALIGNED_ADDRESS" "a kernel accessed an address that is not aligned to the access size; the context is lost";
    717 InvalidAddressSpace "CUDA_ERROR_INVALID_ADDRESS_SPACE" "a kernel used an address outside the memory space of its instruction; the context is lost";
    718 InvalidProgramCounter "CUDA_ERROR_INVALID_PC" "a kernel jumped outside its code; the context is lost";
    719 LaunchFailed "CUDA_ERROR_LAUNCH_FAILED" "a kernel failed while it ran (often a trap, or shared memory out of bounds); the context is lost";
    720 CooperativeLaunchTooLarge "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" "a cooperative launch has more blocks than the device can hold at once";
    721 TensorMemoryLeak "CUDA_ERROR_TENSOR_MEMORY_LEAK" "a kernel ended without freeing its tensor memory";
    800 NotPermitted "CUDA_ERROR_NOT_PERMITTED" "the operation is not permitted";
    801 NotSupported "CUDA_ERROR_NOT_SUPPORTED" "the device or the driver does not support this";
    802 SystemNotReady "CUDA_ERROR_SYSTEM_NOT_READY" "the machine's GPU services are not ready (on NVSwitch machines: is the fabric manager running?)";
    803 SystemDriverMismatch "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" "the driver library and the kernel module have different versions; reboot, or install matching versions";
    804 CompatNotSupportedOnDevice "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE" "the forward-compatibility driver library does not support this device";
    805 MpsConnectionFailed "CUDA_ERROR_MPS_CONNECTION_FAILED" "the multi-process service could not be reached";
    806 MpsRpcFailure "CUDA_ERROR_MPS_RPC_FAILURE" "a call to the multi-process service failed";
    807 MpsServerNotReady "CUDA_ERROR_MPS_SERVER_NOT_READY" "the multi-process service is not ready";
    808 MpsMaxClientsReached "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED" "the multi-process service has reached its maximum number of clients";
    809 MpsMaxConnectionsReached "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED" "the multi-process service has reached its maximum number of connections";
    810 MpsClientTerminated "CUDA_ERROR_MPS_CLIENT_TERMINATED" "the multi-process service ended this client";
    811 CdpNotSupported "CUDA_ERROR_CDP_NOT_SUPPORTED" "the module launches kernels from kernels, which is not supported here";
    812 CdpVersionMismatch "CUDA_ERROR_CDP_VERSION_MISMATCH" "the module mixes versions of kernels that launch kernels";
    900 StreamCaptureUnsupported "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" "this cannot be done while a stream is being captured";
    901 StreamCaptureInvalidated "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" "an earlier error invalidated the stream's capture";
    902 StreamCaptureMerge "CUDA_ERROR_STREAM_CAPTURE_MERGE" "two captures would be merged";
    903 StreamCaptureUnmatched "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED" "the capture did not begin in this stream";
    904 StreamCaptureUnjoined "CUDA_ERROR_STREAM_CAPTURE_UNJOINED" "the capture has work in other streams that was not joined";
    905 StreamCaptureIsolation "CUDA_ERROR_STREAM_CAPTURE_ISOLATION" "the capture would depend on work outside it";
    906 StreamCaptureImplicit "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT" "the capture would wait for the default stream";
    907 CapturedEvent "CUDA_ERROR_CAPTURED_EVENT" "the event was last recorded in a capture";
    908 StreamCaptureWrongThread "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD" "the capture must end on the thread that began it";
    909 Timeout "CUDA_ERROR_TIMEOUT" "the wait took longer than allowed";
    910 GraphExecUpdateFailure "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE" "the graph differs too much from the one it should replace";
    911 ExternalDevice "CUDA_ERROR_EXTERNAL_DEVICE" "a device outside CUDA failed in a shared operation; the context is lost";
    912 InvalidClusterSize "CUDA_ERROR_INVALID_CLUSTER_SIZE" "the device cannot launch a cluster of this size for this kernel";
    913 FunctionNotLoaded "CUDA_ERROR_FUNCTION_NOT_LOADED" "the function is not loaded yet";
    914 InvalidResourceType "CUDA_ERROR_INVALID_RESOURCE_TYPE" "the resource has the wrong type for this operation";
    915 InvalidResourceConfiguration "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION" "the configuration of the resource does not support this operation";
    916 KeyRotation "CUDA_ERROR_KEY_ROTATION" "the keys of confidential computing were changed during the transfer";
    917 StreamDetached "CUDA_ERROR_STREAM_DETACHED" "the stream is detached from its context";
    918 GraphRecaptureFailure "CUDA_ERROR_GRAPH_RECAPTURE_FAILURE" "a graph could not be captured again, and the capture was ended";
    919 FabricNotReady "CUDA_ERROR_FABRIC_NOT_READY" "the fabric that connects the GPUs is not ready";
    999 UnknownError "CUDA_ERROR_UNKNOWN" "the driver reported an unknown error";
}
