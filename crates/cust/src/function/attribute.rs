//! The figures of a kernel.

/// A figure of a kernel, by the driver's number for it.
#[repr(u32)]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum FunctionAttribute {
    /// Most threads of a block, by the registers and shared memory the kernel needs on this device.
    MaxThreadsPerBlock = 0,
    /// Bytes of static shared memory.
    SharedMemorySizeBytes = 1,
    /// Bytes of constant memory of the kernel's own.
    ConstSizeBytes = 2,
    /// Bytes of local memory per thread: spilled registers and indexed arrays.
    LocalSizeBytes = 3,
    /// Registers per thread.
    NumRegisters = 4,
    /// The virtual architecture it was compiled for: 70 for sm_70.
    PtxVersion = 5,
    /// The architecture its binary is for: 90 for sm_90.
    BinaryVersion = 6,
    /// 1 where it was compiled to cache all global accesses in L1.
    CacheModeCa = 7,
    /// Most bytes of dynamic shared memory a launch may ask for. Can be set. (An addition to the
    /// published names.)
    MaxDynamicSharedSizeBytes = 8,
    /// The share of the L1 storage that should be shared memory, in per cent; -1 lets the driver
    /// choose. Can be set. (An addition to the published names.)
    PreferredSharedMemoryCarveout = 9,
}
