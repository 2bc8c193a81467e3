//! Operating-system threads and re-entrancy inside of launches.

#![forbid(unsafe_code)]

use super::panic_message;
use crate::closures::launch;
use cuda_std::prelude::*;
use cuda_std::{View, address_space, shared_view};
use simt::{LaunchError, LaunchShape, Mode};
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Functions of kernels have no meaning on a thread that a kernel has started.
#[test]
fn a_thread_started_by_a_kernel_is_not_a_kernel_thread() {
    launch("starts", LaunchShape::new(2, 1), Mode::Fast, || {
        let calls: [fn(); 5] = [
            || _ = thread::thread_idx_x(),
            thread::sync_threads,
            || _ = thread::sync_threads_count(1),
            || _ = shared_view![u32; 4],
            || _ = cuda_std::warp::lane_id(),
        ];
        for call in calls {
            std::thread::scope(|scope| {
                let started = scope.spawn(|| catch_unwind(call).is_err());
                assert!(started.join().unwrap());
            });
        }
    })
    .unwrap();
}

#[test]
fn functions_of_kernels_panic_outside_of_a_launch() {
    let calls: [fn(); 6] = [
        || _ = thread::block_idx_y(),
        || _ = thread::index_1d(),
        thread::sync_threads,
        || thread::NamedBarrier::<1>::new(32).sync(),
        || thread::NamedBarrier::<15>::new(0).arrive(),
        || _ = cuda_std::warp::activemask(),
    ];
    for call in calls {
        let text = panic_message(call);
        assert!(text.contains("launch"), "{text}");
    }
}

#[test]
fn a_launch_inside_a_launch_is_refused() {
    launch("outer", LaunchShape::new(1, 1), Mode::Fast, || {
        let inner = launch("inner", LaunchShape::new(1, 1), Mode::Fast, || {
            panic!("the inner launch ran")
        });
        assert!(matches!(inner, Err(LaunchError::Nested { .. })));
    })
    .unwrap();
}

/// Launches of several operating-system threads do not share state.
#[test]
fn concurrent_launches_are_independent() {
    let total = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                launch("count", LaunchShape::new(8, 1), Mode::Fast, || {
                    total.fetch_add(thread::block_idx_x() + 1, Relaxed);
                })
                .unwrap();
            });
        }
    });
    assert_eq!(total.into_inner(), 4 * 36);
}

/// A panic in the destructor of a value of the kernel is contained, too.
#[test]
fn a_destructor_that_panics_fails_the_launch_only() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            std::panic::resume_unwind(Box::new("from a destructor"));
        }
    }
    let result = launch("bomb", LaunchShape::new(2, 1), Mode::Fast, || {
        let _bomb = Bomb;
    });
    assert!(matches!(result, Err(LaunchError::KernelPanicked { .. })));
    launch("next", LaunchShape::new(2, 1), Mode::Fast, || {}).unwrap();
}

/// A value that a kernel forgets may borrow what the launch borrows, which ends first.
#[test]
fn a_forgotten_borrow_of_a_launch_is_harmless() {
    struct Counts<'a>(View<'a, u32>, &'a AtomicU32);
    impl Drop for Counts<'_> {
        fn drop(&mut self) {
            self.1.fetch_add(self.0.read(3), Relaxed);
        }
    }
    let data = vec![1_u32; 64];
    let count = AtomicU32::new(0);
    launch("forgets", LaunchShape::new(4, 1), Mode::Fast, || {
        let counts = Counts(View::from(&data[..]), &count);
        if thread::block_idx_x() == 2 {
            std::mem::forget(counts);
        }
    })
    .unwrap();
    drop(data);
    assert_eq!(count.into_inner(), 3);
}

#[address_space(shared)]
static WORDS: [AtomicU32; 16] = [const { AtomicU32::new(0) }; 16];

/// A reference to a shared static is valid on any thread, also while later launches use it.
#[test]
fn a_kept_reference_and_later_launches_may_run_concurrently() {
    let (sender, receiver) = std::sync::mpsc::channel::<&'static [AtomicU32; 16]>();
    let sender = Mutex::new(sender);
    let rounds = if cfg!(miri) { 10 } else { 1000 };
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for words in receiver {
                words[3].fetch_add(1, Relaxed);
            }
        });
        for _ in 0..rounds {
            launch("sends", LaunchShape::new(1, 1), Mode::Fast, || {
                sender.lock().unwrap().send(&WORDS).unwrap();
                WORDS[3].fetch_add(1, Relaxed);
            })
            .unwrap();
        }
        drop(sender);
    });
}
