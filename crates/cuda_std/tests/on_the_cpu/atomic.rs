//! Atomics under contention: every type and operation, on views and by Rust-CUDA's functions.

use crate::support::{MODES, shape_for};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use cuda_std::atomic::*;
use cuda_std::launch_on_cpu;
use cuda_std::prelude::*;

const THREADS: usize = 500;

/// Defines a test of every operation of one integer type, each on its own word, starting with the
/// values of `starts`.
macro_rules! integer_operations {
    ($kernel:ident $test:ident $word:ident $atomic:ident $block:ident $system:ident $bits:literal) => {
        #[kernel]
        pub unsafe fn $kernel(words: ViewMut<$word>, raw: *mut $word) {
            let i = thread::index_1d() as usize;
            if i >= THREADS {
                return;
            }
            let x = i as $word;
            words.atomic_add(0, x);
            words.atomic_min(1, x);
            words.atomic_max(2, x);
            words.atomic_and(3, !(x & 6));
            words.atomic_or(4, x);
            words.atomic_exchange(5, x);
            let mut old = words.atomic_load(6, Relaxed);
            while let Err(now) = words.atomic_compare_exchange(6, old, old + 2) {
                old = now;
            }
            words.atomic_xor(7, x);
            // SAFETY: the test passes twelve words, which are only accessed atomically.
            let at = |k: usize| unsafe { $atomic::from_ptr(raw.add(k)) };
            at(0).fetch_add(x, AcqRel);
            at(1).fetch_sub(x, SeqCst);
            at(2).fetch_min(x, Release);
            at(3).fetch_max(x, Acquire);
            at(4).fetch_and(!(x & 6), Relaxed);
            at(5).fetch_or(x, Relaxed);
            at(6).fetch_xor(x, Relaxed);
            at(7).swap(x, AcqRel);
            at(8)
                .fetch_update(AcqRel, Acquire, |old| Some(old + 3))
                .unwrap();
            // SAFETY: as above.
            unsafe { $system::from_ptr(raw.add(9)) }.fetch_add(1, SeqCst);
            // SAFETY: as above; the executor's threads are one machine.
            unsafe { $block::from_ptr(raw.add(10)) }.fetch_add(1, Relaxed);
            if i == 0 {
                at(11).store(77, Release);
            }
        }

        #[test]
        fn $test() {
            let n = THREADS as $word;
            let sum = n * (n - 1) / 2;
            let or = (0..n).fold(0, |a, x| a | x);
            let xor = (0..n).fold(0, |a, x| a ^ x);
            for mode in MODES {
                let mut words: [$word; 8] = [0, 400, 3, !0, 0, 9999, 0, 0];
                let mut raw: [$word; 12] = [0, 2 * sum, 400, 3, !0, 0, 0, 9999, 0, 0, 0, 0];
                let args = (ViewMut::from(&mut words[..]), raw.as_mut_ptr());
                // SAFETY: enough words, which are only accessed atomically.
                unsafe { launch_on_cpu::<$kernel>(shape_for(THREADS, 64), mode, args) }.unwrap();
                assert_eq!(words[..5], [sum, 0, n - 1, !6, or]);
                assert!(words[5] < n);
                assert_eq!(words[6..], [2 * n, xor]);
                assert_eq!(raw[..7], [sum, sum, 0, n - 1, !6, or, xor]);
                assert!(raw[7] < n);
                assert_eq!(raw[8..], [3 * n, n, n, 77]);
            }
        }
    };
}

integer_operations!(on_u32 u32_operations u32 AtomicU32 BlockAtomicU32 SystemAtomicU32 32);
integer_operations!(on_i32 i32_operations i32 AtomicI32 BlockAtomicI32 SystemAtomicI32 32);
integer_operations!(on_u64 u64_operations u64 AtomicU64 BlockAtomicU64 SystemAtomicU64 64);
integer_operations!(on_i64 i64_operations i64 AtomicI64 BlockAtomicI64 SystemAtomicI64 64);

