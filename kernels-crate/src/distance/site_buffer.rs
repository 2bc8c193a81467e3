//! Buffer in shared memory for sites that a block is about to compare with its voxels.

use cuda_std::{SharedView, thread};

/// Number of sites that are tested before the buffer's fill level is checked again.
const BATCH: usize = 256;
/// Capacity of the buffer, in sites.
pub const CAPACITY: usize = 2 * BATCH;

/// Shared-memory buffer of the sites near a block's voxels. Threads append sites concurrently; then
/// every thread reads all of them.
#[derive(Clone, Copy)]
pub(super) struct SiteBuffer {
    /// All x coordinates, then all y, then all z: [`CAPACITY`] elements each.
    pub coordinates: SharedView<f32>,
    /// Number of buffered sites, in its only element.
    pub count: SharedView<u32>,
}

impl SiteBuffer {
    /// Empties the buffer. A barrier must follow.
    #[inline(always)]
    pub fn clear(self) {
        if thread::thread_idx_x() == 0 {
            self.count.write(0, 0);
        }
    }

    /// Appends a site and returns its index.
    #[inline(always)]
    pub fn push(self, [x, y, z]: [f32; 3]) -> usize {
        let to = self.count.atomic_add(0, 1) as usize;
        self.coordinates.write(to, x);
        self.coordinates.write(CAPACITY + to, y);
        self.coordinates.write(2 * CAPACITY + to, z);
        to
    }

    /// Returns the coordinates of a site.
    #[inline(always)]
    pub fn site_coordinates(self, site: usize) -> [f32; 3] {
        [
            self.coordinates.read(site),
            self.coordinates.read(CAPACITY + site),
            self.coordinates.read(2 * CAPACITY + site),
        ]
    }

    /// Calls `push` with consecutive batches of a range of sites, so that it appends the sites that
    /// are near enough. If the buffer may be too full for a batch, first calls `compare` with the
    /// number of buffered sites and empties it. All threads of the block must call it; it contains
    /// barriers.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn for_each_batch(
        self,
        mut start: usize,
        end: usize,
        compare: impl Fn(usize),
        push: impl Fn(usize, usize),
    ) {
        while start < end {
            thread::sync_threads();
            let count = self.count.read(0) as usize;
            thread::sync_threads();
            if count > CAPACITY - BATCH {
                compare(count);
                thread::sync_threads();
                self.clear();
                thread::sync_threads();
            }
            let remaining = end - start;
            let next = start + if remaining < BATCH { remaining } else { BATCH };
            push(start, next);
            start = next;
        }
    }

    /// Calls `compare` with the number of buffered sites after all have been appended. All threads
    /// of the block must call it; it contains barriers, so that further sites can be appended
    /// afterwards.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn finish(self, compare: impl Fn(usize)) {
        thread::sync_threads();
        compare(self.count.read(0) as usize);
        thread::sync_threads();
    }
}
