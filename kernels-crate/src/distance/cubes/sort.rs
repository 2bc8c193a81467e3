//! Sites, cube after cube: a counting sort.

use crate::{
    block,
    operator::{Max, Min},
    rows::Items,
};
use cuda_std::{View, ViewMut, kernel, thread};

/// The cubes that a volume is cut into.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cubes {
    /// Cubes along x.
    pub nx: u32,
    /// Cubes along y.
    pub ny: u32,
    /// Cubes along z.
    pub nz: u32,
    /// The side of a cube is 2 to this power of voxels.
    pub power: u32,
}

impl Cubes {
    /// Those of a grid of so many voxels along x, y and z; one at least along each axis.
    pub const fn new([x, y, z]: [u32; 3], power: u32) -> Self {
        const fn along(voxels: u32, power: u32) -> u32 {
            if voxels == 0 {
                1
            } else {
                ((voxels - 1) >> power) + 1
            }
        }
        Self {
            nx: along(x, power),
            ny: along(y, power),
            nz: along(z, power),
            power,
        }
    }

    /// How many.
    #[inline(always)]
    pub const fn count(self) -> u64 {
        self.nx as u64 * self.ny as u64 * self.nz as u64
    }

    /// Which of `cubes` along an axis has a coordinate; the first or the last if none has. It never
    /// falls where the coordinate grows.
    #[inline(always)]
    pub fn along(self, cubes: u32, coordinate: f32) -> u32 {
        // a negative number becomes 0, and one that is too large the most there is
        let cube = coordinate as u32 >> self.power;
        if cube < cubes { cube } else { cubes - 1 }
    }

    /// The number of a cube.
    #[inline(always)]
    pub const fn number(self, x: u32, y: u32, z: u32) -> usize {
        ((z as u64 * self.ny as u64 + y as u64) * self.nx as u64 + x as u64) as usize
    }

    /// The cube of a site.
    #[inline(always)]
    fn of(self, sites: View<f32>, site: usize) -> usize {
        self.number(
            self.along(self.nx, sites.read(3 * site)),
            self.along(self.ny, sites.read(3 * site + 1)),
            self.along(self.nz, sites.read(3 * site + 2)),
        )
    }
}

/// Counts the sites of each cube. A thread takes single sites, and adds 1 to an element of `counts`
/// for each.
///
/// # Safety
/// `items` are the sites, of which `sites` holds x, y and z; `counts` holds an element for each
/// cube, at first 0.
#[kernel]
pub unsafe fn count_in_cubes(sites: View<f32>, items: Items, cubes: Cubes, counts: ViewMut<u64>) {
    items.for_each(|site| {
        counts.atomic_add(cubes.of(sites, site), 1);
    });
}

/// Puts the sites of a cube side by side, in any order, and their numbers if `numbers` is not
/// empty. A thread takes single sites; it adds 1 to an element of `taken` for each to find its
/// place.
///
/// # Safety
/// As [`count_in_cubes`]; `starts` holds the exclusive sums of the counts, `taken` an element for
/// each cube, at first 0, and `sorted` as many elements as `sites`, and `numbers` one for each site
/// or none.
#[kernel]
pub unsafe fn sort_into_cubes(
    sites: View<f32>,
    items: Items,
    cubes: Cubes,
    starts: View<u64>,
    taken: ViewMut<u64>,
    sorted: ViewMut<f32>,
    numbers: ViewMut<u64>,
) {
    items.for_each(|site| {
        let cube = cubes.of(sites, site);
        let place = (starts.read(cube) + taken.atomic_add(cube, 1)) as usize;
        sorted.write(3 * place, sites.read(3 * site));
        sorted.write(3 * place + 1, sites.read(3 * site + 1));
        sorted.write(3 * place + 2, sites.read(3 * site + 2));
        if !numbers.is_empty() {
            numbers.write(place, site as u64);
        }
    });
}

/// Finds the box that each cube's sites fill: the least x, y, z, then the greatest; from +∞ to -∞
/// if there are none. A block takes cubes, its threads stride over the sites.
///
/// # Safety
/// `starts` holds a sum for each cube and the total, `sorted` the sites, `boxes` six elements for
/// each cube.
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
                let at = sorted.read(3 * site + axis);
                low = if at < low { at } else { low };
                high = if at > high { at } else { high };
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