#[kernel]
pub unsafe fn on_floats(narrow: ViewMut<f32>, wide: ViewMut<f64>, raw: *mut f32, raw64: *mut f64) {
    let i = thread::index_1d() as usize;
    if i >= THREADS {
        return;
    }
    let x = (i % 8) as f32;
    narrow.atomic_add(0, x);
    wide.atomic_add(0, f64::from(x));
    wide.atomic_exchange(1, f64::from(x));
    // SAFETY: the test passes enough words, which are only accessed atomically.
    unsafe {
        AtomicF32::from_ptr(raw).fetch_add(x, Relaxed);
        SystemAtomicF32::from_ptr(raw.add(1)).fetch_sub(x, AcqRel);
        BlockAtomicF32::from_ptr(raw.add(2)).fetch_add(x, Relaxed);
        AtomicF32::from_ptr(raw.add(3)).fetch_and(-1.0, Relaxed);
        AtomicF32::from_ptr(raw.add(4)).fetch_or(-0.0, Relaxed);
        AtomicF32::from_ptr(raw.add(5)).fetch_xor(-0.0, Relaxed);
        AtomicF64::from_ptr(raw64).fetch_add(f64::from(x), SeqCst);
        SystemAtomicF64::from_ptr(raw64.add(1)).fetch_sub(f64::from(x), Release);
        BlockAtomicF64::from_ptr(raw64.add(2)).fetch_add(1.0, Acquire);
    }
}

#[test]
fn float_operations() {
    let sum: f32 = (0..THREADS).map(|i| (i % 8) as f32).sum();
    for mode in MODES {
        let (mut narrow, mut wide) = ([0.5_f32], [0.5_f64, 0.0]);
        let mut raw = [0.0_f32, 0.0, 0.0, -1.5, 2.0, 3.0];
        let mut raw64 = [0.0_f64; 3];
        let args = (
            ViewMut::from(&mut narrow[..]),
            ViewMut::from(&mut wide[..]),
            raw.as_mut_ptr(),
            raw64.as_mut_ptr(),
        );
        // SAFETY: enough words, which are only accessed atomically.
        unsafe { launch_on_cpu::<on_floats>(shape_for(THREADS, 32), mode, args) }.unwrap();
        assert_eq!((narrow[0], wide[0]), (sum + 0.5, f64::from(sum) + 0.5));
        assert_eq!(raw[..3], [sum, -sum, sum]);
        assert_eq!(raw[3..], [-1.0, -2.0, 3.0]);
        assert_eq!(raw64, [f64::from(sum), -f64::from(sum), THREADS as f64]);
    }
}

#[test]
fn intrinsics_return_the_old_value() {
    let mut word = 10_u32;
    let mut wide = 0_i64;
    let mut float = 1.5_f32;
    // SAFETY: pointers to local variables.
    unsafe {
        assert_eq!(
            intrinsics::atomic_fetch_add_relaxed_u32_device(&mut word, 5),
            10
        );
        assert_eq!(intrinsics::atomic_fetch_inc_acqrel_u32_block(&mut word), 15);
        assert_eq!(
            intrinsics::atomic_fetch_dec_volatile_u32_system(&mut word),
            16
        );
        assert_eq!(
            intrinsics::atomic_fetch_cas_acquire_u32_device(&mut word, 15, 1),
            15
        );
        assert_eq!(
            intrinsics::atomic_fetch_cas_release_u32_device(&mut word, 15, 2),
            1
        );
        assert_eq!(intrinsics::atomic_load_acquire_32_system(&word), 1);
        assert_eq!(
            intrinsics::atomic_fetch_sub_release_i64_device(&mut wide, 9),
            0
        );
        assert_eq!(mid::atomic_fetch_min_i64_system(&mut wide, SeqCst, -20), -9);
        assert_eq!(
            mid::atomic_fetch_exch_f32_device(&mut float, AcqRel, 2.5),
            1.5
        );
        assert_eq!(
            mid::atomic_fetch_cas_f32_block(&mut float, Relaxed, 2.5, 3.5),
            2.5
        );
        mid::atomic_store_32_device(&mut word, SeqCst, 8);
        assert_eq!(mid::atomic_load_32_block(&mut word, SeqCst), 8);
        intrinsics::fence_acqrel_block();
        intrinsics::fence_sc_device();
        intrinsics::membar_system();
    }
    mid::device_thread_fence(AcqRel);
    mid::block_thread_fence(Relaxed);
    mid::system_thread_fence(SeqCst);
    assert_eq!((wide, float), (-20, 3.5));
}

#[test]
fn constructors() {
    let mut word = AtomicU64::new(3);
    *word.get_mut() += 1;
    assert_eq!(word.into_inner(), 4);
    assert_eq!(BlockAtomicF64::from(0.5).into_inner(), 0.5);
    assert_eq!(SystemAtomicI32::from(-1).load(Acquire), -1);
    assert_eq!(
        AtomicU32::new(1).compare_exchange(2, 3, Release, Acquire),
        Err(1)
    );
}

#[test]
#[should_panic(expected = "a load cannot release")]
fn a_load_cannot_release() {
    let _ = AtomicF32::new(0.0).load(Release);
}

#[test]
#[should_panic(expected = "a store cannot acquire")]
fn a_store_cannot_acquire() {
    AtomicI64::new(0).store(1, Acquire);
}
