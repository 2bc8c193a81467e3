//! The driver's status codes: number, name, and a sentence of our own for each.

use std::ffi::c_int;

use crate::table::MissingFunction;

/// Declares the error type from one row per code, so that number, name and sentence of a code stand
/// on one line.
macro_rules! status_codes {
    ($($code:literal $variant:ident $name:literal $sentence:literal;)*) => {
        /// Why a call failed: one of the driver's status codes, or something found wrong before the
        /// driver was asked.
        ///
        /// Every text is this crate's own: an error can be shown where there is no driver.
        ///
        /// An error of an earlier asynchronous launch can surface in any later call; the codes from
        /// [`CudaError::IllegalAddress`] to [`CudaError::LaunchFailed`] usually mean just that.
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
            /// A status code that this crate has no name for.
            Unlisted(i32),
            /// There is no driver on this machine. [`Driver::get`](crate::Driver::get) says what
            /// was tried, and so does this error's text.
            NoDriver,
            /// The driver is too old to have a function that was called.
            DriverLacks(MissingFunction),
            /// An allocation of no bytes, or of more bytes than an address can count.
            InvalidMemoryAllocation,
            /// An error of OptiX; kept for the published name, never made here.
            OptixError,
            /// A copy between two places of different lengths, in elements.
            LengthMismatch {
                /// Elements at the destination.
                destination: usize,
                /// Elements at the source.
                source: usize,
            },
            /// A fill whose address or size is no multiple of the filled unit.
            MisalignedFill {
                /// The device address.
                address: u64,
                /// Bytes to fill.
                bytes: usize,
                /// Bytes in one unit of the fill.
                unit: usize,
            },
            /// A global whose size differs from the size of the type it was asked for as.
            SymbolSize {
                /// Bytes of the global in the module.
                symbol: usize,
                /// Bytes of the type.
                requested: usize,
            },
            /// A name or a PTX text that holds a NUL byte, which the driver would take for its end.
            InteriorNul,
            /// A slice of a buffer that was dropped. (An addition to the published names, whose
            /// slices reach into whatever has the memory by then.)
            BufferDropped,
        }

        impl CudaError {
            /// The error of a status code other than 0.
            pub fn from_code(code: c_int) -> CudaError {
                match code {
                    $($code => CudaError::$variant,)*
                    other => CudaError::Unlisted(other),
                }
            }

            /// Status code, the name the driver's documentation has for it, and what it means;
            /// `None` where the driver did not answer with a code that is named here.
            pub fn status(&self) -> Option<(i32, &'static str, &'static str)> {
                match self {
                    $(CudaError::$variant => Some(($code, $name, $sentence)),)*
                    _ => None,
                }
            }

            /// Every status code that has a name here.
            pub fn listed() -> &'static [CudaError] {
                &[$(CudaError::$variant),*]
            }
        }
    };
}

