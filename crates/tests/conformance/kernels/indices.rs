//! All indices and extents.

use cuda_std::prelude::*;
use cuda_std::shared_array;

/// Indices and extents of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Place {
    pub thread: [u32; 3],
    pub block: [u32; 3],
    pub block_dim: [u32; 3],
    pub grid_dim: [u32; 3],
    pub index_2d: [u32; 2],
    pub index_3d: [u32; 3],
    pub first: u32,
    pub warp_size: u32,
}

/// Each thread stores its indices in the element `thread::index()`.
#[kernel]
pub unsafe fn places(output: *mut Place) {
    let thread = thread::thread_idx();
    let block = thread::block_idx();
    let block_dim = thread::block_dim();
    let grid_dim = thread::grid_dim();
    let two = thread::index_2d();
    let three = thread::index_3d();
    *output.add(thread::index() as usize) = Place {
        thread: [thread.x, thread.y, thread.z],
        block: [block.x, block.y, block.z],
        block_dim: [block_dim.x, block_dim.y, block_dim.z],
        grid_dim: [grid_dim.x, grid_dim.y, grid_dim.z],
        index_2d: [two.x, two.y],
        index_3d: [three.x, three.y, three.z],
        first: thread::first() as u32,
        warp_size: thread::warp_size(),
    };
}

/// Sums the index components over the block in thread order.
#[kernel]
pub unsafe fn ranks(output: *mut u32) {
    let counts = shared_array![u32; 1024];
    let rank = (thread::thread_idx_z() * thread::block_dim_y() + thread::thread_idx_y())
        * thread::block_dim_x()
        + thread::thread_idx_x();
    *counts.add(rank as usize) = rank;
    thread::sync_threads();
    if rank == 0 {
        let mut sum = 0;
        let threads = thread::block_dim().product();
        for i in 0..threads {
            sum += *counts.add(i as usize);
        }
        let block = (thread::block_idx_z() * thread::grid_dim_y() + thread::block_idx_y())
            * thread::grid_dim_x()
            + thread::block_idx_x();
        *output.add(block as usize) = sum;
    }
}
