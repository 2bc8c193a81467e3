use cuda_std::async_copy;
use cuda_std::prelude::*;
use cuda_std::shared_view;
use cuda_std::thread::NamedBarrier;

/// Number of elements of a tile.
pub const TILE: usize = 128;

/// Sums each tile of `x`, which consists of whole tiles. The block's first warp loads tiles into
/// two buffers, and all others sum them; one named barrier signals a full buffer and another an
/// empty one.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn sum_tiles(x: View<u32>, sums: ViewMut<u32>) {
    let tiles = shared_view![u32; 2 * TILE];
    let threads = thread::block_dim_x();
    let full = (
        NamedBarrier::<1>::new(threads),
        NamedBarrier::<2>::new(threads),
    );
    let empty = (
        NamedBarrier::<3>::new(threads),
        NamedBarrier::<4>::new(threads),
    );
    let count = x.len() / TILE;
    let t = thread::thread_idx_x() as usize;
    for tile in 0..count {
        let (slot, is_first) = (tile % 2, tile % 2 == 0);
        if t < 32 {
            if tile >= 2 {
                if is_first {
                    empty.0.sync()
                } else {
                    empty.1.sync()
                }
            }
            let at = 4 * t;
            async_copy::copy_vector::<u32, 4>(x, tile * TILE + at, tiles, slot * TILE + at);
            async_copy::wait_all();
            if is_first {
                full.0.arrive()
            } else {
                full.1.arrive()
            }
        } else {
            if is_first {
                full.0.sync()
            } else {
                full.1.sync()
            }
            let mut sum = 0;
            let mut i = t - 32;
            while i < TILE {
                sum += tiles.read(slot * TILE + i);
                i += threads as usize - 32;
            }
            sums.atomic_add(tile, sum);
            if tile + 2 < count {
                if is_first {
                    empty.0.arrive()
                } else {
                    empty.1.arrive()
                }
            }
        }
    }
}
