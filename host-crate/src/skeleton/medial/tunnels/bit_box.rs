//! Bits of the voxels of a padded bounding box.

use super::digital_ball::DigitalBall;
use crate::{
    grid,
    memory::{ExtendOrUnwind, copy_or_unwind, zeroed_or_unwind},
    parallel,
    skeleton::medial::voxels::runs::Run,
};
use ferrovox_kernels::{distance::sites::BitRows, grid::Grid};

/// Set of voxels of a box, with one bit per voxel in rows of 32-bit words.
#[derive(Clone, Debug)]
pub struct BitBox {
    bits: BitRows,
    words: Vec<u32>,
    /// Position of the first voxel of the box in the volume.
    origin: [i64; 3],
    /// Number of voxels on each side that are not in the bounding box.
    padding: u32,
}

impl BitBox {
    /// Creates the box of a component with `padding` voxels on all sides.
    pub fn from_runs(component: &[Run], padding: u32) -> Self {
        let (mut low, mut high) = ([u32::MAX; 3], [0; 3]);
        for run in component {
            let ends = [[run.start, run.y, run.z], [run.end - 1, run.y, run.z]];
            low = [0, 1, 2].map(|axis| low[axis].min(ends[0][axis]));
            high = [0, 1, 2].map(|axis| high[axis].max(ends[1][axis]));
        }
        let [nx, ny, nz] = [0, 1, 2].map(|axis| high[axis] - low[axis] + 1 + 2 * padding);
        let bits = BitRows::new(Grid { nx, ny, nz });
        let mut solid = Self {
            bits,
            words: zeroed_or_unwind(bits.words() as usize),
            origin: low.map(|low| i64::from(low) - i64::from(padding)),
            padding,
        };
        for run in component {
            solid.set_run(run);
        }
        solid
    }

    /// Returns an empty set of voxels of the same box.
    pub fn empty(&self) -> Self {
        Self {
            words: zeroed_or_unwind(self.words.len()),
            ..*self
        }
    }

    /// Returns a copy.
    pub fn copy(&self) -> Self {
        Self {
            words: copy_or_unwind(&self.words),
            ..*self
        }
    }

    /// Adds all voxels outside the bounding box.
    pub fn add_padding(&mut self) {
        let mut bounding_box = self.empty();
        let Grid { nx, ny, nz } = self.bits.grid;
        for z in self.padding..nz - self.padding {
            for y in self.padding..ny - self.padding {
                bounding_box.set_range([self.padding, nx - self.padding], y, z);
            }
        }
        self.unite(&bounding_box.complement());
    }

    /// Returns `true` if no voxel is set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Returns y and z, in the volume, of all rows of the box that can be in the volume.
    pub fn volume_rows(&self) -> impl Iterator<Item = [u32; 2]> {
        let Grid { ny, nz, .. } = self.bits.grid;
        let range = |axis: usize, count: u32| {
            let start = self.origin[axis];
            (start.max(0) as u32)..((start + i64::from(count)).max(0) as u32)
        };
        let [rows, planes] = [range(1, ny), range(2, nz)];
        planes.flat_map(move |z| rows.clone().map(move |y| [y, z]))
    }

    /// Sets the voxels of a run that are in the box. Its row must be a row of the box.
    pub fn set_run(&mut self, run: &Run) {
        let in_box = |at: u32, axis: usize| (i64::from(at) - self.origin[axis]) as u32;
        let [start, end] = [run.start, run.end].map(|x| {
            let x = i64::from(x) - self.origin[0];
            x.clamp(0, i64::from(self.bits.grid.nx)) as u32
        });
        self.set_range([start, end], in_box(run.y, 1), in_box(run.z, 2));
    }

    /// Sets the voxels of a half-open range of x in a row of the box.
    fn set_range(&mut self, [mut x, end]: [u32; 2], y: u32, z: u32) {
        while x < end {
            let count = (32 - x % 32).min(end - x);
            self.words[self.bits.word_index(x, y, z)] |= u32::MAX >> (32 - count) << (x % 32);
            x += count;
        }
    }

    /// Returns `true` if a voxel is set.
    pub fn contains(&self, [x, y, z]: [u32; 3]) -> bool {
        self.words[self.bits.word_index(x, y, z)] >> (x % 32) & 1 == 1
    }

    /// Sets a voxel.
    pub fn set(&mut self, [x, y, z]: [u32; 3]) {
        self.words[self.bits.word_index(x, y, z)] |= 1 << (x % 32);
    }

    /// Returns the words, row by row.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the index of the word that contains a voxel.
    pub fn word_index(&self, [x, y, z]: [u32; 3]) -> usize {
        self.bits.word_index(x, y, z)
    }

