//! Sites that a block holds until there are enough to compare its voxels with.

use cuda_std::{SharedView, thread};

/// Sites that are looked at before those that are near enough are counted.
const CHUNK: usize = 256;
/// Sites that are held at most.
pub const HELD: usize = 2 * CHUNK;

/// Sites in shared memory that are near enough to a block's voxels. Threads put them there side by
/// side; then every thread goes through all of them.
#[derive(Clone, Copy)]
pub(super) struct HeldSites {
    /// Their x, then their y, then their z: [`HELD`] each.
    pub places: SharedView<f32>,
    /// How many there are, in its only element.
    pub count: SharedView<u32>,
}

impl HeldSites {
    /// There are none. A barrier has to follow.
    #[inline(always)]
    pub fn clear(self) {
        if thread::thread_idx_x() == 0 {
            self.count.write(0, 0);
        }
    }

    /// Adds a site; returns its number.
    #[inline(always)]
    pub fn put(self, [x, y, z]: [f32; 3]) -> usize {
        let to = self.count.atomic_add(0, 1) as usize;
        self.places.write(to, x);
        self.places.write(HELD + to, y);
        self.places.write(2 * HELD + to, z);
        to
    }

    /// The place of a site.
    #[inline(always)]
    pub fn at(self, site: usize) -> [f32; 3] {
        [
            self.places.read(site),
            self.places.read(HELD + site),
            self.places.read(2 * HELD + site),
        ]
    }

    /// Calls `put` with each chunk of a range of sites, of which it adds those that are near
    /// enough, and before that `compare` with how many are held, if there may be no room for a
    /// chunk. All threads of the block call it; barriers are in it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn in_chunks(
        self,
        mut start: usize,
        end: usize,
        compare: impl Fn(usize),
        put: impl Fn(usize, usize),
    ) {
        while start < end {
            thread::sync_threads();
            let count = self.count.read(0) as usize;
            thread::sync_threads();
            if count > HELD - CHUNK {
                compare(count);
                thread::sync_threads();
                self.clear();
                thread::sync_threads();
            }
            let rest = end - start;
            let next = start + if rest < CHUNK { rest } else { CHUNK };
            put(start, next);
            start = next;
        }
    }

    /// Calls `compare` with how many are held when all have been put. All threads of the block call
    /// it; barriers are in it, so that others can be put after it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn finish(self, compare: impl Fn(usize)) {
        thread::sync_threads();
        compare(self.count.read(0) as usize);
        thread::sync_threads();
    }
}
