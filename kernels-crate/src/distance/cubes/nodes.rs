//! Distances at the centres of the bricks.

use super::{BRICK, Bounds, SLACK, SearchRadii};
use crate::{
    arith::{div_ceil_u32, div_rem},
    block,
    distance::metric::{Real, squared},
    operator::{Max, Min},
};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Grid of brick centres, extended by one centre on each side of the volume.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// Number of nodes along x.
    pub nx: u32,
    /// Number of nodes along y.
    pub ny: u32,
    /// Number of nodes along z.
    pub nz: u32,
}

/// Number of nodes along each side of a group, the unit of work of a block.
const GROUP_SIDE: u32 = 4;
/// Number of nodes in a group.
const GROUP: usize = (GROUP_SIDE * GROUP_SIDE * GROUP_SIDE) as usize;
/// Number of sites in shared memory at a time.
const TILE: usize = 256;
/// Capacity of the list of cubes in shared memory.
const LIST_CAPACITY: usize = 256;

impl Nodes {
    /// Returns the number of nodes.
    #[inline(always)]
    pub const fn count(self) -> u64 {
        self.nx as u64 * self.ny as u64 * self.nz as u64
    }

    /// Returns the number of groups, the units of work of the blocks.
    #[inline(always)]
    pub const fn groups(self) -> u64 {
        div_ceil_u32(self.nx, GROUP_SIDE) as u64
            * div_ceil_u32(self.ny, GROUP_SIDE) as u64
            * div_ceil_u32(self.nz, GROUP_SIDE) as u64
    }

    /// Returns the index of a node.
    #[inline(always)]
    pub const fn index(self, x: u32, y: u32, z: u32) -> usize {
        ((z as u64 * self.ny as u64 + y as u64) * self.nx as u64 + x as u64) as usize
    }

    /// Returns the coordinate of node `node` along an axis, in voxels. Node 1 is the centre of the
    /// first brick.
    #[inline(always)]
    fn coordinate(node: u32) -> f32 {
        (node * BRICK) as f32 - (BRICK as f32 + 1.0) / 2.0
    }

    /// Returns the first node of a group.
    #[inline(always)]
    const fn group_at(self, group: u64) -> [u32; 3] {
        let (row, x) = div_rem(group, div_ceil_u32(self.nx, GROUP_SIDE) as u64);
        let (z, y) = div_rem(row, div_ceil_u32(self.ny, GROUP_SIDE) as u64);
        [
            x as u32 * GROUP_SIDE,
            y as u32 * GROUP_SIDE,
            z as u32 * GROUP_SIDE,
        ]
    }
}

/// Group of nodes processed by a block.
#[derive(Clone, Copy)]
struct Group<C> {
    first: [u32; 3],
    factors: [C; 3],
    /// Smallest squared distance of each node so far. Each thread accesses only its own nodes.
    best: SharedView<f64>,
}

impl<C: Real> Group<C> {
    /// Returns the coordinates of node `i` of the group in the grid of nodes.
    #[inline(always)]
    fn node(&self, i: usize) -> [u32; 3] {
        let i = i as u32;
        let [x, y, z] = self.first;
        [
            x + i % GROUP_SIDE,
            y + i / GROUP_SIDE % GROUP_SIDE,
            z + i / (GROUP_SIDE * GROUP_SIDE),
        ]
    }

    /// Calls `visit` for each node of the calling thread.
    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize)) {
        let mut i = thread::thread_idx_x() as usize;
        while i < GROUP {
            visit(i);
            i += thread::block_dim_x() as usize;
        }
    }

    /// Compares the nodes with the sites from `start` to `end`. All threads of the block must call
    /// it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn compare(&self, sorted: View<f32>, start: usize, end: usize) {
        let tile = shared_view![f32; 3 * TILE];
        let mut start = 3 * start;
        while start < 3 * end {
            let remaining = 3 * end - start;
            let loaded = if remaining < 3 * TILE {
                remaining
            } else {
                3 * TILE
            };
            thread::sync_threads();
            let mut i = thread::thread_idx_x() as usize;
            while i < loaded {
                tile.write(i, sorted.read(start + i));
                i += thread::block_dim_x() as usize;
            }
            thread::sync_threads();
            self.for_each(|i| {
                let [x, y, z] = self.node(i);
                let at = [
                    C::from_coordinate(Nodes::coordinate(x)),
                    C::from_coordinate(Nodes::coordinate(y)),
                    C::from_coordinate(Nodes::coordinate(z)),
                ];
                let mut smallest = C::narrow(self.best.read(i));
                let mut k = 0;
                while k + 2 < loaded {
                    let site = [
                        C::from_coordinate(tile.read(k)),
                        C::from_coordinate(tile.read(k + 1)),
                        C::from_coordinate(tile.read(k + 2)),
                    ];
                    smallest = smallest.smaller(squared(self.factors, at, site));
                    k += 3;
                }
                self.best.write(i, smallest.widen());
            });
            start += 3 * TILE;
        }
    }
}

