use core::sync::atomic::Ordering;
use cuda_std::atomic::{mid, AtomicF32};
use cuda_std::intrinsics;
use cuda_std::misc;
use cuda_std::prelude::*;
use cuda_std::warp::{self, FULL_MASK};

/// Rotates numbers by one lane, and finds the lanes with equal ones.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn rotate_long(x: &[u128], out: *mut u128, equal: *mut u32) {
    let i = thread::thread_idx_x();
    let mine = x[i as usize];
    let (before, _) = warp::warp_shuffle_idx(FULL_MASK, mine, i + 31, 32);
    *out.add(i as usize) = before;
    *equal.add(i as usize) = warp::warp_match_any(FULL_MASK, mine);
}

/// Measures a short wait, and records the lane masks.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn wait(out: *mut [u64; 6]) {
    let before = misc::clock();
    thread::nanosleep(200);
    let ticks = misc::clock() - before;
    let masks = [
        warp::lane_mask_eq(),
        warp::lane_mask_lt(),
        warp::lane_mask_le(),
        warp::lane_mask_gt(),
        warp::lane_mask_ge(),
    ]
    .map(u64::from);
    *out.add(thread::index_1d() as usize) =
        [ticks, masks[0], masks[1], masks[2], masks[3], masks[4]];
}

/// Sums with the atomics of both levels.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn sum_up(x: &[f32], high: *const AtomicF32, low: *mut f32, most: *mut u32) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        (*high).fetch_add(x[i], Ordering::Relaxed);
        mid::atomic_fetch_add_f32_device(low, Ordering::Relaxed, x[i]);
        mid::atomic_fetch_max_u32_device(most, Ordering::Relaxed, x[i] as u32);
    }
}

/// Evaluates functions of both float traits.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn float_functions(p: &[f32], out: *mut [f32; 4]) {
    let i = thread::index_1d() as usize;
    if i < p.len() {
        *out.add(i) = [
            p[i].inv_norm_cdf(),
            p[i].inv_complementary_error_function(),
            p[i].scaled_complementary_error_function(),
            GpuFloat::sin(p[i]),
        ];
    }
}

/// Uses `alloc` without importing it.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn lengths(numbers: &[u32], out: *mut usize) {
    let i = thread::index_1d() as usize;
    if i < numbers.len() {
        let text: String = format!("<{}>", numbers[i]);
        let boxed: Box<Vec<u8>> = Box::new(text.to_owned().into_bytes());
        *out.add(i) = Rc::new(boxed).len() + 'x'.to_string().len();
    }
}

/// Computes intervals that contain the sum, the product with a third number, and the root of two
/// numbers.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc, unused_unsafe)]
pub unsafe fn intervals(
    x: &[f32],
    y: &[f64],
    narrow: *mut [f32; 4],
    wide: *mut [f64; 2],
    high: *mut i32,
) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        let (a, b) = (x[i], x[x.len() - 1 - i]);
        *narrow.add(i) = unsafe {
            [
                intrinsics::fadd_rd(a, b),
                intrinsics::fadd_ru(a, b),
                intrinsics::fsqrt_rz(a),
                intrinsics::float2half_rn(b) as f32,
            ]
        };
        *wide.add(i) = [
            intrinsics::fma_ru(y[i], y[i], y[0]),
            intrinsics::drcp_rd(y[i]),
        ];
        *high.add(i) =
            intrinsics::umulhi(intrinsics::float_as_int(a), -1) + intrinsics::float2int_rn(b);
    }
}
