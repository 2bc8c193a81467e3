//! Shared memory in launches of closures.

#![forbid(unsafe_code)]

use crate::closures::launch;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use cuda_std::{SharedView, address_space, shared_view};
use simt::{LaunchError, LaunchShape, Mode};
use std::cell::{Cell, RefCell};
use std::sync::Mutex;

/// Miri cannot run fibers, which checked mode and blocks of several threads need.
const MODES: &[Mode] = if cfg!(miri) {
    &[Mode::Fast]
} else {
    &[Mode::Fast, Mode::Checked { seed: 2 }]
};
const THREADS: u32 = if cfg!(miri) { 1 } else { 2 };

#[address_space(shared)]
static NAME: &str = "as in the source";

/// The block's copy used to contain 0xA5 in each byte, that is, an invalid address and length.
#[test]
fn a_shared_static_is_a_value_of_its_type() {
    for &mode in MODES {
        launch("read_name", LaunchShape::new(3, THREADS), mode, || {
            assert_eq!(*NAME, "as in the source");
        })
        .unwrap();
    }
}

#[address_space(shared)]
static COUNTS: [AtomicU32; 64] = [const { AtomicU32::new(3) }; 64];

/// The value used to be freed with the launch, and its memory reused.
#[test]
fn a_shared_static_outlives_its_launch() {
    for &mode in MODES {
        let kept: Mutex<Option<&'static [AtomicU32; 64]>> = Mutex::default();
        launch("keep", LaunchShape::new(1, 1), mode, || {
            *kept.lock().unwrap() = Some(&COUNTS);
        })
        .unwrap();
        let counts = kept.into_inner().unwrap().unwrap();
        let others: Vec<Vec<u32>> = (0..32).map(|_| vec![0; 64]).collect();
        for count in counts {
            count.store(7, Relaxed);
        }
        assert!(others.iter().flatten().all(|&word| word == 0));
    }
}

/// Ended threads leave their copies to new threads.
#[test]
fn a_shared_static_outlives_its_thread() {
    let kept = std::thread::spawn(|| {
        let kept: Mutex<Option<&'static [AtomicU32; 64]>> = Mutex::default();
        launch("keep", LaunchShape::new(1, 1), Mode::Fast, || {
            *kept.lock().unwrap() = Some(&COUNTS);
        })
        .unwrap();
        kept.into_inner().unwrap().unwrap()
    })
    .join()
    .unwrap();
    let others: Vec<Vec<u32>> = (0..32).map(|_| vec![0; 64]).collect();
    kept[5].store(9, Relaxed);
    assert!(others.iter().flatten().all(|&word| word == 0));
}

thread_local! {
    static KEPT: Cell<Option<SharedView<u32>>> = const { Cell::new(None) };
}

/// Writes through the view after the launch used to hit reused memory.
#[test]
fn a_shared_view_requires_a_kernel() {
    for &mode in MODES {
        let result = launch("keep", LaunchShape::new(1, 1), mode, || {
            KEPT.set(Some(shared_view![u32; 64]));
        });
        assert!(result.is_err() && KEPT.take().is_none());
        if let Err(LaunchError::KernelPanicked { message, .. }) = &result {
            assert!(message.contains("kernel"), "{message}");
        }
    }
}

#[test]
fn there_is_no_shared_memory_outside_a_launch() {
    super::panic_message(|| _ = NAME.len());
    super::panic_message(|| _ = shared_view![u32; 4]);
}

/// The threads of a block share one operating-system thread, so a borrow held across a barrier is
/// detected by the `RefCell`.
#[test]
#[cfg_attr(miri, ignore = "fibers")]
fn a_borrow_held_across_a_barrier_is_detected() {
    thread_local! {
        static CELL: RefCell<u32> = const { RefCell::new(0) };
    }
    let result = launch("borrow", LaunchShape::new(1, 2), Mode::Fast, || {
        CELL.with_borrow_mut(|value| {
            *value += 1;
            simt::sync::barrier();
        });
    });
    assert!(matches!(result, Err(LaunchError::KernelPanicked { .. })));
}