/// Writes the distance of every node in units. Distances up to `search.node_max` are exact; larger
/// ones may be overestimated.
///
/// **Mapping:** one group of 4 × 4 × 4 nodes per block, one node per thread. **Phases:** (1) find
/// the cube whose farthest site is nearest to the group and compare its sites, which yields an
/// upper bound; (2) list the cubes within that bound, at most 256 at a time, and compare their
/// sites. **Shared memory:** 4.6 KiB: 256 sites, the list of cubes, and the distances of the nodes.
/// **Global memory:** reads all boxes twice and the sites of the nearby cubes once per group;
/// writes one distance per node.
///
/// # Safety
/// There is at least one site; `sorted`, `starts` and `boxes` are the results of the sorting
/// kernels; `distances` holds `nodes.count()` elements.
#[kernel(C = [f32, f64])]
pub unsafe fn measure_nodes<C: Real>(
    sorted: View<f32>,
    starts: View<u64>,
    boxes: View<f32>,
    nodes: Nodes,
    search: SearchRadii,
    distances: ViewMut<f32>,
) {
    let list = shared_view![u32; LIST_CAPACITY];
    let list_length = shared_view![u32; 1];
    let best = shared_view![f64; GROUP];
    let cubes = starts.len() - 1;
    let threads = thread::block_dim_x() as usize;
    let rank = thread::thread_idx_x() as usize;
    let factors = search.factors::<f32>();
    let mut index = thread::block_idx_x() as u64;
    while index < nodes.groups() {
        let first = nodes.group_at(index);
        let group = Group::<C> {
            first,
            factors: search.factors(),
            best,
        };
        let low = [
            Nodes::coordinate(first[0]),
            Nodes::coordinate(first[1]),
            Nodes::coordinate(first[2]),
        ];
        let side = ((GROUP_SIDE - 1) * BRICK) as f32;
        let high = [low[0] + side, low[1] + side, low[2] + side];
        let bounds = Bounds { low, high };
        let mut nearest = u64::MAX;
        let mut cube = rank;
        while cube < cubes {
            if starts.read(cube) < starts.read(cube + 1) {
                let farthest = bounds.farthest_squared(&Bounds::read(boxes, cube), factors);
                // Squared distances are not negative, so their bit patterns have the same order.
                let key = (farthest.to_bits() as u64) << 32 | cube as u64;
                nearest = if key < nearest { key } else { nearest };
            }
            cube += threads;
        }
        let nearest = block::reduce::<u64, Min>(nearest) as u32;
        group.for_each(|i| best.write(i, f64::INFINITY));
        if rank == 0 {
            list.write(0, nearest);
        }
        thread::sync_threads();
        let (mut count, mut next) = (1, 0);
        let mut limit = f32::INFINITY;
        loop {
            let mut i = 0;
            while i < count {
                let cube = list.read(i as usize) as usize;
                group.compare(
                    sorted,
                    starts.read(cube) as usize,
                    starts.read(cube + 1) as usize,
                );
                i += 1;
            }
            if next == 0 {
                let mut largest = 0.0;
                group.for_each(|i| {
                    let found = best.read(i) as f32;
                    largest = if found > largest { found } else { largest };
                });
                let largest = cuda_std::GpuFloat::sqrt(block::reduce::<f32, Max>(largest));
                let bound = search.node_max as f32;
                let radius = SLACK * if largest < bound { largest } else { bound };
                limit = radius * radius;
            }
            if next >= cubes {
                break;
            }
            thread::sync_threads();
            if rank == 0 {
                list_length.write(0, 0);
            }
            thread::sync_threads();
            let end = if cubes - next < LIST_CAPACITY {
                cubes
            } else {
                next + LIST_CAPACITY
            };
            let mut cube = next + rank;
            while cube < end {
                if starts.read(cube) < starts.read(cube + 1) && cube as u32 != nearest {
                    let cube_bounds = Bounds::read(boxes, cube);
                    if bounds.nearest_squared(&cube_bounds, factors) <= limit {
                        list.write(list_length.atomic_add(0, 1) as usize, cube as u32);
                    }
                }
                cube += threads;
            }
            thread::sync_threads();
            count = list_length.read(0);
            next = end;
        }
        group.for_each(|i| {
            let [x, y, z] = group.node(i);
            if x < nodes.nx && y < nodes.ny && z < nodes.nz {
                let found = cuda_std::GpuFloat::sqrt(best.read(i)) as f32;
                distances.write(nodes.index(x, y, z), found);
            }
        });
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}
