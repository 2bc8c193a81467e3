//! Device attributes.

/// Attribute of a [`Device`](super::Device), with the driver's number.
#[repr(u32)]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum DeviceAttribute {
    /// Maximum number of threads in a block.
    MaxThreadsPerBlock = 1,
    /// Maximum number of threads of a block along x.
    MaxBlockDimX = 2,
    /// Maximum number of threads of a block along y.
    MaxBlockDimY = 3,
    /// Maximum number of threads of a block along z.
    MaxBlockDimZ = 4,
    /// Maximum number of blocks of a grid along x.
    MaxGridDimX = 5,
    /// Maximum number of blocks of a grid along y.
    MaxGridDimY = 6,
    /// Maximum number of blocks of a grid along z.
    MaxGridDimZ = 7,
    /// Maximum shared memory per block without opt-in, in bytes.
    MaxSharedMemoryPerBlock = 8,
    /// Constant memory, in bytes.
    TotalConstantMemory = 9,
    /// Threads per warp.
    WarpSize = 10,
    /// Maximum pitch of a pitched copy, in bytes.
    MaxPitch = 11,
    /// Maximum number of 32-bit registers per block.
    MaxRegistersPerBlock = 12,
    /// Peak clock of the multiprocessors, in kHz.
    ClockRate = 13,
    /// Alignment of a texture's address, in bytes.
    TextureAlignment = 14,
    /// Number of multiprocessors.
    MultiprocessorCount = 16,
    /// 1 if kernels have a time limit, as on a device that drives a display.
    KernelExecTimeout = 17,
    /// 1 if the device is integrated and shares the host's memory.
    Integrated = 18,
    /// 1 if host memory can be mapped into the device's address space.
    CanMapHostMemory = 19,
    /// Compute mode: 0 any number of processes, 2 prohibited, 3 one process.
    ComputeMode = 20,
    /// Maximum width of a 1D texture.
    MaximumTexture1DWidth = 21,
    /// Maximum width of a 2D texture.
    MaximumTexture2DWidth = 22,
    /// Maximum height of a 2D texture.
    MaximumTexture2DHeight = 23,
    /// Maximum width of a 3D texture.
    MaximumTexture3DWidth = 24,
    /// Maximum height of a 3D texture.
    MaximumTexture3DHeight = 25,
    /// Maximum depth of a 3D texture.
    MaximumTexture3DDepth = 26,
    /// Maximum width of a 2D layered texture.
    MaximumTexture2DLayeredWidth = 27,
    /// Maximum height of a 2D layered texture.
    MaximumTexture2DLayeredHeight = 28,
    /// Maximum number of layers of a 2D layered texture.
    MaximumTexture2DLayeredLayers = 29,
    /// Alignment of a surface's address, in bytes.
    SurfaceAlignment = 30,
    /// 1 if the device can run several kernels concurrently.
    ConcurrentKernels = 31,
    /// 1 if error correction (ECC) is enabled.
    EccEnabled = 32,
    /// Number of the device's PCI bus.
    PciBusId = 33,
    /// Number of the device on its PCI bus.
    PciDeviceId = 34,
    /// 1 if the device uses Windows' compute-only driver model (TCC).
    TccDriver = 35,
    /// Peak clock of the memory, in kHz.
    MemoryClockRate = 36,
    /// Width of the memory bus, in bits.
    GlobalMemoryBusWidth = 37,
    /// Size of the L2 cache, in bytes.
    L2CacheSize = 38,
    /// Maximum number of resident threads per multiprocessor.
    MaxThreadsPerMultiprocessor = 39,
    /// Number of copies that can run concurrently with kernels.
    AsyncEngineCount = 40,
    /// 1 if host and devices share one address space.
    UnifiedAddressing = 41,
    /// Maximum width of a 1D layered texture.
    MaximumTexture1DLayeredWidth = 42,
    /// Maximum number of layers of a 1D layered texture.
    MaximumTexture1DLayeredLayers = 43,
    /// Maximum width of a 2D texture for gather operations.
    MaximumTexture2DGatherWidth = 45,
    /// Maximum height of a 2D texture for gather operations.
    MaximumTexture2DGatherHeight = 46,
    /// Maximum width of a 3D texture, alternative limits.
    MaximumTexture3DWidthAlternate = 47,
    /// Maximum height of a 3D texture, alternative limits.
    MaximumTexture3DHeightAlternate = 48,
    /// Maximum depth of a 3D texture, alternative limits.
    MaximumTexture3DDepthAlternate = 49,
    /// Domain of the device's PCI bus.
    PciDomainId = 50,
    /// Alignment of a pitched texture's rows, in bytes.
    TexturePitchAlignment = 51,
    /// Maximum width of a cubemap texture.
    MaximumTextureCubemapWidth = 52,
    /// Maximum width of a cubemap layered texture.
    MaximumTextureCubemapLayeredWidth = 53,
    /// Maximum number of layers of a cubemap layered texture.
    MaximumTextureCubemapLayeredLayers = 54,
    /// Maximum width of a 1D surface.
    MaximumSurface1DWidth = 55,
    /// Maximum width of a 2D surface.
    MaximumSurface2DWidth = 56,
    /// Maximum height of a 2D surface.
    MaximumSurface2DHeight = 57,
    /// Maximum width of a 3D surface.
    MaximumSurface3DWidth = 58,
    /// Maximum height of a 3D surface.
    MaximumSurface3DHeight = 59,
    /// Maximum depth of a 3D surface.
    MaximumSurface3DDepth = 60,
    /// Maximum width of a 1D layered surface.
    MaximumSurface1DLayeredWidth = 61,
    /// Maximum number of layers of a 1D layered surface.
    MaximumSurface1DLayeredLayers = 62,
    /// Maximum width of a 2D layered surface.
    MaximumSurface2DLayeredWidth = 63,
    /// Maximum height of a 2D layered surface.
    MaximumSurface2DLayeredHeight = 64,
    /// Maximum number of layers of a 2D layered surface.
    MaximumSurface2DLayeredLayers = 65,
    /// Maximum width of a cubemap surface.
    MaximumSurfacecubemapWidth = 66,
    /// Maximum width of a cubemap layered surface.
    MaximumSurfacecubemapLayeredWidth = 67,
    /// Maximum number of layers of a cubemap layered surface.
    MaximumSurfacecubemapLayeredLayers = 68,
    /// Maximum width of a 1D linear texture.
    MaximumTexture1DLinearWidth = 69,
    /// Maximum width of a 2D linear texture.
    MaximumTexture2DLinearWidth = 70,
    /// Maximum height of a 2D linear texture.
    MaximumTexture2DLinearHeight = 71,
    /// Maximum pitch, in bytes, of a 2D linear texture.
    MaximumTexture2DLinearPitch = 72,
    /// Maximum width of a 2D mipmapped texture.
    MaximumTexture2DMipmappedWidth = 73,
    /// Maximum height of a 2D mipmapped texture.
    MaximumTexture2DMipmappedHeight = 74,
    /// Major version of the compute capability: 9 for 9.0.
    ComputeCapabilityMajor = 75,
    /// Minor version of the compute capability: 0 for 9.0.
    ComputeCapabilityMinor = 76,
    /// Maximum width of a 1D mipmapped texture.
    MaximumTexture1DMipmappedWidth = 77,
    /// 1 if streams can have priorities.
    StreamPrioritiesSupported = 78,
    /// 1 if global accesses are cached in L1.
    GlobalL1CacheSupported = 79,
    /// 1 if local accesses are cached in L1.
    LocalL1CacheSupported = 80,
    /// Shared memory per multiprocessor, in bytes.
    MaxSharedMemoryPerMultiprocessor = 81,
    /// Number of 32-bit registers per multiprocessor.
    MaxRegistersPerMultiprocessor = 82,
    /// 1 if managed memory can be allocated.
    ManagedMemory = 83,
    /// 1 if the board holds several devices.
    MultiGpuBoard = 84,
    /// ID shared by all devices on one board.
    MultiGpuBoardGroupId = 85,
    /// 1 if atomics between host and device are native.
    HostNativeAtomicSupported = 86,
    /// Ratio of single-precision to double-precision throughput.
    SingleToDoublePrecisionPerfRatio = 87,
    /// 1 if the device can access pageable host memory.
    PageableMemoryAccess = 88,
    /// 1 if host and device can access managed memory concurrently.
    ConcurrentManagedAccess = 89,
    /// 1 if a running kernel can be preempted.
    ComputePreemptionSupported = 90,
    /// 1 if registered host memory has the same address on the device.
    CanUseHostPointerForRegisteredMem = 91,
    /// 1 if cooperative launches are supported, whose blocks are all resident at the same time.
    /// (Not part of Rust-CUDA.)
    CooperativeLaunch = 95,
    /// Maximum shared memory per block for a kernel that opts in, in bytes. (Not part of
    /// Rust-CUDA.)
    MaxSharedMemoryPerBlockOptin = 97,
    /// Maximum number of resident blocks per multiprocessor. (Not part of Rust-CUDA.)
    MaxBlocksPerMultiprocessor = 106,
    /// Maximum part of the L2 cache that can be reserved for persisting accesses, in bytes. (Not
    /// part of Rust-CUDA.)
    MaxPersistingL2CacheSize = 108,
    /// Shared memory that the driver reserves in each block, in bytes. (Not part of Rust-CUDA.)
    ReservedSharedMemoryPerBlock = 111,
    /// 1 if memory pools and stream-ordered allocation are supported. (Not part of Rust-CUDA.)
    MemoryPoolsSupported = 115,
    /// 1 if launches with clusters of blocks are supported. (Not part of Rust-CUDA.)
    ClusterLaunch = 120,
}
