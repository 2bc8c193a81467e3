//! Memory ordering between the lanes of a warp.

use super::{faulty, is_race, right};
use crate::support::shape;
use cuda_std::prelude::*;
use cuda_std::{launch_on_cpu, shared_view, warp};
use simt::{FindingKind, LaunchError, Mode};

/// Lanes exchange numbers through shared memory.
#[kernel]
pub unsafe fn hand(out: ViewMut<u32>, fault: u32) {
    let tile = shared_view![u32; 32];
    let t = thread::thread_idx_x();
    tile.write(t as usize, t + 1);
    // SAFETY: the masks contain lanes that make this call, including the calling one.
    unsafe {
        match fault {
            // 1: no synchronisation
            1 => {}
            // 2: a mask without the reading lane
            2 if t < 31 => warp::sync_warp(0x7fff_ffff),
            2 => warp::sync_warp(0x8000_0000),
            // 3, 4: synchronisation without memory ordering
            3 => drop(warp::warp_shuffle_xor(warp::FULL_MASK, t, 1, 32)),
            4 => drop(warp::warp_vote_ballot(warp::FULL_MASK, true)),
            _ => warp::sync_warp(warp::FULL_MASK),
        }
    }
    out.write(t as usize, tile.read((t as usize + 1) % 32));
}

fn hand_on(mode: Mode, fault: u32) -> Result<(), LaunchError> {
    let mut out = [0; 32];
    let arguments = (ViewMut::from(&mut out[..]), fault);
    // SAFETY: fast mode runs without a fault; checked mode runs one thread at a time.
    unsafe { launch_on_cpu::<hand>(shape(1, 32), mode, arguments) }?;
    assert!(
        out.iter().zip((2..33).chain([1])).all(|(&a, b)| a == b),
        "{out:?}"
    );
    Ok(())
}

#[test]
fn lanes_that_share_memory_need_a_barrier_of_the_warp() {
    right(hand_on);
    hand_on(Mode::Fast, 0).unwrap();
    faulty(hand_on, 1, is_race);
}

#[test]
fn a_mask_without_the_reader_orders_nothing_for_it() {
    let report = faulty(hand_on, 2, is_race);
    // All findings involve the omitted lane, as a reader or as a writer.
    for finding in report.findings() {
        if let FindingKind::Race { other_thread, .. } = finding.kind {
            assert!([finding.thread.x, other_thread.x].contains(&31), "{report}");
        }
    }
}

#[test]
fn shuffles_and_votes_order_no_memory() {
    for fault in [3, 4] {
        faulty(hand_on, fault, is_race);
    }
}
