//! What a block knows of its brick, and which sites it holds.

use super::{
    metric::Tilt,
    open::any_around,
    tree::{Middle, Tree, Visitor, minus, site},
};
use crate::{
    distance::{held::HeldSites, sites::BitRows},
    grid::Grid,
};
use cuda_std::{SharedView, View, thread};

/// Voxels along the sides of a brick.
pub const BRICK: [u32; 3] = [8, 8, 4];
/// Voxels of a row of a brick, which a thread has in its registers.
pub const WIDTH: usize = BRICK[0] as usize;
/// Rows of a brick.
pub const ROWS: usize = (BRICK[1] * BRICK[2]) as usize;
/// Voxels of a brick.
pub const VOXELS: usize = WIDTH * ROWS;
/// What squared lengths are multiplied by before anything is left out because it is farther away.
pub const SLACK: f64 = 1.0 + ROUNDING;
/// The part of a squared length that sums of such may be off.
pub const ROUNDING: f64 = 1e-9;

/// What a block knows of its brick.
#[derive(Clone, Copy)]
pub(super) struct Brick<'a> {
    pub tilt: &'a Tilt,
    pub sorted: View<'a, f32>,
    /// What the sites are called: their numbers, or their labels.
    pub names: View<'a, u64>,
    pub labels: View<'a, f32>,
    pub grid: Grid,
    pub first: [u32; 3],
    pub middle: [f64; 3],
    /// How far its voxels reach from there.
    pub reach: [f64; 3],
    /// From there to its corners, in voxels.
    pub half: [f64; 3],
    /// A nearest site of the middle.
    pub begin: [f64; 3],
    /// Whether that one counts for all voxels, so that a site matters only where it is nearer.
    pub compares: bool,
    /// Squared distances up to this matter.
    pub most: f64,
    /// The label of all voxels, if they have the same one: not a number where they have not.
    pub label: f32,
    pub sites: HeldSites,
    /// The names of the sites that are held, or their labels.
    pub held: SharedView<u64>,
    /// The least squared distance of each voxel so far: row after row. A thread has rows of its
    /// own.
    pub best: SharedView<f64>,
    /// The least name of a site at that distance.
    pub name: SharedView<u64>,
    /// Whether names are looked for, at distances that are known.
    pub naming: bool,
}

impl Visitor for Brick<'_> {
    #[inline(always)]
    fn is_near(&self, around: Middle) -> bool {
        let there = self.tilt.reach(around.half);
        let reach = [
            self.reach[0] + there[0],
            self.reach[1] + there[1],
            self.reach[2] + there[2],
        ];
        let away = minus(around.at, self.middle);
        self.tilt.least_squared(away, reach) <= self.most
    }

    /// All threads must call it.
    #[inline(always)]
    fn visit(&mut self, start: usize, end: usize) {
        let brick = &*self;
        brick.sites.in_chunks(
            start,
            end,
            |count| brick.compare(count),
            |start, end| brick.hold(start, end),
        );
    }
}

impl Brick<'_> {
    /// Calls `visit` for the calling thread's rows.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn for_each_row(mut visit: impl FnMut(usize)) {
        let mut row = thread::thread_idx_x() as usize;
        while row < ROWS {
            visit(row);
            row += thread::block_dim_x() as usize;
        }
    }

    /// y and z of a row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> [u32; 2] {
        [
            self.first[1] + row as u32 % BRICK[1],
            self.first[2] + row as u32 / BRICK[1],
        ]
    }

    /// Adds those of the sites from `start` to `end`, at most a chunk, that are near enough.
    #[inline(always)]
    fn hold(&self, start: usize, end: usize) {
        let mut place = start + thread::thread_idx_x() as usize;
        while place < end {
            let at = site(self.sorted, place);
            let away = minus(at, self.middle);
            let mut counts = self.tilt.least_squared(away, self.reach) <= self.most;
            if counts && self.compares {
                let middle = minus(self.middle, self.begin);
                let between = minus(at, self.begin);
                let nearer = self.tilt.most_nearer(middle, between, self.half);
                counts = nearer >= -ROUNDING * self.most;
            }
            if counts && !self.labels.is_empty() {
                counts = self.labels.read(self.voxel(at)) != self.label;
            }
            if counts {
                let to = self.sites.put([at[0] as f32, at[1] as f32, at[2] as f32]);
                if !self.labels.is_empty() {
                    let label = self.labels.read(self.voxel(at));
                    self.held.write(to, label.to_bits() as u64);
                } else if self.naming {
                    let name = if self.names.is_empty() {
                        self.voxel(at) as u64
                    } else {
                        self.names.read(place)
                    };
                    self.held.write(to, name);
                }
            }
            place += thread::block_dim_x() as usize;
        }
    }

    /// The number of the voxel of a site.
    #[inline(always)]
    fn voxel(&self, [x, y, z]: [f64; 3]) -> usize {
        self.grid.sample(x as u32, y as u32, z as u32)
    }

    /// If all voxels have the same label, begins with a site that has another: that one, or a
    /// neighbour of it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn begin_with_another(&mut self, layout: BitRows, around: View<i32>) {
        let own = self.label;
        let at = self.begin.map(|at| at as u32);
        let mut other = at;
        let differs = |[x, y, z]: [u32; 3]| self.labels.read(self.grid.sample(x, y, z)) != own;
        let mut found = differs(at);
        if !found {
            found = any_around(around, layout, at, false, |at| {
                other = at;
                differs(at)
            });
        }
        self.compares = found && !own.is_nan();
        if self.compares {
            self.begin = other.map(f64::from);
        }
    }

    /// The label that all voxels have, or else not a number. All threads must call it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn only_label(&self) -> f32 {
        let [x, y, z] = self.first;
        let label = self.labels.read(self.grid.sample(x, y, z));
        self.sites.clear();
        thread::sync_threads();
        Self::for_each_row(|row| {
            let mut others = 0;
            let mut k = 0;
            while k < WIDTH {
                let [y, z] = self.row(row);
                let x = self.first[0] + k as u32;
                let in_grid = x < self.grid.nx && y < self.grid.ny && z < self.grid.nz;
                if in_grid && self.label(row, k) != label {
                    others = 1;
                }
                k += 1;
            }
            if others != 0 {
                self.sites.count.atomic_add(0, 1);
            }
        });
        thread::sync_threads();
        let others = self.sites.count.read(0);
        thread::sync_threads();
        if others == 0 { label } else { f32::NAN }
    }

    /// Compares the voxels with all sites that are near enough. All threads must call it.
    #[inline(always)]
    pub fn search(&mut self, boxes: View<f32>, places: View<u64>, tree: &Tree) {
        self.sites.clear();
        tree.search(boxes, places, self);
        self.sites.finish(|count| self.compare(count));
    }

    /// The square of the largest distance from the site that the search begins with to a voxel of
    /// the brick, longer by `more`.
    #[inline(always)]
    pub fn farthest_squared(&self, more: f64) -> f64 {
        let mut most = 0.0;
        let mut corner = 0;
        while corner < 8 {
            let at = |axis: usize| {
                let side = (BRICK[axis] - 1) * (corner >> axis & 1);
                (self.first[axis] + side) as f64
            };
            let squared = self.tilt.squared(minus([at(0), at(1), at(2)], self.begin));
            most = if squared > most { squared } else { most };
            corner += 1;
        }
        let far = cuda_std::GpuFloat::sqrt(most) + more;
        far * far
    }
}
