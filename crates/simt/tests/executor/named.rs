//! Named barriers: waiting and arriving, and misuse.

use crate::common::{CHECKED, MODES, Words, findings, only_finding, rank, run};
use simt::sync::{barrier, named_barrier, named_barrier_arrive, warp_sync, yield_thread};
use simt::{FindingKind, LaunchError, Mode};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

fn warp() -> usize {
    rank() / 32
}

/// Returns the message of the expected deadlock, in fast and in checked mode.
#[track_caller]
fn deadlocks(threads: u32, kernel: impl Fn() + Sync) -> [String; 2] {
    [Mode::Fast, CHECKED].map(|mode| {
        let error = run(1, threads, mode, &kernel).expect_err("it cannot go on");
        let text = error.to_string();
        let ended_by = match &error {
            LaunchError::Findings(report) => report.ended_early_by(),
            other => Some(other),
        };
        assert!(
            matches!(ended_by, Some(LaunchError::Deadlock { .. })),
            "{text}"
        );
        assert!(
            text.contains("`kernel`") && text.contains("block (0, 0, 0)"),
            "{text}"
        );
        text
    })
}

#[test]
fn a_named_barrier_completes_at_its_count_and_is_reset() {
    for mode in MODES {
        for blocks in [1, 3] {
            let (passed, others) = (AtomicU32::new(0), AtomicU32::new(0));
            run(blocks, 128, mode, || match warp() {
                // The fourth warp does not use the barrier.
                3 => {
                    others.fetch_add(1, Relaxed);
                    named_barrier(15, 32);
                }
                _ => {
                    for _ in 0..5 {
                        named_barrier(1, 96);
                        passed.fetch_add(1, Relaxed);
                    }
                }
            })
            .unwrap();
            assert_eq!(passed.into_inner(), blocks * 96 * 5);
            assert_eq!(others.into_inner(), blocks * 32);
        }
    }
}

#[test]
fn no_warp_passes_a_named_barrier_before_all_have_arrived() {
    for mode in MODES {
        let came = Words::new(1);
        run(1, 128, mode, || {
            for round in 1..4 {
                came.add(0, 1);
                named_barrier(7, 128);
                assert!(came.add(0, 0) >= round * 128);
                barrier();
            }
        })
        .unwrap();
    }
}

#[test]
fn an_arriving_warp_continues_at_once() {
    for mode in MODES {
        let word = AtomicU32::new(0);
        run(1, 64, mode, || {
            if warp() == 0 {
                named_barrier_arrive(1, 64);
                word.store(1, Relaxed);
            } else {
                // The second warp arrives only after the first has continued.
                while word.load(Relaxed) == 0 {
                    yield_thread();
                }
                named_barrier(1, 64);
            }
        })
        .unwrap();
    }
}

#[test]
fn arrivals_without_waiters_are_discarded_with_their_block() {
    for mode in MODES {
        run(4, 96, mode, || {
            if warp() == 0 {
                named_barrier_arrive(1, 96);
            }
            barrier();
            // If the previous block's arrival still counted, the two warps would complete the
            // barrier.
            if warp() > 0 {
                named_barrier_arrive(1, 96);
            }
        })
        .unwrap();
    }
}

#[test]
fn short_warps_and_single_threads_count_as_whole_warps() {
    for mode in MODES {
        run(2, 40, mode, || named_barrier(1, 64)).unwrap();
        run(2, 1, mode, || named_barrier(1, 32)).unwrap();
        run(2, 1, mode, || named_barrier_arrive(1, 32)).unwrap();
    }
}

#[test]
fn different_barrier_numbers_are_independent() {
    for text in deadlocks(64, || named_barrier(1 + warp() as u32, 64)) {
        for barrier in [1, 2] {
            let what = format!("named barrier {barrier} (32 of 64 threads arrived)");
            assert!(text.contains(&what), "{text}");
        }
    }
}

#[test]
fn a_count_must_be_whole_warps_of_the_block() {
    for mode in [Mode::Fast, CHECKED] {
        for (threads, count) in [
            (64, 0),
            (64, 33),
            (64, 48),
            (64, 96),
            (40, 96),
            (1, 1),
            (1, 64),
        ] {
            let finding = only_finding(run(1, threads, mode, || named_barrier(3, count)));
            let FindingKind::InvalidNamedBarrierCount {
                barrier: 3,
                threads: said,
                block_threads,
            } = finding.kind
            else {
                panic!("{finding}");
            };
            assert_eq!((said, block_threads), (count, threads));
            assert!(finding.to_string().contains("named.rs:"), "{finding}");
        }
    }
}

