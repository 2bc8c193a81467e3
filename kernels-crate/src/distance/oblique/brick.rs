//! Search state of a brick of voxels, and selection of the sites to compare it with.

use super::{
    boundary::any_neighbour,
    metric::ObliqueMetric,
    tree::{SiteBox, Tree, Visitor, site, subtract},
};
use crate::{
    distance::{site_buffer::SiteBuffer, sites::BitRows},
    grid::Grid,
};
use cuda_std::{SharedView, View, thread};

/// Voxels of a brick along x, y and z.
pub const BRICK_SHAPE: [u32; 3] = [8, 8, 4];
/// Number of voxels in a row of a brick, which a thread holds in registers.
pub const ROW_VOXELS: usize = BRICK_SHAPE[0] as usize;
/// Number of rows in a brick.
pub const ROWS: usize = (BRICK_SHAPE[1] * BRICK_SHAPE[2]) as usize;
/// Number of voxels in a brick.
pub const VOXELS: usize = ROW_VOXELS * ROWS;
/// Factor by which squared lengths are enlarged in rejection tests, to allow for rounding.
pub const SLACK: f64 = 1.0 + ROUNDING;
/// Bound on the relative rounding error of squared lengths.
pub const ROUNDING: f64 = 1e-9;

/// Search state of the brick of a block.
#[derive(Clone, Copy)]
pub(super) struct Brick<'a> {
    pub metric: &'a ObliqueMetric,
    pub sorted: View<'a, f32>,
    /// Numbers of the sites; empty if sites are identified by the linear indices of their voxels.
    pub site_numbers: View<'a, u64>,
    pub labels: View<'a, f32>,
    pub grid: Grid,
    /// First voxel of the brick.
    pub first: [u32; 3],
    /// Centre of the brick, in voxel coordinates.
    pub middle: [f64; 3],
    /// Half extent of the brick along the rotated axes, in units.
    pub extent: [f64; 3],
    /// Half extent of the brick along the grid axes, in voxels.
    pub half_extent: [f64; 3],
    /// Site with which the search starts: a nearest site of the brick's centre.
    pub initial_site: [f64; 3],
    /// `true` if the initial site is valid for all voxels (on label maps, it has another label), so
    /// that only sites that are nearer to some voxel have to be compared.
    pub has_initial_bound: bool,
    /// Squared search radius: sites farther from the brick are ignored.
    pub max_squared: f64,
    /// Label of all voxels; NaN if they differ.
    pub label: f32,
    pub sites: SiteBuffer,
    /// Keys of the buffered sites: for label maps the bits of their labels, otherwise their
    /// numbers.
    pub site_keys: SharedView<u64>,
    /// Smallest squared distance of each voxel so far, row by row. Each thread accesses only its
    /// own rows.
    pub best: SharedView<f64>,
    /// Smallest number of the sites at the distance `best`, for each voxel.
    pub nearest: SharedView<u64>,
    /// `true` in the second search, which finds site numbers for the known distances.
    pub find_nearest_site: bool,
}

impl Visitor for Brick<'_> {
    #[inline(always)]
    fn is_near(&self, site_box: SiteBox) -> bool {
        let box_extent = self.metric.half_extent(site_box.half);
        let extent = [
            self.extent[0] + box_extent[0],
            self.extent[1] + box_extent[1],
            self.extent[2] + box_extent[2],
        ];
        let offset = subtract(site_box.position, self.middle);
        self.metric.min_squared(offset, extent) <= self.max_squared
    }

    /// All threads of the block must call it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn visit(&mut self, start: usize, end: usize) {
        let brick = &*self;
        brick.sites.for_each_batch(
            start,
            end,
            |count| brick.compare(count),
            |start, end| brick.append_near(start, end),
        );
    }
}

