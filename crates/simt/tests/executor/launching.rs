//! Every thread of every block runs once with its own indices, and invalid launch configurations
//! are refused.

use crate::common::{MODES, launch, run};
use simt::{Dim3, LaunchError, LaunchShape, Mode, current};
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

#[test]
fn every_thread_of_a_3d_grid_runs_once_with_its_own_indices() {
    let (grid, block) = (Dim3::new(3, 2, 4), Dim3::new(5, 3, 2));
    for mode in MODES {
        let seen = Mutex::new(HashSet::new());
        launch("indices", LaunchShape::new(grid, block), mode, || {
            assert_eq!((current::grid_dim(), current::block_dim()), (grid, block));
            let thread = current::thread_idx();
            let rank = thread.x + 5 * (thread.y + 3 * thread.z);
            assert_eq!(current::thread_rank(), rank);
            assert!(current::is_active());
            let fresh = seen.lock().unwrap().insert((current::block_idx(), thread));
            assert!(fresh, "a thread ran twice");
        })
        .unwrap();
        let seen = seen.into_inner().unwrap();
        assert_eq!(seen.len() as u64, grid.count() * block.count(), "{mode:?}");
        let inside = |of: Dim3, at: Dim3| at.x < of.x && at.y < of.y && at.z < of.z;
        assert!(
            seen.iter()
                .all(|&(b, t)| inside(grid, b) && inside(block, t))
        );
    }
    assert!(!current::is_active());
}

#[test]
fn indices_are_kept_across_waits() {
    for mode in MODES {
        let shape = LaunchShape::new((2, 2, 2), (4, 4, 4));
        launch("indices", shape, mode, || {
            let before = (
                current::block_idx(),
                current::thread_idx(),
                current::thread_rank(),
            );
            for _ in 0..3 {
                simt::sync::barrier();
                simt::sync::warp_sync(u32::MAX);
                let now = (
                    current::block_idx(),
                    current::thread_idx(),
                    current::thread_rank(),
                );
                assert_eq!(before, now);
            }
        })
        .unwrap();
    }
}

#[test]
fn blocks_run_in_parallel() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(8)
        .build()
        .unwrap();
    for threads in [1, 33] {
        let ran = AtomicU64::new(0);
        let workers = Mutex::new(HashSet::new());
        let blocks = 20_000;
        pool.install(|| {
            run(blocks, threads, Mode::Fast, || {
                if current::thread_rank() == 0 {
                    let block = u64::from(current::block_idx().x);
                    ran.fetch_add(block + 1, Ordering::Relaxed);
                    workers.lock().unwrap().insert(std::thread::current().id());
                    // Slow enough for the other workers to claim blocks.
                    if block.is_multiple_of(256) {
                        std::thread::sleep(std::time::Duration::from_millis(1));
                    }
                }
            })
        })
        .unwrap();
        let blocks = u64::from(blocks);
        assert_eq!(ran.into_inner(), blocks * (blocks + 1) / 2);
        assert!(
            workers.into_inner().unwrap().len() > 1,
            "one worker did it all"
        );
    }
}

#[test]
fn an_empty_grid_is_refused() {
    for mode in MODES {
        for grid in [Dim3::new(0, 1, 1), Dim3::new(5, 0, 2), Dim3::new(1, 1, 0)] {
            let result = launch("none", LaunchShape::new(grid, 32), mode, || {
                panic!("a thread ran")
            });
            let Err(LaunchError::Shape { problem, .. }) = result else {
                panic!("{mode:?}: {result:?}");
            };
            assert!(problem.contains(&grid.to_string()), "{problem}");
        }
    }
}

#[test]
fn invalid_blocks_are_refused_with_their_sizes() {
    let refused = |block: Dim3, dynamic_shared_bytes: u32| {
        let shape = LaunchShape {
            grid: Dim3::new(1, 1, 1),
            block,
            dynamic_shared_bytes,
        };
        let result = launch("refused", shape, Mode::Fast, || panic!("a thread ran"));
        assert!(
            matches!(result, Err(LaunchError::Shape { .. })),
            "{result:?}"
        );
        result.unwrap_err().to_string()
    };
    let text = refused(Dim3::new(32, 0, 1), 0);
    assert!(
        text.contains("`refused`") && text.contains("(32, 0, 1)"),
        "{text}"
    );
    let text = refused(Dim3::new(1025, 1, 1), 0);
    assert!(
        text.contains("1025 threads") && text.contains("1024"),
        "{text}"
    );
    let text = refused(Dim3::new(u32::MAX, u32::MAX, u32::MAX), 0);
    assert!(text.contains("1024"), "{text}");
    let text = refused(Dim3::new(1, 1, 65), 0);
    assert!(text.contains("65") && text.contains("64"), "{text}");
    let text = refused(Dim3::new(32, 1, 1), 300_000);
    assert!(text.contains("300000") && text.contains("232448"), "{text}");
}

#[test]
fn the_largest_block_runs() {
    for mode in MODES {
        let ran = AtomicU32::new(0);
        launch("largest", LaunchShape::new(2, (4, 4, 64)), mode, || {
            simt::sync::barrier();
            ran.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
        assert_eq!(ran.into_inner(), 2048);
    }
}

#[test]
fn a_launch_inside_a_kernel_is_an_error() {
    for mode in MODES {
        let nested = AtomicU32::new(0);
        run(4, 2, mode, || {
            let result = launch("inner", LaunchShape::new(1, 1), Mode::Fast, || {});
            if let Err(LaunchError::Nested { kernel }) = result {
                assert_eq!(kernel, "inner");
                nested.fetch_add(1, Ordering::Relaxed);
            }
        })
        .unwrap();
        assert_eq!(nested.into_inner(), 8);
    }
}

#[test]
#[should_panic(expected = "no kernel runs on this thread")]
fn an_index_outside_a_launch_panics() {
    current::thread_idx();
}

#[test]
#[should_panic(expected = "no kernel runs on this thread")]
fn a_barrier_outside_a_launch_panics() {
    simt::sync::barrier();
}

#[test]
fn a_block_may_wait_for_an_earlier_block() {
    // The chain of a single-pass scan: each block waits for its predecessor's result.
    const BLOCKS: u32 = 500;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(4)
        .build()
        .unwrap();
    for threads in [1, 40] {
        let done: Vec<AtomicU32> = (0..=BLOCKS).map(|_| AtomicU32::new(0)).collect();
        done[0].store(1, Ordering::Release);
        pool.install(|| {
            run(BLOCKS, threads, Mode::Fast, || {
                let block = current::block_idx().x as usize;
                if current::thread_rank() == 0 {
                    loop {
                        let before = done[block].load(Ordering::Acquire);
                        if before != 0 {
                            done[block + 1].store(before + 1, Ordering::Release);
                            break;
                        }
                        simt::sync::yield_thread();
                    }
                }
                simt::sync::barrier();
            })
        })
        .unwrap();
        assert_eq!(done[BLOCKS as usize].load(Ordering::Relaxed), BLOCKS + 1);
    }
}

#[test]
fn errors_can_be_sent_to_other_threads_and_boxed() {
    fn is_portable<E: std::error::Error + Send + Sync + 'static>() {}
    is_portable::<LaunchError>();
}
