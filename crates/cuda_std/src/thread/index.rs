//! Thread and block indices, and block and grid extents.

use super::imp;
use glam::{UVec2, UVec3};

macro_rules! component {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[inline(always)]
            #[must_use]
            pub fn $name() -> u32 {
                imp::$name()
            }
        )+
    };
}

component! {
    /// Returns the thread's index within its block along x; less than [`block_dim_x`], at most
    /// 1023.
    thread_idx_x;
    /// Returns the thread's index within its block along y; less than [`block_dim_y`], at most
    /// 1023.
    thread_idx_y;
    /// Returns the thread's index within its block along z; less than [`block_dim_z`], at most 63.
    thread_idx_z;
    /// Returns the block's index within the grid along x; less than [`grid_dim_x`].
    block_idx_x;
    /// Returns the block's index within the grid along y; less than [`grid_dim_y`], at most 65534.
    block_idx_y;
    /// Returns the block's index within the grid along z; less than [`grid_dim_z`], at most 65534.
    block_idx_z;
    /// Returns the block's extent in threads along x; 1 to 1024.
    block_dim_x;
    /// Returns the block's extent in threads along y; 1 to 1024.
    block_dim_y;
    /// Returns the block's extent in threads along z; 1 to 64.
    block_dim_z;
    /// Returns the grid's extent in blocks along x; 1 to 2³¹ - 1.
    grid_dim_x;
    /// Returns the grid's extent in blocks along y; 1 to 65535.
    grid_dim_y;
    /// Returns the grid's extent in blocks along z; 1 to 65535.
    grid_dim_z;
}

/// Returns the thread's index within its block.
#[inline(always)]
#[must_use]
pub fn thread_idx() -> UVec3 {
    UVec3::new(thread_idx_x(), thread_idx_y(), thread_idx_z())
}

/// Returns the block's index within the grid.
#[inline(always)]
#[must_use]
pub fn block_idx() -> UVec3 {
    UVec3::new(block_idx_x(), block_idx_y(), block_idx_z())
}

/// Returns the block's extent in threads along each axis.
#[inline(always)]
#[must_use]
pub fn block_dim() -> UVec3 {
    UVec3::new(block_dim_x(), block_dim_y(), block_dim_z())
}

/// Returns the grid's extent in blocks along each axis.
#[inline(always)]
#[must_use]
pub fn grid_dim() -> UVec3 {
    UVec3::new(grid_dim_x(), grid_dim_y(), grid_dim_z())
}

/// Returns the thread's linear index within the launch: blocks in order, and x fastest within a
/// block.
///
/// It wraps above 2³² threads. For a one-dimensional launch [`index_1d`] is equivalent and cheaper.
#[inline(always)]
#[must_use]
pub fn index() -> u32 {
    let (grid, block) = (grid_dim(), block_dim());
    let (b, t) = (block_idx(), thread_idx());
    let block_rank =
        b.z.wrapping_mul(grid.y)
            .wrapping_add(b.y)
            .wrapping_mul(grid.x)
            .wrapping_add(b.x);
    let thread_rank = (t.z * block.y + t.y) * block.x + t.x;
    block_rank
        .wrapping_mul(block.element_product())
        .wrapping_add(thread_rank)
}

/// Returns the thread's index along x within the grid. It wraps at 2³², see [`index_1d_u64`].
#[inline(always)]
#[must_use]
pub fn index_1d() -> u32 {
    block_idx_x()
        .wrapping_mul(block_dim_x())
        .wrapping_add(thread_idx_x())
}

/// Returns the thread's index along x within the grid, for grids of more than 2³² threads.
#[inline(always)]
#[must_use]
pub fn index_1d_u64() -> u64 {
    u64::from(block_idx_x()) * u64::from(block_dim_x()) + u64::from(thread_idx_x())
}

/// Returns the thread's index along x and y within the grid.
#[inline(always)]
#[must_use]
pub fn index_2d() -> UVec2 {
    UVec2::new(index_1d(), block_idx_y() * block_dim_y() + thread_idx_y())
}

/// Returns the thread's index along x, y and z within the grid.
#[inline(always)]
#[must_use]
pub fn index_3d() -> UVec3 {
    UVec3::new(
        index_1d(),
        block_idx_y() * block_dim_y() + thread_idx_y(),
        block_idx_z() * block_dim_z() + thread_idx_z(),
    )
}

/// Returns `true` for thread 0 of block 0, that is, for exactly one thread of a launch. It need not
/// be the first to run.
#[inline(always)]
#[must_use]
pub fn first() -> bool {
    block_idx() == UVec3::ZERO && thread_idx() == UVec3::ZERO
}

/// Returns the number of threads per warp: 32 on all devices so far.
#[inline(always)]
#[must_use]
pub const fn warp_size() -> u32 {
    32
}
