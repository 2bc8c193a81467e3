//! The distances of the voxels, brick by brick.

use super::{BRICK, Bounds, Cubes, Nodes, SLACK, Search};
use crate::{
    arith::{div_rem, quotient_up_u32},
    distance::{
        held::{HELD, HeldSites},
        measure::Real,
    },
    grid::Grid,
};
use cuda_std::{GpuFloat, SharedView, View, ViewMut, kernel, shared_view, thread};

/// Columns of voxels along z in a brick.
pub(super) const COLUMNS: usize = (BRICK * BRICK) as usize;
/// Voxels of a column.
const HEIGHT: usize = BRICK as usize;

/// Layers of bricks along z of a volume, and the planes of voxels that they are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slab {
    /// The volume.
    pub grid: Grid,
    /// The first layer.
    pub first: u32,
    /// How many layers.
    pub layers: u32,
}

impl Slab {
    /// Bricks that blocks share.
    #[inline(always)]
    pub const fn bricks(self) -> u64 {
        along_bricks(self.grid.nx) * along_bricks(self.grid.ny) * self.layers as u64
    }
}

/// Bricks along an axis of so many voxels.
#[inline(always)]
const fn along_bricks(voxels: u32) -> u64 {
    quotient_up_u32(voxels, BRICK) as u64
}

/// Sites within reach of a brick, and what they are to it.
#[derive(Clone, Copy)]
struct Held<C> {
    sites: HeldSites,
    /// The least squared distance of each voxel so far: a plane of columns after the other. A
    /// thread has columns of its own.
    best: SharedView<f64>,
    bounds: Bounds<C>,
    factors: [C; 3],
    first: [u32; 3],
}

impl<C: Real> Held<C> {
    /// Calls `visit` for the calling thread's columns.
    #[inline(always)]
    fn for_each_column(mut visit: impl FnMut(usize)) {
        let mut column = thread::thread_idx_x() as usize;
        while column < COLUMNS {
            visit(column);
            column += thread::block_dim_x() as usize;
        }
    }

    /// Adds those of the sites from `start` to `end`, at most a chunk, that are within the root of
    /// `limit`.
    #[inline(always)]
    fn add(&self, sorted: View<f32>, start: usize, end: usize, limit: C) {
        let mut site = start + thread::thread_idx_x() as usize;
        while site < end {
            let at = 3 * site;
            let coordinates = [sorted.read(at), sorted.read(at + 1), sorted.read(at + 2)];
            let [x, y, z] = coordinates;
            let here = [C::of(x), C::of(y), C::of(z)];
            let here = Bounds {
                low: here,
                high: here,
            };
            if self.bounds.nearest_squared(&here, self.factors) <= limit {
                self.sites.put(coordinates);
            }
            site += thread::block_dim_x() as usize;
        }
    }

