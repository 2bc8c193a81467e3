//! Named barriers.

use super::{faulty, is_race, right};
use crate::support::{MODES, shape};
use cuda_std::prelude::*;
use cuda_std::thread::NamedBarrier;
use cuda_std::{launch_on_cpu, shared_view};
use simt::{FindingKind, LaunchError, MemoryLocation, Mode, Report};

/// One warp produces numbers and one sums them, through one slot per lane in global and one in
/// shared memory.
#[kernel]
pub unsafe fn producer(x: View<u32>, slots: ViewMut<u32>, sums: ViewMut<u32>, fault: u32) {
    let tile = shared_view![u32; 32];
    let full = NamedBarrier::<1>::new(64);
    let empty = NamedBarrier::<2>::new(64);
    let lane = thread::thread_idx_x() as usize % 32;
    let rounds = x.len() / 32;
    if thread::thread_idx_x() < 32 {
        for round in 0..rounds {
            // 1: overwritten before the consumer has read
            if round > 0 && fault != 1 {
                empty.sync();
            }
            tile.write(lane, x.read(32 * round + lane));
            slots.write(lane, x.read(32 * round + lane));
            match fault {
                // 2: no signal
                2 => {}
                // 3: the wrong barrier
                3 => empty.arrive(),
                _ => full.arrive(),
            }
        }
    } else {
        let mut sum = 0_u32;
        for round in 0..rounds {
            // 4: read before the barrier
            if fault != 2 && fault != 4 {
                full.sync();
            }
            sum = sum.wrapping_add(tile.read(31 - lane).wrapping_mul(slots.read(31 - lane)));
            if fault == 4 {
                full.sync();
            }
            if round + 1 < rounds && fault != 1 {
                empty.arrive();
            }
        }
        sums.write(lane, sum);
    }
}

fn produce(mode: Mode, fault: u32) -> (Result<(), LaunchError>, Vec<u32>) {
    let x: Vec<u32> = (0..32 * 5).collect();
    let (mut slots, mut sums) = (vec![0; 32], vec![0; 32]);
    let arguments = (
        View::from(&x[..]),
        ViewMut::from(&mut slots[..]),
        ViewMut::from(&mut sums[..]),
        fault,
    );
    // SAFETY: fast mode runs without a fault; checked mode runs one thread at a time.
    let result = unsafe { launch_on_cpu::<producer>(shape(1, 64), mode, arguments) };
    (result, sums)
}

#[test]
fn a_producer_and_a_consumer_synchronise_at_named_barriers() {
    let square = |i: u32| i * i;
    let expected: Vec<u32> = (0..32)
        .map(|lane| (0..5).map(|round| square(32 * round + 31 - lane)).sum())
        .collect();
    for mode in MODES {
        let (result, sums) = produce(mode, 0);
        result.unwrap();
        assert_eq!(sums, expected, "{mode:?}");
    }
    right(|mode, fault| produce(mode, fault).0);
}

/// Checks for a race on shared memory, and one on the parameter with its element.
#[track_caller]
fn races_on_both(report: &Report) {
    let places = report.findings().iter().filter_map(|one| match one.kind {
        FindingKind::Race { location, .. } => Some(location),
        _ => None,
    });
    let (mut shared, mut global) = (0, 0);
    for place in places {
        match place {
            MemoryLocation::SharedStatic { offset, size: 128 } if offset < 128 => shared += 1,
            MemoryLocation::Parameter {
                name: "slots",
                number: 2,
                element,
            } if element < 32 => global += 1,
            other => panic!("{other}: {report}"),
        }
    }
    assert!(shared > 0 && global > 0, "{report}");
}

#[test]
fn a_missing_named_barrier_races() {
    let launch = |mode, fault| produce(mode, fault).0;
    races_on_both(&faulty(launch, 2, is_race));
}

#[test]
fn overwriting_before_the_consumer_arrives_races() {
    let launch = |mode, fault| produce(mode, fault).0;
    races_on_both(&faulty(launch, 1, is_race));
}

#[test]
fn reading_before_the_named_barrier_races() {
    let launch = |mode, fault| produce(mode, fault).0;
    races_on_both(&faulty(launch, 4, is_race));
}

#[test]
fn the_wrong_named_barrier_never_completes() {
    for mode in MODES {
        let error = produce(mode, 3).0.unwrap_err();
        assert!(matches!(error, LaunchError::Deadlock { .. }), "{error}");
        let text = error.to_string();
        for part in [
            "`producer`",
            "block (0, 0, 0)",
            "wait in named barrier 1 (32 of 64 threads arrived)",
            "named.rs:",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

/// Coroutine frames and stacks: the block's barrier in the body, named barriers in it and in a
/// function.
#[kernel]
pub unsafe fn two_teams(x: View<u32>, out: ViewMut<u32>) {
    let tile = shared_view![u32; 128];
    let t = thread::thread_idx_x() as usize;
    let mut mine = x.read(t);
    for _ in 0..4 {
        tile.write(t, mine);
        // Each half of the block is a team.
        if t < 64 {
            NamedBarrier::<1>::new(64).sync();
        } else {
            NamedBarrier::<2>::new(64).sync();
        }
        mine = mine.wrapping_mul(3).wrapping_add(tile.read(t ^ 33));
        thread::sync_threads();
        tile.write(t, mine);
        meet();
        mine = mine.wrapping_add(tile.read(127 - t));
        thread::sync_threads();
    }
    out.write(thread::index_1d() as usize, mine);
}

fn meet() {
    NamedBarrier::<15>::new(thread::block_dim_x()).sync();
}

#[test]
fn named_barriers_work_in_coroutine_kernels() {
    let x: Vec<u32> = (7..135).collect();
    let mut expected = x.clone();
    for _ in 0..4 {
        let before = expected.clone();
        let first = |t: usize| before[t].wrapping_mul(3).wrapping_add(before[t ^ 33]);
        for (t, mine) in expected.iter_mut().enumerate() {
            *mine = first(t).wrapping_add(first(127 - t));
        }
    }
    for mode in MODES {
        let mut out = vec![0; 256];
        let arguments = (View::from(&x[..]), ViewMut::from(&mut out[..]));
        // SAFETY: each thread writes an element of its own.
        unsafe { launch_on_cpu::<two_teams>(shape(2, 128), mode, arguments) }.unwrap();
        assert_eq!(out, [&expected[..], &expected[..]].concat(), "{mode:?}");
    }
}
