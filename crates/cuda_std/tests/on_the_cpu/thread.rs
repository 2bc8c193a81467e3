//! Indices, barriers and polling.

use crate::support::{MODES, shape, shape_for};
use cuda_std::glam::UVec2;
use cuda_std::launch_on_cpu;
use cuda_std::prelude::*;
use cuda_std::shared_array;
use simt::Dim3;

#[kernel]
pub unsafe fn count_visits(visits: ViewMut<u32>, components: ViewMut<u32>) {
    let i = thread::index();
    visits.atomic_add(i as usize, 1);
    let (block, at) = (thread::block_dim(), thread::index_3d());
    assert_eq!(at, thread::block_idx() * block + thread::thread_idx());
    assert_eq!(UVec2::new(at.x, at.y), thread::index_2d());
    assert_eq!(at.x, thread::index_1d());
    assert_eq!(u64::from(at.x), thread::index_1d_u64());
    assert_eq!(
        thread::grid_dim().to_array(),
        [
            thread::grid_dim_x(),
            thread::grid_dim_y(),
            thread::grid_dim_z()
        ]
    );
    if thread::first() {
        components.atomic_add(0, 1);
    }
}

#[test]
fn every_thread_has_its_own_index() {
    for mode in MODES {
        for (grid, block) in [
            (Dim3::new(5, 1, 1), Dim3::new(33, 1, 1)),
            (Dim3::new(2, 3, 4), Dim3::new(4, 3, 2)),
            (Dim3::new(1, 1, 1), Dim3::new(1, 1, 64)),
        ] {
            let threads = usize::try_from(grid.count() * block.count()).unwrap();
            let (mut visits, mut firsts) = (vec![0; threads], [0]);
            let args = (
                ViewMut::from(&mut visits[..]),
                ViewMut::from(&mut firsts[..]),
            );
            // SAFETY: atomics only.
            unsafe { launch_on_cpu::<count_visits>(shape(grid, block), mode, args) }.unwrap();
            assert!(visits.iter().all(|&v| v == 1));
            assert_eq!(firsts, [1]);
        }
    }
}

#[kernel]
pub unsafe fn predicates(out: ViewMut<u32>) {
    let t = thread::thread_idx_x();
    let n = thread::block_dim_x();
    let results = [
        thread::sync_threads_count(u32::from(t.is_multiple_of(3))),
        u32::from(thread::sync_threads_and(7) != 0),
        u32::from(thread::sync_threads_and(u32::from(t != n - 1)) != 0),
        u32::from(thread::sync_threads_or(u32::from(t == n - 1)) != 0),
        u32::from(thread::sync_threads_or(0) != 0),
    ];
    for (i, result) in results.into_iter().enumerate() {
        out.write(thread::index_1d() as usize * 5 + i, result);
    }
}

#[test]
fn barriers_combine_predicates() {
    for mode in MODES {
        for block in [1_u32, 2, 31, 64, 100] {
            let mut out = vec![9; 3 * block as usize * 5];
            let args = (ViewMut::from(&mut out[..]),);
            // SAFETY: five elements per thread.
            unsafe { launch_on_cpu::<predicates>(shape(3, block), mode, args) }.unwrap();
            for row in out.chunks(5) {
                assert_eq!(row, [block.div_ceil(3), 1, 0, 1, 0]);
            }
        }
    }
}

#[kernel]
pub unsafe fn wait_for_the_last(data: ViewMut<u32>) {
    let flag = shared_array![u32; 1];
    let t = thread::thread_idx_x() as usize;
    // SAFETY: one word of the block, accessed only atomically after the barrier.
    let flag = unsafe {
        if t == 0 {
            *flag = 0;
        }
        cuda_std::atomic::BlockAtomicU32::from_ptr(flag)
    };
    thread::sync_threads();
    if t == thread::block_dim_x() as usize - 1 {
        thread::block_fence();
        flag.store(1, core::sync::atomic::Ordering::Release);
    } else {
        // No nanosleep: the loads alone let the last thread run.
        while flag.load(core::sync::atomic::Ordering::Acquire) == 0 {}
    }
    thread::device_fence();
    thread::grid_fence();
    thread::system_fence();
    data.write(t, 1);
}

#[test]
fn a_polling_loop_lets_the_block_continue() {
    for mode in MODES {
        let mut data = [0; 64];
        let args = (ViewMut::from(&mut data[..]),);
        // SAFETY: one element per thread.
        unsafe { launch_on_cpu::<wait_for_the_last>(shape_for(64, 64), mode, args) }.unwrap();
        assert_eq!(data, [1; 64]);
    }
}
