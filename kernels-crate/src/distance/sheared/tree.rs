//! Boxes around sites, in three levels.

use super::metric::Tilt;
use crate::{arith::div_rem, distance::cubes::Cubes, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// The side of a cell of sites is 2 to this power of voxels: 8.
const CELL_POWER: u32 = 3;
/// The boxes along each side of the box above are 2 to this power: 4.
const FAN_POWER: u32 = 2;
/// Boxes along each side of the box above.
const FAN: u32 = 1 << FAN_POWER;
/// The side of what the boxes above cells cover, in voxels.
pub const BLOCK: u32 = 1 << (CELL_POWER + FAN_POWER);

/// Cells, and what lies above them: boxes of 4 × 4 × 4 cells, and of as many of these.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// How many there are along each axis: cells, and the two levels above.
    pub levels: [Cubes; 3],
    /// Where the boxes of each level begin, all in one array.
    pub starts: [u64; 3],
}

/// A box along the axes of the grid: its middle, and half of its sides.
#[derive(Clone, Copy)]
pub(super) struct Middle {
    pub at: [f64; 3],
    pub half: [f64; 3],
}

/// What goes through a tree.
pub(super) trait Visitor {
    /// Whether a box can have what is looked for.
    fn is_near(&self, around: Middle) -> bool;

    /// Looks at the sites of a cell: those from `start` to before `end`.
    fn visit(&mut self, start: usize, end: usize);
}

impl Tree {
    /// That of a grid of so many voxels along x, y and z.
    pub fn new(dims: [u32; 3]) -> Self {
        let levels = [0, 1, 2].map(|level| Cubes::new(dims, CELL_POWER + level * FAN_POWER));
        let [first, second, _] = levels.map(|level| level.count());
        Self {
            levels,
            starts: [0, first, first + second],
        }
    }

    /// Boxes of all levels.
    pub const fn boxes(&self) -> u64 {
        self.starts[2] + self.levels[2].count()
    }

    /// The box with a number, unless it is empty.
    #[inline(always)]
    pub(super) fn read(boxes: View<f32>, number: usize) -> Option<Middle> {
        let side = |axis: usize| {
            let low = boxes.read(6 * number + axis) as f64;
            let high = boxes.read(6 * number + 3 + axis) as f64;
            (0.5 * (low + high), 0.5 * (high - low))
        };
        let (x, y, z) = (side(0), side(1), side(2));
        if x.1 >= 0.0 {
            Some(Middle {
                at: [x.0, y.0, z.0],
                half: [x.1, y.1, z.1],
            })
        } else {
            None
        }
    }

