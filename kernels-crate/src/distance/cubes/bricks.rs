//! Distances of the voxels, computed brick by brick.

use super::{BRICK, Bounds, Cubes, Nodes, SLACK, SearchRadii};
use crate::{
    arith::{div_ceil_u32, div_rem},
    distance::{
        metric::Real,
        site_buffer::{CAPACITY, SiteBuffer},
    },
    grid::Grid,
};
use cuda_std::{GpuFloat, SharedView, View, ViewMut, kernel, shared_view, thread};

/// Number of columns of voxels along z in a brick.
pub(super) const COLUMNS: usize = (BRICK * BRICK) as usize;
/// Number of voxels in a column.
const HEIGHT: usize = BRICK as usize;

/// Consecutive layers of bricks along z, and the planes of voxels that they cover.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slab {
    /// Grid of the volume.
    pub grid: Grid,
    /// Index of the first layer.
    pub first: u32,
    /// Number of layers.
    pub layers: u32,
}

impl Slab {
    /// Returns the number of bricks, the units of work of the blocks.
    #[inline(always)]
    pub const fn bricks(self) -> u64 {
        along_bricks(self.grid.nx) * along_bricks(self.grid.ny) * self.layers as u64
    }
}

/// Returns the number of bricks along an axis of `voxels` voxels.
#[inline(always)]
const fn along_bricks(voxels: u32) -> u64 {
    div_ceil_u32(voxels, BRICK) as u64
}

/// Search for the sites near a brick, and the distances found so far.
#[derive(Clone, Copy)]
struct BrickSearch<C> {
    sites: SiteBuffer,
    /// Smallest squared distance of each voxel so far, as planes of columns. Each thread accesses
    /// only its own columns.
    best: SharedView<f64>,
    bounds: Bounds<C>,
    factors: [C; 3],
    first: [u32; 3],
}

impl<C: Real> BrickSearch<C> {
    /// Calls `visit` for each column of the calling thread.
    #[inline(always)]
    fn for_each_column(mut visit: impl FnMut(usize)) {
        let mut column = thread::thread_idx_x() as usize;
        while column < COLUMNS {
            visit(column);
            column += thread::block_dim_x() as usize;
        }
    }

    /// Appends those sites from `start` to `end` (at most one batch) whose squared distance to the
    /// brick is at most `limit`.
    #[inline(always)]
    fn append_near_sites(&self, sorted: View<f32>, start: usize, end: usize, limit: C) {
        let mut site = start + thread::thread_idx_x() as usize;
        while site < end {
            let offset = 3 * site;
            let site_coordinates = [
                sorted.read(offset),
                sorted.read(offset + 1),
                sorted.read(offset + 2),
            ];
            let [x, y, z] = site_coordinates;
            let position = [
                C::from_coordinate(x),
                C::from_coordinate(y),
                C::from_coordinate(z),
            ];
            let point = Bounds {
                low: position,
                high: position,
            };
            if self.bounds.nearest_squared(&point, self.factors) <= limit {
                self.sites.push(site_coordinates);
            }
            site += thread::block_dim_x() as usize;
        }
    }

