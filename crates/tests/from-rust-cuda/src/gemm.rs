use cuda_std::prelude::*;

/// Computes `c = alpha a b + beta c`, row-major, with one thread per element of `c`.
#[kernel]
#[allow(
    improper_ctypes_definitions,
    clippy::missing_safety_doc,
    clippy::too_many_arguments
)]
pub unsafe fn gemm(
    a: &[f32],
    b: &[f32],
    c: *mut f32,
    m: usize,
    n: usize,
    k: usize,
    alpha: f32,
    beta: f32,
) {
    let row = (thread::block_dim_x() * thread::block_idx_x() + thread::thread_idx_x()) as usize;
    let col = (thread::block_dim_y() * thread::block_idx_y() + thread::thread_idx_y()) as usize;
    if row < m && col < n {
        let mut sum = 0.0f32;
        for i in 0..k {
            sum += a[row * k + i] * b[i * n + col];
        }
        let elem = &mut *c.add(row * n + col);
        *elem = alpha * sum + beta * *elem;
    }
}
