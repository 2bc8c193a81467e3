//! Memory of the CPU as a device.

use crate::memory::check_available;
use memmap2::MmapMut;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum alignment of a buffer's elements, in bytes: the page size of most systems.
pub(in crate::device) const MAX_ELEMENT_ALIGN: usize = 4096;

/// Alignment of memory that the device did not allocate, in bytes: kernels read vectors of up to 16
/// bytes.
pub(in crate::device) const MIN_FOREIGN_ALIGN: usize = 16;

/// Memory of a buffer.
pub(in crate::device) enum CpuMemory {
    /// Page-aligned memory that returns to the pool of its device when dropped; `None` for no
    /// bytes.
    Owned {
        /// The memory.
        map: Option<MmapMut>,
        /// Pool of the device.
        pool: Arc<Pool>,
    },
    /// Memory of a vector that the buffer has taken over.
    Vector(VectorMemory),
    /// Memory of the caller, which a [`Borrowed`](crate::device::Borrowed) buffer only reads.
    Borrowed(BorrowedBytes),
}

/// Elements of a vector.
pub(in crate::device) struct VectorMemory {
    pointer: *mut u8,
    /// The vector, which is only dropped.
    _elements: Box<dyn Send + Sync>,
}

// SAFETY: the memory belongs to the vector, which is `Send`, and is accessed by the buffer only.
unsafe impl Send for VectorMemory {}
// SAFETY: as above; the vector is `Sync`.
unsafe impl Sync for VectorMemory {}

/// Address of the caller's memory.
pub(in crate::device) struct BorrowedBytes(*mut u8);

// SAFETY: the bytes are only read, through a shared borrow that the `Borrowed` buffer holds.
unsafe impl Send for BorrowedBytes {}
// SAFETY: as above.
unsafe impl Sync for BorrowedBytes {}

/// Pool of freed memory for reuse.
///
/// Fresh memory costs a page fault and zeroing per page, which takes longer than most kernels that
/// write to it.
#[derive(Default)]
pub(in crate::device) struct Pool {
    free: Mutex<Vec<MmapMut>>,
}

/// Maximum number of bytes in the pool.
const POOL_BYTES: usize = 1 << 30;
/// Size in bytes below which a block is small.
const SMALL_BELOW: usize = 64 << 10;
/// Maximum number of small blocks in the pool, so that searching it stays fast.
const MAX_SMALL: usize = 64;
/// Minimum size in bytes for which huge pages are requested: one page fault per 2 MiB.
const HUGE_FROM: usize = 4 << 20;

impl Pool {
    /// Takes the smallest block that holds `bytes` bytes, if it is at most twice as large.
    fn take(&self, bytes: usize) -> Option<MmapMut> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |map: &MmapMut| map.len() >= bytes && map.len() / 2 <= bytes;
        let best = (0..free.len())
            .filter(|&i| fits(&free[i]))
            .min_by_key(|&i| free[i].len())?;
        Some(free.swap_remove(best))
    }

    /// Returns the number of bytes in the pool.
    pub fn bytes(&self) -> u64 {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.iter().map(|map| map.len() as u64).sum()
    }

    /// Frees the blocks of the pool.
    pub fn clear(&self) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.clear();
    }

    /// Empties the pool and allocates fresh memory: the pooled blocks may have unsuitable sizes.
    fn allocate_after_emptying(&self, bytes: usize) -> Option<MmapMut> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.is_empty() {
            return None;
        }
        free.clear();
        fresh(bytes)
    }

    fn return_mapping(&self, map: MmapMut) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let pooled: usize = free.iter().map(|map| map.len()).sum();
        let is_small = |map: &MmapMut| map.len() < SMALL_BELOW;
        let has_capacity =
            !is_small(&map) || free.iter().filter(|map| is_small(map)).count() < MAX_SMALL;
        if has_capacity && pooled + map.len() <= POOL_BYTES {
            free.push(map);
        }
    }
}