    /// Calls `each` with the numbers of the boxes below one of a level.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn for_each_below([below, above]: [Cubes; 2], number: u64, mut each: impl FnMut(u64)) {
        let (row, x) = div_rem(number, above.nx as u64);
        let (z, y) = div_rem(row, above.ny as u64);
        let range = |at: u64, count: u32| {
            let (first, count) = (at as u32 * FAN, count);
            let end = first + FAN;
            (first, if end < count { end } else { count })
        };
        let ((x, xs), (y, ys), (z, zs)) =
            (range(x, below.nx), range(y, below.ny), range(z, below.nz));
        let (mut cx, mut cy, mut cz) = (x, y, z);
        while cz < zs {
            each(below.number(cx, cy, cz) as u64);
            cx += 1;
            if cx == xs {
                (cx, cy) = (x, cy + 1);
            }
            if cy == ys {
                (cy, cz) = (y, cz + 1);
            }
        }
    }

    /// Whether the box with a number in a level has sites that can be near enough.
    #[inline(always)]
    fn is_near(&self, boxes: View<f32>, level: usize, number: u64, of: &impl Visitor) -> bool {
        let place = (self.starts[level] + number) as usize;
        match Self::read(boxes, place) {
            Some(around) => of.is_near(around),
            None => false,
        }
    }

    /// Shows the sites of all cells that can be near enough.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub(super) fn search(&self, boxes: View<f32>, places: View<u64>, visitor: &mut impl Visitor) {
        let mut top = 0;
        while top < self.levels[2].count() {
            if self.is_near(boxes, 2, top, visitor) {
                Self::for_each_below([self.levels[1], self.levels[2]], top, |middle| {
                    if self.is_near(boxes, 1, middle, visitor) {
                        Self::for_each_below([self.levels[0], self.levels[1]], middle, |cell| {
                            if self.is_near(boxes, 0, cell, visitor) {
                                let start = places.read(cell as usize) as usize;
                                visitor.visit(start, places.read(cell as usize + 1) as usize);
                            }
                        });
                    }
                });
            }
            top += 1;
        }
    }

    /// A site of a cell that is near to a place: of the boxes of each level the one that may have
    /// the nearest. There is a site.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub(super) fn some_near(
        &self,
        boxes: View<f32>,
        places: View<u64>,
        tilt: &Tilt,
        at: [f64; 3],
    ) -> u64 {
        let squared = |level: usize, number: u64| match Self::read(
            boxes,
            (self.starts[level] + number) as usize,
        ) {
            Some(around) => tilt.squared(minus(around.at, at)),
            None => f64::INFINITY,
        };
        let (mut best, mut found) = (f64::INFINITY, 0);
        let mut top = 0;
        while top < self.levels[2].count() {
            let here = squared(2, top);
            if here < best {
                (best, found) = (here, top);
            }
            top += 1;
        }
        let (mut best, above) = (f64::INFINITY, found);
        Self::for_each_below([self.levels[1], self.levels[2]], above, |number| {
            let here = squared(1, number);
            if here < best {
                (best, found) = (here, number);
            }
        });
        let (mut best, above) = (f64::INFINITY, found);
        Self::for_each_below([self.levels[0], self.levels[1]], above, |number| {
            let here = squared(0, number);
            if here < best {
                (best, found) = (here, number);
            }
        });
        places.read(found as usize)
    }
}

/// `a - b`.
#[inline(always)]
pub(super) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The coordinates of a site.
#[inline(always)]
pub(super) fn site(sorted: View<f32>, place: usize) -> [f64; 3] {
    let at = 3 * place;
    [
        sorted.read(at) as f64,
        sorted.read(at + 1) as f64,
        sorted.read(at + 2) as f64,
    ]
}

/// Writes the boxes of a level around those of the level below it.
///
/// `levels` are the two, and `starts` says where the boxes of each begin. A thread takes single
/// boxes: it reads up to 64 of six numbers, and writes one. Nothing is shared in the block.
///
/// # Safety
/// `items` are the boxes of the level; `boxes` holds six elements for each box of the tree, those
/// below the level filled.
#[kernel]
pub unsafe fn join_boxes(levels: [Cubes; 2], starts: [u64; 2], items: Items, boxes: ViewMut<f32>) {
    let [start_below, start] = starts;
    items.for_each(|number| {
        let ([mut lx, mut ly, mut lz], [mut hx, mut hy, mut hz]) =
            ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        Tree::for_each_below(levels, number as u64, |below| {
            let at = 6 * (start_below + below) as usize;
            lx = least(lx, boxes.read(at));
            ly = least(ly, boxes.read(at + 1));
            lz = least(lz, boxes.read(at + 2));
            hx = -least(-hx, -boxes.read(at + 3));
            hy = -least(-hy, -boxes.read(at + 4));
            hz = -least(-hz, -boxes.read(at + 5));
        });
        let at = 6 * (start as usize + number);
        boxes.write(at, lx);
        boxes.write(at + 1, ly);
        boxes.write(at + 2, lz);
        boxes.write(at + 3, hx);
        boxes.write(at + 4, hy);
        boxes.write(at + 5, hz);
    });
}

#[inline(always)]
fn least(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}
