//! Barriers: all threads wait for one another, reductions include every thread, and exited threads
//! are not waited for.

use crate::common::{MODES, SharedWords, Words, findings, rank, run};
use proptest::prelude::*;
use simt::sync::{Reduce, barrier, barrier_reduce};
use simt::{FindingKind, LaunchError, Mode, current};
use std::sync::atomic::{AtomicU32, Ordering};

#[test]
fn no_thread_passes_a_barrier_before_all_have_arrived() {
    for mode in MODES {
        for threads in [1, 2, 31, 32, 33, 256, 1024] {
            let arrived: Vec<AtomicU32> = (0..3).map(|_| AtomicU32::new(0)).collect();
            run(3, threads, mode, || {
                let mine = &arrived[current::block_idx().x as usize];
                for round in 1..=5 {
                    mine.fetch_add(1, Ordering::Relaxed);
                    barrier();
                    assert_eq!(mine.load(Ordering::Relaxed), round * threads);
                    barrier();
                }
            })
            .unwrap();
        }
    }
}

#[test]
fn barrier_reductions_include_every_predicate_and_return_it_to_all() {
    for mode in MODES {
        for threads in [1, 7, 64, 100] {
            run(2, threads, mode, || {
                let rank = current::thread_rank();
                // Any non-zero value counts as a true predicate.
                let count = barrier_reduce(Reduce::Count, (rank % 3) * 100);
                assert_eq!(count, threads - threads.div_ceil(3));
                assert_eq!(barrier_reduce(Reduce::And, 5), 1);
                assert_eq!(barrier_reduce(Reduce::And, u32::from(rank != 0)), 0);
                assert_eq!(barrier_reduce(Reduce::Or, 0), 0);
                assert_eq!(
                    barrier_reduce(Reduce::Or, u32::from(rank + 1 == threads)),
                    1
                );
            })
            .unwrap();
        }
    }
}

#[test]
fn fast_mode_does_not_wait_for_exited_threads() {
    let passed = AtomicU32::new(0);
    run(4, 100, Mode::Fast, || {
        let rank = current::thread_rank();
        // One thread exits before any waits, one while others wait, and one between two barriers.
        if rank == 0 || rank == 99 {
            return;
        }
        assert_eq!(barrier_reduce(Reduce::Count, 1), 98);
        if rank == 50 {
            return;
        }
        assert_eq!(barrier_reduce(Reduce::Count, 1), 97);
        passed.fetch_add(1, Ordering::Relaxed);
    })
    .unwrap();
    assert_eq!(passed.into_inner(), 4 * 97);
}

#[test]
fn exiting_while_others_wait_is_a_finding_for_every_seed() {
    for seed in 0..10 {
        let report = findings(run(1, 40, Mode::Checked { seed }, || {
            if rank() != 13 {
                barrier();
            }
        }));
        assert_eq!(report.findings().len(), 1, "{report}");
        let finding = &report.findings()[0];
        let FindingKind::ExitedBeforeBarrier { other_thread } = finding.kind else {
            panic!("{report}");
        };
        assert_eq!((other_thread.x, finding.thread.x), (13, 0));
        assert!(finding.site.file().ends_with("barriers.rs"));
    }
}

#[test]
fn only_waiting_at_different_source_lines_is_barrier_divergence() {
    for seed in 0..10 {
        let mode = Mode::Checked { seed };
        let report = findings(run(1, 64, mode, || match rank() % 2 {
            0 => barrier(),
            _ => {
                barrier();
            }
        }));
        assert_eq!(report.findings().len(), 1, "{report}");
        let finding = &report.findings()[0];
        let FindingKind::BarrierDivergence { other_site, .. } = finding.kind else {
            panic!("{report}");
        };
        let lines = [finding.site.line(), other_site.line()];
        assert_eq!(lines[0].abs_diff(lines[1]), 2);

        // The same source line reached on two paths is one barrier.
        let meet = || barrier();
        run(1, 64, mode, || match rank() % 2 {
            0 => meet(),
            _ => (0..1).for_each(|_| meet()),
        })
        .unwrap();
    }
}

#[test]
fn a_warp_split_between_a_barrier_and_a_warp_operation_deadlocks() {
    for mode in MODES {
        let result = run(2, 64, mode, || {
            if rank() == 3 {
                simt::sync::warp_sync(0b1_1000);
            } else {
                barrier();
            }
        });
        let Err(LaunchError::Deadlock { ref waiting, .. }) = result else {
            panic!("{result:?}");
        };
        assert_eq!(waiting.len(), 64);
        let text = result.unwrap_err().to_string();
        assert!(
            text.contains("63 threads, the first of them (0, 0, 0), wait in barrier at "),
            "{text}"
        );
        assert!(
            text.contains("thread (3, 0, 0) waits in warp_sync(0x00000018) at "),
            "{text}"
        );
        assert!(text.contains("barriers.rs:"), "{text}");
    }
}

/// Inclusive prefix sum of one block (Hillis and Steele), with a barrier on either side of each
/// write.
fn block_prefix_sum(threads: usize, input: &Words, output: &Words) {
    static SUMS: u8 = 0;
    let (sums, rank) = (SharedWords::new(&SUMS, threads), rank());
    let base = current::block_idx().x as usize * threads;
    sums.write(rank, input.read(base + rank));
    barrier();
    let mut kind = 1;
    while kind < threads {
        let mut sum = sums.read(rank);
        if rank >= kind {
            sum = sum.wrapping_add(sums.read(rank - kind));
        }
        barrier();
        sums.write(rank, sum);
        barrier();
        kind *= 2;
    }
    output.write(base + rank, sums.read(rank));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parallel_prefix_sum_equals_the_serial_one(
        threads in 1_usize..300,
        blocks in 1_usize..4,
        seed in any::<u64>(),
        values in proptest::collection::vec(any::<u32>(), 1200),
    ) {
        for mode in [Mode::Fast, Mode::Checked { seed }, Mode::Checked { seed: !seed }] {
            let count = blocks * threads;
            let (input, output) = (Words::new(count), Words::new(count));
            let fill = |_: ()| run(1, 1, Mode::Fast, || (0..count).for_each(|i| input.write(i, values[i])));
            prop_assert!(fill(()).is_ok());
            let result = run(blocks as u32, threads as u32, mode, || block_prefix_sum(threads, &input, &output));
            prop_assert!(result.is_ok(), "{}", result.unwrap_err());
            let serial: Vec<u32> = values[..count]
                .chunks(threads)
                .flat_map(|block| {
                    block.iter().scan(0_u32, |sum, &value| {
                        *sum = sum.wrapping_add(value);
                        Some(*sum)
                    })
                })
                .collect();
            prop_assert_eq!(output.to_vec(), serial);
        }
    }
}
