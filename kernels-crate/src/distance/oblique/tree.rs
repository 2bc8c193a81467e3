//! Three-level tree of bounding boxes of sites.

use super::metric::ObliqueMetric;
use crate::{arith::div_rem, distance::cubes::Cubes, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// Binary logarithm of the side of a cell of sites, in voxels: 2³ = 8.
const CELL_LOG2: u32 = 3;
/// Binary logarithm of the number of child boxes along each side of a parent box: 2² = 4.
const FANOUT_LOG2: u32 = 2;
/// Number of child boxes along each side of a parent box.
const FANOUT: u32 = 1 << FANOUT_LOG2;
/// Side of the region covered by a box of the second level, in voxels.
pub const COARSE_BLOCK: u32 = 1 << (CELL_LOG2 + FANOUT_LOG2);

/// Tree of bounding boxes with three levels: cells of sites, boxes of 4 × 4 × 4 cells, and boxes of
/// 4 × 4 × 4 boxes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Number of boxes along each axis: cells first, then the two levels above.
    pub levels: [Cubes; 3],
    /// Index of the first box of each level in the common array of boxes.
    pub starts: [u64; 3],
}

/// Box along the grid axes, given by its middle and half its sides.
#[derive(Clone, Copy)]
pub(super) struct SiteBox {
    pub position: [f64; 3],
    pub half: [f64; 3],
}

/// Traversal of a tree.
pub(super) trait Visitor {
    /// Returns `true` if a box may contain a relevant site.
    fn is_near(&self, site_box: SiteBox) -> bool;

    /// Processes the sites of a cell, from `start` to before `end`.
    fn visit(&mut self, start: usize, end: usize);
}

impl Tree {
    /// Creates the tree layout for a grid with the given dimensions.
    #[cuda_std::inline_closures]
    pub fn new(dims: [u32; 3]) -> Self {
        let levels = [0, 1, 2].map(|level| Cubes::new(dims, CELL_LOG2 + level * FANOUT_LOG2));
        let [first, second, _] = levels.map(|level| level.count());
        Self {
            levels,
            starts: [0, first, first + second],
        }
    }

    /// Returns the number of boxes of all levels.
    pub const fn boxes(&self) -> u64 {
        self.starts[2] + self.levels[2].count()
    }

