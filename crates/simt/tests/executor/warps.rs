//! Warp operations: lanes of a mask synchronise and exchange values, independently of other lanes.

use crate::common::{CHECKED, MODES, only_finding, rank, run};
use proptest::prelude::*;
use simt::sync::{active_mask, barrier, warp_exchange, warp_exchange_with, warp_sync};
use simt::{FindingKind, LaunchError, Mode, current};
use std::sync::atomic::{AtomicU32, Ordering};

fn lane() -> u32 {
    current::thread_rank() % 32
}

/// Returns a value that differs between blocks, threads and rounds.
fn distinct_value(block: u32, rank: u32, round: u64) -> u64 {
    (u64::from(block) << 40) | (u64::from(rank) << 20) | round
}

#[test]
fn every_lane_gets_the_values_of_all_lanes_of_its_warp() {
    for mode in MODES {
        for threads in [1, 5, 32, 64, 77, 1024] {
            run(2, threads, mode, || {
                let (block, rank) = (current::block_idx().x, current::thread_rank());
                let first = rank - lane();
                let lanes = (threads - first).min(32);
                for round in 0..4 {
                    let got = warp_exchange(u32::MAX, distinct_value(block, rank, round));
                    assert_eq!(got.participants, u32::MAX >> (32 - lanes));
                    for other in 0..32 {
                        let expected = if other < lanes {
                            distinct_value(block, first + other, round)
                        } else {
                            0
                        };
                        assert_eq!(got.values[other as usize], expected);
                    }
                }
            })
            .unwrap();
        }
    }
}

#[test]
fn exchange_in_place_equals_exchange_by_copy() {
    for mode in MODES {
        for threads in [1, 40] {
            run(1, threads, mode, || {
                let all = warp_exchange(u32::MAX, u64::from(current::thread_rank()));
                warp_exchange_with(u32::MAX, u64::from(current::thread_rank()), |lanes| {
                    assert_eq!(lanes.participants(), all.participants);
                    for lane in 0..32 {
                        assert_eq!(lanes.value(lane), all.values[lane as usize]);
                    }
                });
            })
            .unwrap();
        }
    }
}

#[test]
fn groups_with_different_masks_may_be_in_progress_together() {
    for mode in MODES {
        run(3, 64, mode, || {
            // Three groups with different numbers of rounds.
            let (mask, rounds) = match lane() {
                0..7 => (0x0000_007F, 3),
                7..20 => (0x000F_FF80, 5),
                _ => (0xFFF0_0000, 1),
            };
            for round in 0..rounds {
                let got = warp_exchange(mask, u64::from(lane()) + 100 * round);
                assert_eq!(got.participants, mask);
                let expected = |other: u32| match mask >> other & 1 {
                    1 => u64::from(other) + 100 * round,
                    _ => 0,
                };
                assert!((0..32).all(|other| got.values[other as usize] == expected(other)));
            }
            assert_eq!(warp_exchange(u32::MAX, 1).values, [1; 32]);
        })
        .unwrap();
    }
}

#[test]
fn both_sides_of_a_branch_synchronise_if_their_masks_agree() {
    for mode in MODES {
        run(1, 32, mode, || {
            let got = if lane().is_multiple_of(2) {
                warp_exchange(u32::MAX, 1)
            } else {
                warp_exchange(u32::MAX, 2)
            };
            assert_eq!(got.values.iter().sum::<u64>(), 16 + 32);
        })
        .unwrap();
    }
}

#[test]
fn sync_and_exchange_are_separate_operations() {
    let result = run(1, 2, Mode::Fast, || {
        if lane() == 0 {
            warp_sync(0b11);
        } else {
            warp_exchange(0b11, 0);
        }
    });
    let text = result.unwrap_err().to_string();
    assert!(
        text.contains("warp_sync(0x00000003)") && text.contains("warp_exchange(0x00000003)"),
        "{text}"
    );
}

#[test]
fn a_lane_outside_its_own_mask_is_a_finding_in_every_mode() {
    for mode in MODES {
        let finding = only_finding(run(1, 8, mode, || {
            if rank() == 5 {
                warp_sync(0b1);
            }
        }));
        let kind = FindingKind::LaneNotInMask { lane: 5, mask: 1 };
        assert_eq!((finding.kind, finding.thread.x), (kind, 5));
        run(1, 8, mode, || warp_sync(1 << lane())).unwrap();
    }
}

