//! Conversion of runs to rows of 64-bit words in a frame.

use super::{frame::Frame, runs::Run};
use crate::{
    memory::{ExtendOrUnwind, zeroed_or_unwind},
    parallel,
};

/// Number of voxels of a word. The x of a word's lowest bit is a multiple of this.
pub const WIDTH: i32 = 64;

/// Bits of [`WIDTH`] consecutive voxel positions along x.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Bit k is set if position k is a voxel of the component.
    pub bits: u64,
    /// Index of the word's first voxel.
    pub first: u32,
    /// x of the lowest bit, divided by [`WIDTH`].
    pub block: i32,
}

impl Word {
    /// Returns the index of the voxel at a bit; if the bit is not set, that of the next voxel.
    #[inline(always)]
    pub fn voxel_index(&self, bit: u32) -> u32 {
        self.first + (self.bits & ((1 << bit) - 1)).count_ones()
    }
}

/// Returns the position of the set bit that has `before` set bits below it.
#[inline(always)]
pub fn nth_set_bit(bits: u64, mut before: u32) -> u32 {
    // most words consist of one run
    let start = bits.trailing_zeros();
    if before < (!(bits >> start)).trailing_zeros() {
        return start + before;
    }
    let (mut rest, mut at) = (bits, 0);
    for half in [32, 16, 8, 4, 2, 1] {
        let low = (rest & ((1 << half) - 1)).count_ones();
        if low <= before {
            before -= low;
            rest >>= half;
            at += half;
        }
    }
    at
}

/// Word with its position: z, y and x divided by [`WIDTH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionedWord {
    pub z: i32,
    pub y: i32,
    pub block: i32,
    pub bits: u64,
}

impl PositionedWord {
    /// Returns the key by which words are sorted in voxel order.
    fn key(&self) -> [i32; 3] {
        [self.z, self.y, self.block]
    }
}

/// Approximate number of voxels per slab of planes, the unit of parallel work.
const VOXELS_PER_SLAB: u64 = 1 << 18;

/// Returns the non-empty words of the runs in voxel order, as consecutive slabs.
pub fn frame_words(runs: &[Run], frame: &Frame) -> Vec<Vec<PositionedWord>> {
    let voxels: u64 = runs.iter().map(Run::voxels).sum();
    // limited because every slab scans all runs
    let max_slabs = 4 * rayon::current_num_threads() as u64;
    words_by_slabs(
        runs,
        frame,
        (voxels / VOXELS_PER_SLAB).clamp(1, max_slabs) as i64,
    )
}

/// Computes the words in `slabs` slabs.
fn words_by_slabs(runs: &[Run], frame: &Frame, slabs: i64) -> Vec<Vec<PositionedWord>> {
    let planes = frame.dims()[2];
    let slabs = slabs.min(planes);
    let plane = |slab: usize| (slab as i64 * planes / slabs) as i32;
    parallel::map(slabs as usize, |slab| {
        slab_words(runs, frame, [plane(slab), plane(slab + 1) - 1])
    })
}

/// Run in a frame: its lowest position, its axis and its number of voxels.
struct FrameRun {
    low: [i32; 3],
    axis: usize,
    count: i32,
}

impl FrameRun {
    /// Returns the part of a run between two planes, or `None` if it is empty.
    fn clipped(run: &Run, frame: &Frame, planes: [i32; 2]) -> Option<Self> {
        let frame_voxel = |x: u32| frame.frame_voxel([x.into(), run.y.into(), run.z.into()]);
        let [a, b] = [frame_voxel(run.start), frame_voxel(run.end - 1)];
        let mut low = [0, 1, 2].map(|axis| a[axis].min(b[axis]));
        let mut high = [0, 1, 2].map(|axis| a[axis].max(b[axis]));
        low[2] = low[2].max(planes[0]);
        high[2] = high[2].min(planes[1]);
        let axis = frame.axis_of_runs();
        (low[2] <= high[2]).then(|| Self {
            low,
            axis,
            count: high[axis] - low[axis] + 1,
        })
    }

    /// Returns the highest position.
    fn high(&self) -> [i32; 3] {
        let mut high = self.low;
        high[self.axis] += self.count - 1;
        high
    }

