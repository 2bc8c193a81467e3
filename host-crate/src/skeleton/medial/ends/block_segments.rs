//! Segments of the rows of a component within blocks, and the pairs of segments that touch.

use crate::{
    memory::{ExtendOrUnwind, with_capacity_or_unwind},
    parallel,
    skeleton::medial::voxels::object::{MIN_PARALLEL_ITEMS, Object},
};
use std::ops::Range;

/// Directions to the rows before a row, and to those after it, among the nine directions
/// `3 (dz + 1) + dy + 1`.
const ROWS_BEFORE: [usize; 4] = [0, 1, 2, 3];
const ROWS_AFTER: [usize; 4] = [5, 6, 7, 8];

/// Consecutive voxels along x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoxelRun {
    /// x of the first voxel.
    pub start: i32,
    /// Index of the first voxel.
    pub voxel: u32,
    /// Number of voxels.
    pub count: u32,
}

impl VoxelRun {
    /// Returns the x after the last voxel.
    #[inline(always)]
    pub fn end(&self) -> i32 {
        self.start + self.count as i32
    }

    /// Returns the indices of the voxels.
    pub fn voxels(&self) -> Range<usize> {
        let first = self.voxel as usize;
        first..first + self.count as usize
    }

    /// Returns the parts between multiples of `side` along x.
    fn cut(self, side: i32) -> impl Iterator<Item = Self> {
        let end = self.end();
        let next = (self.start / side + 1) * side;
        let inner = (next..end).step_by(side as usize);
        let starts = std::iter::once(self.start).chain(inner.clone());
        let bounds = starts.zip(inner.chain(std::iter::once(end)));
        bounds.map(move |(start, end)| Self {
            start,
            voxel: self.voxel + (start - self.start) as u32,
            count: (end - start) as u32,
        })
    }
}

/// Maximal sets of consecutive voxels along x within a block, in voxel order.
pub struct BlockSegments<'a> {
    object: &'a Object,
    /// Number of voxels of a block along each axis of the frame.
    sides: [i32; 3],
    segments: Vec<VoxelRun>,
    /// First segment of each row, followed by the number of segments.
    row_starts: Vec<u32>,
}

impl<'a> BlockSegments<'a> {
    /// Cuts all runs of a component at the borders of blocks. Takes time linear in the number of
    /// segments.
    pub fn new(object: &'a Object, sides: [i32; 3]) -> Self {
        Self::from_runs(object, sides, |row| {
            let mut voxel = object.row_voxels(row).start as u32;
            let runs = object.row_runs(row, |word| object.words()[word].bits);
            runs.map(move |[start, end]| {
                let count = (end - start) as u32;
                voxel += count;
                VoxelRun {
                    start,
                    voxel: voxel - count,
                    count,
                }
            })
        })
    }

    /// Cuts runs at the borders of blocks. `row_runs` must return disjoint runs of a row in
    /// ascending order that do not touch.
    pub fn from_runs<I: Iterator<Item = VoxelRun>>(
        object: &'a Object,
        sides: [i32; 3],
        row_runs: impl Fn(usize) -> I + Sync + Send,
    ) -> Self {
        let parts = parallel::map_ranges(object.row_count(), MIN_PARALLEL_ITEMS, |rows| {
            let (mut segments, mut counts) = (Vec::new(), with_capacity_or_unwind(rows.len()));
            for row in rows {
                let before = segments.len();
                segments.extend_or_unwind(row_runs(row).flat_map(|run| run.cut(sides[0])));
                counts.push_or_unwind((segments.len() - before) as u32);
            }
            (segments, counts)
        });
        let total = parts.iter().map(|(segments, _)| segments.len()).sum();
        let mut segments = with_capacity_or_unwind(total);
        let mut row_starts = with_capacity_or_unwind(object.row_count() + 1);
        row_starts.push_or_unwind(0);
        let mut start = 0;
        for (part, counts) in parts {
            segments.extend_or_unwind(part);
            row_starts.extend_or_unwind(counts.into_iter().map(|count| {
                start += count;
                start
            }));
        }
        Self {
            object,
            sides,
            segments,
            row_starts,
        }
    }