    /// Compares the voxels with the first `count` sites.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn compare(&self, count: usize) {
        let [fx, fy, fz] = self.factors;
        Self::for_each_column(|column| {
            let x = C::of((self.first[0] + column as u32 % BRICK) as f32);
            let y = C::of((self.first[1] + column as u32 / BRICK) as f32);
            let mut z = [C::ZERO; HEIGHT];
            let mut least = [C::ZERO; HEIGHT];
            let mut k = 0;
            while k < HEIGHT {
                z[k] = C::of((self.first[2] + k as u32) as f32);
                least[k] = C::narrow(self.best.read(k * COLUMNS + column));
                k += 1;
            }
            let mut site = 0;
            while site < count {
                let [sx, sy, sz] = self.sites.at(site).map(C::of);
                let across = C::squared_along(fx, x, sx).plus(C::squared_along(fy, y, sy));
                let mut k = 0;
                while k < HEIGHT {
                    least[k] = least[k].least(across.plus(C::squared_along(fz, z[k], sz)));
                    k += 1;
                }
                site += 1;
            }
            let mut k = 0;
            while k < HEIGHT {
                self.best.write(k * COLUMNS + column, least[k].widen());
                k += 1;
            }
        });
    }

    /// Goes through the sites of the cubes within `reach`. All threads must call it.
    #[inline(always)]
    fn search(
        &self,
        sorted: View<f32>,
        starts: View<u64>,
        boxes: View<f32>,
        cubes: Cubes,
        search: &Search,
        reach: f32,
    ) {
        let factors = search.factors::<f32>();
        let low = self.first.map(|first| first as f32);
        let high = low.map(|low| low + (BRICK - 1) as f32);
        let bounds = Bounds { low, high };
        let range = |axis: usize, count: u32| {
            let along = reach / factors[axis] * SLACK;
            (
                cubes.along(count, low[axis] - along),
                cubes.along(count, high[axis] + along),
            )
        };
        let limit = C::narrow(reach as f64 * reach as f64);
        let (x, y, z) = (range(0, cubes.nx), range(1, cubes.ny), range(2, cubes.nz));
        let (mut cx, mut cy, mut cz) = (x.0, y.0, z.0);
        self.sites.clear();
        while cz <= z.1 {
            let cube = cubes.number(cx, cy, cz);
            let (mut start, end) = (starts.read(cube) as usize, starts.read(cube + 1) as usize);
            let there = Bounds::of_cube(boxes, cube);
            if start < end && bounds.nearest_squared(&there, factors) > reach * reach {
                start = end;
            }
            self.sites.in_chunks(
                start,
                end,
                |count| self.compare(count),
                |start, end| self.add(sorted, start, end, limit),
            );
            cx += 1;
            if cx > x.1 {
                (cx, cy) = (x.0, cy + 1);
            }
            if cy > y.1 {
                (cy, cz) = (y.0, cz + 1);
            }
        }
        self.sites.finish(|count| self.compare(count));
    }
}

/// Writes the distance of every voxel of a slab: exact up to `search.exact`, estimated beyond, and
/// never more than the bound.
///
/// A block takes bricks, and a thread columns of voxels along z, whose squared distances are in its
/// registers while it compares. Threads stride over the sites of the cubes within reach and put
/// those that can matter side by side in shared memory, up to 512 of them; then every thread goes
/// through these, all reading the same. That takes 10 KiB.
///
/// # Safety
/// `sorted`, `starts` and `boxes` are what the kernels of the sort leave, `nodes` and `centres`
/// what [`measure_nodes`] does; `distances` holds an element for each voxel of the slab.
///
/// [`measure_nodes`]: super::measure_nodes
#[kernel(C = [f32, f64])]
pub unsafe fn measure_bricks<C: Real>(
    sorted: View<f32>,
    starts: View<u64>,
    boxes: View<f32>,
    cubes: Cubes,
    nodes: Nodes,
    centres: View<f32>,
    slab: Slab,
    search: Search,
    distances: ViewMut<f32>,
) {
    let sites = shared_view![f32; 3 * HELD];
    let count = shared_view![u32; 1];
    let best = shared_view![f64; HEIGHT * COLUMNS];
    let grid = slab.grid;
    let radius = search.brick_radius();
    let searched = search.searched as f32;
    let mut index = thread::block_idx_x() as u64;
    while index < slab.bricks() {
        let (row, bx) = div_rem(index, along_bricks(grid.nx));
        let (layer, by) = div_rem(row, along_bricks(grid.ny));
        let brick = [bx as u32, by as u32, slab.first + layer as u32];
        let first = brick.map(|brick| brick * BRICK);
        let [x, y, z] = brick;
        let centre = centres.read(nodes.number(x + 1, y + 1, z + 1));
        let is_near = centre <= (searched + radius) * SLACK;
        if is_near {
            let farthest = centre + radius;
            let reach = SLACK
                * if farthest < searched {
                    farthest
                } else {
                    searched
                };
            let low = first.map(|first| C::of(first as f32));
            let high = first.map(|first| C::of((first + BRICK - 1) as f32));
            let held = Held {
                sites: HeldSites {
                    places: sites,
                    count,
                },
                best,
                bounds: Bounds { low, high },
                factors: search.factors(),
                first,
            };
            Held::<C>::for_each_column(|column| {
                let mut k = 0;
                while k < HEIGHT {
                    best.write(k * COLUMNS + column, f64::INFINITY);
                    k += 1;
                }
            });
            held.search(sorted, starts, boxes, cubes, &search, reach);
        }
        Held::<C>::for_each_column(|column| {
            let (cx, cy) = (column as u32 % BRICK, column as u32 / BRICK);
            let (x, y) = (first[0] + cx, first[1] + cy);
            if x >= grid.nx || y >= grid.ny {
                return;
            }
            let estimate = Estimate::along_z(centres, nodes, brick, cx, cy);
            let mut k = 0;
            while k < HEIGHT {
                let z = first[2] + k as u32;
                if z < grid.nz {
                    let squared = if is_near {
                        best.read(k * COLUMNS + column)
                    } else {
                        f64::INFINITY
                    };
                    let units = length(&search, squared, estimate.at(k));
                    let place = grid.sample(x, y, z - slab.first * BRICK);
                    distances.write(place, search.scale.length(units));
                }
                k += 1;
            }
        });
        index += thread::grid_dim_x() as u64;
    }
}

