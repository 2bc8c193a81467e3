//! Views of the host's own memory.

use super::panic_of;
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
fn a_view_for_writing_does_nothing_outside_a_launch() {
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
        let text = panic_of(std::panic::AssertUnwindSafe(|| attempt(view)));
        assert!(text.contains("launch"), "{text}");
    }
    assert_eq!(data, [1, 2, 3, 4]);
}

/// The executor alone is safe, and so gives no view leave to write.
#[test]
fn nor_in_a_launch_of_the_executor() {
    for mode in [Mode::Fast, Mode::Checked { seed: 1 }] {
        if cfg!(miri) && mode != Mode::Fast {
            continue; // it cannot run fibers
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
fn a_view_for_reading_ends_where_its_slice_does() {
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
        panic_of(attempt);
    }
}

#[test]
fn elements_of_no_bytes_are_counted_too() {
    let data = [(); 3];
    let view = View::from(&data[..]);
    let () = view.read(2);
    panic_of(|| view.read(3));
}

#[test]
fn what_is_not_written_can_be_read_by_many() {
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
