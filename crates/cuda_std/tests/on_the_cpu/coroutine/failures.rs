//! Aborted blocks with threads suspended in coroutine frames.

use super::assert_is_coroutine;
use crate::support::shape;
use cuda_std::prelude::*;
use cuda_std::{launch_on_cpu, warp};
use simt::{LaunchError, Mode};
use std::sync::atomic::{AtomicI64, Ordering};

/// Number of living values.
static ALIVE: AtomicI64 = AtomicI64::new(0);

struct Alive;

impl Alive {
    fn new() -> Self {
        ALIVE.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::Relaxed);
        if ALIVE.load(Ordering::Relaxed) == 17 {
            thread::sync_threads();
        }
    }
}

/// One thread reads out of bounds while the others wait with values that must be dropped.
#[kernel]
pub unsafe fn failing(input: View<u32>, output: ViewMut<u32>) {
    let value = Alive::new();
    let t = thread::thread_idx_x() as usize;
    thread::sync_threads();
    let i = if t == 40 { input.len() } else { t };
    let read = input.read(i);
    thread::sync_threads();
    output.write(t, read);
    drop(value);
}

#[test]
fn a_failing_thread_aborts_its_block_and_drops_the_values_of_others() {
    assert_is_coroutine::<failing>();
    let (input, mut output) = ([1; 64], [0; 64]);
    for block in [64, 40, 64] {
        let args = (View::from(&input[..]), ViewMut::from(&mut output[..]));
        // SAFETY: each thread writes an element of its own.
        let result = unsafe { launch_on_cpu::<failing>(shape(1, block), Mode::Fast, args) };
        assert_eq!(ALIVE.load(Ordering::Relaxed), 0);
        match (block, result) {
            (40, Ok(())) => {}
            (64, Err(LaunchError::Findings(report))) => {
                let text = report.to_string();
                assert!(
                    text.contains("thread (40, 0, 0)") && text.contains("failures.rs"),
                    "{text}"
                );
            }
            (_, result) => panic!("blocks of {block}: {result:?}"),
        }
    }
}

/// Deadlock: one lane waits for another, which waits for the block, which waits for the first.
#[kernel]
pub unsafe fn stuck(output: ViewMut<u32>) {
    let t = thread::thread_idx_x();
    if t == 32 {
        // SAFETY: the test relies on lane 1 never arriving.
        unsafe { warp::sync_warp(0b11) };
    }
    thread::sync_threads();
    output.write(t as usize, t);
}

#[test]
fn a_deadlock_names_threads_in_frames_and_on_stacks() {
    assert_is_coroutine::<stuck>();
    let mut output = [0; 64];
    let args = (ViewMut::from(&mut output[..]),);
    // SAFETY: each thread writes an element of its own.
    let error = unsafe { launch_on_cpu::<stuck>(shape(1, 64), Mode::Fast, args) }.unwrap_err();
    let LaunchError::Deadlock { waiting, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(waiting.len(), 64);
    for (t, one) in (0..).zip(waiting) {
        assert_eq!(one.thread.x, t);
        let operation = if t == 32 {
            "warp_sync(0x00000003)"
        } else {
            "barrier"
        };
        assert_eq!(one.operation, operation);
        assert!(one.site.to_string().contains("failures.rs"));
    }
}

/// Waits on a stack, and again whenever the unwinding of the wait has been caught.
fn retry_sync_forever() {
    loop {
        let _ = std::panic::catch_unwind(thread::sync_threads);
    }
}

/// One thread panics while a function that the others have called catches their end.
#[kernel]
pub unsafe fn catching(output: ViewMut<u32>) {
    let t = thread::thread_idx_x();
    thread::sync_threads();
    if t == 3 {
        std::panic::resume_unwind(Box::new("quietly"));
    }
    retry_sync_forever();
    output.write(t as usize, t);
}

/// The threads of block 0 panic; those of other blocks that are left poll with barriers.
#[kernel]
pub unsafe fn polling(flag: View<u32>, left: u32) {
    if thread::block_idx_x() == 0 {
        std::panic::resume_unwind(Box::new("quietly"));
    }
    if thread::thread_idx_x() < left {
        while flag.read(0) == 0 {
            thread::sync_threads();
        }
    }
}

/// Returns the error of a launch that must end.
#[track_caller]
fn launch_error(launch: impl FnOnce() -> Result<(), LaunchError> + Send + 'static) -> String {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build();
        sender.send(pool.unwrap().install(launch))
    });
    let result = receiver.recv_timeout(std::time::Duration::from_secs(100));
    result.expect("the launch ends").unwrap_err().to_string()
}

#[test]
fn a_function_that_catches_its_end_ends_with_its_block() {
    assert_is_coroutine::<catching>();
    let text = launch_error(|| {
        let mut output = [0; 64];
        let args = (ViewMut::from(&mut output[..]),);
        // SAFETY: each thread writes an element of its own.
        unsafe { launch_on_cpu::<catching>(shape(1, 64), Mode::Fast, args) }
    });
    assert!(text.contains("quietly"), "{text}");
}

#[test]
fn a_block_that_polls_with_barriers_ends_when_another_block_fails() {
    assert_is_coroutine::<polling>();
    for left in [64, 2, 1] {
        let text = launch_error(move || {
            let args = (View::from(&[0][..]), left);
            // SAFETY: nothing is written.
            unsafe { launch_on_cpu::<polling>(shape(4, 64), Mode::Fast, args) }
        });
        assert!(text.contains("quietly"), "{text}");
    }
}
