use cuda_std::{address_space, kernel, thread};

const TILE: usize = 8;

/// Computes `c = alpha * a * b + beta * c` by tiles in shared memory; `a` has `m` rows and `k`
/// columns.
#[kernel]
#[allow(
    improper_ctypes_definitions,
    clippy::missing_safety_doc,
    clippy::too_many_arguments
)]
pub unsafe fn gemm_blocked(
    a: &[f32],
    b: &[f32],
    c: *mut f32,
    m: usize,
    n: usize,
    k: usize,
    alpha: f32,
    beta: f32,
) {
    #[address_space(shared)]
    static mut TILE_A: [f32; TILE * TILE] = [0.0; TILE * TILE];
    #[address_space(shared)]
    static mut TILE_B: [f32; TILE * TILE] = [0.0; TILE * TILE];

    let x = thread::thread_idx_x() as usize;
    let y = thread::thread_idx_y() as usize;
    let row = thread::block_idx_x() as usize * TILE + y;
    let column = thread::block_idx_y() as usize * TILE + x;
    let mut sum = 0.0;
    for start in (0..k).step_by(TILE) {
        TILE_A[y * TILE + x] = if row < m && start + x < k {
            a[row * k + start + x]
        } else {
            0.0
        };
        TILE_B[y * TILE + x] = if column < n && start + y < k {
            b[(start + y) * n + column]
        } else {
            0.0
        };
        thread::sync_threads();
        for i in 0..TILE {
            sum += TILE_A[y * TILE + i] * TILE_B[i * TILE + x];
        }
        thread::sync_threads();
    }
    if row < m && column < n {
        let c = c.add(row * n + column);
        *c = alpha * sum + beta * *c;
    }
}
