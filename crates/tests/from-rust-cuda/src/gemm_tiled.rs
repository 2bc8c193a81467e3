use core::mem::MaybeUninit;
use cuda_std::prelude::*;
use cuda_std::{address_space, instrument, shared_array};

const TILE: usize = 8;
const TILE_2D: usize = TILE * TILE;

/// Computes `c = alpha a b + beta c` by tiles in shared memory, like Rust-CUDA's example, with a
/// `static mut` for each matrix. `barriers` omits one of the two barriers (1, 2) or both (0); 3 is
/// correct.
#[kernel]
#[allow(
    improper_ctypes_definitions,
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    clippy::needless_range_loop
)]
pub unsafe fn gemm_tiled(
    a: &[f32],
    b: &[f32],
    c: *mut f32,
    m: usize,
    n: usize,
    k: usize,
    alpha: f32,
    beta: f32,
    barriers: u32,
) {
    #[address_space(shared)]
    static mut TILE_A: [MaybeUninit<f32>; TILE_2D] = [const { MaybeUninit::uninit() }; TILE_2D];
    #[address_space(shared)]
    static mut TILE_B: [MaybeUninit<f32>; TILE_2D] = [const { MaybeUninit::uninit() }; TILE_2D];

    let tx = thread::thread_idx_x() as usize;
    let ty = thread::thread_idx_y() as usize;
    let row = thread::block_idx_y() as usize * TILE + ty;
    let col = thread::block_idx_x() as usize * TILE + tx;
    let mut sum = 0.0f32;
    for kk in (0..k).step_by(TILE) {
        if row < m && kk + tx < k {
            TILE_A[ty * TILE + tx].write(a[row * k + (kk + tx)]);
        } else {
            TILE_A[ty * TILE + tx].write(0.0);
        }
        if col < n && kk + ty < k {
            TILE_B[ty * TILE + tx].write(b[(kk + ty) * n + col]);
        } else {
            TILE_B[ty * TILE + tx].write(0.0);
        }
        if barriers & 1 != 0 {
            thread::sync_threads();
        }
        for i in 0..TILE {
            sum += TILE_A[ty * TILE + i].assume_init() * TILE_B[i * TILE + tx].assume_init();
        }
        if barriers & 2 != 0 {
            thread::sync_threads();
        }
    }
    if row < m && col < n {
        let c = c.add(row * n + col);
        *c = alpha * sum + beta * *c;
    }
}

/// Computes the dot product of a row and a column of tiles.
#[instrument]
unsafe fn dot(a: *const f32, b: *const f32) -> f32 {
    let mut sum = 0.0;
    for i in 0..TILE {
        sum += *a.add(i) * *b.add(i * TILE);
    }
    sum
}

/// Computes the dot product in an uninstrumented function.
unsafe fn hidden_dot(a: *const f32, b: *const f32) -> f32 {
    let mut sum = 0.0;
    for i in 0..TILE {
        sum += *a.add(i) * *b.add(i * TILE);
    }
    sum
}

/// Multiplies two tiles with `shared_array!`. `way` selects whether the sums are computed by an
/// instrumented function (0), by an uninstrumented one (1), by that with tiles filled by another
/// uninstrumented one (2), or with a sum that all threads write (3).
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn tile_product(a: &[f32], b: &[f32], c: *mut f32, barrier: bool, way: u32) {
    let left = shared_array![f32; 64];
    let right = shared_array![f32; 64];
    let (x, y) = (
        thread::thread_idx_x() as usize,
        thread::thread_idx_y() as usize,
    );
    let i = y * TILE + x;
    if way == 2 {
        left.add(i).copy_from_nonoverlapping(&a[i], 1);
        right.add(i).copy_from_nonoverlapping(&b[i], 1);
    } else {
        *left.add(i) = a[i];
        right.add(i).write(b[i]);
    }
    if barrier {
        thread::sync_threads();
    }
    if way == 3 {
        *c = left.read();
    }
    *c.add(i) = match way {
        0 => dot(left.add(y * TILE), right.add(x)),
        _ => hidden_dot(left.add(y * TILE), right.add(x)),
    };
}

/// Each thread increments its element and copies the element `step` further on to an element of `y`
/// that `share` threads have in common.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn neighbours(x: &mut [f32], y: *mut f32, step: usize, share: usize) {
    let i = thread::index_1d() as usize;
    if i + step < x.len() {
        x[i] += 1.0;
        let elem = &mut *y.add(i / share);
        *elem = x[i + step];
    }
}