impl Brick<'_> {
    /// Calls `visit` for each row of the calling thread.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn for_each_row(mut visit: impl FnMut(usize)) {
        let mut row = thread::thread_idx_x() as usize;
        while row < ROWS {
            visit(row);
            row += thread::block_dim_x() as usize;
        }
    }

    /// Returns the y and z of a row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> [u32; 2] {
        [
            self.first[1] + row as u32 % BRICK_SHAPE[1],
            self.first[2] + row as u32 / BRICK_SHAPE[1],
        ]
    }

    /// Appends those sites from `start` to `end` (at most one batch) that may be nearest to a voxel
    /// of the brick.
    #[inline(always)]
    fn append_near(&self, start: usize, end: usize) {
        let mut site_index = start + thread::thread_idx_x() as usize;
        while site_index < end {
            let position = site(self.sorted, site_index);
            let offset = subtract(position, self.middle);
            let mut is_relevant = self.metric.min_squared(offset, self.extent) <= self.max_squared;
            if is_relevant && self.has_initial_bound {
                let middle = subtract(self.middle, self.initial_site);
                let between = subtract(position, self.initial_site);
                let gain = self.metric.max_gain(middle, between, self.half_extent);
                is_relevant = gain >= -ROUNDING * self.max_squared;
            }
            if is_relevant && !self.labels.is_empty() {
                is_relevant = self.labels.read(self.voxel_index(position)) != self.label;
            }
            if is_relevant {
                let slot =
                    self.sites
                        .push([position[0] as f32, position[1] as f32, position[2] as f32]);
                if !self.labels.is_empty() {
                    let label = self.labels.read(self.voxel_index(position));
                    self.site_keys.write(slot, label.to_bits() as u64);
                } else if self.find_nearest_site {
                    let key = if self.site_numbers.is_empty() {
                        self.voxel_index(position) as u64
                    } else {
                        self.site_numbers.read(site_index)
                    };
                    self.site_keys.write(slot, key);
                }
            }
            site_index += thread::block_dim_x() as usize;
        }
    }

    /// Returns the linear index of the voxel of a site.
    #[inline(always)]
    fn voxel_index(&self, [x, y, z]: [f64; 3]) -> usize {
        self.grid.sample(x as u32, y as u32, z as u32)
    }

    /// If all voxels have the same label, selects an initial site with a different label: the
    /// current one or one of its neighbours.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn set_initial_site_of_other_label(&mut self, layout: BitRows, neighbours: View<i32>) {
        let own = self.label;
        let position = self.initial_site.map(|position| position as u32);
        let mut differing_voxel = position;
        let differs = |[x, y, z]: [u32; 3]| self.labels.read(self.grid.sample(x, y, z)) != own;
        let mut found = differs(position);
        if !found {
            found = any_neighbour(neighbours, layout, position, false, |position| {
                differing_voxel = position;
                differs(position)
            });
        }
        self.has_initial_bound = found && !own.is_nan();
        if self.has_initial_bound {
            self.initial_site = differing_voxel.map(f64::from);
        }
    }

    /// Returns the label shared by all voxels, or NaN. All threads of the block must call it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn uniform_label(&self) -> f32 {
        let [x, y, z] = self.first;
        let label = self.labels.read(self.grid.sample(x, y, z));
        self.sites.clear();
        thread::sync_threads();
        Self::for_each_row(|row| {
            let mut differs = 0;
            let mut k = 0;
            while k < ROW_VOXELS {
                let [y, z] = self.row(row);
                let x = self.first[0] + k as u32;
                let in_grid = x < self.grid.nx && y < self.grid.ny && z < self.grid.nz;
                if in_grid && self.label(row, k) != label {
                    differs = 1;
                }
                k += 1;
            }
            if differs != 0 {
                self.sites.count.atomic_add(0, 1);
            }
        });
        thread::sync_threads();
        let differing_rows = self.sites.count.read(0);
        thread::sync_threads();
        if differing_rows == 0 { label } else { f32::NAN }
    }

    /// Compares the voxels with all sites that are near enough. All threads of the block must call
    /// it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn search(&mut self, boxes: View<f32>, starts: View<u64>, tree: &Tree) {
        self.sites.clear();
        tree.search(boxes, starts, self);
        self.sites.finish(|count| self.compare(count));
    }

    /// Returns `(d + margin)²`, where `d` is the maximum distance from the initial site to a voxel
    /// of the brick.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn farthest_squared(&self, margin: f64) -> f64 {
        let mut max_squared = 0.0;
        let mut corner = 0;
        while corner < 8 {
            let position = |axis: usize| {
                let side = (BRICK_SHAPE[axis] - 1) * (corner >> axis & 1);
                (self.first[axis] + side) as f64
            };
            let squared = self.metric.squared(subtract(
                [position(0), position(1), position(2)],
                self.initial_site,
            ));
            max_squared = if squared > max_squared {
                squared
            } else {
                max_squared
            };
            corner += 1;
        }
        let radius = cuda_std::GpuFloat::sqrt(max_squared) + margin;
        radius * radius
    }
}
