//! Triangles at each vertex, grouped by ranges of vertices.
//!
//! A list of all corners sorted by vertex would take 40 bytes per triangle and one random write per
//! corner. In typical meshes, triangles that are close in the list use vertices that are close in
//! the list. So each block of triangles records the interval of vertices that it uses, and a range
//! of vertices visits only the blocks whose intervals overlap it: its corners are sorted in a
//! core's own cache, and ranges are independent of each other.

use super::VertexIndex;
use crate::memory::{self, OutOfMemory};
use crate::parallel;
use std::ops::Range;

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "a check of the mesh";

/// Number of triangles per block.
const BLOCK_TRIANGLES: usize = 1 << 12;

/// Number of vertices per range, unless triangles would be visited too often. The wedges of a
/// range, about 1.5 MB, stay in a core's cache.
const MIN_RANGE_WIDTH: usize = 1 << 15;

/// Maximum average number of visits per triangle, unless there is a single range.
const MAX_VISITS: usize = 4;

/// A triangle as seen from one of its vertices: the two other corners in winding order. The
/// triangle (v, next, previous) has the directed edges v → next and previous → v.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wedge<I> {
    pub next: I,
    pub previous: I,
}

/// Ranges of vertices, and the blocks of triangles that overlap each.
pub(super) struct VertexRanges {
    vertices: usize,
    width: usize,
    /// The blocks of range r are `blocks[starts[r]..starts[r + 1]]`.
    starts: Vec<usize>,
    blocks: Vec<usize>,
    triangles: usize,
}

/// Interval of vertices used by a block of triangles.
#[derive(Clone, Copy, Default)]
struct BlockExtent {
    /// Number of topological triangles.
    triangles: usize,
    /// Smallest and largest vertex of these triangles, if there are any.
    first: usize,
    last: usize,
}

impl BlockExtent {
    fn new<I: VertexIndex>(block: &[[I; 3]], vertices: usize) -> Self {
        let mut extent = Self {
            first: usize::MAX,
            ..Self::default()
        };
        for triangle in block {
            if is_topological(triangle, vertices) {
                extent.triangles += 1;
                for corner in triangle {
                    extent.first = extent.first.min(corner.position());
                    extent.last = extent.last.max(corner.position());
                }
            }
        }
        extent
    }

    /// Returns the ranges that the block overlaps.
    fn ranges(&self, width: usize) -> Range<usize> {
        if self.triangles == 0 {
            return 0..0;
        }
        self.first / width..self.last / width + 1
    }
}

impl VertexRanges {
    /// Computes the intervals of all blocks. Ranges are as narrow as possible, such that each
    /// triangle is visited at most four times on average, however the triangles are ordered.
    pub fn new<I: VertexIndex>(triangles: &[[I; 3]], vertices: usize) -> Result<Self, OutOfMemory> {
        let mut extents = memory::try_filled(
            PURPOSE,
            triangles.len().div_ceil(BLOCK_TRIANGLES),
            BlockExtent::default(),
        )?;
        parallel::for_each_mut(&mut extents, |block, extent| {
            let start = block * BLOCK_TRIANGLES;
            let end = triangles.len().min(start + BLOCK_TRIANGLES);
            *extent = BlockExtent::new(&triangles[start..end], vertices);
        });
        let visits = |width| {
            extents
                .iter()
                .map(|extent| extent.ranges(width).len())
                .sum::<usize>()
        };
        let mut width = MIN_RANGE_WIDTH;
        while width < vertices && visits(width) > MAX_VISITS * extents.len() {
            width *= 2;
        }
        let ranges = vertices.div_ceil(width);
        let mut starts = memory::try_zeroed(PURPOSE, ranges + 1)?;
        for range in extents.iter().flat_map(|extent| extent.ranges(width)) {
            starts[range] += 1;
        }
        let mut blocks = memory::try_zeroed(PURPOSE, counts_to_ends(&mut starts))?;
        for (block, extent) in extents.iter().enumerate().rev() {
            for range in extent.ranges(width) {
                starts[range] -= 1;
                blocks[starts[range]] = block;
            }
        }
        Ok(Self {
            vertices,
            width,
            starts,
            blocks,
            triangles: extents.iter().map(|extent| extent.triangles).sum(),
        })
    }