status_codes! {
    1 InvalidValue "CUDA_ERROR_INVALID_VALUE" "an argument is outside what the function accepts";
    2 OutOfMemory "CUDA_ERROR_OUT_OF_MEMORY" "the device has too little free memory for the request";
    3 NotInitialized "CUDA_ERROR_NOT_INITIALIZED" "the driver was used before it was initialised; call init first";
    4 Deinitialized "CUDA_ERROR_DEINITIALIZED" "the driver is shutting down with the process";
    5 ProfilerDisabled "CUDA_ERROR_PROFILER_DISABLED" "no profiler is attached to this run";
    6 ProfilerNotInitialized "CUDA_ERROR_PROFILER_NOT_INITIALIZED" "the profiler was used before it was set up";
    7 ProfilerAlreadyStarted "CUDA_ERROR_PROFILER_ALREADY_STARTED" "the profiler is already running";
    8 ProfilerAlreadyStopped "CUDA_ERROR_PROFILER_ALREADY_STOPPED" "the profiler is already stopped";
    34 StubLibrary "CUDA_ERROR_STUB_LIBRARY" "the library opened is the toolkit's link-time stub, not a driver";
    36 CallRequiresNewerDriver "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER" "the call needs a newer driver than the installed one; update the driver";
    46 DeviceUnavailable "CUDA_ERROR_DEVICE_UNAVAILABLE" "the device is taken: another process holds it exclusively, or its compute mode forbids use";
    47 MulticastResourceFull "CUDA_ERROR_MULTICAST_RESOURCE_FULL" "the hardware has no room for another multicast binding of this kind";
    100 NoDevice "CUDA_ERROR_NO_DEVICE" "a driver is installed, but it sees no CUDA device";
    101 InvalidDevice "CUDA_ERROR_INVALID_DEVICE" "there is no device with this number";
    102 DeviceNotLicensed "CUDA_ERROR_DEVICE_NOT_LICENSED" "the (virtual) device has no licence for compute work";
    200 InvalidImage "CUDA_ERROR_INVALID_IMAGE" "the module is neither PTX nor a binary the driver can read";
    201 InvalidContext "CUDA_ERROR_INVALID_CONTEXT" "no context is current on this thread, or the current one is not valid";
    202 ContextAlreadyCurrent "CUDA_ERROR_CONTEXT_ALREADY_CURRENT" "the context is already current";
    205 MapFailed "CUDA_ERROR_MAP_FAILED" "a buffer or texture could not be mapped";
    206 UnmapFailed "CUDA_ERROR_UNMAP_FAILED" "a buffer or texture could not be unmapped";
    207 ArrayIsMapped "CUDA_ERROR_ARRAY_IS_MAPPED" "the array is mapped, and so cannot be destroyed";
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
    218 InvalidPtx "CUDA_ERROR_INVALID_PTX" "the driver's compiler refused the PTX";
    219 InvalidGraphicsContext "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT" "the graphics context is not valid";
    220 NvlinkUncorrectable "CUDA_ERROR_NVLINK_UNCORRECTABLE" "an NVLink transfer had an error that could not be corrected";
    221 JitCompilerNotFound "CUDA_ERROR_JIT_COMPILER_NOT_FOUND" "the driver's PTX compiler library is not installed";
    222 UnsupportedPtxVersion "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" "the PTX is of a newer version than this driver's compiler knows; update the driver or emit older PTX";
    223 JitCompilationDisabled "CUDA_ERROR_JIT_COMPILATION_DISABLED" "compiling PTX is switched off (CUDA_DISABLE_PTX_JIT)";
    224 UnsupportedExecAffinity "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY" "the device cannot restrict a context to some of its multiprocessors";
    225 UnsupportedDevsideSync "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC" "the code waits for child kernels on the device, which this driver no longer supports";
    226 Contained "CUDA_ERROR_CONTAINED" "a device error was contained to this process; the process must restart to use the device";
    227 InsufficientLoaderVersion "CUDA_ERROR_INSUFFICIENT_LOADER_VERSION" "the loader in this driver is too old for what it was given; update the driver";
    300 InvalidSource "CUDA_ERROR_INVALID_SOURCE" "the kernel source is not valid";
    301 FileNotFound "CUDA_ERROR_FILE_NOT_FOUND" "a file the driver was given does not exist";
    302 SharedObjectSymbolNotFound "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND" "a library the driver needs lacks a symbol; the driver's parts may be of different versions";
    303 SharedObjectInitFailed "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED" "a library the driver needs could not start";
    304 OperatingSystemError "CUDA_ERROR_OPERATING_SYSTEM" "a call of the operating system failed inside the driver";
    400 InvalidHandle "CUDA_ERROR_INVALID_HANDLE" "a handle (stream, event, function, …) is not valid, or belongs to another context";
    401 IllegalState "CUDA_ERROR_ILLEGAL_STATE" "the resource is in a state in which this is not allowed";
    402 LossyQuery "CUDA_ERROR_LOSSY_QUERY" "the question cannot be answered without losing information";
    500 NotFound "CUDA_ERROR_NOT_FOUND" "the module has no kernel or global of this name, or the named thing does not exist";
    600 NotReady "CUDA_ERROR_NOT_READY" "the work is still under way";
    700 IllegalAddress "CUDA_ERROR_ILLEGAL_ADDRESS" "a kernel read or wrote memory that is not its own; the context is lost";
    701 LaunchOutOfResources "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" "the launch asks for more registers, shared memory or parameters than a block can have; use smaller blocks";
    702 LaunchTimeout "CUDA_ERROR_LAUNCH_TIMEOUT" "a kernel ran longer than the device's watchdog allows; the context is lost";
    703 LaunchIncompatibleTexturing "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING" "the kernel's texturing mode does not fit the launch";
    704 PeerAccessAlreadyEnabled "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED" "access to this peer is already on";
    705 PeerAccessNotEnabled "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED" "access to this peer was never switched on";
    708 PrimaryContextActive "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE" "the device's primary context is in use, and so its flags cannot change";
    709 ContextIsDestroyed "CUDA_ERROR_CONTEXT_IS_DESTROYED" "the current context was destroyed";
    710 AssertError "CUDA_ERROR_ASSERT" "an assertion in a kernel failed; the context is lost";
    711 TooManyPeers "CUDA_ERROR_TOO_MANY_PEERS" "the device has no room for another peer";
    712 HostMemoryAlreadyRegistered "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" "this host memory is already registered";
    713 HostMemoryNotRegistered "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED" "this host memory was never registered";
    714 HardwareStackError "CUDA_ERROR_HARDWARE_STACK_ERROR" "a kernel's call stack was corrupted or overflowed; the context is lost";
    715 IllegalInstruction "CUDA_ERROR_ILLEGAL_INSTRUCTION" "a kernel met an instruction the device does not know (also a trap's); the context is lost";
    716 MisalignedAddress "CUDA_ERROR_MISALIGNED_ADDRESS" "a kernel read or wrote at an address that its access size does not divide; the context is lost";
    717 InvalidAddressSpace "CUDA_ERROR_INVALID_ADDRESS_SPACE" "a kernel used an address of another memory space than its instruction needs; the context is lost";
    718 InvalidProgramCounter "CUDA_ERROR_INVALID_PC" "a kernel jumped outside its code; the context is lost";
    719 LaunchFailed "CUDA_ERROR_LAUNCH_FAILED" "a kernel failed while it ran (often a trap, or shared memory out of bounds); the context is lost";
    720 CooperativeLaunchTooLarge "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" "a cooperative launch has more blocks than the device can hold at once";
    721 TensorMemoryLeak "CUDA_ERROR_TENSOR_MEMORY_LEAK" "a kernel ended without giving its tensor memory back";
    800 NotPermitted "CUDA_ERROR_NOT_PERMITTED" "this is not permitted here";
    801 NotSupported "CUDA_ERROR_NOT_SUPPORTED" "the device or the driver does not support this";
    802 SystemNotReady "CUDA_ERROR_SYSTEM_NOT_READY" "the machine's GPU services are not ready (on NVSwitch machines: is the fabric manager running?)";
    803 SystemDriverMismatch "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" "the driver library and the kernel module are of different versions; reboot, or install matching ones";
    804 CompatNotSupportedOnDevice "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE" "the forward-compatibility driver library does not support this device";
    805 MpsConnectionFailed "CUDA_ERROR_MPS_CONNECTION_FAILED" "the multi-process service could not be reached";
    806 MpsRpcFailure "CUDA_ERROR_MPS_RPC_FAILURE" "a call to the multi-process service failed";
    807 MpsServerNotReady "CUDA_ERROR_MPS_SERVER_NOT_READY" "the multi-process service is not ready";
    808 MpsMaxClientsReached "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED" "the multi-process service has as many clients as it takes";
    809 MpsMaxConnectionsReached "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED" "the multi-process service has as many connections as it takes";
    810 MpsClientTerminated "CUDA_ERROR_MPS_CLIENT_TERMINATED" "the multi-process service ended this client";
    811 CdpNotSupported "CUDA_ERROR_CDP_NOT_SUPPORTED" "the module launches kernels from kernels, which is not supported here";
    812 CdpVersionMismatch "CUDA_ERROR_CDP_VERSION_MISMATCH" "the module mixes versions of kernels that launch kernels";
    900 StreamCaptureUnsupported "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" "this cannot be done while a stream is being captured";
    901 StreamCaptureInvalidated "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" "an earlier error spoilt the stream's capture";
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
    914 InvalidResourceType "CUDA_ERROR_INVALID_RESOURCE_TYPE" "the resource is not of the type this needs";
    915 InvalidResourceConfiguration "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION" "the resource is set up in a way this cannot use";
    916 KeyRotation "CUDA_ERROR_KEY_ROTATION" "the keys of confidential computing were changed during the transfer";
    917 StreamDetached "CUDA_ERROR_STREAM_DETACHED" "the stream has no context any more";
    918 GraphRecaptureFailure "CUDA_ERROR_GRAPH_RECAPTURE_FAILURE" "a graph could not be captured anew, and the capture was ended";
    919 FabricNotReady "CUDA_ERROR_FABRIC_NOT_READY" "the fabric that connects the GPUs is not ready";
    999 UnknownError "CUDA_ERROR_UNKNOWN" "the driver reported an error it has no code for";
}
