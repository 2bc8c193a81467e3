//! Memory ordering by named barriers. Each faulty kernel is paired with a correct one.

use crate::common::{MODES, SharedWords, Words, findings, is_race, rank, run};
use simt::sync::{barrier, named_barrier, named_barrier_arrive, warp_sync};
use simt::{LaunchError, Mode};

static TILE: u8 = 0;
static OTHER: u8 = 0;
const SEEDS: std::ops::Range<u64> = 0..10;

fn warp() -> usize {
    rank() / 32
}

/// Checks, under several seeds, that races are found (and nothing else) or that there are no
/// findings.
#[track_caller]
fn races(expected: bool, blocks: u32, threads: u32, kernel: impl Fn() + Sync) {
    for seed in SEEDS {
        match run(blocks, threads, Mode::Checked { seed }, &kernel) {
            Ok(()) => assert!(!expected, "seed {seed}: no race was found"),
            Err(LaunchError::Findings(report)) => {
                let only_races = report.findings().iter().all(is_race);
                assert!(expected && only_races, "seed {seed}: {report}");
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
}

/// Ring buffer of two tiles between one warp that fills them and three warps that sum them.
fn ring(out: &Words, rounds: usize, fault: u32) {
    const FULL: [u32; 2] = [1, 2];
    const EMPTY: [u32; 2] = [3, 4];
    let tiles = [SharedWords::new(&TILE, 32), SharedWords::new(&OTHER, 32)];
    for round in 0..rounds {
        let slot = round % 2;
        if warp() == 0 {
            if round >= 2 && fault != 1 {
                named_barrier(EMPTY[slot], 128);
            }
            tiles[slot].write(rank(), (round * 32 + rank()) as u32);
            let full = if fault == 2 {
                FULL[1 - slot]
            } else {
                FULL[slot]
            };
            named_barrier_arrive(full, 128);
        } else {
            if fault != 3 {
                named_barrier(FULL[slot], 128);
            }
            let sum = (0..32).fold(0_u32, |sum, i| sum.wrapping_add(tiles[slot].read(i)));
            out.write((round * 96) + rank() - 32, sum);
            if fault == 3 {
                named_barrier(FULL[slot], 128);
            }
            if round + 2 < rounds {
                named_barrier_arrive(EMPTY[slot], 128);
            }
        }
    }
}

#[test]
fn a_correct_producer_consumer_ring_has_no_findings() {
    let rounds = 7;
    for mode in MODES {
        let out = Words::new(rounds * 96);
        run(1, 128, mode, || ring(&out, rounds, 0)).unwrap();
        for (round, sums) in out.to_vec().chunks(96).enumerate() {
            let sum = (0..32).map(|i| (round * 32 + i) as u32).sum::<u32>();
            assert!(sums.iter().all(|&one| one == sum), "{round}: {sums:?}");
        }
    }
}

#[test]
fn a_ring_without_empty_or_full_waits_races() {
    // 1: the producer does not wait for an empty tile. 3: consumers wait after they have read.
    for fault in [1, 3] {
        for seed in SEEDS {
            let out = Words::new(7 * 96);
            let mode = Mode::Checked { seed };
            let report = findings(run(1, 128, mode, || ring(&out, 7, fault)));
            let text = report.to_string();
            assert!(report.findings().iter().any(is_race), "{fault}: {text}");
            assert!(text.contains("of a shared array of 128 bytes"), "{text}");
        }
    }
}

#[test]
fn a_wrong_barrier_number_races_or_deadlocks() {
    for seed in SEEDS {
        let out = Words::new(7 * 96);
        let error = run(1, 128, Mode::Checked { seed }, || ring(&out, 7, 2)).unwrap_err();
        let (race, ended) = match &error {
            LaunchError::Findings(report) => (
                report.findings().iter().any(is_race),
                report.ended_early_by().is_some(),
            ),
            other => (false, matches!(other, LaunchError::Deadlock { .. })),
        };
        assert!(race || ended, "{error}");
    }
}

#[test]
fn sync_acquires_and_releases_but_arrive_only_releases() {
    let words = Words::new(64);
    let kernel = |first: fn(u32, u32), second: fn(u32, u32)| {
        let words = &words;
        move || {
            words.write(rank(), 1);
            if warp() == 0 {
                first(1, 64);
            } else {
                second(1, 64);
            }
            // Reads only elements whose write may be ordered before this warp.
            words.read(if warp() == 0 { 32 } else { 0 });
        }
    };
    // Both waiting warps are ordered after each other.
    races(false, 1, 64, kernel(named_barrier, named_barrier));
    // An arriving warp is ordered neither after a waiting one nor after another arriving one.
    races(true, 1, 64, kernel(named_barrier_arrive, named_barrier));
    races(true, 1, 64, kernel(named_barrier, named_barrier_arrive));
    races(
        true,
        1,
        64,
        kernel(named_barrier_arrive, named_barrier_arrive),
    );
    let one_way = |arrives: usize| {
        let words = &words;
        move || {
            if warp() == arrives {
                words.write(rank() % 32, 1);
                named_barrier_arrive(2, 64);
            } else {
                named_barrier(2, 64);
                words.read(31 - rank() % 32);
            }
        }
    };
    races(false, 1, 64, one_way(0));
    races(false, 1, 64, one_way(1));
    // Accesses after the arrival are not ordered by it.
    races(true, 1, 64, || {
        if warp() == 0 {
            named_barrier_arrive(1, 64);
            words.write(rank(), 1);
        } else {
            named_barrier(1, 64);
            words.read(rank() - 32);
        }
    });
    // Arriving does not order the lanes of a warp either.
    races(true, 1, 64, || {
        words.write(rank(), 1);
        named_barrier_arrive(1, 64);
        words.read(rank() ^ 1);
    });
    races(false, 1, 32, || {
        words.write(rank(), 1);
        named_barrier(1, 32);
        words.read(rank() ^ 1);
    });
}

#[test]
fn happens_before_is_transitive_across_warps_barriers_and_lanes() {
    let words = Words::new(4);
    // From the first warp through one barrier to the second, through another to the third.
    let chain = |second_waits: bool| {
        let words = &words;
        move || match warp() {
            0 => {
                if rank() == 3 {
                    words.write(0, 1);
                }
                named_barrier_arrive(1, 64);
            }
            1 => {
                if second_waits {
                    named_barrier(1, 64);
                } else {
                    named_barrier_arrive(1, 64);
                }
                named_barrier_arrive(2, 64);
            }
            _ => {
                named_barrier(2, 64);
                if rank() == 70 {
                    words.write(0, 2);
                }
            }
        }
    };
    races(false, 1, 96, chain(true));
    races(true, 1, 96, chain(false));
    // From one lane to another of its warp, and onwards through that lane's arrival.
    let handed = |mask: u32| {
        let words = &words;
        move || {
            if rank() == 0 {
                words.write(1, 1);
            }
            if warp() == 0 {
                warp_sync(mask);
                if rank() == 1 {
                    words.write(1, 2);
                }
                named_barrier_arrive(1, 64);
            } else {
                named_barrier(1, 64);
                words.read(1);
            }
        }
    };
    races(false, 1, 64, handed(u32::MAX));
    races(true, 1, 64, || {
        if rank() < 2 {
            words.write(1, 1);
        }
        if warp() == 0 {
            named_barrier_arrive(1, 64);
        } else {
            named_barrier(1, 64);
            words.read(1);
        }
    });
    // The block's barrier orders as usual, and does not disturb a named barrier in progress.
    races(false, 1, 96, || {
        if warp() == 0 {
            named_barrier_arrive(9, 64);
        }
        if rank() == 1 {
            words.write(2, 1);
        }
        barrier();
        if rank() == 2 {
            words.write(2, 1);
        }
        barrier();
        if warp() == 1 {
            named_barrier(9, 64);
        }
    });
}

#[test]
fn every_unordered_reader_is_remembered() {
    // The last warp writes memory that all others read, and waits for all but one of them.
    for left_out in [0, 1, 2, 3, 9] {
        let words = Words::new(1);
        let kernel = || {
            let readers = if left_out < 4 { 3 } else { 4 };
            let count = (readers + 1) * 32;
            if warp() < 4 {
                if left_out != warp() || rank() % 32 == 17 {
                    words.read(0);
                }
                if warp() != left_out {
                    named_barrier_arrive(1, count);
                }
            } else {
                named_barrier(1, count);
                if rank() == 130 {
                    words.write(0, 1);
                }
            }
        };
        races(left_out < 4, 1, 160, kernel);
    }
    // The warp reads again after it has arrived.
    for again in [false, true] {
        let words = Words::new(1);
        races(again, 1, 96, || {
            if warp() < 2 {
                words.read(0);
                named_barrier_arrive(1, 96);
                if again && rank() == 40 {
                    words.read(0);
                }
            } else {
                named_barrier(1, 96);
                if rank() == 64 {
                    words.write(0, 1);
                }
            }
        });
    }
}
