//! Failing kernels: the error names the thread and the reason, all values on the fibers are
//! dropped, and the next launch works.

use crate::common::{
    CHECKED, MODES, Words, findings, global_index, launch, only_finding, rank, run,
};
use simt::sync::{Reduce, barrier, barrier_reduce, warp_exchange, warp_sync};
use simt::{Dim3, FindingKind, LaunchError, LaunchShape, Mode, current};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

/// Counts its living instances.
struct Counted<'a>(&'a AtomicI64);

impl<'a> Counted<'a> {
    fn new(count: &'a AtomicI64) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Counted(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Checks that a correct launch still works on the same fibers.
fn assert_correct_launch_works() {
    for mode in MODES {
        let sum = AtomicU64::new(0);
        run(8, 100, mode, || {
            let all = barrier_reduce(Reduce::Count, 1);
            warp_sync(u32::MAX);
            sum.fetch_add(u64::from(all), Ordering::Relaxed);
        })
        .unwrap();
        assert_eq!(sum.into_inner(), 8 * 100 * 100);
    }
}

#[test]
fn a_panic_names_kernel_block_thread_and_message() {
    for mode in MODES {
        let result = launch("explodes", LaunchShape::new((4, 2), (8, 4)), mode, || {
            let at = (current::block_idx(), current::thread_idx());
            if at == (Dim3::new(2, 1, 0), Dim3::new(5, 3, 0)) {
                panic!("cell {} is wrong", 42);
            }
        });
        match result {
            Err(LaunchError::KernelPanicked {
                kernel,
                block,
                thread,
                message,
            }) => {
                assert_eq!(kernel, "explodes");
                assert_eq!((block, thread), (Dim3::new(2, 1, 0), Dim3::new(5, 3, 0)));
                assert_eq!(message, "cell 42 is wrong");
            }
            other => panic!("{other:?}"),
        }
    }
    assert_correct_launch_works();
}

#[test]
fn a_panic_in_a_block_of_one_thread_is_caught_too() {
    let result = run(100, 1, Mode::Fast, || {
        if current::block_idx().x == 77 {
            std::panic::panic_any(7_u8);
        }
    });
    let text = result.unwrap_err().to_string();
    assert!(
        text.contains("block (77, 0, 0), thread (0, 0, 0)"),
        "{text}"
    );
    assert!(text.contains("payload is not a string"), "{text}");
    assert_correct_launch_works();
}

#[test]
fn a_panic_unwinds_the_waiting_threads() {
    let wait_in = |place: usize| match place {
        0 => barrier(),
        1 => warp_sync(u32::MAX),
        2 => _ = warp_exchange(0xFF, 1),
        _ => simt::sync::yield_thread(),
    };
    for mode in MODES {
        for place in 0..4 {
            let (live, built) = (AtomicI64::new(0), AtomicU32::new(0));
            let result = run(1, 8, mode, || {
                let _first = Counted::new(&live);
                let _on_the_heap = Box::new(Counted::new(&live));
                built.fetch_add(1, Ordering::Relaxed);
                if rank() == 6 {
                    std::panic::resume_unwind(Box::new("quietly"));
                }
                wait_in(place);
                barrier();
            });
            assert!(
                matches!(result, Err(LaunchError::KernelPanicked { .. })),
                "{result:?}"
            );
            assert!(built.into_inner() >= 1);
            assert_eq!(live.into_inner(), 0, "something on a stack was not dropped");
            assert_correct_launch_works();
        }
    }
}

#[test]
fn waiting_in_a_destructor_during_unwinding_returns_at_once() {
    struct Waits;
    impl Drop for Waits {
        fn drop(&mut self) {
            barrier();
            warp_sync(u32::MAX);
            warp_exchange(u32::MAX, 1);
            simt::sync::yield_thread();
        }
    }
    for mode in MODES {
        let result = run(2, 40, mode, || {
            let _waits = Waits;
            if rank() == 20 {
                std::panic::resume_unwind(Box::new("quietly"));
            }
            barrier();
        });
        assert!(
            matches!(result, Err(LaunchError::KernelPanicked { .. })),
            "{result:?}"
        );
        assert_correct_launch_works();
    }
}

#[test]
fn a_kernel_may_catch_its_own_panics() {
    for mode in MODES {
        run(2, 40, mode, || {
            let caught = std::panic::catch_unwind(|| {
                if rank().is_multiple_of(3) {
                    std::panic::resume_unwind(Box::new("quietly"));
                }
            });
            assert_eq!(caught.is_err(), rank().is_multiple_of(3));
            barrier();
        })
        .unwrap();
    }
}

#[test]
fn catching_the_unwinding_does_not_resume_an_aborted_block() {
    let caught = AtomicU32::new(0);
    let result = run(1, 4, Mode::Fast, || {
        if rank() == 3 {
            std::panic::resume_unwind(Box::new("quietly"));
        }
        let result = std::panic::catch_unwind(barrier);
        if result.is_err() {
            caught.fetch_add(1, Ordering::Relaxed);
        }
        barrier();
        unreachable!("an aborted block passes no barrier");
    });
    let text = result.unwrap_err().to_string();
    assert!(text.contains("quietly"), "{text}");
    assert_eq!(caught.into_inner(), 3);
    assert_correct_launch_works();
}

#[test]
fn a_panic_payload_that_panics_when_dropped_is_contained() {
    struct Nasty;
    impl Drop for Nasty {
        fn drop(&mut self) {
            std::panic::resume_unwind(Box::new("again"));
        }
    }
    let result = run(1, 2, Mode::Fast, || {
        std::panic::resume_unwind(Box::new(Nasty))
    });
    assert!(
        matches!(result, Err(LaunchError::KernelPanicked { .. })),
        "{result:?}"
    );
    assert_correct_launch_works();
}

#[test]
fn an_index_out_of_bounds_is_a_finding_in_any_mode() {
    for mode in MODES {
        let words = Words::new(10);
        let result = run(1, 11, mode, || words.write(rank(), 1));
        let finding = only_finding(result);
        let kind = FindingKind::OutOfBounds {
            view: "View",
            index: 10,
            len: 10,
        };
        assert_eq!((finding.kind, finding.thread.x), (kind, 10));
        assert_eq!(
            (&*finding.kernel, finding.block),
            ("kernel", Dim3::new(0, 0, 0))
        );
        assert!(finding.site.file().ends_with("failures.rs"));
        assert_eq!(words.to_vec(), [1; 10]);
        run(1, 10, mode, || words.write(rank(), 1)).unwrap();
    }
}

#[test]
fn checked_mode_continues_after_a_finding_without_follow_up_findings() {
    let (words, passed) = (Words::new(40), AtomicU32::new(0));
    let result = run(3, 41, CHECKED, || {
        words.read(rank());
        barrier();
        warp_sync(u32::MAX);
        passed.fetch_add(1, Ordering::Relaxed);
    });
    let finding = only_finding(result);
    assert_eq!((finding.thread.x, finding.occurrences), (40, 3));
    assert_eq!(passed.into_inner(), 3 * 40);
}

#[test]
#[should_panic(expected = "index 5 is out of bounds of a View of 3 elements")]
fn out_of_bounds_outside_a_launch_is_an_ordinary_panic() {
    Words::new(3).read(5);
}

#[test]
fn a_failure_stops_other_blocks_early() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(4)
        .build()
        .unwrap();
    for threads in [1, 33] {
        let ran = AtomicU32::new(0);
        let blocks = 1_000_000;
        let result = pool.install(|| {
            run(blocks, threads, Mode::Fast, || {
                ran.fetch_add(1, Ordering::Relaxed);
                if current::block_idx().x == 3 {
                    std::panic::resume_unwind(Box::new("quietly"));
                }
            })
        });
        assert!(result.is_err());
        assert!(
            ran.into_inner() < blocks / 2 * threads,
            "nearly all blocks ran"
        );
        assert_correct_launch_works();
    }
}

#[test]
fn a_block_spinning_on_a_failed_block_ends() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(4)
        .build()
        .unwrap();
    let never = AtomicU32::new(0);
    for threads in [1, 8] {
        let result = pool.install(|| {
            run(8, threads, Mode::Fast, || {
                if current::block_idx().x == 0 {
                    std::panic::resume_unwind(Box::new("quietly"));
                }
                while never.load(Ordering::Relaxed) == 0 {
                    simt::sync::yield_thread();
                }
            })
        });
        assert!(
            matches!(result, Err(LaunchError::KernelPanicked { .. })),
            "{result:?}"
        );
    }
}

