//! The limits of a device, as the calculator takes them.

use super::{ComputeCapability, OccupancyError, table};

/// Threads in a warp, on every device there is.
pub const WARP: u32 = 32;

/// What a multiprocessor of a device can hold.
///
/// ```
/// use occupancy::{ComputeCapability, DeviceLimits};
///
/// let hopper = DeviceLimits::of(ComputeCapability::new(9, 0))?;
/// assert_eq!(hopper.warps_per_multiprocessor, 64);
/// assert_eq!(hopper.shared_bytes_per_block_opt_in, 227 * 1024);
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLimits {
    /// The capability whose rules hold; none for the CPU.
    pub capability: Option<ComputeCapability>,
    /// Multiprocessors of the device; threads of the CPU.
    pub multiprocessors: u32,
    /// Threads in a block.
    pub threads_per_block: u32,
    /// Warps on a multiprocessor.
    pub warps_per_multiprocessor: u32,
    /// Blocks on a multiprocessor.
    pub blocks_per_multiprocessor: u32,
    /// 32-bit registers of a multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// 32-bit registers that a block can have.
    pub registers_per_block: u32,
    /// 32-bit registers that a thread can have.
    pub registers_per_thread: u32,
    /// Shared memory of a multiprocessor, in bytes.
    pub shared_bytes_per_multiprocessor: u32,
    /// Shared memory that a block gets without its kernel asking for more, in bytes.
    pub shared_bytes_per_block: u32,
    /// Shared memory that a block can get, if its kernel opts in, in bytes.
    pub shared_bytes_per_block_opt_in: u32,
    /// Shared memory that the system takes of each block, in bytes.
    pub reserved_shared_bytes_per_block: u32,
    /// The unit in which shared memory is given to blocks, in bytes.
    pub shared_granularity: u32,
    /// Barriers that the blocks on a multiprocessor share; `u32::MAX` where they are no limit.
    pub barriers_per_multiprocessor: u32,
}

impl DeviceLimits {
    /// One multiprocessor of a compute capability; a GPU's number of them is set by
    /// [`with_multiprocessors`](Self::with_multiprocessors).
    ///
    /// # Errors
    /// [`OccupancyError::UnknownCapability`], with the nearest known ones.
    pub fn of(capability: ComputeCapability) -> Result<Self, OccupancyError> {
        let row =
            table::row_of(capability).ok_or(OccupancyError::UnknownCapability { capability })?;
        let shared = row.shared_kib * 1024;
        let reserved = table::reserved_shared_bytes(capability);
        let shared_per_block = shared.min(48 * 1024);
        Ok(Self {
            capability: Some(capability),
            multiprocessors: 1,
            threads_per_block: table::threads_per_block(capability),
            warps_per_multiprocessor: row.warps,
            blocks_per_multiprocessor: row.blocks,
            registers_per_multiprocessor: row.registers_k * 1024,
            registers_per_block: row.registers_per_block_k * 1024,
            registers_per_thread: table::registers_per_thread(capability),
            shared_bytes_per_multiprocessor: shared,
            shared_bytes_per_block: shared_per_block,
            shared_bytes_per_block_opt_in: match capability.major {
                ..=6 => shared_per_block,
                _ => shared - reserved,
            },
            reserved_shared_bytes_per_block: reserved,
            shared_granularity: table::shared_granularity(capability),
            barriers_per_multiprocessor: table::barriers(capability, row.blocks),
        })
    }

    /// The CPU: a block of one thread on each of its threads.
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

    /// The same with another number of multiprocessors.
    pub const fn with_multiprocessors(self, multiprocessors: u32) -> Self {
        Self {
            multiprocessors,
            ..self
        }
    }

    /// Threads on a multiprocessor.
    pub const fn threads_per_multiprocessor(&self) -> u32 {
        self.warps_per_multiprocessor * WARP
    }

    /// How shared memory and L1 cache can divide their storage: bytes of shared memory, ascending.
    /// One where there is no choice.
    pub fn shared_configurations(&self) -> impl Iterator<Item = u32> + use<> {
        let all = self.shared_bytes_per_multiprocessor;
        let named: &[u32] = match self.capability {
            Some(capability) => table::shared_configurations_kib(capability),
            None => &[],
        };
        let smaller = named.iter().map(|kib| kib * 1024);
        smaller.take_while(move |&bytes| bytes < all).chain([all])
    }
}

/// Shared memory that a block can have.
pub(super) fn most_shared(device: &DeviceLimits, opt_in: bool) -> u32 {
    if opt_in {
        device.shared_bytes_per_block_opt_in
    } else {
        device.shared_bytes_per_block
    }
}
