//! Views of host memory.

#![forbid(unsafe_code)]

use super::panic_message;
use crate::closures::launch;
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

/// A launch of a closure does not open the views that the closure captures.
#[test]
fn a_closed_view_panics_in_a_closure_launch() {
    for mode in [Mode::Fast, Mode::Checked { seed: 1 }] {
        if cfg!(miri) && mode != Mode::Fast {
            continue; // Miri cannot run fibers
        }
        let mut data = [0_u32; 1];
        let view = ViewMut::from(&mut data[..]);
        let result = launch("race", LaunchShape::new(64, 1), mode, || view.write(0, 1));
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

/// The address of an argument may be that of device memory, which is no allocation of the host.
#[test]
fn a_closed_view_of_any_address_can_be_sliced() {
    let view = View::<u64>::for_launch(core::ptr::null(), 1000);
    let part = view.slice(10, 20).slice(20, 0);
    assert_eq!((part.len(), part.as_ptr().addr()), (0, 8 * 30));
    let view = ViewMut::<u8>::for_launch(core::ptr::without_provenance_mut(usize::MAX), 8);
    assert_eq!(view.slice(1, 7).as_view().len(), 7);
    panic_message(|| _ = View::<u64>::for_launch(core::ptr::null(), 1).read(0));
    panic_message(|| _ = View::<u64>::for_launch(core::ptr::null(), 1).slice(0, 2));
}

#[test]
fn a_cursor_does_not_open_its_view() {
    let mut data = [1_u32; 4];
    let view = ViewMut::from(&mut data[..]);
    for first in [0, 3, 4, usize::MAX] {
        let text = panic_message(std::panic::AssertUnwindSafe(|| {
            cuda_std::cursor::WriteCursor::new(view, first, 1).write(7);
        }));
        assert!(text.contains("launch"), "{text}");
    }
    assert_eq!(data, [1; 4]);
}

/// The length of a slice of zero-sized elements may use all bits.
#[test]
fn any_number_of_zero_sized_elements_is_bounds_checked() {
    let data = [(); usize::MAX];
    let view = View::from(&data[..]);
    let () = view.read(usize::MAX - 1);
    panic_message(|| View::from(&data[..]).read(usize::MAX));
    panic_message(|| ViewMut::from(&mut [(); usize::MAX][..]).read(0));
}

#[test]
fn a_view_of_a_static_has_no_lifetime() {
    static DATA: [u32; 2] = [3, 4];
    let view: View<'static, u32> = View::from(&DATA[..]);
    let reader = std::thread::spawn(move || view.read(1));
    assert_eq!((reader.join().unwrap(), view.read(0)), (4, 3));
}

/// A view is `Copy`, so its element type may be, too, and needs no drop.
#[test]
fn elements_may_be_references() {
    let texts = ["a".to_owned(), "b".to_owned()];
    let references: Vec<&String> = texts.iter().collect();
    let last = {
        let view = View::from(&references[..]);
        view.slice(1, 1).read(0)
    };
    drop(references);
    assert_eq!(last, "b");
}
