//! The distances at the centres of the bricks.

use super::{BRICK, Bounds, SLACK, Search};
use crate::{
    arith::{div_rem, quotient_up_u32},
    block,
    distance::measure::{Real, squared},
    operator::{Max, Min},
};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// The centres of bricks: those of a volume, and one more on each side.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// Nodes along x.
    pub nx: u32,
    /// Nodes along y.
    pub ny: u32,
    /// Nodes along z.
    pub nz: u32,
}

/// Nodes along each side of a group, the work that a block takes at a time.
const SIDE: u32 = 4;
/// Nodes of a group.
const GROUP: usize = (SIDE * SIDE * SIDE) as usize;
/// Sites in shared memory at a time.
const TILE: usize = 256;
/// Cubes that are looked at together.
const LISTED: usize = 256;

impl Nodes {
    /// How many.
    #[inline(always)]
    pub const fn count(self) -> u64 {
        self.nx as u64 * self.ny as u64 * self.nz as u64
    }

    /// Groups that blocks share.
    #[inline(always)]
    pub const fn groups(self) -> u64 {
        quotient_up_u32(self.nx, SIDE) as u64
            * quotient_up_u32(self.ny, SIDE) as u64
            * quotient_up_u32(self.nz, SIDE) as u64
    }

    /// The number of a node.
    #[inline(always)]
    pub const fn number(self, x: u32, y: u32, z: u32) -> usize {
        ((z as u64 * self.ny as u64 + y as u64) * self.nx as u64 + x as u64) as usize
    }

    /// The coordinate of node `node` along an axis, in voxels: node 1 is the centre of the first
    /// brick.
    #[inline(always)]
    fn coordinate(node: u32) -> f32 {
        (node * BRICK) as f32 - (BRICK as f32 + 1.0) / 2.0
    }

    /// The first node of a group.
    #[inline(always)]
    const fn group_at(self, group: u64) -> [u32; 3] {
        let (row, x) = div_rem(group, quotient_up_u32(self.nx, SIDE) as u64);
        let (z, y) = div_rem(row, quotient_up_u32(self.ny, SIDE) as u64);
        [x as u32 * SIDE, y as u32 * SIDE, z as u32 * SIDE]
    }
}

/// What a block knows of its group.
#[derive(Clone, Copy)]
struct Group<C> {
    first: [u32; 3],
    factors: [C; 3],
    /// The least squared distance of each node so far. A thread reads and writes those of its own
    /// nodes.
    best: SharedView<f64>,
}

impl<C: Real> Group<C> {
    /// Where node `i` of the group is.
    #[inline(always)]
    fn node(&self, i: usize) -> [u32; 3] {
        let i = i as u32;
        let [x, y, z] = self.first;
        [x + i % SIDE, y + i / SIDE % SIDE, z + i / (SIDE * SIDE)]
    }

    /// Calls `visit` for the calling thread's nodes.
    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize)) {
        let mut i = thread::thread_idx_x() as usize;
        while i < GROUP {
            visit(i);
            i += thread::block_dim_x() as usize;
        }
    }

    /// Compares the nodes with the sites from `start` to `end`. All threads must call it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn compare(&self, sorted: View<f32>, start: usize, end: usize) {
        let tile = shared_view![f32; 3 * TILE];
        let mut start = 3 * start;
        while start < 3 * end {
            let rest = 3 * end - start;
            let here = if rest < 3 * TILE { rest } else { 3 * TILE };
            thread::sync_threads();
            let mut i = thread::thread_idx_x() as usize;
            while i < here {
                tile.write(i, sorted.read(start + i));
                i += thread::block_dim_x() as usize;
            }
            thread::sync_threads();
            self.for_each(|i| {
                let [x, y, z] = self.node(i);
                let at = [
                    C::of(Nodes::coordinate(x)),
                    C::of(Nodes::coordinate(y)),
                    C::of(Nodes::coordinate(z)),
                ];
                let mut least = C::narrow(self.best.read(i));
                let mut k = 0;
                while k + 2 < here {
                    let site = [
                        C::of(tile.read(k)),
                        C::of(tile.read(k + 1)),
                        C::of(tile.read(k + 2)),
                    ];
                    least = least.least(squared(self.factors, at, site));
                    k += 3;
                }
                self.best.write(i, least.widen());
            });
            start += 3 * TILE;
        }
    }
}

/// Writes the distance of every node, in units, and +∞ where it is more than `search.at_nodes` or
/// might be.
///
/// A block takes groups of 4 × 4 × 4 nodes, a thread single nodes. The cube whose farthest site is
/// nearest to the group is gone through first; then all cubes whose sites are not farther than what
/// that found. Sites are staged in shared memory, 256 of them; with the list of cubes and the
/// nodes' distances that takes 4.6 KiB.
///
/// # Safety
/// There is a site; `sorted`, `starts` and `boxes` are what the kernels of the sort leave;
/// `distances` holds `nodes.count()` elements.
#[kernel(C = [f32, f64])]
pub unsafe fn measure_nodes<C: Real>(
    sorted: View<f32>,
    starts: View<u64>,
    boxes: View<f32>,
    nodes: Nodes,
    search: Search,
    distances: ViewMut<f32>,
) {
    let list = shared_view![u32; LISTED];
    let listed = shared_view![u32; 1];
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
        let side = ((SIDE - 1) * BRICK) as f32;
        let high = [low[0] + side, low[1] + side, low[2] + side];
        let bounds = Bounds { low, high };
        let mut nearest = u64::MAX;
        let mut cube = rank;
        while cube < cubes {
            if starts.read(cube) < starts.read(cube + 1) {
                let farthest = bounds.farthest_squared(&Bounds::of_cube(boxes, cube), factors);
                // squares are not negative: their bits are in their order
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
                let mut most = 0.0;
                group.for_each(|i| {
                    let found = best.read(i) as f32;
                    most = if found > most { found } else { most };
                });
                let most = cuda_std::GpuFloat::sqrt(block::reduce::<f32, Max>(most));
                let bound = search.at_nodes as f32;
                let reach = SLACK * if most < bound { most } else { bound };
                limit = reach * reach;
            }
            if next >= cubes {
                break;
            }
            thread::sync_threads();
            if rank == 0 {
                listed.write(0, 0);
            }
            thread::sync_threads();
            let end = if cubes - next < LISTED {
                cubes
            } else {
                next + LISTED
            };
            let mut cube = next + rank;
            while cube < end {
                if starts.read(cube) < starts.read(cube + 1) && cube as u32 != nearest {
                    let there = Bounds::of_cube(boxes, cube);
                    if bounds.nearest_squared(&there, factors) <= limit {
                        list.write(listed.atomic_add(0, 1) as usize, cube as u32);
                    }
                }
                cube += threads;
            }
            thread::sync_threads();
            count = listed.read(0);
            next = end;
        }
        group.for_each(|i| {
            let [x, y, z] = group.node(i);
            if x < nodes.nx && y < nodes.ny && z < nodes.nz {
                let found = cuda_std::GpuFloat::sqrt(best.read(i)) as f32;
                distances.write(nodes.number(x, y, z), found);
            }
        });
        thread::sync_threads();
        index += thread::grid_dim_x() as u64;
    }
}
