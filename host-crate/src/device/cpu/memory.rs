//! Memory of the CPU as a device.

use crate::memory::check_available;
use memmap2::MmapMut;
use std::sync::{Arc, Mutex, PoisonError};

/// Memory, aligned to a page, that goes back to its device's pool when dropped.
pub(in crate::device) struct CpuMemory {
    map: Option<MmapMut>,
    pool: Arc<Pool>,
}

/// Memory that was freed and can be used again.
///
/// Fresh memory costs a page fault and a page of zeros for every page that is touched, which takes
/// longer than most kernels that write to it.
#[derive(Default)]
pub(super) struct Pool {
    free: Mutex<Vec<MmapMut>>,
}

/// What a pool keeps at most, in bytes.
const POOL_BYTES: usize = 1 << 30;
/// Smaller pieces are not worth keeping.
const KEEP_FROM: usize = 64 << 10;
/// From this size on, memory is asked for in huge pages: one fault for 2 MiB instead of 512.
const HUGE_FROM: usize = 4 << 20;

impl Pool {
    /// The smallest piece that holds `bytes` and is not more than twice as large.
    fn take(&self, bytes: usize) -> Option<MmapMut> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |map: &MmapMut| map.len() >= bytes && map.len() / 2 <= bytes;
        let best = (0..free.len())
            .filter(|&i| fits(&free[i]))
            .min_by_key(|&i| free[i].len())?;
        Some(free.swap_remove(best))
    }

    /// How many bytes it holds.
    pub fn bytes(&self) -> u64 {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.iter().map(|map| map.len() as u64).sum()
    }

    /// Fresh memory in place of all that is kept, which may be pieces of other sizes.
    fn emptied_for(&self, bytes: usize) -> Option<MmapMut> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.is_empty() {
            return None;
        }
        free.clear();
        fresh(bytes)
    }

    fn give(&self, map: MmapMut) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let kept: usize = free.iter().map(|map| map.len()).sum();
        if map.len() >= KEEP_FROM && kept + map.len() <= POOL_BYTES {
            free.push(map);
        }
    }
}

impl CpuMemory {
    /// `bytes` bytes whose values are unspecified (but initialised); `None` if the system does not
    /// have as many.
    pub(super) fn new(pool: &Arc<Pool>, bytes: usize) -> Option<Self> {
        let map = match bytes {
            0 => None,
            _ => Some(
                pool.take(bytes)
                    .or_else(|| fresh(bytes))
                    .or_else(|| pool.emptied_for(bytes))?,
            ),
        };
        Some(Self {
            map,
            pool: pool.clone(),
        })
    }

    /// The first byte; dangling (but aligned) when the memory is empty.
    pub fn pointer(&self) -> *mut u8 {
        match &self.map {
            Some(map) => map.as_ptr().cast_mut(),
            None => std::ptr::without_provenance_mut(64),
        }
    }
}

impl Drop for CpuMemory {
    fn drop(&mut self) {
        if let Some(map) = self.map.take() {
            self.pool.give(map);
        }
    }
}

/// Memory from the system: zero, page by page when it is touched.
fn fresh(bytes: usize) -> Option<MmapMut> {
    check_available("a buffer", bytes as u64).ok()?;
    let map = MmapMut::map_anon(bytes).ok()?;
    #[cfg(target_os = "linux")]
    if bytes >= HUGE_FROM {
        // a wish: where the kernel has no huge pages, ordinary ones serve
        let _ = map.advise(memmap2::Advice::HugePage);
    }
    Some(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_memory_is_used_again_if_it_fits() {
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
    fn the_pool_keeps_no_more_than_its_limit() {
        let pool = Arc::<Pool>::default();
        let pieces: Vec<_> = (0..5)
            .map(|_| CpuMemory::new(&pool, POOL_BYTES / 4).unwrap())
            .collect();
        drop(pieces);
        let kept: usize = pool.free.lock().unwrap().iter().map(|map| map.len()).sum();
        assert_eq!(kept, POOL_BYTES);
    }

    #[test]
    fn impossible_amounts_are_refused() {
        assert!(CpuMemory::new(&Arc::default(), isize::MAX as usize).is_none());
    }
}
