//! Asynchronous copies.

use super::{faulty, is_copy, is_race, right};
use crate::support::shape;
use cuda_std::prelude::*;
use cuda_std::thread::NamedBarrier;
use cuda_std::{async_copy, launch_on_cpu, shared_view};
use simt::{LaunchError, Mode};

/// One warp copies tiles asynchronously for another one to read, twice.
#[kernel]
pub unsafe fn copier(x: ViewMut<u32>, out: ViewMut<u32>, fault: u32) {
    let tile = shared_view![u32; 64];
    let full = NamedBarrier::<1>::new(64);
    let empty = NamedBarrier::<2>::new(64);
    let t = thread::thread_idx_x() as usize;
    for round in 0..2 {
        if t < 32 {
            // 6: the copy begins while other threads may still read
            if round > 0 && fault != 6 {
                empty.sync();
            }
            async_copy::copy_vector::<u32, 2>(x.as_view(), 64 * round + 2 * t, tile, 2 * t);
            match fault {
                // 1: read by the copying thread before its wait
                1 => out.write(64 * round + t, tile.read(2 * t)),
                // 2: source overwritten by the copying thread before its wait
                2 => x.write(64 * round + 2 * t, 0),
                _ => {}
            }
            // 3: the other warp is signalled before the wait
            if fault == 3 {
                full.arrive();
            }
            async_copy::wait_all();
            // 4: read by other lanes after the copying thread's own wait only
            if fault == 4 {
                out.write(64 * round + t, tile.read(63 - 2 * t));
            }
            if fault != 3 {
                full.arrive();
            }
        } else {
            // 5: source overwritten by another thread without synchronisation
            if fault == 5 {
                x.write(64 * round + t, 0);
            }
            full.sync();
            let lane = t - 32;
            out.write(64 * round + t, tile.read(63 - lane) + tile.read(lane));
            if round == 0 && fault != 6 {
                empty.arrive();
            }
        }
    }
}

fn copy(mode: Mode, fault: u32) -> Result<(), LaunchError> {
    let (mut x, mut out) = ((0..128).collect::<Vec<u32>>(), [0; 128]);
    let arguments = (
        ViewMut::from(&mut x[..]),
        ViewMut::from(&mut out[..]),
        fault,
    );
    // SAFETY: fast mode runs without a fault; checked mode runs one thread at a time.
    unsafe { launch_on_cpu::<copier>(shape(1, 64), mode, arguments) }?;
    for round in 0..2 {
        assert_eq!(out[64 * round + 32..][..32], [128 * round as u32 + 63; 32]);
    }
    Ok(())
}

#[test]
fn copies_waited_for_before_a_named_barrier_are_correct() {
    right(copy);
    copy(Mode::Fast, 0).unwrap();
}

#[test]
fn a_copy_read_before_its_wait_is_found() {
    let report = faulty(copy, 1, is_copy);
    assert!(
        report
            .to_string()
            .contains("of a shared array of 256 bytes")
    );
}

#[test]
fn a_copy_waited_for_by_its_own_thread_alone_races_with_other_readers() {
    faulty(copy, 4, is_race);
}

#[test]
fn a_barrier_before_the_wait_does_not_order_a_copy() {
    faulty(copy, 3, |kind| is_race(kind) || is_copy(kind));
}

#[test]
fn the_source_of_a_copy_must_stay_until_the_wait() {
    let report = faulty(copy, 2, is_copy);
    assert!(
        report.to_string().contains("of `x` (parameter 1)"),
        "{report}"
    );
    let report = faulty(copy, 5, |kind| is_race(kind) || is_copy(kind));
    assert!(
        report.to_string().contains("of `x` (parameter 1)"),
        "{report}"
    );
}

#[test]
fn a_copy_into_what_others_read_races() {
    faulty(copy, 6, is_race);
}

/// Overwrites the source after a barrier at which the copying thread arrives before its wait.
#[kernel]
pub unsafe fn copy_late(x: ViewMut<u32>, out: ViewMut<u32>, fault: u32) {
    let tile = shared_view![u32; 32];
    let t = thread::thread_idx_x() as usize;
    async_copy::copy_vector::<u32, 1>(x.as_view(), t, tile, t);
    if fault == 0 {
        async_copy::wait_all();
    }
    thread::sync_threads();
    if t == 0 {
        x.write(1, 0);
    }
    if fault == 1 {
        async_copy::wait_all();
    }
    out.write(t, tile.read(t));
}

#[test]
fn a_copy_may_read_as_late_as_its_wait() {
    let launch = |mode, fault| {
        let (mut x, mut out) = ([1; 32], [0; 32]);
        let arguments = (
            ViewMut::from(&mut x[..]),
            ViewMut::from(&mut out[..]),
            fault,
        );
        // SAFETY: checked mode runs one thread at a time.
        unsafe { launch_on_cpu::<copy_late>(shape(1, 32), mode, arguments) }
    };
    right(launch);
    // A write before the wait conflicts with the copy, and a write after it is a race.
    let report = faulty(launch, 1, |kind| is_race(kind) || is_copy(kind));
    let text = report.to_string();
    assert!(text.contains("element 1 of `x` (parameter 1)"), "{text}");
}
