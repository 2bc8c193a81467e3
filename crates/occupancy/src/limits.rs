//! Resource limits of a device.

use super::{ComputeCapability, OccupancyError, capability_table};

/// Threads per warp, on every CUDA device.
pub const WARP: u32 = 32;

/// Resources of one multiprocessor and limits of one block, as used by the calculator.
///
/// ```
/// use occupancy::{ComputeCapability, DeviceLimits};
///
/// let hopper = DeviceLimits::for_capability(ComputeCapability::new(9, 0))?;
/// assert_eq!(hopper.warps_per_multiprocessor, 64);
/// assert_eq!(hopper.shared_bytes_per_block_opt_in, 227 * 1024);
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLimits {
    /// Compute capability, which selects the allocation rules; `None` for the CPU.
    pub capability: Option<ComputeCapability>,
    /// Number of multiprocessors of the device, or of threads of the CPU.
    pub multiprocessors: u32,
    /// Maximum number of threads per block.
    pub threads_per_block: u32,
    /// Maximum number of resident warps per multiprocessor.
    pub warps_per_multiprocessor: u32,
    /// Maximum number of resident blocks per multiprocessor.
    pub blocks_per_multiprocessor: u32,
    /// 32-bit registers per multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// Maximum number of 32-bit registers per block.
    pub registers_per_block: u32,
    /// Maximum number of 32-bit registers per thread.
    pub registers_per_thread: u32,
    /// Shared memory per multiprocessor, in bytes.
    pub shared_bytes_per_multiprocessor: u32,
    /// Maximum shared memory per block without opt-in, in bytes.
    pub shared_bytes_per_block: u32,
    /// Maximum shared memory per block for a kernel that opts in, in bytes.
    pub shared_bytes_per_block_opt_in: u32,
    /// Shared memory that the system reserves per block, in bytes.
    pub reserved_shared_bytes_per_block: u32,
    /// Allocation granularity of shared memory, in bytes.
    pub shared_granularity: u32,
    /// Barriers shared by the resident blocks of a multiprocessor; `u32::MAX` if unlimited.
    pub barriers_per_multiprocessor: u32,
}

impl DeviceLimits {
    /// Returns the limits of a compute capability, with one multiprocessor; use
    /// [`with_multiprocessors`](Self::with_multiprocessors) to set the number of an actual GPU.
    ///
    /// # Errors
    /// [`OccupancyError::UnknownCapability`], whose message names the nearest supported
    /// capabilities.
    pub fn for_capability(capability: ComputeCapability) -> Result<Self, OccupancyError> {
        let row = capability_table::find_row(capability)
            .ok_or(OccupancyError::UnknownCapability { capability })?;
        let shared = row.shared_kib * 1024;
        let reserved = capability_table::reserved_shared_bytes(capability);
        let shared_per_block = shared.min(48 * 1024);
        Ok(Self {
            capability: Some(capability),
            multiprocessors: 1,
            threads_per_block: capability_table::threads_per_block(capability),
            warps_per_multiprocessor: row.warps,
            blocks_per_multiprocessor: row.blocks,
            registers_per_multiprocessor: row.registers_k * 1024,
            registers_per_block: row.registers_per_block_k * 1024,
            registers_per_thread: capability_table::registers_per_thread(capability),
            shared_bytes_per_multiprocessor: shared,
            shared_bytes_per_block: shared_per_block,
            shared_bytes_per_block_opt_in: match capability.major {
                ..=6 => shared_per_block,
                _ => shared - reserved,
            },
            reserved_shared_bytes_per_block: reserved,
            shared_granularity: capability_table::shared_granularity(capability),
            barriers_per_multiprocessor: capability_table::barriers(capability, row.blocks),
        })
    }

    /// Returns the limits of the CPU executor: each of its `threads` runs one block of one thread.
    pub const fn cpu(threads: u32) -> Self {
        Self {
            capability: None,
            multiprocessors: threads,
            threads_per_block: 1,
            warps_per_multiprocessor: 1,
            blocks_per_multiprocessor: 1,
            registers_per_multiprocessor: 0,
            registers_per_block: 0,
            registers_per_thread: 0,
            shared_bytes_per_multiprocessor: u32::MAX,
            shared_bytes_per_block: u32::MAX,
            shared_bytes_per_block_opt_in: u32::MAX,
            reserved_shared_bytes_per_block: 0,
            shared_granularity: 1,
            barriers_per_multiprocessor: u32::MAX,
        }
    }

    /// Returns these limits with the given number of multiprocessors.
    pub const fn with_multiprocessors(self, multiprocessors: u32) -> Self {
        Self {
            multiprocessors,
            ..self
        }
    }

    /// Returns the maximum number of resident threads per multiprocessor.
    pub const fn threads_per_multiprocessor(&self) -> u32 {
        self.warps_per_multiprocessor * WARP
    }

    /// Returns the supported sizes of shared memory per multiprocessor in bytes, in ascending order
    /// (the L1 cache uses the remainder). Yields a single size if the split is fixed.
    pub fn shared_configurations(&self) -> impl Iterator<Item = u32> + use<> {
        let all = self.shared_bytes_per_multiprocessor;
        let named: &[u32] = match self.capability {
            Some(capability) => capability_table::shared_configurations_kib(capability),
            None => &[],
        };
        let smaller = named.iter().map(|kib| kib * 1024);
        smaller.take_while(move |&bytes| bytes < all).chain([all])
    }
}

/// Returns the maximum shared memory per block, in bytes.
pub(super) fn max_shared_bytes(device: &DeviceLimits, opt_in: bool) -> u32 {
    if opt_in {
        device.shared_bytes_per_block_opt_in
    } else {
        device.shared_bytes_per_block
    }
}