    /// Returns the positions of all voxels, x fastest.
    pub fn positions(&self) -> impl Iterator<Item = [u32; 3]> {
        let BitRows { grid, per_row } = self.bits;
        (0..).zip(&self.words).flat_map(move |(index, &word)| {
            let row = index / u64::from(per_row);
            let [y, z] = [row % u64::from(grid.ny), row / u64::from(grid.ny)].map(|at| at as u32);
            let first = (index % u64::from(per_row)) as u32 * 32;
            let bits = (0..32).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| [first + bit, y, z])
        })
    }

    /// Adds the voxels of another set of the same box.
    pub fn unite(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Removes the voxels of another set of the same box.
    pub fn subtract(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    /// Returns the voxels of the box that are not set.
    pub fn complement(mut self) -> Self {
        let per_row = self.bits.per_row;
        for (word, at) in self.words.iter_mut().zip((0..per_row).cycle()) {
            *word = !*word & self.bits.voxel_mask(at);
        }
        self
    }

    /// Returns the dilation by a structuring element, within the box. Voxels at the border of the
    /// box can be missing if the element has negative offsets.
    pub fn dilated(&self, element: &DigitalBall) -> Self {
        let BitRows { grid, per_row } = self.bits;
        let per_row = per_row as usize;
        let row_words = |y: i64, z: i64| {
            let is_in_box =
                (0..i64::from(grid.ny)).contains(&y) && (0..i64::from(grid.nz)).contains(&z);
            let start = is_in_box.then(|| (z * i64::from(grid.ny) + y) as usize * per_row)?;
            let words = &self.words[start..start + per_row];
            words.iter().any(|&word| word != 0).then_some(words)
        };
        let mut result = self.empty();
        let plane = self.bits.per_plane() as usize;
        parallel::for_each_chunk_mut(&mut result.words, plane, |start, words| {
            let z = (start / plane) as i64;
            let mut scratch = zeroed_or_unwind(per_row);
            for (y, target) in (0..).zip(words.chunks_exact_mut(per_row)) {
                for row in element.rows() {
                    if let Some(source) = row_words(y - i64::from(row.dy), z - i64::from(row.dz)) {
                        scratch.copy_from_slice(source);
                        let mut covered = 1;
                        while covered < row.count {
                            let step = covered.min(row.count - covered);
                            shift_up(&mut scratch, step);
                            covered += step;
                        }
                        add_shifted(target, &scratch, row.start);
                    }
                }
                for (at, word) in target.iter_mut().enumerate() {
                    *word &= self.bits.voxel_mask(at as u32);
                }
            }
        });
        result
    }

    /// Returns the bits of the 27 voxels around a voxel that is not at the border of the box, in
    /// the order of [`neighbour_bits`](crate::skeleton::medial::voxels::neighbour_bits).
    pub fn neighbourhood(&self, [x, y, z]: [u32; 3]) -> u32 {
        let mut neighbourhood = 0;
        for row in 0..9 {
            let [y, z] = [y + row % 3 - 1, z + row / 3 - 1];
            let at = self.bits.word_index(x - 1, y, z);
            let shift = (x - 1) % 32;
            let mut bits = self.words[at] >> shift;
            if shift > 29 {
                bits |= self.words[at + 1] << (32 - shift);
            }
            neighbourhood |= (bits & 7) << (3 * row);
        }
        neighbourhood
    }

    /// Returns the runs along x, in coordinates of the box.
    pub fn box_runs(&self) -> grid::Runs {
        grid::Runs::from_words(&self.words, self.bits)
    }

    /// Returns the runs of a label in coordinates of the volume.
    pub fn to_runs(&self, label: i64) -> Vec<Run> {
        let found = self.box_runs();
        let ny = self.bits.grid.ny as usize;
        let in_volume = |at: usize, axis: usize| (at as i64 + self.origin[axis]) as u32;
        let mut runs = Vec::new();
        for row in 0..found.row_count() {
            let [y, z] = [in_volume(row % ny, 1), in_volume(row / ny, 2)];
            runs.extend_or_unwind(found.list[found.row(row)].iter().map(|run| Run {
                start: in_volume(run.start as usize, 0),
                end: in_volume(run.end as usize, 0),
                y,
                z,
                label,
            }));
        }
        runs
    }
}

/// Adds the bits of a row, shifted up by `step`, to the row.
fn shift_up(row: &mut [u32], step: u32) {
    let (words, bits) = ((step / 32) as usize, step % 32);
    for at in (words..row.len()).rev() {
        let below = if at > words { row[at - words - 1] } else { 0 };
        row[at] |= shifted_pair(below, row[at - words], bits);
    }
}

/// Adds the bits of `source`, shifted up by `offset`, to `target`.
fn add_shifted(target: &mut [u32], source: &[u32], offset: i32) {
    let word = |at: i64| {
        usize::try_from(at)
            .ok()
            .and_then(|at| source.get(at))
            .copied()
            .unwrap_or(0)
    };
    let (words, bits) = (
        i64::from(offset.div_euclid(32)),
        offset.rem_euclid(32) as u32,
    );
    for (at, target) in (0..).zip(target) {
        *target |= shifted_pair(word(at - words - 1), word(at - words), bits);
    }
}

/// Returns the upper word of two consecutive words, shifted up by fewer than 32 bits.
fn shifted_pair(below: u32, word: u32, bits: u32) -> u32 {
    word << bits | below.checked_shr(32 - bits).unwrap_or(0)
}