#[test]
fn exited_lanes_are_ignored_in_fast_mode_and_a_finding_in_checked_mode() {
    let kernel = || {
        if rank() == 3 || rank() == 9 {
            return;
        }
        let got = warp_exchange(u32::MAX, 1);
        assert_eq!(got.participants, !(1 << 3 | 1 << 9));
        assert_eq!(got.values.iter().sum::<u64>(), 30);
    };
    run(2, 32, Mode::Fast, kernel).unwrap();
    for seed in 0..8 {
        let finding = only_finding(run(1, 32, Mode::Checked { seed }, kernel));
        let lanes = 1 << 3 | 1 << 9;
        assert_eq!(
            finding.kind,
            FindingKind::ExitedLanesInMask {
                lanes,
                mask: u32::MAX
            }
        );
    }
    // Masks that contain only live lanes, and lanes that the block never had, are correct.
    run(1, 40, CHECKED, || {
        if rank() < 32 {
            return;
        }
        assert_eq!(warp_exchange(u32::MAX, 1).participants, 0xFF);
        warp_sync(0xFF);
    })
    .unwrap();
}

#[test]
fn an_exiting_lane_releases_the_lanes_that_wait_for_it() {
    // Lane 31 starts last in fast mode, so the others already wait for it when it exits.
    run(2, 64, Mode::Fast, || {
        if lane() != 31 {
            assert_eq!(warp_exchange(u32::MAX, 0).participants, u32::MAX >> 1);
        }
    })
    .unwrap();
}

#[test]
fn the_active_mask_contains_lanes_that_have_not_exited() {
    run(1, 40, Mode::Fast, || {
        barrier();
        assert_eq!(active_mask(), [u32::MAX, 0xFF][rank() / 32]);
        barrier();
        if lane() == 2 {
            return;
        }
        barrier();
        assert_eq!(active_mask(), [!4, 0xFB][rank() / 32]);
        barrier();
    })
    .unwrap();
}

#[test]
fn yielding_lets_other_threads_of_the_block_run() {
    for mode in MODES {
        for last in [false, true] {
            let flags: Vec<AtomicU32> = (0..3).map(|_| AtomicU32::new(0)).collect();
            run(3, 50, mode, || {
                let flag = &flags[current::block_idx().x as usize];
                if rank() == (if last { 49 } else { 0 }) {
                    flag.store(1, Ordering::Relaxed);
                }
                while flag.load(Ordering::Relaxed) == 0 {
                    simt::sync::yield_thread();
                }
            })
            .unwrap();
        }
    }
}

#[test]
fn endless_spinning_is_a_deadlock_in_checked_mode() {
    let never = AtomicU32::new(0);
    for threads in [1, 3] {
        let result = run(2, threads, CHECKED, || {
            while never.load(Ordering::Relaxed) == 0 {
                simt::sync::yield_thread();
            }
        });
        let Err(LaunchError::Deadlock { ref waiting, .. }) = result else {
            panic!("{result:?}");
        };
        assert_eq!(waiting.len(), threads as usize);
        assert_eq!(waiting[0].operation, "yield_thread");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Lanes are split into random groups, and each group synchronises its own number of times.
    #[test]
    fn every_partition_of_a_warp_synchronises_by_group(
        groups in proptest::collection::vec(0_usize..5, 32),
        rounds in proptest::collection::vec(0_u64..6, 5),
        seed in any::<u64>(),
    ) {
        let mask_of = |group: usize| (0..32).filter(|&lane| groups[lane] == group).fold(0_u32, |mask, lane| mask | 1 << lane);
        for mode in [Mode::Fast, Mode::Checked { seed }] {
            let met = AtomicU32::new(0);
            let result = run(2, 64, mode, || {
                let group = groups[lane() as usize];
                for round in 0..rounds[group] {
                    let got = warp_exchange(mask_of(group), round);
                    assert_eq!(got.participants, mask_of(group));
                    assert_eq!(got.values.iter().sum::<u64>(), round * u64::from(mask_of(group).count_ones()));
                    met.fetch_add(1, Ordering::Relaxed);
                }
            });
            prop_assert!(result.is_ok(), "{}", result.unwrap_err());
            let expected: u64 = groups.iter().map(|&group| 4 * rounds[group]).sum();
            prop_assert_eq!(u64::from(met.into_inner()), expected);
        }
    }
}