    /// Returns the number of segments.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// Returns the segment of a voxel, which must belong to one.
    pub fn segment_at(&self, voxel: u32) -> usize {
        let (word, _) = self.object.locate(voxel as usize);
        let segments = self.row_segments(self.object.word_row(word));
        let before = self.segments[segments.clone()].partition_point(|run| run.voxel <= voxel);
        segments.start + before.saturating_sub(1)
    }

    /// Returns `true` if a voxel belongs to a segment.
    pub fn has_voxel(&self, voxel: u32) -> bool {
        let segment = self.segments.get(self.segment_at(voxel));
        segment.is_some_and(|run| run.voxels().contains(&(voxel as usize)))
    }

    /// Returns the voxels of a segment.
    pub fn get(&self, segment: usize) -> VoxelRun {
        self.segments[segment]
    }

    /// Returns the segments of a row.
    pub fn row_segments(&self, row: usize) -> Range<usize> {
        self.row_starts[row] as usize..self.row_starts[row + 1] as usize
    }

    /// Returns the segments of some rows.
    pub fn rows_segments(&self, rows: &Range<usize>) -> Range<usize> {
        self.row_starts[rows.start] as usize..self.row_starts[rows.end] as usize
    }

    /// Returns the lowest corner of the block of a position.
    pub fn corner(&self, position: [i32; 3]) -> [i32; 3] {
        [0, 1, 2].map(|axis| position[axis] - position[axis] % self.sides[axis])
    }

    /// Returns the segments of the block with a lowest corner.
    pub fn block_segments(&self, [x, y, z]: [i32; 3]) -> impl Iterator<Item = usize> {
        let [side_x, side_y, side_z] = self.sides;
        let rows =
            (z..z + side_z).flat_map(move |z| self.object.rows_between(z, [y, y + side_y - 1]));
        rows.flat_map(move |row| {
            let segments = self.row_segments(row);
            let list = &self.segments[segments.clone()];
            let [from, to] = [x, x + side_x].map(|x| list.partition_point(|run| run.start < x));
            segments.start + from..segments.start + to
        })
    }

    /// Calls `visit` for all pairs of touching segments of a block whose first one is in a row.
    pub fn for_each_pair_within(&self, row: usize, mut visit: impl FnMut(usize, usize)) {
        let [_, side_y, side_z] = self.sides;
        let [y, z] = self.object.row_position(row);
        let along = [y % side_y, z % side_z];
        let is_within = |direction: &usize| {
            let [dy, dz] = [direction % 3, direction / 3].map(|step| step as i32 - 1);
            (0..side_y).contains(&(along[0] + dy)) && (0..side_z).contains(&(along[1] + dz))
        };
        for direction in ROWS_BEFORE.into_iter().filter(is_within) {
            self.for_each_touching(row, direction, |a, b| {
                if self.block(a) == self.block(b) {
                    visit(a, b);
                }
            });
        }
    }

    /// Calls `visit` for all pairs of touching segments whose first one is in a row, and whose
    /// second one is in the same row or in one of the following rows.
    pub fn for_each_pair(&self, row: usize, mut visit: impl FnMut(usize, usize)) {
        let segments = self.row_segments(row);
        for (a, b) in segments.clone().zip(segments.skip(1)) {
            if self.segments[a].end() == self.segments[b].start {
                visit(a, b);
            }
        }
        for direction in ROWS_AFTER {
            self.for_each_touching(row, direction, &mut visit);
        }
    }

    /// Calls `visit` for all pairs of touching segments of a row and of the row in a direction.
    #[inline(always)]
    fn for_each_touching(&self, row: usize, direction: usize, mut visit: impl FnMut(usize, usize)) {
        let segments = self.row_segments(row);
        if segments.is_empty() {
            return;
        }
        let Some(adjacent) = self.object.adjacent_row(row, direction) else {
            return;
        };
        let mut others = self.row_segments(adjacent);
        for segment in segments {
            let run = self.segments[segment];
            while others.start < others.end && self.segments[others.start].end() < run.start {
                others.start += 1;
            }
            let is_touching = |&other: &usize| self.segments[other].start <= run.end();
            for other in others.clone().take_while(is_touching) {
                visit(segment, other);
            }
        }
    }

    /// Returns the block of a segment along x.
    #[inline(always)]
    fn block(&self, segment: usize) -> i32 {
        self.segments[segment].start / self.sides[0]
    }
}
