//! Block-shared memory, in launches of the executor alone: those that need no `unsafe`.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use cuda_std::{SharedView, address_space, shared_view};
use simt::{LaunchError, LaunchShape, Mode, launch};
use std::cell::{Cell, RefCell};
use std::sync::Mutex;

/// Miri cannot run the fibers of checked mode and of blocks of several threads.
const MODES: &[Mode] = if cfg!(miri) {
    &[Mode::Fast]
} else {
    &[Mode::Fast, Mode::Checked { seed: 2 }]
};
const THREADS: u32 = if cfg!(miri) { 1 } else { 2 };

#[address_space(shared)]
static NAME: &str = "as in the source";

/// The block's copy held 0xA5 in each byte: an address, and a length.
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

/// It was freed with the launch, and the next allocation had its memory.
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

/// Threads that end leave their copies to those that come.
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

/// What was written through it after the launch lay in whatever had the memory by then.
#[test]
fn a_shared_view_is_made_by_kernels_only() {
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
    super::panic_of(|| _ = NAME.len());
    super::panic_of(|| _ = shared_view![u32; 4]);
}

/// A thread's threads take turns: what one holds over a barrier another finds taken, and no worse.
#[test]
#[cfg_attr(miri, ignore = "fibers")]
fn a_borrow_held_over_a_barrier_is_found_taken() {
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
