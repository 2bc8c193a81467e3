//! Kernel attributes.

/// Attribute of a kernel, with the driver's number.
#[repr(u32)]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum FunctionAttribute {
    /// Maximum number of threads per block, limited by the kernel's registers and shared memory on
    /// this device.
    MaxThreadsPerBlock = 0,
    /// Static shared memory, in bytes.
    SharedMemorySizeBytes = 1,
    /// User-declared constant memory, in bytes.
    ConstSizeBytes = 2,
    /// Local memory per thread, in bytes: spilled registers and indexed arrays.
    LocalSizeBytes = 3,
    /// Registers per thread.
    NumRegisters = 4,
    /// Virtual architecture (PTX) the kernel was compiled for: 70 for sm_70.
    PtxVersion = 5,
    /// Architecture of the binary: 90 for sm_90.
    BinaryVersion = 6,
    /// 1 if the kernel was compiled to cache global loads in L1.
    CacheModeCa = 7,
    /// Maximum dynamic shared memory of a launch, in bytes. Can be set. (Not part of Rust-CUDA.)
    MaxDynamicSharedSizeBytes = 8,
    /// Preferred carveout: percentage of the storage used as shared memory; -1 lets the driver
    /// choose. Can be set. (Not part of Rust-CUDA.)
    PreferredSharedMemoryCarveout = 9,
}
