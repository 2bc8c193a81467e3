//! Kernel threads that catch the unwinding that ends them: the launch must return all the same.

use crate::common::{CHECKED, MODES, Words, launch, only_finding, rank, run};
use simt::sync::{barrier, named_barrier, warp_exchange, warp_sync, yield_thread};
use simt::{FindingKind, LaunchError, LaunchShape, Limits, Mode, current};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Maximum duration of a launch in these tests. A launch that hangs exceeds it on any machine.
const PATIENCE: Duration = Duration::from_secs(100);

/// Returns the result of `work`, which runs on another thread. Panics if it does not end.
fn run_within_patience<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = channel();
    std::thread::spawn(move || sender.send(work()));
    receiver
        .recv_timeout(PATIENCE)
        .expect("the launch ends, and does not panic")
}

fn end_quietly() -> ! {
    resume_unwind(Box::new("quietly"))
}

/// Calls `wait` again whenever its unwinding has been caught.
fn retry_forever(wait: impl Fn()) -> ! {
    loop {
        let _ = catch_unwind(AssertUnwindSafe(&wait));
    }
}

#[track_caller]
fn assert_panicked(result: &Result<(), LaunchError>) {
    let Err(LaunchError::KernelPanicked { message, .. }) = result else {
        panic!("{result:?}");
    };
    assert_eq!(message, "quietly");
}

#[test]
fn a_loop_around_any_wait_ends_with_its_block() {
    let waits: [fn(); 5] = [
        barrier,
        || warp_sync(u32::MAX),
        || _ = warp_exchange(0xFF, 1),
        || named_barrier(1, 32),
        yield_thread,
    ];
    for mode in MODES {
        for wait in waits {
            let result = run_within_patience(move || {
                run(1, 8, mode, || {
                    if rank() == 6 {
                        end_quietly();
                    }
                    retry_forever(wait);
                })
            });
            assert_panicked(&result);
        }
    }
}

/// The inner `catch_unwind` drops the payload inside the outer one.
#[test]
fn a_loop_around_nested_catches_ends_with_its_block() {
    let result = run_within_patience(|| {
        run(1, 4, Mode::Fast, || {
            if rank() == 3 {
                end_quietly();
            }
            retry_forever(|| _ = catch_unwind(|| drop(catch_unwind(barrier))));
        })
    });
    assert_panicked(&result);
}

#[test]
fn a_loop_in_a_block_of_one_thread_ends_when_another_block_fails() {
    let result = run_within_patience(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build();
        pool.unwrap().install(|| {
            run(4, 1, Mode::Fast, || {
                if current::block_idx().x == 0 {
                    end_quietly();
                }
                retry_forever(yield_thread);
            })
        })
    });
    assert_panicked(&result);
}

/// Without a yield, a block learns of the failure when its threads are released.
#[test]
fn a_block_that_polls_with_barriers_or_warp_operations_ends_when_another_block_fails() {
    let waits: [fn(); 4] = [
        barrier,
        || warp_sync(u32::MAX),
        || _ = warp_exchange(u32::MAX, 1),
        || named_barrier(1, 32),
    ];
    for wait in waits {
        let result = run_within_patience(move || {
            let never = AtomicU32::new(0);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build();
            pool.unwrap().install(|| {
                run(4, 32, Mode::Fast, || {
                    if current::block_idx().x == 0 {
                        end_quietly();
                    }
                    while never.load(Ordering::Relaxed) == 0 {
                        wait();
                    }
                })
            })
        });
        assert_panicked(&result);
    }
}

#[test]
fn a_thread_over_its_step_limit_ends_despite_catching() {
    let result = run_within_patience(|| {
        let limits = Limits {
            steps: Some(500),
            ..Limits::NONE
        };
        let words = Words::new(1);
        limits.apply(|| run(1, 2, CHECKED, || retry_forever(|| _ = words.read(0))))
    });
    assert!(
        matches!(result, Err(LaunchError::StepLimit { .. })),
        "{result:?}"
    );
}

#[test]
fn a_thread_with_a_finding_ends_despite_catching() {
    let result = run_within_patience(|| {
        let words = Words::new(4);
        run(1, 4, CHECKED, || {
            if rank() == 2 {
                retry_forever(|| words.write(99, 1));
            }
            barrier();
        })
    });
    let finding = only_finding(result);
    assert!(matches!(finding.kind, FindingKind::OutOfBounds { .. }));
    assert_eq!(finding.occurrences, 1);
}

/// Handlers of a caught end run, and dropping the payload then ends the thread.
#[test]
fn the_payload_unwinds_again_when_its_thread_drops_it() {
    let (caught, passed) = (AtomicU32::new(0), AtomicU32::new(0));
    let result = run(1, 4, Mode::Fast, || {
        if rank() == 3 {
            end_quietly();
        }
        match catch_unwind(barrier) {
            Ok(()) => {}
            Err(_) => _ = caught.fetch_add(1, Ordering::Relaxed),
        }
        passed.fetch_add(1, Ordering::Relaxed);
    });
    assert_panicked(&result);
    assert_eq!((caught.into_inner(), passed.into_inner()), (3, 0));
}

/// A payload that leaves its launch is an ordinary value, and raising it in another launch is a
/// panic like any other.
#[test]
fn a_payload_has_no_effect_outside_of_its_thread() {
    type Payload = Box<dyn Any + Send>;
    let stored: Mutex<Vec<Payload>> = Mutex::default();
    let result = run(1, 4, Mode::Fast, || {
        if rank() == 3 {
            end_quietly();
        }
        if let Err(payload) = catch_unwind(barrier) {
            stored.lock().unwrap().push(payload);
        }
    });
    assert_panicked(&result);
    let mut stored = stored.into_inner().unwrap();
    assert_eq!(stored.len(), 3);
    drop(stored.pop());
    let next = Mutex::new(stored.pop());
    let result = launch("second", LaunchShape::new(1, 1), Mode::Fast, || {
        if let Some(payload) = next.lock().unwrap().take() {
            resume_unwind(payload);
        }
    });
    let text = result.unwrap_err().to_string();
    assert!(text.contains("another kernel thread"), "{text}");
    let last = Mutex::new(stored.pop());
    run(1, 4, Mode::Fast, || drop(last.lock().unwrap().take())).unwrap();
}
