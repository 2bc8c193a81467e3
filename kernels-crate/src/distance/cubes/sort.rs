//! Counting sort of sites by cube.

use crate::{
    block,
    operator::{Max, Min},
    rows::Items,
};
use cuda_std::{View, ViewMut, kernel, thread};

/// Division of a volume into cubes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cubes {
    /// Number of cubes along x.
    pub nx: u32,
    /// Number of cubes along y.
    pub ny: u32,
    /// Number of cubes along z.
    pub nz: u32,
    /// Binary logarithm of the side of a cube, in voxels.
    pub side_log2: u32,
}

impl Cubes {
    /// Divides a grid with the given numbers of voxels along x, y and z into cubes; at least one
    /// along each axis.
    pub const fn new([x, y, z]: [u32; 3], side_log2: u32) -> Self {
        const fn along(voxels: u32, side_log2: u32) -> u32 {
            if voxels == 0 {
                1
            } else {
                ((voxels - 1) >> side_log2) + 1
            }
        }
        Self {
            nx: along(x, side_log2),
            ny: along(y, side_log2),
            nz: along(z, side_log2),
            side_log2,
        }
    }

    /// Returns the number of cubes.
    #[inline(always)]
    pub const fn count(self) -> u64 {
        self.nx as u64 * self.ny as u64 * self.nz as u64
    }

    /// Returns the index along an axis with `cubes` cubes of the cube that contains `coordinate`,
    /// clamped to the first and last cube. It is monotone in `coordinate`.
    #[inline(always)]
    pub fn along(self, cubes: u32, coordinate: f32) -> u32 {
        // The conversion saturates: negative coordinates become 0, and values too large become the
        // maximum.
        let cube = coordinate as u32 >> self.side_log2;
        if cube < cubes { cube } else { cubes - 1 }
    }

    /// Returns the linear index of a cube.
    #[inline(always)]
    pub const fn index(self, x: u32, y: u32, z: u32) -> usize {
        ((z as u64 * self.ny as u64 + y as u64) * self.nx as u64 + x as u64) as usize
    }

    /// Returns the index of the cube that contains a site.
    #[inline(always)]
    fn cube_index_at(self, sites: View<f32>, site: usize) -> usize {
        self.index(
            self.along(self.nx, sites.read(3 * site)),
            self.along(self.ny, sites.read(3 * site + 1)),
            self.along(self.nz, sites.read(3 * site + 2)),
        )
    }
}

/// Counts the sites of each cube.
///
/// **Mapping:** one site per thread. **Global memory:** reads three coordinates and performs one
/// atomic addition per site.
///
/// # Safety
/// `items` counts the sites, of which `sites` holds x, y and z; `counts` holds one element per
/// cube, initially 0.
#[kernel]
pub unsafe fn count_in_cubes(sites: View<f32>, items: Items, cubes: Cubes, counts: ViewMut<u64>) {
    items.for_each(|site| {
        counts.atomic_add(cubes.cube_index_at(sites, site), 1);
    });
}

/// Orders the sites by cube, in unspecified order within a cube, and writes their numbers unless
/// `site_numbers` is empty.
///
/// **Mapping:** one site per thread; an atomic addition to its cube's element of `fill_counts`
/// yields its position within the cube. **Global memory:** reads three coordinates and writes
/// three, plus the site number, per site.
///
/// # Safety
/// The requirements of [`count_in_cubes`] hold; `starts` holds the exclusive sums of the counts,
/// `fill_counts` one element per cube, initially 0, `sorted` the same number of elements as
/// `sites`, and `site_numbers` one element per site or none.
#[kernel]
pub unsafe fn sort_into_cubes(
    sites: View<f32>,
    items: Items,
    cubes: Cubes,
    starts: View<u64>,
    fill_counts: ViewMut<u64>,
    sorted: ViewMut<f32>,
    site_numbers: ViewMut<u64>,
) {
    items.for_each(|site| {
        let cube = cubes.cube_index_at(sites, site);
        let destination = (starts.read(cube) + fill_counts.atomic_add(cube, 1)) as usize;
        sorted.write(3 * destination, sites.read(3 * site));
        sorted.write(3 * destination + 1, sites.read(3 * site + 1));
        sorted.write(3 * destination + 2, sites.read(3 * site + 2));
        if !site_numbers.is_empty() {
            site_numbers.write(destination, site as u64);
        }
    });
}

/// Computes the bounding box of each cube's sites: minimum x, y, z, then maximum x, y, z; +∞ and -∞
/// for an empty cube.
///
/// **Mapping:** one cube per block; threads stride over its sites and reduce each coordinate.
/// **Global memory:** reads every site once and writes six numbers per cube.
///
/// # Safety
/// `starts` holds an exclusive sum per cube and the total, `sorted` the sites, `boxes` six elements
/// per cube.
#[kernel]
pub unsafe fn box_cubes(sorted: View<f32>, starts: View<u64>, boxes: ViewMut<f32>) {
    let cubes = starts.len() - 1;
    let mut cube = thread::block_idx_x() as usize;
    while cube < cubes {
        let (start, end) = (starts.read(cube) as usize, starts.read(cube + 1) as usize);
        let mut axis = 0;
        while axis < 3 {
            let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
            let mut site = start + thread::thread_idx_x() as usize;
            while site < end {
                let coordinate = sorted.read(3 * site + axis);
                low = if coordinate < low { coordinate } else { low };
                high = if coordinate > high { coordinate } else { high };
                site += thread::block_dim_x() as usize;
            }
            let low = block::reduce::<f32, Min>(low);
            let high = block::reduce::<f32, Max>(high);
            if thread::thread_idx_x() == 0 {
                boxes.write(6 * cube + axis, low);
                boxes.write(6 * cube + 3 + axis, high);
            }
            axis += 1;
        }
        cube += thread::grid_dim_x() as usize;
    }
}