    /// Reads a box; `None` if it is empty.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub(super) fn read(boxes: View<f32>, index: usize) -> Option<SiteBox> {
        let side = |axis: usize| {
            let low = boxes.read(6 * index + axis) as f64;
            let high = boxes.read(6 * index + 3 + axis) as f64;
            (0.5 * (low + high), 0.5 * (high - low))
        };
        let (x, y, z) = (side(0), side(1), side(2));
        if x.1 >= 0.0 {
            Some(SiteBox {
                position: [x.0, y.0, z.0],
                half: [x.1, y.1, z.1],
            })
        } else {
            None
        }
    }

    /// Calls `visit` with the indices of the children of a box.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn for_each_child([child, parent]: [Cubes; 2], index: u64, mut visit: impl FnMut(u64)) {
        let (row, x) = div_rem(index, parent.nx as u64);
        let (z, y) = div_rem(row, parent.ny as u64);
        let range = |parent: u64, count: u32| {
            let (first, count) = (parent as u32 * FANOUT, count);
            let end = first + FANOUT;
            (first, if end < count { end } else { count })
        };
        let ((x, xs), (y, ys), (z, zs)) =
            (range(x, child.nx), range(y, child.ny), range(z, child.nz));
        let (mut cx, mut cy, mut cz) = (x, y, z);
        while cz < zs {
            visit(child.index(cx, cy, cz) as u64);
            cx += 1;
            if cx == xs {
                (cx, cy) = (x, cy + 1);
            }
            if cy == ys {
                (cy, cz) = (y, cz + 1);
            }
        }
    }

    /// Returns `true` if the box with a given index in a level may contain a relevant site.
    #[inline(always)]
    fn is_near(&self, boxes: View<f32>, level: usize, index: u64, visitor: &impl Visitor) -> bool {
        let box_index = (self.starts[level] + index) as usize;
        match Self::read(boxes, box_index) {
            Some(site_box) => visitor.is_near(site_box),
            None => false,
        }
    }

    /// Visits the sites of all cells that may contain a relevant site.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub(super) fn search(&self, boxes: View<f32>, starts: View<u64>, visitor: &mut impl Visitor) {
        let mut root = 0;
        while root < self.levels[2].count() {
            if self.is_near(boxes, 2, root, visitor) {
                Self::for_each_child([self.levels[1], self.levels[2]], root, |middle| {
                    if self.is_near(boxes, 1, middle, visitor) {
                        Self::for_each_child([self.levels[0], self.levels[1]], middle, |cell| {
                            if self.is_near(boxes, 0, cell, visitor) {
                                let start = starts.read(cell as usize) as usize;
                                visitor.visit(start, starts.read(cell as usize + 1) as usize);
                            }
                        });
                    }
                });
            }
            root += 1;
        }
    }

    /// Returns the index of a site near a position, by descending in each level to the box with the
    /// nearest middle. There must be at least one site.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub(super) fn find_initial_site(
        &self,
        boxes: View<f32>,
        starts: View<u64>,
        metric: &ObliqueMetric,
        position: [f64; 3],
    ) -> u64 {
        let squared = |level: usize, index: u64| match Self::read(
            boxes,
            (self.starts[level] + index) as usize,
        ) {
            Some(site_box) => metric.squared(subtract(site_box.position, position)),
            None => f64::INFINITY,
        };
        let (mut best, mut best_index) = (f64::INFINITY, 0);
        let mut root = 0;
        while root < self.levels[2].count() {
            let candidate = squared(2, root);
            if candidate < best {
                (best, best_index) = (candidate, root);
            }
            root += 1;
        }
        let (mut best, parent) = (f64::INFINITY, best_index);
        Self::for_each_child([self.levels[1], self.levels[2]], parent, |index| {
            let candidate = squared(1, index);
            if candidate < best {
                (best, best_index) = (candidate, index);
            }
        });
        let (mut best, parent) = (f64::INFINITY, best_index);
        Self::for_each_child([self.levels[0], self.levels[1]], parent, |index| {
            let candidate = squared(0, index);
            if candidate < best {
                (best, best_index) = (candidate, index);
            }
        });
        starts.read(best_index as usize)
    }
}

/// Returns `a - b`.
#[inline(always)]
pub(super) fn subtract(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Returns the coordinates of a site.
#[inline(always)]
pub(super) fn site(sorted: View<f32>, site: usize) -> [f64; 3] {
    let offset = 3 * site;
    [
        sorted.read(offset) as f64,
        sorted.read(offset + 1) as f64,
        sorted.read(offset + 2) as f64,
    ]
}

/// Computes the bounding boxes of a level from those of the level below.
///
/// `levels` are the lower and the upper level, `starts` the indices of their first boxes.
/// **Mapping:** one box per thread. **Global memory:** reads up to 64 boxes of six numbers and
/// writes one. Shared memory is not used.
///
/// # Safety
/// `items` counts the boxes of the upper level; `boxes` holds six elements per box of the tree,
/// with the lower level filled.
#[kernel]
pub unsafe fn join_boxes(levels: [Cubes; 2], starts: [u64; 2], items: Items, boxes: ViewMut<f32>) {
    let [start_below, start] = starts;
    items.for_each(|index| {
        let ([mut lx, mut ly, mut lz], [mut hx, mut hy, mut hz]) =
            ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        Tree::for_each_child(levels, index as u64, |child| {
            let offset = 6 * (start_below + child) as usize;
            lx = min(lx, boxes.read(offset));
            ly = min(ly, boxes.read(offset + 1));
            lz = min(lz, boxes.read(offset + 2));
            hx = -min(-hx, -boxes.read(offset + 3));
            hy = -min(-hy, -boxes.read(offset + 4));
            hz = -min(-hz, -boxes.read(offset + 5));
        });
        let offset = 6 * (start as usize + index);
        boxes.write(offset, lx);
        boxes.write(offset + 1, ly);
        boxes.write(offset + 2, lz);
        boxes.write(offset + 3, hx);
        boxes.write(offset + 4, hy);
        boxes.write(offset + 5, hz);
    });
}

#[inline(always)]
fn min(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}
