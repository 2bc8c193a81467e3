//! The distances of the voxels, brick by brick.

use super::{
    centres::{Blocks, NOWHERE},
    metric::Tilt,
    open::any_around,
    tree::{Middle, Tree, Visitor, minus, site},
};
use crate::{distance::sites::BitRows, grid::Grid, sample::Count};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Voxels along the sides of a brick.
pub const BRICK: [u32; 3] = [8, 8, 4];
/// Voxels of a row of a brick, which a thread has in its registers.
const WIDTH: usize = BRICK[0] as usize;
/// Rows of a brick.
const ROWS: usize = (BRICK[1] * BRICK[2]) as usize;
/// Voxels of a brick.
const VOXELS: usize = WIDTH * ROWS;
/// Sites that are looked at before those that are near enough are counted.
const CHUNK: usize = 256;
/// Sites that are held.
const HELD: usize = 2 * CHUNK;
/// What squared lengths are multiplied by before anything is left out because it is farther away.
const SLACK: f64 = 1.0 + ROUNDING;
/// The part of a squared length that sums of such may be off.
const ROUNDING: f64 = 1e-9;

/// Some planes of a map.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planes {
    /// All voxels.
    pub grid: Grid,
    /// The first plane: a whole number of bricks.
    pub first: u32,
    /// How many planes.
    pub count: u32,
}

impl Planes {
    /// The bricks of these planes.
    pub const fn bricks(self) -> Blocks {
        Blocks::new([self.grid.nx, self.grid.ny, self.count], BRICK)
    }
}

/// What a block knows of its brick.
#[derive(Clone, Copy)]
struct Brick<'a> {
    tilt: &'a Tilt,
    sorted: View<'a, f32>,
    /// What the sites are called: their numbers, or their labels.
    names: View<'a, u64>,
    labels: View<'a, f32>,
    grid: Grid,
    first: [u32; 3],
    middle: [f64; 3],
    /// How far its voxels reach from there.
    reach: [f64; 3],
    /// From there to its corners, in voxels.
    half: [f64; 3],
    /// A nearest site of the middle.
    begin: [f64; 3],
    /// Whether that one counts for all voxels, so that a site matters only where it is nearer.
    compares: bool,
    /// Squared distances up to this matter.
    most: f64,
    /// The label of all voxels, if they have the same one: not a number where they have not.
    label: f32,
    /// x, y and z of the sites that are held.
    sites: SharedView<f32>,
    held: SharedView<u64>,
    count: SharedView<u32>,
    /// The least squared distance of each voxel so far: row after row. A thread has rows of its own.
    best: SharedView<f64>,
    /// The least name of a site at that distance.
    name: SharedView<u64>,
    /// Whether names are looked for, at distances that are known.
    naming: bool,
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
    fn visit(&mut self, mut start: usize, end: usize) {
        while start < end {
            thread::sync_threads();
            let count = self.count.read(0) as usize;
            thread::sync_threads();
            if count > HELD - CHUNK {
                self.compare(count);
                thread::sync_threads();
                if thread::thread_idx_x() == 0 {
                    self.count.write(0, 0);
                }
                thread::sync_threads();
            }
            let rest = end - start;
            let next = start + if rest < CHUNK { rest } else { CHUNK };
            self.hold(start, next);
            start = next;
        }
    }
}