#[test]
fn a_panic_after_findings_is_part_of_the_report() {
    let words = Words::new(1);
    let report = findings(run(2, 2, CHECKED, || {
        words.write(0, 1);
        barrier();
        std::panic::resume_unwind(Box::new("quietly"));
    }));
    assert!(matches!(
        report.ended_early_by(),
        Some(LaunchError::KernelPanicked { .. })
    ));
    assert!(
        report.to_string().contains("the launch then ended early: "),
        "{report}"
    );
}

#[test]
fn a_launch_during_unwinding_is_an_error() {
    struct Launches<'a>(&'a AtomicU32);
    impl Drop for Launches<'_> {
        fn drop(&mut self) {
            let result = run(1, 32, Mode::Fast, barrier);
            assert!(
                matches!(result, Err(LaunchError::Unwinding { .. })),
                "{result:?}"
            );
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let dropped = AtomicU32::new(0);
    let caught = std::panic::catch_unwind(|| {
        let _launches = Launches(&dropped);
        std::panic::resume_unwind(Box::new("quietly"));
    });
    assert!(caught.is_err());
    assert_eq!(dropped.into_inner(), 1);
}

#[test]
fn hundreds_of_failures_leak_nothing() {
    let live = AtomicI64::new(0);
    for round in 0..100 {
        let mode = MODES[round % MODES.len()];
        let result = run(4, 64, mode, || {
            let _counted = Counted::new(&live);
            if round % 5 == 4 && rank() == 1 {
                warp_sync(1); // not named: a finding that ends the thread
            }
            barrier();
            if global_index() == round % 64 {
                std::panic::resume_unwind(Box::new("quietly"));
            }
            barrier();
        });
        assert!(result.is_err());
        assert_eq!(live.load(Ordering::Relaxed), 0, "round {round}");
    }
    assert_correct_launch_works();
}
