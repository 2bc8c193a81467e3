//! Nearest sites of the centres of blocks of voxels.

use super::{
    metric::ObliqueMetric,
    tree::{SiteBox, Tree, Visitor, site, subtract},
};
use crate::{
    arith::{div_ceil_u32, div_rem},
    rows::Items,
};
use cuda_std::{View, ViewMut, kernel};

/// Stored instead of a site's x if there is no site within the maximum distance.
pub const NO_SITE: f32 = f32::INFINITY;

/// Division of a grid into blocks.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockGrid {
    /// Number of blocks along x, y and z.
    pub counts: [u32; 3],
    /// Block size along x, y and z, in voxels.
    pub sides: [u32; 3],
}

impl BlockGrid {
    /// Divides a grid with the given dimensions into blocks of the given sides.
    pub const fn new(dims: [u32; 3], sides: [u32; 3]) -> Self {
        Self {
            counts: [
                div_ceil_u32(dims[0], sides[0]),
                div_ceil_u32(dims[1], sides[1]),
                div_ceil_u32(dims[2], sides[2]),
            ],
            sides,
        }
    }

    /// Returns the number of blocks.
    pub const fn count(self) -> u64 {
        self.counts[0] as u64 * self.counts[1] as u64 * self.counts[2] as u64
    }

    /// Returns the linear index of a block.
    #[inline(always)]
    pub(super) const fn index(self, [x, y, z]: [u32; 3]) -> u64 {
        (z as u64 * self.counts[1] as u64 + y as u64) * self.counts[0] as u64 + x as u64
    }

    /// Returns the first voxel of the block with a linear index.
    #[inline(always)]
    pub(super) const fn first_voxel(self, index: u64) -> [u32; 3] {
        let (row, x) = div_rem(index, self.counts[0] as u64);
        let (z, y) = div_rem(row, self.counts[1] as u64);
        [
            x as u32 * self.sides[0],
            y as u32 * self.sides[1],
            z as u32 * self.sides[2],
        ]
    }

    /// Returns the offset from the first voxel of a block to its centre.
    #[inline(always)]
    pub(super) fn half(self) -> [f64; 3] {
        [
            0.5 * (self.sides[0] - 1) as f64,
            0.5 * (self.sides[1] - 1) as f64,
            0.5 * (self.sides[2] - 1) as f64,
        ]
    }
}

/// Returns the quotient of two numbers, rounded down.
#[inline(always)]
fn divide(a: u32, b: u32) -> u32 {
    div_rem(a as u64, b as u64).0 as u32
}

/// Search for the nearest site of a position, with the nearest site found so far.
struct NearestSiteSearch<'a> {
    metric: &'a ObliqueMetric,
    sorted: View<'a, f32>,
    position: [f64; 3],
    squared: f64,
    site: [f64; 3],
}

impl Visitor for NearestSiteSearch<'_> {
    #[inline(always)]
    fn is_near(&self, site_box: SiteBox) -> bool {
        let extent = self.metric.half_extent(site_box.half);
        self.metric
            .min_squared(subtract(site_box.position, self.position), extent)
            <= self.squared
    }

    #[inline(always)]
    fn visit(&mut self, start: usize, end: usize) {
        let mut site_index = start;
        while site_index < end {
            self.compare(site(self.sorted, site_index));
            site_index += 1;
        }
    }
}

impl NearestSiteSearch<'_> {
    /// Compares the position with a site.
    #[inline(always)]
    fn compare(&mut self, site: [f64; 3]) {
        let squared = self.metric.squared(subtract(site, self.position));
        if squared < self.squared {
            (self.squared, self.site) = (squared, site);
        }
    }
}

/// Writes the coordinates of a nearest site of the centre of each block; the x is [`NO_SITE`] if
/// the squared distance exceeds `max_squared`.
///
/// Unless `coarse_sites` is empty, it is the kernel's result for `coarse_blocks`, whose sides are
/// multiples of those of `blocks`, and provides the initial site of each search.
///
/// **Mapping:** one block of voxels per thread, which traverses the tree and visits every box that
/// may contain a nearer site. **Global memory:** reads the visited boxes and sites, and writes
/// three coordinates per thread. Shared memory is not used.
///
/// # Safety
/// There is at least one site; `sorted`, `starts` and `boxes` are the results of the sorting
/// kernels and [`join_boxes`](super::join_boxes); `items` counts the blocks, for each of which
/// `sites` holds three elements.
#[kernel]
pub unsafe fn nearest_to_centres(
    sorted: View<f32>,
    starts: View<u64>,
    boxes: View<f32>,
    tree: Tree,
    metric: ObliqueMetric,
    blocks: BlockGrid,
    max_squared: f64,
    coarse_sites: View<f32>,
    coarse_blocks: BlockGrid,
    items: Items,
    sites: ViewMut<f32>,
) {
    items.for_each(|index| {
        let first = blocks.first_voxel(index as u64);
        let half = blocks.half();
        let position = [
            first[0] as f64 + half[0],
            first[1] as f64 + half[1],
            first[2] as f64 + half[2],
        ];
        let initial_site = if coarse_sites.is_empty() {
            site(
                sorted,
                tree.find_initial_site(boxes, starts, &metric, position) as usize,
            )
        } else {
            let coarse_block = [
                divide(first[0], coarse_blocks.sides[0]),
                divide(first[1], coarse_blocks.sides[1]),
                divide(first[2], coarse_blocks.sides[2]),
            ];
            site(coarse_sites, coarse_blocks.index(coarse_block) as usize)
        };
        let mut search = NearestSiteSearch {
            metric: &metric,
            sorted,
            position,
            squared: max_squared,
            site: [NO_SITE as f64; 3],
        };
        search.compare(initial_site);
        tree.search(boxes, starts, &mut search);
        sites.write(3 * index, search.site[0] as f32);
        sites.write(3 * index + 1, search.site[1] as f32);
        sites.write(3 * index + 2, search.site[2] as f32);
    });
}