/// The distance of a voxel, in units, from the squared one that was found and the estimated one.
#[inline(always)]
fn length(search: &Search, squared: f64, estimate: f32) -> f64 {
    let found = GpuFloat::sqrt(squared);
    if squared <= search.exact * search.exact {
        return found;
    }
    if search.exact == search.searched {
        return f64::INFINITY;
    }
    // what was not found is farther than that
    let estimate = estimate as f64;
    let estimate = if estimate < search.exact {
        search.exact
    } else {
        estimate
    };
    if found >= search.searched {
        return estimate;
    }
    let part = (found - search.exact) / (search.searched - search.exact);
    found + part * (estimate - found)
}

/// The distances of a column of a brick, interpolated between the centres of bricks.
#[derive(Clone, Copy)]
struct Estimate {
    /// In the planes through the centres of the brick before, of the brick, and of the one after.
    before: f32,
    here: f32,
    after: f32,
}

impl Estimate {
    #[inline(always)]
    fn along_z(centres: View<f32>, nodes: Nodes, brick: [u32; 3], cx: u32, cy: u32) -> Self {
        let (x, along_x) = between(cx);
        let (y, along_y) = between(cy);
        let (x, y) = (brick[0] + x, brick[1] + y);
        let plane = |z: u32| {
            let row = |y: u32| {
                let at = nodes.number(x, y, z);
                centres.read(at) * (1.0 - along_x) + centres.read(at + 1) * along_x
            };
            row(y) * (1.0 - along_y) + row(y + 1) * along_y
        };
        Self {
            before: plane(brick[2]),
            here: plane(brick[2] + 1),
            after: plane(brick[2] + 2),
        }
    }

    /// That of voxel `k` of the column.
    #[inline(always)]
    fn at(&self, k: usize) -> f32 {
        let (node, along) = between(k as u32);
        let (low, high) = if node == 0 {
            (self.before, self.here)
        } else {
            (self.here, self.after)
        };
        low * (1.0 - along) + high * along
    }
}

/// Between which two centres voxel `at` of a brick is: 0 if from that of the brick before, 1 if
/// from the brick's own; and how far on the way to the next, which is neither 0 nor 1.
#[inline(always)]
fn between(at: u32) -> (u32, f32) {
    let node = at / (BRICK / 2);
    let from = at as f32 + 0.5 - (BRICK / 2) as f32;
    let along = from / BRICK as f32;
    (node, if node == 0 { along + 1.0 } else { along })
}
