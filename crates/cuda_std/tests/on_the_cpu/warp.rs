//! Lanes, shuffles, votes, matches and reductions, compared with plain Rust.

use crate::support::{MODES, shape};
use cuda_std::launch_on_cpu;
use cuda_std::prelude::*;
use cuda_std::warp::{self, FULL_MASK, WarpReductionOp};

#[kernel]
pub unsafe fn shuffles(
    input: View<f64>,
    out: ViewMut<f64>,
    inside: ViewMut<u8>,
    delta: u32,
    width: u32,
) {
    let i = thread::index_1d() as usize;
    let x = input.read(i);
    // SAFETY: whole warps, and all lanes make these calls.
    let results = unsafe {
        [
            warp::warp_shuffle_up(FULL_MASK, x, delta, width),
            warp::warp_shuffle_down(FULL_MASK, x, delta, width),
            warp::warp_shuffle_idx(FULL_MASK, x, delta, width),
            warp::warp_shuffle_xor(FULL_MASK, x, delta, width),
        ]
    };
    for (k, (value, ok)) in results.into_iter().enumerate() {
        out.write(4 * i + k, value);
        inside.write(4 * i + k, u8::from(ok));
    }
}

#[test]
fn shuffles_read_the_right_lane() {
    let input: Vec<f64> = (0..64).map(|i| f64::from(i) + 0.25).collect();
    for mode in MODES {
        for (delta, width) in [(1, 32), (5, 32), (3, 8), (16, 32), (31, 32), (0, 1), (2, 4)] {
            let (mut out, mut inside) = (vec![0.0; 256], vec![9_u8; 256]);
            let args = (
                View::from(&input[..]),
                ViewMut::from(&mut out[..]),
                ViewMut::from(&mut inside[..]),
                delta,
                width,
            );
            // SAFETY: two whole warps.
            unsafe { launch_on_cpu::<shuffles>(shape(1, 64), mode, args) }.unwrap();
            for i in 0..64_i64 {
                let (w, d) = (i64::from(width), i64::from(delta));
                let segment = i / w * w;
                let within = |j: i64| (segment..segment + w).contains(&j).then_some(j);
                let sources = [
                    within(i - d),
                    within(i + d),
                    Some(segment + d % w),
                    (i / 32 == (i ^ d) / 32 && (i ^ d) < segment + w).then_some(i ^ d),
                ];
                for (k, source) in sources.into_iter().enumerate() {
                    let at = 4 * i as usize + k;
                    let want = f64::from(source.unwrap_or(i) as i32) + 0.25;
                    assert_eq!(
                        out[at], want,
                        "lane {i} kind {k} delta {delta} width {width}"
                    );
                    assert_eq!(inside[at], u8::from(source.is_some()));
                }
            }
        }
    }
}

#[kernel]
pub unsafe fn votes(input: View<i64>, out: ViewMut<u32>) {
    let i = thread::index_1d() as usize;
    let x = input.read(i);
    // The last warp of 48 threads has sixteen lanes.
    let mask = if i < 32 { FULL_MASK } else { 0xffff };
    // Before the first warp operation no lane can have exited.
    let active = warp::activemask();
    // SAFETY: the mask contains the existing lanes, and all of them make these calls.
    let results = unsafe {
        [
            warp::warp_vote_ballot(mask, x % 2 == 0),
            u32::from(warp::warp_vote_all(mask, x >= 0)),
            u32::from(warp::warp_vote_all(mask, x > 0)),
            u32::from(warp::warp_vote_any(mask, x == 3)),
            u32::from(warp::warp_vote_any(mask, x < 0)),
            warp::warp_match_any(mask, x % 5),
            warp::warp_match_all(mask, x % 5).unwrap_or(0),
            warp::warp_match_all(mask, x / 1000).unwrap_or(0),
            active,
            warp::lane_mask_lt() | warp::lane_mask_eq() | warp::lane_mask_gt(),
            warp::lane_mask_le() & warp::lane_mask_ge(),
        ]
    };
    for (k, result) in results.into_iter().enumerate() {
        out.write(11 * i + k, result);
    }
}

#[test]
fn votes_and_matches() {
    let input: Vec<i64> = (0..48).map(|i| i * 7 % 40).collect();
    let lanes_where = |warp: std::ops::Range<usize>, test: &dyn Fn(i64) -> bool| {
        input[warp]
            .iter()
            .enumerate()
            .fold(0_u32, |mask, (lane, &x)| mask | u32::from(test(x)) << lane)
    };
    for mode in MODES {
        let mut out = vec![0; 48 * 11];
        let args = (View::from(&input[..]), ViewMut::from(&mut out[..]));
        // SAFETY: eleven results per thread.
        unsafe { launch_on_cpu::<votes>(shape(1, 48), mode, args) }.unwrap();
        for (i, row) in out.chunks(11).enumerate() {
            let (range, mask) = if i < 32 {
                (0..32, FULL_MASK)
            } else {
                (32..48, 0xffff)
            };
            let x = input[i];
            let has = |test: &dyn Fn(i64) -> bool| lanes_where(range.clone(), test);
            let want = [
                has(&|x| x % 2 == 0),
                u32::from(has(&|x| x >= 0) == mask),
                u32::from(has(&|x| x > 0) == mask),
                u32::from(has(&|x| x == 3) != 0),
                0,
                has(&|y| y % 5 == x % 5),
                0,
                mask,
                mask,
                FULL_MASK,
                1 << (i % 32),
            ];
            assert_eq!(row, want, "thread {i}");
        }
    }
}