#[test]
fn different_counts_at_one_barrier_are_a_finding() {
    for mode in [Mode::Fast, CHECKED] {
        // Mismatch between two warps, and between two lanes of one warp.
        let of_warps = || {
            if warp() < 2 {
                named_barrier(1, if warp() == 0 { 96 } else { 64 });
            }
        };
        let of_lanes = || named_barrier(1, if rank() == 7 { 64 } else { 32 });
        for (threads, result) in [
            (96, run(1, 96, mode, of_warps)),
            (64, run(1, 64, mode, of_lanes)),
        ] {
            let report = findings(result);
            let kind = report.findings()[0].kind;
            let FindingKind::NamedBarrierCountMismatch {
                barrier: 1,
                threads: said,
                other_threads,
                ..
            } = kind
            else {
                panic!("{threads}: {report}");
            };
            assert_ne!(said, other_threads);
            assert!(
                report.to_string().contains("different thread counts"),
                "{report}"
            );
        }
    }
}

#[test]
fn a_warp_arrives_as_a_whole() {
    // Half of a warp; the other lanes wait elsewhere, so none can continue.
    for text in deadlocks(32, || {
        if rank() < 16 {
            named_barrier(1, 32);
        } else {
            warp_sync(u32::MAX);
        }
    }) {
        let what = "16 threads, the first of them (0, 0, 0), wait in named barrier 1 for the other lanes of its warp";
        assert!(text.contains(what), "{text}");
    }
    // The other lanes have exited.
    let leaves = || {
        if rank() != 5 {
            named_barrier(1, 32);
        }
    };
    run(1, 32, Mode::Fast, leaves).unwrap();
    let finding = only_finding(run(1, 32, CHECKED, leaves));
    let FindingKind::ExitedBeforeBarrier { other_thread } = finding.kind else {
        panic!("{finding}");
    };
    assert_eq!(other_thread.x, 5);
    // Lanes at two barriers, and a mixture of arriving and waiting lanes.
    let two_barriers = || named_barrier(1 + u32::from(rank() < 16), 32);
    let two_ways = || {
        if rank() < 16 {
            named_barrier(1, 32);
        } else {
            named_barrier_arrive(1, 32);
        }
    };
    for mode in [Mode::Fast, CHECKED] {
        for result in [run(1, 32, mode, two_barriers), run(1, 32, mode, two_ways)] {
            let report = findings(result);
            let kind = report.findings()[0].kind;
            assert!(
                matches!(kind, FindingKind::WarpDivergence { .. }),
                "{report}"
            );
        }
    }
    // One barrier at two source locations.
    let two_places = || {
        if rank() < 16 {
            named_barrier(1, 32);
        }
        if rank() >= 16 {
            named_barrier(1, 32);
        }
    };
    run(1, 32, Mode::Fast, two_places).unwrap();
    let report = findings(run(1, 32, CHECKED, two_places));
    assert!(
        matches!(
            report.findings()[0].kind,
            FindingKind::WarpDivergence { .. }
        ),
        "{report}"
    );
}

#[test]
fn a_barrier_that_never_completes_is_a_deadlock() {
    for text in deadlocks(96, || {
        if warp() != 1 {
            named_barrier(6, 96);
        }
    }) {
        let what = "64 threads, the first of them (0, 0, 0), wait in named barrier 6 (64 of 96 threads arrived)";
        assert!(text.contains(what) && text.contains("named.rs:"), "{text}");
    }
}

#[test]
fn a_panic_aborts_a_block_waiting_at_a_named_barrier() {
    for mode in MODES {
        let error = run(1, 96, mode, || {
            if rank() == 70 {
                panic!("here");
            }
            named_barrier(1, 96);
        })
        .unwrap_err();
        assert!(error.to_string().contains("here"), "{error}");
        // The executor's threads remain usable.
        run(1, 96, mode, || named_barrier(1, 96)).unwrap();
    }
}
