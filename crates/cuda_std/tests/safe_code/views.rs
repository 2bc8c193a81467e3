//! Views of host memory.

use super::panic_message;
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::prelude::*;
use simt::{LaunchError, LaunchShape, Mode};
use std::panic::RefUnwindSafe;
use std::thread::scope;

type Attempt<'a> = &'a (dyn Fn() + RefUnwindSafe + 'a);
type Use<'a> = &'a dyn Fn(ViewMut<u32>);

#[test]
fn two_threads_cannot_write_through_copies_of_a_view() {
    let mut data = [0_u64; 4];
    let view = ViewMut::from(&mut data[..]);
    let failures = scope(|scope| {
        let writers = [1, 2].map(|value| scope.spawn(move || view.write(0, value)));
        writers.map(|writer| writer.join().is_err())
    });
    assert_eq!(failures, [true; 2]);
    assert_eq!(data, [0; 4]);
}

#[test]
fn a_closed_view_panics_outside_a_launch() {
    let mut data = [1_u32, 2, 3, 4];
    let view = ViewMut::from(&mut data[..]);
    assert_eq!(view.len(), 4);
    let uses: [Use; 7] = [
        &|view| view.write(0, 7),
        &|view| _ = view.read(0),
        &|view| view.write_vector(0, [7; 2]),
        &|view| _ = view.read_vector::<2>(0),
        &|view| _ = view.atomic_add(0, 7),
        &|view| view.slice(1, 2).write(0, 7),
        &|view| _ = view.as_view().read(0),
    ];
    for attempt in uses {
        let text = panic_message(std::panic::AssertUnwindSafe(|| attempt(view)));
        assert!(text.contains("launch"), "{text}");
    }
    assert_eq!(data, [1, 2, 3, 4]);
}

/// A closure launch is safe, so it does not open views for writing.
#[test]
fn a_closed_view_panics_in_a_closure_launch() {
    for mode in [Mode::Fast, Mode::Checked { seed: 1 }] {
        if cfg!(miri) && mode != Mode::Fast {
            continue; // Miri cannot run fibers
        }
        let mut data = [0_u32; 1];
        let view = ViewMut::from(&mut data[..]);
        let result = simt::launch("race", LaunchShape::new(64, 1), mode, || view.write(0, 1));
        assert!(result.is_err());
        if let Err(LaunchError::KernelPanicked { message, .. }) = &result {
            assert!(message.contains("launch"), "{message}");
        }
        assert_eq!(data, [0]);
    }
}

#[test]
fn a_read_only_view_is_bounds_checked() {
    let data = [1_u32, 2, 3];
    let view = View::from(&data[..]);
    assert_eq!((view.read(2), view.read_vector::<2>(1)), (3, [2, 3]));
    assert_eq!(view.read_vector::<0>(3), []);
    let past: [Attempt; 8] = [
        &|| _ = view.read(3),
        &|| _ = view.read(usize::MAX),
        &|| _ = view.read_vector::<2>(2),
        &|| _ = view.read_vector::<4>(0),
        &|| _ = view.read_vector::<4>(usize::MAX - 1),
        &|| _ = view.read_vector::<0>(4),
        &|| _ = view.slice(2, 2),
        &|| _ = view.slice(2, usize::MAX),
    ];
    for attempt in past {
        panic_message(attempt);
    }
}

#[test]
fn zero_sized_elements_are_counted() {
    let data = [(); 3];
    let view = View::from(&data[..]);
    let () = view.read(2);
    panic_message(|| view.read(3));
}

#[test]
fn read_only_views_can_be_shared() {
    let data = [5_u32; 8];
    let view = View::from(&data[..]);
    let sum = core::sync::atomic::AtomicU32::new(0);
    scope(|scope| {
        for i in 0..8 {
            let sum = &sum;
            scope.spawn(move || sum.fetch_add(view.read(i), Relaxed));
        }
    });
    assert_eq!(sum.into_inner(), 40);
}