macro_rules! reductions {
    ($kernel:ident $test:ident $ty:ident { $($operation:expr, $fold:expr;)+ }) => {
        #[kernel]
        pub unsafe fn $kernel(input: View<$ty>, out: ViewMut<$ty>, mask: u32) {
            let i = thread::index_1d() as usize;
            let x = input.read(i);
            if mask >> warp::lane_id() & 1 != 0 {
                // SAFETY: exactly the lanes of the mask make this call.
                let results = unsafe { [$($operation(mask, x)),+] };
                for (k, result) in results.into_iter().enumerate() {
                    out.write(6 * i + k, result);
                }
            }
        }

        #[test]
        fn $test() {
            let input: Vec<$ty> = (0..64_u32).map(|i| (i * 37 % 50) as $ty).collect();
            for mode in MODES {
                for mask in [FULL_MASK, 0x0000_ffff, 0x8421_0011, 1] {
                    let mut out: Vec<$ty> = vec![99 as $ty; 64 * 6];
                    let args = (View::from(&input[..]), ViewMut::from(&mut out[..]), mask);
                    // SAFETY: six results per thread.
                    unsafe { launch_on_cpu::<$kernel>(shape(1, 64), mode, args) }.unwrap();
                    for i in (0..64).filter(|i| mask >> (i % 32) & 1 != 0) {
                        let of_warp = input[i / 32 * 32..][..32].iter().enumerate();
                        let lanes: Vec<$ty> = of_warp
                            .filter(|(lane, _)| mask >> lane & 1 != 0)
                            .map(|(_, &x)| x)
                            .collect();
                        let folds: &[fn($ty, $ty) -> $ty] = &[$($fold),+];
                        for (k, fold) in folds.iter().enumerate() {
                            let want = lanes.iter().copied().reduce(fold).unwrap();
                            assert_eq!(out[6 * i + k], want, "thread {i}, reduction {k}, mask {mask:x}");
                        }
                    }
                }
            }
        }
    };
}

/// Reduces with the operation as a value.
unsafe fn reduce_by_op(mask: u32, value: u32) -> u32 {
    // SAFETY: guaranteed by the caller.
    unsafe { warp::warp_reduce(mask, value, WarpReductionOp::Xor) }
}

reductions! { reduce_u32 u32_reductions u32 {
    warp::warp_reduce_add, |a, b| a + b;
    warp::warp_reduce_min, u32::min;
    warp::warp_reduce_max, u32::max;
    warp::warp_reduce_and, |a, b| a & b;
    warp::warp_reduce_or, |a, b| a | b;
    reduce_by_op, |a, b| a ^ b;
} }
reductions! { reduce_i64 i64_reductions i64 {
    warp::warp_reduce_add, |a, b| a + b;
    warp::warp_reduce_min, i64::min;
    warp::warp_reduce_max, i64::max;
    warp::warp_reduce_xor, |a, b| a ^ b;
} }
// Small integers add up exactly in any order.
reductions! { reduce_f32 f32_reductions f32 {
    warp::warp_reduce_add, |a, b| a + b;
    warp::warp_reduce_min, f32::min;
    warp::warp_reduce_max, f32::max;
} }

#[kernel]
pub unsafe fn butterfly(input: View<f32>, out: ViewMut<f32>) {
    let lane = warp::lane_id() as usize;
    let x = input.read(lane);
    let mut sum = x;
    for distance in [16, 8, 4, 2, 1] {
        // SAFETY: one whole warp.
        sum += unsafe { warp::warp_shuffle_xor(FULL_MASK, sum, distance, 32) }.0;
    }
    out.write(2 * lane, sum);
    // SAFETY: one whole warp.
    out.write(2 * lane + 1, unsafe { warp::warp_reduce_add(FULL_MASK, x) });
}

/// The device adds in a butterfly of shuffles; the CPU adds in the same order.
#[test]
fn float_sums_have_the_devices_order() {
    let input: Vec<f32> = (0..32_u8).map(|i| 1.0 / (f32::from(i) + 0.3)).collect();
    let mut out = [0.0; 64];
    let args = (View::from(&input[..]), ViewMut::from(&mut out[..]));
    // SAFETY: two results per lane.
    unsafe { launch_on_cpu::<butterfly>(shape(1, 32), MODES[1], args) }.unwrap();
    assert!(out.iter().all(|&x| x.to_bits() == out[0].to_bits()));
}

/// CPU pipelines launch blocks of one thread, whose warps have one lane.
#[test]
fn a_warp_of_one_lane() {
    let input = [5_u32];
    let mut out = [0; 6];
    let args = (
        View::from(&input[..]),
        ViewMut::from(&mut out[..]),
        FULL_MASK,
    );
    // SAFETY: six results for one thread.
    unsafe { launch_on_cpu::<reduce_u32>(shape(1, 1), MODES[0], args) }.unwrap();
    assert_eq!(out, [5; 6]);
}