impl Brick<'_> {
    /// Calls `visit` for the calling thread's rows.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn for_each_row(mut visit: impl FnMut(usize)) {
        let mut row = thread::thread_idx_x() as usize;
        while row < ROWS {
            visit(row);
            row += thread::block_dim_x() as usize;
        }
    }

    /// y and z of a row.
    #[inline(always)]
    fn row(&self, row: usize) -> [u32; 2] {
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
                let to = self.count.atomic_add(0, 1) as usize;
                self.sites.write(to, at[0] as f32);
                self.sites.write(HELD + to, at[1] as f32);
                self.sites.write(2 * HELD + to, at[2] as f32);
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

    /// Compares the voxels with the first `count` sites.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn compare(&self, count: usize) {
        let factor = self.tilt.scale.factors[0];
        Self::for_each_row(|row| {
            let [y, z] = self.row(row);
            let (y, z) = (y as f64, z as f64);
            let mut x = [0.0f64; WIDTH];
            let mut least = [0.0f64; WIDTH];
            let mut k = 0;
            while k < WIDTH {
                x[k] = (self.first[0] + k as u32) as f64;
                least[k] = self.best.read(row * WIDTH + k);
                k += 1;
            }
            let at = |site: usize| {
                let across = self.tilt.across(
                    y - self.sites.read(HELD + site) as f64,
                    z - self.sites.read(2 * HELD + site) as f64,
                );
                (self.sites.read(site) as f64, across)
            };
            if self.naming {
                let mut name = [0u64; WIDTH];
                let mut k = 0;
                while k < WIDTH {
                    name[k] = self.name.read(row * WIDTH + k);
                    k += 1;
                }
                let mut site = 0;
                while site < count {
                    let (there, across) = at(site);
                    let here = self.held.read(site);
                    let mut k = 0;
                    while k < WIDTH {
                        let squared = Tilt::with_x(factor, x[k] - there, across);
                        if squared == least[k] && here < name[k] {
                            name[k] = here;
                        }
                        k += 1;
                    }
                    site += 1;
                }
                let mut k = 0;
                while k < WIDTH {
                    self.name.write(row * WIDTH + k, name[k]);
                    k += 1;
                }
                return;
            }
            // not a number is not itself
            if self.labels.is_empty() || !self.label.is_nan() {
                let mut site = 0;
                while site < count {
                    let (there, across) = at(site);
                    let mut k = 0;
                    while k < WIDTH {
                        let squared = Tilt::with_x(factor, x[k] - there, across);
                        least[k] = if squared < least[k] {
                            squared
                        } else {
                            least[k]
                        };
                        k += 1;
                    }
                    site += 1;
                }
            } else {
                let mut own = [0.0f32; WIDTH];
                let mut k = 0;
                while k < WIDTH {
                    own[k] = self.label(row, k);
                    k += 1;
                }
                let mut site = 0;
                while site < count {
                    let (there, across) = at(site);
                    let label = f32::from_bits(self.held.read(site) as u32);
                    let mut k = 0;
                    while k < WIDTH {
                        let squared = Tilt::with_x(factor, x[k] - there, across);
                        // only a voxel itself is at no distance
                        let counts = label != own[k] && squared > 0.0;
                        if counts && squared < least[k] {
                            least[k] = squared;
                        }
                        k += 1;
                    }
                    site += 1;
                }
            }
            let mut k = 0;
            while k < WIDTH {
                self.best.write(row * WIDTH + k, least[k]);
                k += 1;
            }
        });
    }

    /// The label of voxel `k` of a row; 0 beyond the grid.
    #[inline(always)]
    fn label(&self, row: usize, k: usize) -> f32 {
        let ([y, z], x) = (self.row(row), self.first[0] + k as u32);
        if x < self.grid.nx && y < self.grid.ny && z < self.grid.nz {
            self.labels.read(self.grid.sample(x, y, z))
        } else {
            0.0
        }
    }

    /// If all voxels have the same label, begins with a site that has another: that one, or a neighbour of it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn begin_with_another(&mut self, layout: BitRows, around: View<i32>) {
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
    fn only_label(&self) -> f32 {
        let [x, y, z] = self.first;
        let label = self.labels.read(self.grid.sample(x, y, z));
        if thread::thread_idx_x() == 0 {
            self.count.write(0, 0);
        }
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
                self.count.atomic_add(0, 1);
            }
        });
        thread::sync_threads();
        let others = self.count.read(0);
        thread::sync_threads();
        if others == 0 { label } else { f32::NAN }
    }

    /// Compares the voxels with all sites that are near enough. All threads must call it.
    #[inline(always)]
    fn search(&mut self, boxes: View<f32>, places: View<u64>, tree: &Tree) {
        if thread::thread_idx_x() == 0 {
            self.count.write(0, 0);
        }
        tree.search(boxes, places, self);
        thread::sync_threads();
        self.compare(self.count.read(0) as usize);
        // what comes next is held where these sites are
        thread::sync_threads();
    }

    /// The square of the largest distance from the site that the search begins with to a voxel of the brick, longer by `more`.
    #[inline(always)]
    fn farthest_squared(&self, more: f64) -> f64 {
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

/// The bits of a row of a brick, from the lowest on; those beyond the grid are 1, so that only voxels that are not sites have 0.
#[inline(always)]
fn sites_in_row(bits: View<u32>, layout: BitRows, x: u32, [y, z]: [u32; 2]) -> u32 {
    let grid = layout.grid;
    if y >= grid.ny || z >= grid.nz {
        return 0xff;
    }
    if bits.is_empty() {
        return 0;
    }
    let word = bits.read(layout.word_of(x, y, z)) | !layout.voxels_of(x >> 5);
    word >> (x & 31) & 0xff
}

/// Writes the distance of every voxel of some planes and, if `nearest` is not empty, which site is the nearest: of several the one with the least name.
///
/// `bits`, if there are any, are all voxels that are sites themselves, of which `sorted` need not have all. `names` are the numbers of the sites; without them
/// sites are voxels, and have their indices. `labels`, if there are any, are those of the voxels, which all sites are: those with another label than a
/// voxel's count, and a nearest site of a centre has such a one `around` it, within `more`. `found` is what [`nearest_to_centres`] wrote for the bricks of the whole grid.
///
/// A block takes bricks, and a thread rows of 8 voxels, whose least squared distances it has in its registers while it compares them. All threads go through
/// the tree together, stride over the sites of a cell, and put those that can matter side by side in shared memory, up to 512 of them; then every
/// thread goes through these, all reading the same. That takes 14 KiB. For each voxel a distance is written, and what is nearest takes a second search.
///
/// # Safety
/// There is a site; `sorted`, `places` and `boxes` are what the kernels of the sort and [`join_boxes`](super::join_boxes) leave; `names` holds an element for
/// each site or none, `labels` one for each voxel or none, `bits` those of the grid or none; `distances` holds an element for each voxel of the planes, and
/// `nearest` as many or none; `around` holds the steps to the neighbours.
///
/// [`nearest_to_centres`]: super::nearest_to_centres
#[kernel(I = [u32, u64])]
pub unsafe fn measure_sheared<I: Count>(
    sorted: View<f32>,
    names: View<u64>,
    places: View<u64>,
    boxes: View<f32>,
    tree: Tree,
    tilt: Tilt,
    found: View<f32>,
    bits: View<u32>,
    labels: View<f32>,
    more: f64,
    around: View<i32>,
    planes: Planes,
    distances: ViewMut<f32>,
    nearest: ViewMut<I>,
) {
    let sites = shared_view![f32; 3 * HELD];
    let held = shared_view![u64; HELD];
    let count = shared_view![u32; 1];
    let best = shared_view![f64; VOXELS];
    let name = shared_view![u64; VOXELS];
    let grid = planes.grid;
    let layout = BitRows::new(grid);
    let bricks = planes.bricks();
    let half = bricks.half();
    let mut index = thread::block_idx_x() as u64;
    while index < bricks.all() {
        let [x, y, z] = bricks.first(index);
        let first = [x, y, planes.first + z];
        // bricks of the whole are counted from its first plane
        let before =
            (planes.first / BRICK[2]) as u64 * bricks.count[0] as u64 * bricks.count[1] as u64;
        let begin = site(found, (before + index) as usize);
        let mut brick = Brick {
            tilt: &tilt,
            sorted,
            names,
            labels,
            grid,
            first,
            middle: [
                first[0] as f64 + half[0],
                first[1] as f64 + half[1],
                first[2] as f64 + half[2],
            ],
            reach: tilt.reach(half),
            half,
            begin,
            compares: true,
            most: 0.0,
            label: f32::NAN,
            sites,
            held,
            count,
            best,
            name,
            naming: false,
        };
        Brick::for_each_row(|row| {
            let mut k = 0;
            while k < WIDTH {
                best.write(row * WIDTH + k, f64::INFINITY);
                name.write(row * WIDTH + k, u64::MAX);
                k += 1;
            }
        });
        let mut all = 0xff;
        let mut row = 0;
        while row < ROWS {
            all &= sites_in_row(bits, layout, first[0], brick.row(row));
            row += 1;
        }
        if all != 0xff && begin[0] < NOWHERE as f64 {
            if !labels.is_empty() {
                brick.label = brick.only_label();
                brick.begin_with_another(layout, around);
            }
            let most = brick.farthest_squared(if brick.compares { 0.0 } else { more });
            let bound = tilt.scale.most_squared();
            brick.most = SLACK * if most < bound { most } else { bound };
            brick.search(boxes, places, &tree);
            if !nearest.is_empty() {
                brick.naming = true;
                brick.search(boxes, places, &tree);
            }
        }
        Brick::for_each_row(|row| {
            let [y, z] = brick.row(row);
            if y >= grid.ny || z >= planes.first + planes.count {
                return;
            }
            let own = sites_in_row(bits, layout, first[0], [y, z]);
            let mut k = 0;
            while k < WIDTH {
                let x = first[0] + k as u32;
                if x < grid.nx {
                    let is_site = own >> k & 1 != 0;
                    let squared = best.read(row * WIDTH + k);
                    let is_far = squared > tilt.scale.most_squared();
                    let squared = if is_site {
                        0.0
                    } else if is_far {
                        f64::INFINITY
                    } else {
                        squared
                    };
                    let place = grid.sample(x, y, z - planes.first);
                    distances.write(place, tilt.scale.root(squared));
                    if !nearest.is_empty() {
                        let name = if is_site {
                            grid.sample(x, y, z) as u64
                        } else if is_far {
                            u64::MAX
                        } else {
                            name.read(row * WIDTH + k)
                        };
                        nearest.write(place, I::narrow(name));
                    }
                }
                k += 1;
            }
        });
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}