    /// Returns the number of ranges.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of topological triangles.
    pub fn triangles(&self) -> usize {
        self.triangles
    }
}

/// The wedges of the vertices of one range, grouped by vertex. The memory is reused for one range
/// after another.
pub(super) struct Wedges<I> {
    range: Range<usize>,
    /// The wedges of vertex v of the range are `wedges[starts[v]..starts[v + 1]]`.
    starts: Vec<usize>,
    wedges: Vec<Wedge<I>>,
}

impl<I> Default for Wedges<I> {
    fn default() -> Self {
        Self {
            range: 0..0,
            starts: Vec::new(),
            wedges: Vec::new(),
        }
    }
}

impl<I: VertexIndex> Wedges<I> {
    /// Collects the corners at the vertices of range `range`, in the order of their triangles.
    pub fn collect(
        &mut self,
        triangles: &[[I; 3]],
        ranges: &VertexRanges,
        range: usize,
    ) -> Result<(), OutOfMemory> {
        let first = range * ranges.width;
        self.range = first..ranges.vertices.min(first + ranges.width);
        let width = self.range.len();
        let blocks = &ranges.blocks[ranges.starts[range]..ranges.starts[range + 1]];
        // in reverse, because each list is filled from its end
        let corners = || {
            let blocks = blocks.iter().rev().flat_map(|block| {
                let first = block * BLOCK_TRIANGLES;
                triangles[first..triangles.len().min(first + BLOCK_TRIANGLES)]
                    .iter()
                    .rev()
            });
            blocks
                .filter(|triangle| is_topological(triangle, ranges.vertices))
                .flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]])
                // vertices before the range wrap around to large numbers
                .map(|corner| (corner[0].position().wrapping_sub(first), corner))
                .filter(|(vertex, _)| *vertex < width)
        };

        self.starts.clear();
        memory::try_reserve(PURPOSE, &mut self.starts, width + 1)?;
        self.starts.resize(width + 1, 0);
        corners().for_each(|(vertex, _)| self.starts[vertex] += 1);
        let count = counts_to_ends(&mut self.starts);
        self.wedges.clear();
        let Some((_, [_, next, previous])) = corners().next() else {
            return Ok(());
        };
        memory::try_reserve(PURPOSE, &mut self.wedges, count)?;
        self.wedges.resize(count, Wedge { next, previous });
        corners().for_each(|(vertex, [_, next, previous])| {
            let slot = &mut self.starts[vertex];
            *slot -= 1;
            self.wedges[*slot] = Wedge { next, previous };
        });
        Ok(())
    }

    /// Returns each vertex of the range with its wedges.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[Wedge<I>])> {
        let bounds = self.starts.windows(2);
        self.range
            .clone()
            .zip(bounds.map(|bounds| &self.wedges[bounds[0]..bounds[1]]))
    }
}

/// Replaces counts by their inclusive prefix sums: the end of each group, from which it is filled
/// backwards. Returns the total.
fn counts_to_ends(counts: &mut [usize]) -> usize {
    let mut total = 0;
    for count in counts {
        total += *count;
        *count = total;
    }
    total
}

/// Returns `true` if all three indices refer to a vertex.
pub(super) fn is_valid<I: VertexIndex>(triangle: &[I; 3], vertices: usize) -> bool {
    triangle.iter().all(|corner| corner.position() < vertices)
}

/// Returns `true` if two corners are the same vertex.
pub(super) fn has_repeated_index<I: VertexIndex>([a, b, c]: &[I; 3]) -> bool {
    a == b || b == c || c == a
}

/// Returns `true` if a triangle is topological: valid and without a repeated index.
pub(super) fn is_topological<I: VertexIndex>(triangle: &[I; 3], vertices: usize) -> bool {
    is_valid(triangle, vertices) && !has_repeated_index(triangle)
}
