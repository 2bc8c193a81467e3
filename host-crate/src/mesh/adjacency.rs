//! Which triangles meet at which vertex, range after range of vertices.
//!
//! The list of all corners, sorted by vertex, would take 40 bytes per triangle and a write to a far
//! place for each. Meshes name vertices that are near each other in the list at about the same
//! time, so blocks of triangles know from which vertex to which they reach, and a range of vertices
//! looks at the blocks that reach into it: its corners are sorted in a core's own cache, and ranges
//! do not wait for each other.

use super::VertexIndex;
use crate::memory::{self, OutOfMemory};
use crate::parallel;
use std::ops::Range;

/// What memory is for that holds wedges.
const WEDGES: &str = "a check of the mesh";

/// Triangles per block.
const BLOCK: usize = 1 << 12;

/// Vertices per range where each triangle is looked at a few times only; their wedges, about 1.5
/// MB, stay in a core's cache.
const WIDTH: usize = 1 << 15;

/// How often a triangle is looked at on average, at most, unless there is one range.
const LOOKS: usize = 4;

/// One triangle as one of its vertices sees it: the two other corners in winding order.
/// The triangle (v, next, previous) has the directed edges v → next and previous → v.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wedge<I> {
    pub next: I,
    pub previous: I,
}

/// Ranges of vertices, and the blocks of triangles that reach into each.
pub(super) struct Ranges {
    vertices: usize,
    width: usize,
    /// Those of range r are `blocks[starts[r]..starts[r + 1]]`.
    starts: Vec<usize>,
    blocks: Vec<usize>,
    triangles: usize,
}

/// What a block of triangles names.
#[derive(Clone, Copy, Default)]
struct Reach {
    /// Triangles that take part in the topology.
    triangles: usize,
    /// The smallest and the largest vertex of them, if there are any.
    first: usize,
    last: usize,
}

impl Reach {
    fn of<I: VertexIndex>(block: &[[I; 3]], vertices: usize) -> Self {
        let mut reach = Self {
            first: usize::MAX,
            ..Self::default()
        };
        for triangle in block {
            if in_topology(triangle, vertices) {
                reach.triangles += 1;
                for corner in triangle {
                    reach.first = reach.first.min(corner.position());
                    reach.last = reach.last.max(corner.position());
                }
            }
        }
        reach
    }

    /// The ranges that it reaches into.
    fn ranges(&self, width: usize) -> Range<usize> {
        if self.triangles == 0 {
            return 0..0;
        }
        self.first / width..self.last / width + 1
    }
}

impl Ranges {
    /// Looks where the triangles reach. Ranges are as narrow as lets each triangle be looked at
    /// four times or less, however the triangles are ordered.
    pub fn new<I: VertexIndex>(triangles: &[[I; 3]], vertices: usize) -> Result<Self, OutOfMemory> {
        let mut reaches =
            memory::try_filled(WEDGES, triangles.len().div_ceil(BLOCK), Reach::default())?;
        parallel::for_each_mut(&mut reaches, |block, reach| {
            let start = block * BLOCK;
            let end = triangles.len().min(start + BLOCK);
            *reach = Reach::of(&triangles[start..end], vertices);
        });
        let looks = |width| {
            reaches
                .iter()
                .map(|reach| reach.ranges(width).len())
                .sum::<usize>()
        };
        let mut width = WIDTH;
        while width < vertices && looks(width) > LOOKS * reaches.len() {
            width *= 2;
        }
        let ranges = vertices.div_ceil(width);
        let mut starts = memory::try_zeroed(WEDGES, ranges + 1)?;
        for range in reaches.iter().flat_map(|reach| reach.ranges(width)) {
            starts[range] += 1;
        }
        let mut blocks = memory::try_zeroed(WEDGES, ends_of(&mut starts))?;
        for (block, reach) in reaches.iter().enumerate().rev() {
            for range in reach.ranges(width) {
                starts[range] -= 1;
                blocks[starts[range]] = block;
            }
        }
        Ok(Self {
            vertices,
            width,
            starts,
            blocks,
            triangles: reaches.iter().map(|reach| reach.triangles).sum(),
        })
    }

    /// How many ranges there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many triangles take part in the topology.
    pub fn triangles(&self) -> usize {
        self.triangles
    }
}

/// The wedges of the vertices of one range, grouped by vertex; its memory serves one range after
/// the other.
pub(super) struct Wedges<I> {
    range: Range<usize>,
    /// The wedges of the range's vertex number v are `wedges[starts[v]..starts[v + 1]]`.
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
    /// Sorts the corners at the vertices of one of the `ranges`, in the order of their triangles.
    pub fn sort(
        &mut self,
        triangles: &[[I; 3]],
        ranges: &Ranges,
        range: usize,
    ) -> Result<(), OutOfMemory> {
        let first = range * ranges.width;
        self.range = first..ranges.vertices.min(first + ranges.width);
        let width = self.range.len();
        let blocks = &ranges.blocks[ranges.starts[range]..ranges.starts[range + 1]];
        // in reverse, since a list is filled from its end on
        let corners = || {
            let blocks = blocks.iter().rev().flat_map(|block| {
                let first = block * BLOCK;
                triangles[first..triangles.len().min(first + BLOCK)]
                    .iter()
                    .rev()
            });
            blocks
                .filter(|triangle| in_topology(triangle, ranges.vertices))
                .flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]])
                // what is before the range becomes a large number
                .map(|corner| (corner[0].position().wrapping_sub(first), corner))
                .filter(|(vertex, _)| *vertex < width)
        };

        self.starts.clear();
        memory::try_reserve(WEDGES, &mut self.starts, width + 1)?;
        self.starts.resize(width + 1, 0);
        corners().for_each(|(vertex, _)| self.starts[vertex] += 1);
        let count = ends_of(&mut self.starts);
        self.wedges.clear();
        let Some((_, [_, next, previous])) = corners().next() else {
            return Ok(());
        };
        memory::try_reserve(WEDGES, &mut self.wedges, count)?;
        self.wedges.resize(count, Wedge { next, previous });
        corners().for_each(|(vertex, [_, next, previous])| {
            let slot = &mut self.starts[vertex];
            *slot -= 1;
            self.wedges[*slot] = Wedge { next, previous };
        });
        Ok(())
    }

    /// Each vertex of the range with its wedges.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[Wedge<I>])> {
        let bounds = self.starts.windows(2);
        self.range
            .clone()
            .zip(bounds.map(|bounds| &self.wedges[bounds[0]..bounds[1]]))
    }
}

/// Inclusive sums: each count becomes the end of its group, from which filling goes down to its
/// start. Gives the sum of all.
fn ends_of(counts: &mut [usize]) -> usize {
    let mut total = 0;
    for count in counts {
        total += *count;
        *count = total;
    }
    total
}

/// True when all three indices name a vertex.
pub(super) fn is_valid<I: VertexIndex>(triangle: &[I; 3], vertices: usize) -> bool {
    triangle.iter().all(|corner| corner.position() < vertices)
}

/// True when two corners are the same vertex.
pub(super) fn repeats<I: VertexIndex>([a, b, c]: &[I; 3]) -> bool {
    a == b || b == c || c == a
}

/// True when a triangle takes part in the topology: valid and without a repeated index.
pub(super) fn in_topology<I: VertexIndex>(triangle: &[I; 3], vertices: usize) -> bool {
    is_valid(triangle, vertices) && !repeats(triangle)
}
