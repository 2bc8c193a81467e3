//! The figures a device has.

/// A figure of a [`Device`](super::Device), by the driver's number for it.
#[repr(u32)]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum DeviceAttribute {
    /// Most threads in a block.
    MaxThreadsPerBlock = 1,
    /// Most threads of a block along x.
    MaxBlockDimX = 2,
    /// Most threads of a block along y.
    MaxBlockDimY = 3,
    /// Most threads of a block along z.
    MaxBlockDimZ = 4,
    /// Most blocks of a grid along x.
    MaxGridDimX = 5,
    /// Most blocks of a grid along y.
    MaxGridDimY = 6,
    /// Most blocks of a grid along z.
    MaxGridDimZ = 7,
    /// Bytes of shared memory a block may have without asking for more.
    MaxSharedMemoryPerBlock = 8,
    /// Bytes of constant memory.
    TotalConstantMemory = 9,
    /// Threads in a warp.
    WarpSize = 10,
    /// Greatest pitch of a pitched copy, in bytes.
    MaxPitch = 11,
    /// 32-bit registers a block may have.
    MaxRegistersPerBlock = 12,
    /// Peak clock of the multiprocessors, in kHz.
    ClockRate = 13,
    /// Alignment of a texture's address, in bytes.
    TextureAlignment = 14,
    /// Number of multiprocessors.
    MultiprocessorCount = 16,
    /// 1 where kernels have a time limit (a display hangs on the device).
    KernelExecTimeout = 17,
    /// 1 where the device shares the host's memory.
    Integrated = 18,
    /// 1 where host memory can be mapped into the device's addresses.
    CanMapHostMemory = 19,
    /// Who may use the device: 0 everyone, 2 nobody, 3 one process.
    ComputeMode = 20,
    /// Greatest width of a 1D texture.
    MaximumTexture1DWidth = 21,
    /// Greatest width of a 2D texture.
    MaximumTexture2DWidth = 22,
    /// Greatest height of a 2D texture.
    MaximumTexture2DHeight = 23,
    /// Greatest width of a 3D texture.
    MaximumTexture3DWidth = 24,
    /// Greatest height of a 3D texture.
    MaximumTexture3DHeight = 25,
    /// Greatest depth of a 3D texture.
    MaximumTexture3DDepth = 26,
    /// Greatest width of a 2D layered texture.
    MaximumTexture2DLayeredWidth = 27,
    /// Greatest height of a 2D layered texture.
    MaximumTexture2DLayeredHeight = 28,
    /// Most layers of a 2D layered texture.
    MaximumTexture2DLayeredLayers = 29,
    /// Alignment of a surface's address, in bytes.
    SurfaceAlignment = 30,
    /// 1 where several kernels can run at a time.
    ConcurrentKernels = 31,
    /// 1 where memory errors are corrected.
    EccEnabled = 32,
    /// Number of the device's PCI bus.
    PciBusId = 33,
    /// Number of the device on its PCI bus.
    PciDeviceId = 34,
    /// 1 where the (Windows) driver is the one for compute only.
    TccDriver = 35,
    /// Peak clock of the memory, in kHz.
    MemoryClockRate = 36,
    /// Width of the memory bus, in bits.
    GlobalMemoryBusWidth = 37,
    /// Bytes of L2 cache.
    L2CacheSize = 38,
    /// Most threads on a multiprocessor at a time.
    MaxThreadsPerMultiprocessor = 39,
    /// Copies that can run at the same time as kernels.
    AsyncEngineCount = 40,
    /// 1 where host and devices share one address space.
    UnifiedAddressing = 41,
    /// Greatest width of a 1D layered texture.
    MaximumTexture1DLayeredWidth = 42,
    /// Most layers of a 1D layered texture.
    MaximumTexture1DLayeredLayers = 43,
    /// Greatest width of a 2D texture that is gathered from.
    MaximumTexture2DGatherWidth = 45,
    /// Greatest height of a 2D texture that is gathered from.
    MaximumTexture2DGatherHeight = 46,
    /// Greatest width of a 3D texture, by the other trade of its sides.
    MaximumTexture3DWidthAlternate = 47,
    /// Greatest height of a 3D texture, by the other trade of its sides.
    MaximumTexture3DHeightAlternate = 48,
    /// Greatest depth of a 3D texture, by the other trade of its sides.
    MaximumTexture3DDepthAlternate = 49,
    /// Domain of the device's PCI bus.
    PciDomainId = 50,
    /// Alignment of a pitched texture's rows, in bytes.
    TexturePitchAlignment = 51,
    /// Greatest width of a cubemap texture.
    MaximumTextureCubemapWidth = 52,
    /// Greatest width of a cubemap layered texture.
    MaximumTextureCubemapLayeredWidth = 53,
    /// Most layers of a cubemap layered texture.
    MaximumTextureCubemapLayeredLayers = 54,
    /// Greatest width of a 1D surface.
    MaximumSurface1DWidth = 55,
    /// Greatest width of a 2D surface.
    MaximumSurface2DWidth = 56,
    /// Greatest height of a 2D surface.
    MaximumSurface2DHeight = 57,
    /// Greatest width of a 3D surface.
    MaximumSurface3DWidth = 58,
    /// Greatest height of a 3D surface.
    MaximumSurface3DHeight = 59,
    /// Greatest depth of a 3D surface.
    MaximumSurface3DDepth = 60,
    /// Greatest width of a 1D layered surface.
    MaximumSurface1DLayeredWidth = 61,
    /// Most layers of a 1D layered surface.
    MaximumSurface1DLayeredLayers = 62,
    /// Greatest width of a 2D layered surface.
    MaximumSurface2DLayeredWidth = 63,
    /// Greatest height of a 2D layered surface.
    MaximumSurface2DLayeredHeight = 64,
    /// Most layers of a 2D layered surface.
    MaximumSurface2DLayeredLayers = 65,
    /// Greatest width of a cubemap surface.
    MaximumSurfacecubemapWidth = 66,
    /// Greatest width of a cubemap layered surface.
    MaximumSurfacecubemapLayeredWidth = 67,
    /// Most layers of a cubemap layered surface.
    MaximumSurfacecubemapLayeredLayers = 68,
    /// Greatest width of a 1D linear texture.
    MaximumTexture1DLinearWidth = 69,
    /// Greatest width of a 2D linear texture.
    MaximumTexture2DLinearWidth = 70,
    /// Greatest height of a 2D linear texture.
    MaximumTexture2DLinearHeight = 71,
    /// Greatest pitch, in bytes, of a 2D linear texture.
    MaximumTexture2DLinearPitch = 72,
    /// Greatest width of a 2D mipmapped texture.
    MaximumTexture2DMipmappedWidth = 73,
    /// Greatest height of a 2D mipmapped texture.
    MaximumTexture2DMipmappedHeight = 74,
    /// 9 of compute capability 9.0.
    ComputeCapabilityMajor = 75,
    /// 0 of compute capability 9.0.
    ComputeCapabilityMinor = 76,
    /// Greatest width of a 1D mipmapped texture.
    MaximumTexture1DMipmappedWidth = 77,
    /// 1 where streams can have priorities.
    StreamPrioritiesSupported = 78,
    /// 1 where global accesses are cached in L1.
    GlobalL1CacheSupported = 79,
    /// 1 where local accesses are cached in L1.
    LocalL1CacheSupported = 80,
    /// Bytes of shared memory on a multiprocessor.
    MaxSharedMemoryPerMultiprocessor = 81,
    /// 32-bit registers on a multiprocessor.
    MaxRegistersPerMultiprocessor = 82,
    /// 1 where managed memory can be allocated.
    ManagedMemory = 83,
    /// 1 where the board holds several devices.
    MultiGpuBoard = 84,
    /// The same number for all devices of a board.
    MultiGpuBoardGroupId = 85,
    /// 1 where atomics between host and device are native.
    HostNativeAtomicSupported = 86,
    /// Single- over double-precision throughput.
    SingleToDoublePrecisionPerfRatio = 87,
    /// 1 where the device can use the host's ordinary memory.
    PageableMemoryAccess = 88,
    /// 1 where host and device can use managed memory at the same time.
    ConcurrentManagedAccess = 89,
    /// 1 where a kernel can be interrupted for another.
    ComputePreemptionSupported = 90,
    /// 1 where registered host memory has the same address on the device.
    CanUseHostPointerForRegisteredMem = 91,
    /// 1 where a grid can be launched whose blocks all run at the same time. (An addition to the
    /// published names.)
    CooperativeLaunch = 95,
    /// Bytes of shared memory a block may have when its kernel asks for it. (An addition to the
    /// published names.)
    MaxSharedMemoryPerBlockOptin = 97,
    /// Most blocks on a multiprocessor at a time. (An addition to the published names.)
    MaxBlocksPerMultiprocessor = 106,
    /// Bytes of L2 cache that can be set aside for data that should stay. (An addition to the
    /// published names.)
    MaxPersistingL2CacheSize = 108,
    /// Bytes of shared memory that the driver takes of every block for itself. (An addition to the
    /// published names.)
    ReservedSharedMemoryPerBlock = 111,
    /// 1 where memory can be allocated in the order of a stream. (An addition to the published
    /// names.)
    MemoryPoolsSupported = 115,
    /// 1 where blocks can be launched in clusters. (An addition to the published names.)
    ClusterLaunch = 120,
}