    /// Calls `visit` with the bits of each word that the run overlaps.
    #[inline(always)]
    fn for_each_word(&self, mut visit: impl FnMut(PositionedWord)) {
        let [x, y, z] = self.low;
        if self.axis == 0 {
            let last = x + self.count - 1;
            for block in x.div_euclid(WIDTH)..=last.div_euclid(WIDTH) {
                let start = (x - block * WIDTH).max(0);
                let end = (last - block * WIDTH).min(WIDTH - 1);
                let bits = u64::MAX >> (WIDTH - 1 - (end - start)) << start;
                visit(PositionedWord { z, y, block, bits });
            }
            return;
        }
        let [dy, dz] = [i32::from(self.axis == 1), i32::from(self.axis == 2)];
        let (block, bits) = (x.div_euclid(WIDTH), 1 << x.rem_euclid(WIDTH));
        for at in 0..self.count {
            let [y, z] = [y + at * dy, z + at * dz];
            visit(PositionedWord { z, y, block, bits });
        }
    }
}

/// Returns the words between two planes.
fn slab_words(runs: &[Run], frame: &Frame, planes: [i32; 2]) -> Vec<PositionedWord> {
    let frame_runs = || {
        runs.iter()
            .filter_map(|run| FrameRun::clipped(run, frame, planes))
    };
    let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
    let mut count = 0;
    for run in frame_runs() {
        low = [0, 1, 2].map(|axis| low[axis].min(run.low[axis]));
        high = [0, 1, 2].map(|axis| high[axis].max(run.high()[axis]));
        count += i64::from(run.count);
    }
    if count == 0 {
        return Vec::new();
    }
    let blocks = [low[0], high[0]].map(|x| x.div_euclid(WIDTH));
    let [nb, ny, nz] = [
        blocks[1] - blocks[0] + 1,
        high[1] - low[1] + 1,
        high[2] - low[2] + 1,
    ]
    .map(i64::from);
    // a sorted list takes this much memory per word
    if nb.saturating_mul(ny).saturating_mul(nz) > 3 * count + 64 {
        return collect_sorted(frame_runs());
    }
    let mut bits = zeroed_or_unwind::<u64>((nb * ny * nz) as usize);
    for run in frame_runs() {
        run.for_each_word(|word| {
            let [z, y, block] = [word.z - low[2], word.y - low[1], word.block - blocks[0]];
            let row = i64::from(z) * ny + i64::from(y);
            bits[(row * nb) as usize + block as usize] |= word.bits;
        });
    }
    let mut words = Vec::new();
    for (row, bits) in (0..).zip(bits.chunks_exact(nb as usize)) {
        for (block, &bits) in (blocks[0]..).zip(bits) {
            if bits != 0 {
                let [y, z] = [low[1] + (row % ny) as i32, low[2] + (row / ny) as i32];
                words.push_or_unwind(PositionedWord { z, y, block, bits });
            }
        }
    }
    words
}

/// Collects the words of runs that fill only a small part of their bounding box.
fn collect_sorted(frame_runs: impl Iterator<Item = FrameRun>) -> Vec<PositionedWord> {
    let mut words = Vec::new();
    for run in frame_runs {
        run.for_each_word(|word| words.push_or_unwind(word));
    }
    words.sort_unstable_by_key(PositionedWord::key);
    words.dedup_by(|next, last| {
        let is_same = next.key() == last.key();
        if is_same {
            last.bits |= next.bits;
        }
        is_same
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Geometry, Metric};

    #[test]
    fn words_do_not_depend_on_the_number_of_slabs() {
        for [nx, ny, nz] in [[200, 17, 13], [17, 200, 13], [13, 17, 200]] {
            let row = |at: u32| Run {
                start: at % 2,
                end: nx - at % 3,
                y: at % ny,
                z: at / ny,
                label: 1,
            };
            let runs: Vec<Run> = (0..ny * nz).map(row).collect();
            for spacing in [[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]] {
                let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
                let frame = Frame::canonical(&runs, &Metric::rounded(&geometry).0);
                let single_slab = words_by_slabs(&runs, &frame, 1).concat();
                let voxels: u64 = runs.iter().map(Run::voxels).sum();
                let bits: u32 = single_slab.iter().map(|word| word.bits.count_ones()).sum();
                assert_eq!(u64::from(bits), voxels);
                assert!(single_slab.is_sorted_by(|a, b| a.key() < b.key()));
                for slabs in [2, 7, 1000] {
                    assert_eq!(words_by_slabs(&runs, &frame, slabs).concat(), single_slab);
                }
            }
        }
    }
}