impl CpuMemory {
    /// Returns `bytes` bytes with unspecified, initialised contents, or `None` if the system does
    /// not have enough memory.
    pub(super) fn new(pool: &Arc<Pool>, bytes: usize) -> Option<Self> {
        let map = match bytes {
            0 => None,
            _ => Some(
                pool.take(bytes)
                    .or_else(|| fresh(bytes))
                    .or_else(|| pool.allocate_after_emptying(bytes))?,
            ),
        };
        Some(Self::Owned {
            map,
            pool: pool.clone(),
        })
    }

    /// Returns memory that refers to `bytes`, which are aligned to [`MIN_FOREIGN_ALIGN`].
    pub fn borrow(bytes: &[u8]) -> Self {
        Self::Borrowed(BorrowedBytes(bytes.as_ptr().cast_mut()))
    }

    /// Takes over the elements of a vector, which are aligned to [`MIN_FOREIGN_ALIGN`].
    pub fn from_vec<T: Send + Sync + 'static>(mut elements: Vec<T>) -> Self {
        Self::Vector(VectorMemory {
            pointer: elements.as_mut_ptr().cast(),
            _elements: Box::new(elements),
        })
    }

    /// Returns the address of the first byte; dangling but aligned if the memory is empty.
    pub fn pointer(&self) -> *mut u8 {
        match self {
            Self::Owned { map: Some(map), .. } => map.as_ptr().cast_mut(),
            Self::Owned { map: None, .. } => std::ptr::without_provenance_mut(MAX_ELEMENT_ALIGN),
            Self::Vector(VectorMemory { pointer, .. }) | Self::Borrowed(BorrowedBytes(pointer)) => {
                *pointer
            }
        }
    }
}

impl Drop for CpuMemory {
    fn drop(&mut self) {
        if let Self::Owned { map, pool } = self
            && let Some(map) = map.take()
        {
            pool.return_mapping(map);
        }
    }
}

/// Allocates zeroed memory from the system.
fn fresh(bytes: usize) -> Option<MmapMut> {
    check_available("a buffer", bytes as u64).ok()?;
    let map = MmapMut::map_anon(bytes).ok()?;
    #[cfg(target_os = "linux")]
    if bytes >= HUGE_FROM {
        // best effort: without huge pages, ordinary ones are used
        let _ = map.advise(memmap2::Advice::HugePage);
    }
    Some(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_memory_is_reused_if_it_fits() {
        let pool = Arc::<Pool>::default();
        let first = CpuMemory::new(&pool, 1 << 20).unwrap();
        let address = first.pointer();
        drop(first);
        let much_smaller = CpuMemory::new(&pool, 1 << 17).unwrap();
        assert_ne!(much_smaller.pointer(), address);
        let smaller = CpuMemory::new(&pool, 1 << 19).unwrap();
        assert_eq!(smaller.pointer(), address);
        let another = CpuMemory::new(&pool, 1 << 19).unwrap();
        assert_ne!(another.pointer(), address);
    }

    #[test]
    fn pool_size_is_limited() {
        let pool = Arc::<Pool>::default();
        let pieces: Vec<_> = (0..5)
            .map(|_| CpuMemory::new(&pool, POOL_BYTES / 4).unwrap())
            .collect();
        drop(pieces);
        let pooled: usize = pool.free.lock().unwrap().iter().map(|map| map.len()).sum();
        assert_eq!(pooled, POOL_BYTES);
    }

    #[test]
    fn number_of_small_blocks_is_limited() {
        let pool = Arc::<Pool>::default();
        let create = |bytes| CpuMemory::new(&pool, bytes).unwrap();
        let blocks: Vec<_> = (0..MAX_SMALL + 5).map(|_| create(100)).collect();
        let large = create(SMALL_BELOW);
        drop((blocks, large));
        assert_eq!(pool.bytes() as usize, MAX_SMALL * 100 + SMALL_BELOW);
    }

    #[test]
    fn impossible_sizes_are_errors() {
        assert!(CpuMemory::new(&Arc::default(), isize::MAX as usize).is_none());
    }
}
