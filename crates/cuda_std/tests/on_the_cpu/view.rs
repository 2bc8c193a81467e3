//! Views: slicing, bounds checks, and the findings of checked mode.

use crate::support::{MODES, shape};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use cuda_std::launch_on_cpu;
use cuda_std::prelude::*;
use simt::{LaunchError, Mode};

#[kernel]
pub unsafe fn copy_parts(from: View<u16>, to: ViewMut<u16>) {
    let i = thread::index_1d() as usize;
    let (half, quarter) = (from.len() / 2, from.len() / 4);
    let middle = from.slice(quarter, half);
    let end = to.slice(half, half);
    if i < half {
        end.write(i, middle.read(i));
    }
    thread::sync_threads();
    if i < half {
        let twice = end.as_view().read(half - 1 - i) + to.as_view().read(to.len() - 1 - i);
        to.write(i, twice);
    }
    assert!(from.slice(from.len(), 0).is_empty() && !to.is_empty());
}

#[test]
fn views_can_be_sliced() {
    let from: Vec<u16> = (0..16).collect();
    for mode in MODES {
        let mut to = [0; 16];
        let args = (View::from(&from[..]), ViewMut::from(&mut to[..]));
        // SAFETY: each thread writes its own elements.
        unsafe { launch_on_cpu::<copy_parts>(shape(1, 8), mode, args) }.unwrap();
        assert_eq!(to[8..], from[4..12]);
        assert!((0..8).all(|i| to[i] == 2 * from[11 - i]));
    }
}

/// Modes of [`misuse`]: what the threads of one block do.
const WRITE_TOGETHER: u32 = 0;
const READ_WHILE_WRITTEN: u32 = 1;
const ATOMIC_AND_PLAIN: u32 = 2;
const PART_WATCHED: u32 = 3;
const WRITE_PAST_END: u32 = 4;
const ADD_PAST_END: u32 = 5;
const PART_PAST_END: u32 = 6;
const LOAD_RELEASES: u32 = 7;
const NOTHING_WRONG: u32 = 8;

#[kernel]
pub unsafe fn misuse(data: ViewMut<u32>, what: u32) {
    let t = thread::thread_idx_x();
    match what {
        WRITE_TOGETHER => data.write(0, t),
        READ_WHILE_WRITTEN if t == 0 => data.write(1, 5),
        READ_WHILE_WRITTEN => data.write(2, data.as_view().read(1)),
        ATOMIC_AND_PLAIN if t == 0 => data.write(0, 1),
        ATOMIC_AND_PLAIN => _ = data.atomic_add(0, 1),
        PART_WATCHED => data.slice(2, 2).write(1, t),
        WRITE_PAST_END => data.write(data.len(), 1),
        ADD_PAST_END => _ = data.atomic_add(4, 1),
        PART_PAST_END => _ = data.slice(3, 2),
        LOAD_RELEASES => _ = data.atomic_load(0, Release),
        _ => {
            data.atomic_store(0, 1, Release);
            data.atomic_max(0, data.atomic_load(0, Acquire) + data.atomic_exchange(1, 0));
            data.atomic_store(2, 7, Relaxed);
            data.atomic_min(2, 9);
        }
    }
}

fn misused(what: u32, mode: Mode) -> Result<(), LaunchError> {
    let mut data = [0; 4];
    let args = (ViewMut::from(&mut data[..]), what);
    // SAFETY: the threads of one block share one CPU thread, so even a race is not undefined
    // behaviour here.
    unsafe { launch_on_cpu::<misuse>(shape(1, 2), mode, args) }
}

#[test]
fn races_are_found_in_checked_mode() {
    for what in [
        WRITE_TOGETHER,
        READ_WHILE_WRITTEN,
        ATOMIC_AND_PLAIN,
        PART_WATCHED,
    ] {
        for seed in 0..4 {
            let error = misused(what, Mode::Checked { seed }).unwrap_err();
            assert!(matches!(error, LaunchError::Findings(_)), "{what}: {error}");
            let text = error.to_string();
            assert!(
                text.contains("misuse") && text.contains("view.rs"),
                "{text}"
            );
        }
        misused(what, Mode::Fast).unwrap();
    }
    for mode in MODES {
        misused(NOTHING_WRONG, mode).unwrap();
    }
}

#[test]
fn bounds_are_checked_in_every_mode() {
    for what in [WRITE_PAST_END, ADD_PAST_END, PART_PAST_END, LOAD_RELEASES] {
        for mode in MODES {
            assert!(misused(what, mode).is_err(), "{what}");
        }
    }
}

/// A view created with `unsafe` may be used outside a launch too.
#[test]
fn views_on_the_host() {
    let mut data = [1.0_f32, 2.0];
    // SAFETY: exclusive access to the array.
    let view = unsafe { ViewMut::from_raw_parts(data.as_mut_ptr(), data.len()) };
    view.write(1, 3.0);
    assert_eq!(view.as_view().read(1), 3.0);
    assert_eq!(view.atomic_add(0, 0.5), 1.0);
    assert_eq!(
        (view.as_ptr(), view.len()),
        (view.as_mut_ptr().cast_const(), 2)
    );
    // SAFETY: exclusive access to the array.
    unsafe {
        view.as_mut_slice()[0] += 1.0;
        assert_eq!(view.as_view().as_slice(), [2.5, 3.0]);
    }
}

#[kernel]
pub unsafe fn reverse_fours(from: View<u32>, to: ViewMut<u32>, first: u32) {
    let i = (first + thread::index_1d()) as usize * 4;
    let [a, b, c, d] = from.read_vector::<4>(i);
    to.write_vector(i, [d, c, b, a]);
    let [low, high] = to.read_vector::<2>(i);
    to.write_vector(i, [low + 1, high + 1]);
}

#[test]
fn vectors_of_elements() {
    let from: Vec<u32> = (0..16).collect();
    for mode in MODES {
        let mut to = [0; 16];
        let args = (View::from(&from[..]), ViewMut::from(&mut to[..]), 0);
        // SAFETY: each thread writes its own elements.
        unsafe { launch_on_cpu::<reverse_fours>(shape(1, 4), mode, args) }.unwrap();
        assert_eq!(to[..8], [4, 3, 1, 0, 8, 7, 5, 4]);
    }
}

#[test]
fn a_vector_past_the_end_is_found() {
    for mode in MODES {
        let from = [0; 6];
        let mut to = [0; 8];
        let args = (View::from(&from[..]), ViewMut::from(&mut to[..]), 1);
        // SAFETY: as above; what is past the end is not read.
        let result = unsafe { launch_on_cpu::<reverse_fours>(shape(1, 1), mode, args) };
        let message = result.unwrap_err().to_string();
        assert!(
            message.contains("View") && message.contains('6'),
            "{message}"
        );
    }
}