    /// Compares the voxels with the first `count` buffered sites.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn compare(&self, count: usize) {
        let [fx, fy, fz] = self.factors;
        Self::for_each_column(|column| {
            let x = C::from_coordinate((self.first[0] + column as u32 % BRICK) as f32);
            let y = C::from_coordinate((self.first[1] + column as u32 / BRICK) as f32);
            let mut z = [C::ZERO; HEIGHT];
            let mut smallest = [C::ZERO; HEIGHT];
            let mut k = 0;
            while k < HEIGHT {
                z[k] = C::from_coordinate((self.first[2] + k as u32) as f32);
                smallest[k] = C::narrow(self.best.read(k * COLUMNS + column));
                k += 1;
            }
            let mut site = 0;
            while site < count {
                let [sx, sy, sz] = self.sites.site_coordinates(site).map(C::from_coordinate);
                let across = C::squared_along(fx, x, sx).plus(C::squared_along(fy, y, sy));
                let mut k = 0;
                while k < HEIGHT {
                    smallest[k] = smallest[k].smaller(across.plus(C::squared_along(fz, z[k], sz)));
                    k += 1;
                }
                site += 1;
            }
            let mut k = 0;
            while k < HEIGHT {
                self.best.write(k * COLUMNS + column, smallest[k].widen());
                k += 1;
            }
        });
    }

    /// Compares the voxels with all sites within `radius` of the brick. All threads of the block
    /// must call it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn compare_near_sites(
        &self,
        sorted: View<f32>,
        starts: View<u64>,
        boxes: View<f32>,
        cubes: Cubes,
        search: &SearchRadii,
        radius: f32,
    ) {
        let factors = search.factors::<f32>();
        let low = self.first.map(|first| first as f32);
        let high = low.map(|low| low + (BRICK - 1) as f32);
        let bounds = Bounds { low, high };
        let range = |axis: usize, count: u32| {
            let along = radius / factors[axis] * SLACK;
            (
                cubes.along(count, low[axis] - along),
                cubes.along(count, high[axis] + along),
            )
        };
        let limit = C::narrow(radius as f64 * radius as f64);
        let (x, y, z) = (range(0, cubes.nx), range(1, cubes.ny), range(2, cubes.nz));
        let (mut cx, mut cy, mut cz) = (x.0, y.0, z.0);
        self.sites.clear();
        while cz <= z.1 {
            let cube = cubes.index(cx, cy, cz);
            let (mut start, end) = (starts.read(cube) as usize, starts.read(cube + 1) as usize);
            let cube_bounds = Bounds::read(boxes, cube);
            if start < end && bounds.nearest_squared(&cube_bounds, factors) > radius * radius {
                start = end;
            }
            self.sites.for_each_batch(
                start,
                end,
                |count| self.compare(count),
                |start, end| self.append_near_sites(sorted, start, end, limit),
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

/// Writes the distance of every voxel of a slab: exact up to `search.exact_max`, estimated beyond,
/// and truncated at the maximum distance.
///
/// **Mapping:** one brick per block, columns of 8 voxels along z per thread, whose squared
/// distances stay in registers during a comparison. **Phases**, separated by barriers: (1) threads
/// stride over the sites of the cubes within the search radius and append the near ones to a buffer
/// of 512 sites; (2) every thread compares its voxels with all buffered sites, all lanes reading
/// the same one. **Shared memory:** 10 KiB. **Global memory:** reads each nearby site once per
/// brick and writes one distance per voxel.
///
/// # Safety
/// `sorted`, `starts` and `boxes` are the results of the sorting kernels, `nodes` and `centres`
/// those of [`measure_nodes`]; `distances` holds one element per voxel of the slab.
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
    search: SearchRadii,
    distances: ViewMut<f32>,
) {
    let sites = shared_view![f32; 3 * CAPACITY];
    let count = shared_view![u32; 1];
    let best = shared_view![f64; HEIGHT * COLUMNS];
    let grid = slab.grid;
    let brick_radius = search.brick_radius();
    let searched = search.search_max as f32;
    let mut index = thread::block_idx_x() as u64;
    while index < slab.bricks() {
        let (row, bx) = div_rem(index, along_bricks(grid.nx));
        let (layer, by) = div_rem(row, along_bricks(grid.ny));
        let brick = [bx as u32, by as u32, slab.first + layer as u32];
        let first = brick.map(|brick| brick * BRICK);
        let [x, y, z] = brick;
        let centre = centres.read(nodes.index(x + 1, y + 1, z + 1));
        let is_near = centre <= (searched + brick_radius) * SLACK;
        if is_near {
            let farthest = centre + brick_radius;
            let radius = SLACK
                * if farthest < searched {
                    farthest
                } else {
                    searched
                };
            let low = first.map(|first| C::from_coordinate(first as f32));
            let high = first.map(|first| C::from_coordinate((first + BRICK - 1) as f32));
            let brick_search = BrickSearch {
                sites: SiteBuffer {
                    coordinates: sites,
                    count,
                },
                best,
                bounds: Bounds { low, high },
                factors: search.factors(),
                first,
            };
            BrickSearch::<C>::for_each_column(|column| {
                let mut k = 0;
                while k < HEIGHT {
                    best.write(k * COLUMNS + column, f64::INFINITY);
                    k += 1;
                }
            });
            brick_search.compare_near_sites(sorted, starts, boxes, cubes, &search, radius);
        }
        BrickSearch::<C>::for_each_column(|column| {
            let (cx, cy) = (column as u32 % BRICK, column as u32 / BRICK);
            let (x, y) = (first[0] + cx, first[1] + cy);
            if x >= grid.nx || y >= grid.ny {
                return;
            }
            let estimate = Estimate::from_centres(centres, nodes, brick, cx, cy);
            let mut k = 0;
            while k < HEIGHT {
                let z = first[2] + k as u32;
                if z < grid.nz {
                    let squared = if is_near {
                        best.read(k * COLUMNS + column)
                    } else {
                        f64::INFINITY
                    };
                    let units = blend_distance(&search, squared, estimate.value(k));
                    let voxel = grid.sample(x, y, z - slab.first * BRICK);
                    distances.write(voxel, search.scale.length(units));
                }
                k += 1;
            }
        });
        index += thread::grid_dim_x() as u64;
    }
}

/// Returns the distance of a voxel, in units, blended from the squared distance found and the
/// estimate.
#[inline(always)]
fn blend_distance(search: &SearchRadii, squared: f64, estimate: f32) -> f64 {
    let found = GpuFloat::sqrt(squared);
    if squared <= search.exact_max * search.exact_max {
        return found;
    }
    if search.exact_max == search.search_max {
        return f64::INFINITY;
    }
    // Distances that were not found are larger than `search.exact_max`.
    let estimate = estimate as f64;
    let estimate = if estimate < search.exact_max {
        search.exact_max
    } else {
        estimate
    };
    if found >= search.search_max {
        return estimate;
    }
    let weight = (found - search.exact_max) / (search.search_max - search.exact_max);
    found + weight * (estimate - found)
}

/// Distances along a column of a brick, interpolated between the centres of bricks.
#[derive(Clone, Copy)]
struct Estimate {
    /// Value in the plane through the centre of the previous brick.
    before: f32,
    /// Value in the plane through the centre of the brick.
    here: f32,
    /// Value in the plane through the centre of the next brick.
    after: f32,
}

impl Estimate {
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn from_centres(centres: View<f32>, nodes: Nodes, brick: [u32; 3], cx: u32, cy: u32) -> Self {
        let (x, weight_x) = interpolation(cx);
        let (y, weight_y) = interpolation(cy);
        let (x, y) = (brick[0] + x, brick[1] + y);
        let plane = |z: u32| {
            let row = |y: u32| {
                let offset = nodes.index(x, y, z);
                centres.read(offset) * (1.0 - weight_x) + centres.read(offset + 1) * weight_x
            };
            row(y) * (1.0 - weight_y) + row(y + 1) * weight_y
        };
        Self {
            before: plane(brick[2]),
            here: plane(brick[2] + 1),
            after: plane(brick[2] + 2),
        }
    }

    /// Returns the estimate for voxel `k` of the column.
    #[inline(always)]
    fn value(&self, k: usize) -> f32 {
        let (node, weight) = interpolation(k as u32);
        let (low, high) = if node == 0 {
            (self.before, self.here)
        } else {
            (self.here, self.after)
        };
        low * (1.0 - weight) + high * weight
    }
}

/// Returns the two brick centres between which voxel `k` of a brick lies (0: the previous brick and
/// this one; 1: this one and the next), and its fractional position between them, strictly between
/// 0 and 1.
#[inline(always)]
fn interpolation(k: u32) -> (u32, f32) {
    let node = k / (BRICK / 2);
    let from = k as f32 + 0.5 - (BRICK / 2) as f32;
    let along = from / BRICK as f32;
    (node, if node == 0 { along + 1.0 } else { along })
}
