//! Segments of the rows of a component within blocks, and the pairs of segments that touch.

use crate::{
    memory::{ExtendOrUnwind, with_capacity_or_unwind},
    skeleton::medial::voxels::{object::Object, x_runs::XRuns},
};
use std::ops::Range;

/// Directions to the rows before a row, and to those after it, among the nine directions
/// `3 (dz + 1) + dy + 1`.
const ROWS_BEFORE: [usize; 4] = [0, 1, 2, 3];
const ROWS_AFTER: [usize; 4] = [5, 6, 7, 8];

/// Maximal sets of consecutive voxels along x within a block, in voxel order.
pub struct BlockSegments<'a> {
    object: &'a Object,
    /// Number of voxels of a block along each axis of the frame.
    sides: [i32; 3],
    segments: XRuns,
    /// x of the first voxel of each segment.
    starts: Vec<i32>,
    /// First segment of each row, followed by the number of segments.
    row_starts: Vec<u32>,
}

impl<'a> BlockSegments<'a> {
    /// Cuts the runs of a component at the borders of blocks. Takes time linear in the number of
    /// segments.
    pub fn new(object: &'a Object, sides: [i32; 3]) -> Self {
        let mut starts = Vec::new();
        let mut row_starts = with_capacity_or_unwind(object.row_count() + 1);
        for row in 0..object.row_count() {
            row_starts.push_or_unwind(starts.len() as u32);
            let parts = row_parts(object, row, sides[0]);
            starts.extend_or_unwind(parts.map(|(start, _)| start));
        }
        row_starts.push_or_unwind(starts.len() as u32);
        let parts = (0..object.row_count()).flat_map(|row| row_parts(object, row, sides[0]));
        let segments = XRuns::from_ranges(object.len(), parts.map(|(_, voxels)| voxels));
        Self {
            object,
            sides,
            segments,
            starts,
            row_starts,
        }
    }

    /// Returns the number of segments.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns the segment of a voxel.
    pub fn segment_at(&self, voxel: u32) -> usize {
        self.segments.run_at(voxel as usize)
    }

    /// Returns the voxels of a segment.
    pub fn voxels(&self, segment: usize) -> Range<usize> {
        self.segments.voxels(segment)
    }

    /// Returns the x of the first voxel of a segment.
    pub fn start(&self, segment: usize) -> i32 {
        self.starts[segment]
    }

    /// Returns the segments of a row.
    pub fn row_segments(&self, row: usize) -> Range<usize> {
        self.row_starts[row] as usize..self.row_starts[row + 1] as usize
    }

    /// Returns the segments of some rows.
    pub fn rows_segments(&self, rows: &Range<usize>) -> Range<usize> {
        self.row_starts[rows.start] as usize..self.row_starts[rows.end] as usize
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
            if self.end(a) == self.starts[b] {
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
        let Some(adjacent) = self.object.adjacent_row(row, direction) else {
            return;
        };
        let mut others = self.row_segments(adjacent);
        for segment in self.row_segments(row) {
            let [start, end] = [self.starts[segment], self.end(segment)];
            while others.start < others.end && self.end(others.start) < start {
                others.start += 1;
            }
            for other in others
                .clone()
                .take_while(|&other| self.starts[other] <= end)
            {
                visit(segment, other);
            }
        }
    }

    /// Returns the x after the last voxel of a segment.
    #[inline(always)]
    fn end(&self, segment: usize) -> i32 {
        self.starts[segment] + self.segments.voxels(segment).len() as i32
    }

    /// Returns the block of a segment along x.
    #[inline(always)]
    fn block(&self, segment: usize) -> i32 {
        self.starts[segment] / self.sides[0]
    }
}

/// Returns the parts of a row between multiples of `side` along x: the x of the first voxel, and
/// the voxels.
fn row_parts(object: &Object, row: usize, side: i32) -> impl Iterator<Item = (i32, Range<usize>)> {
    let mut voxel = object.row_voxels(row).start;
    let runs = object.row_runs(row, |word| object.words()[word].bits);
    let borders = runs.flat_map(move |[start, end]| {
        let next = (start / side + 1) * side;
        let inner = (next..end).step_by(side as usize);
        let starts = std::iter::once(start).chain(inner.clone());
        starts.zip(inner.chain(std::iter::once(end)))
    });
    borders.map(move |(start, end)| {
        let first = voxel;
        voxel += (end - start) as usize;
        (start, first..voxel)
    })
}
