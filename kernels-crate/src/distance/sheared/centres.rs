//! The nearest sites of the centres of blocks of voxels.

use super::{
    metric::Tilt,
    tree::{Middle, Tree, Visitor, minus, site},
};
use crate::{
    arith::{div_rem, quotient_up_u32},
    rows::Items,
};
use cuda_std::{View, ViewMut, kernel};

/// In place of a site's x where none is near enough.
pub const NOWHERE: f32 = f32::INFINITY;

/// What a grid is cut into.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// How many along x, y and z.
    pub count: [u32; 3],
    /// Voxels along each side of one.
    pub sides: [u32; 3],
}

impl Blocks {
    /// Those of a grid of so many voxels along x, y and z.
    pub const fn new(dims: [u32; 3], sides: [u32; 3]) -> Self {
        Self {
            count: [
                quotient_up_u32(dims[0], sides[0]),
                quotient_up_u32(dims[1], sides[1]),
                quotient_up_u32(dims[2], sides[2]),
            ],
            sides,
        }
    }

    /// How many.
    pub const fn all(self) -> u64 {
        self.count[0] as u64 * self.count[1] as u64 * self.count[2] as u64
    }

    /// The number of a block.
    #[inline(always)]
    pub(super) const fn number(self, [x, y, z]: [u32; 3]) -> u64 {
        (z as u64 * self.count[1] as u64 + y as u64) * self.count[0] as u64 + x as u64
    }

    /// The first voxel of the block with a number.
    #[inline(always)]
    pub(super) const fn first(self, number: u64) -> [u32; 3] {
        let (row, x) = div_rem(number, self.count[0] as u64);
        let (z, y) = div_rem(row, self.count[1] as u64);
        [
            x as u32 * self.sides[0],
            y as u32 * self.sides[1],
            z as u32 * self.sides[2],
        ]
    }

    /// From the first voxel of a block to its centre.
    #[inline(always)]
    pub(super) fn half(self) -> [f64; 3] {
        [
            0.5 * (self.sides[0] - 1) as f64,
            0.5 * (self.sides[1] - 1) as f64,
            0.5 * (self.sides[2] - 1) as f64,
        ]
    }
}

#[inline(always)]
fn quotient(a: u32, b: u32) -> u32 {
    div_rem(a as u64, b as u64).0 as u32
}

/// The nearest site of a place so far.
struct Nearest<'a> {
    tilt: &'a Tilt,
    sorted: View<'a, f32>,
    at: [f64; 3],
    squared: f64,
    site: [f64; 3],
}

impl Visitor for Nearest<'_> {
    #[inline(always)]
    fn is_near(&self, around: Middle) -> bool {
        let reach = self.tilt.reach(around.half);
        self.tilt.least_squared(minus(around.at, self.at), reach) <= self.squared
    }

    #[inline(always)]
    fn visit(&mut self, start: usize, end: usize) {
        let mut place = start;
        while place < end {
            self.compare(site(self.sorted, place));
            place += 1;
        }
    }
}

impl Nearest<'_> {
    #[inline(always)]
    fn compare(&mut self, site: [f64; 3]) {
        let squared = self.tilt.squared(minus(site, self.at));
        if squared < self.squared {
            (self.squared, self.site) = (squared, site);
        }
    }
}

/// Writes a nearest site of the centre of each block: its coordinates, the first of which is
/// [`NOWHERE`] if none is within the root of `most`.
///
/// Where `outer` has elements, they are what the kernel wrote for the blocks `of`, whose sides are
/// multiples of these: the search begins with the site that was found there. A thread takes single
/// blocks and goes through the tree, from one box to the next that may have a nearer site. Nothing
/// is shared in the block.
///
/// # Safety
/// There is a site; `sorted`, `places` and `boxes` are what the kernels of the sort and
/// [`join_boxes`](super::join_boxes) leave; `items` counts the blocks, for each of which `found`
/// holds three elements.
#[kernel]
pub unsafe fn nearest_to_centres(
    sorted: View<f32>,
    places: View<u64>,
    boxes: View<f32>,
    tree: Tree,
    tilt: Tilt,
    blocks: Blocks,
    most: f64,
    outer: View<f32>,
    of: Blocks,
    items: Items,
    found: ViewMut<f32>,
) {
    items.for_each(|number| {
        let first = blocks.first(number as u64);
        let half = blocks.half();
        let at = [
            first[0] as f64 + half[0],
            first[1] as f64 + half[1],
            first[2] as f64 + half[2],
        ];
        let begin = if outer.is_empty() {
            site(sorted, tree.some_near(boxes, places, &tilt, at) as usize)
        } else {
            let place = [
                quotient(first[0], of.sides[0]),
                quotient(first[1], of.sides[1]),
                quotient(first[2], of.sides[2]),
            ];
            site(outer, of.number(place) as usize)
        };
        let mut nearest = Nearest {
            tilt: &tilt,
            sorted,
            at,
            squared: most,
            site: [NOWHERE as f64; 3],
        };
        nearest.compare(begin);
        tree.search(boxes, places, &mut nearest);
        found.write(3 * number, nearest.site[0] as f32);
        found.write(3 * number + 1, nearest.site[1] as f32);
        found.write(3 * number + 2, nearest.site[2] as f32);
    });
}
