//! Tracking of accesses that do not go through views: each kernel with a planted fault is paired
//! with a correct one.

use crate::support::{MODES, shape};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::atomic::mid;
use cuda_std::prelude::*;
use cuda_std::shared::dynamic_shared_mem;
use cuda_std::{View, ViewMut, async_copy, instrument, launch_on_cpu, shared_array, shared_view};
use simt::{FindingKind, LaunchError, Limits, Mode, Report};

const CHECKED: Mode = Mode::Checked { seed: 5 };

#[track_caller]
fn findings(result: Result<(), LaunchError>) -> Report {
    match result {
        Err(LaunchError::Findings(report)) => report,
        other => panic!("{other:?}"),
    }
}

/// Constants and statics are tables without an address of their own.
const WEIGHTS: [u32; 4] = [1, 10, 100, 1000];
static OFFSETS: [u32; 2] = [5, 7];

#[derive(Clone, Copy)]
pub struct Pair {
    first: u32,
    others: [u32; 2],
}

#[derive(Clone)]
enum Shape {
    None,
    Named(String),
}

#[instrument]
#[allow(clippy::needless_range_loop)]
fn sum(of: &[u32], more: &mut u32) -> u32 {
    let mut sum = 0;
    for i in 0..of.len() {
        sum += of[i];
    }
    *more += of[0];
    sum
}

/// All constructs that are rewritten, or must not be.
#[kernel]
#[allow(
    clippy::needless_range_loop,
    clippy::explicit_auto_deref,
    clippy::useless_vec
)]
pub unsafe fn everything(x: &[u32], pair: &Pair, out: *mut u32, more: &mut [[u32; 2]]) {
    static mut COUNT: u32 = 0;
    let i = thread::index_1d() as usize;
    let place = i % 4;
    let mut local = [0; 8];
    local[place] = x[i] + WEIGHTS[place] + OFFSETS[i % 2];
    local[(place + 1) % 8] += pair.first * pair.others[i & 1];
    let boxed = Box::new(local);
    let names = vec![String::from("a"), format!("{}", i % 2)];
    let moved = *boxed;
    let shape = if i.is_multiple_of(2) {
        Shape::None
    } else {
        Shape::Named(names[1].clone())
    };
    let held = &shape;
    let length = match *held {
        Shape::None => 0,
        Shape::Named(ref name) => name.len(),
    };
    let longer = match held {
        Shape::Named(name) if names[1] == *name => 1,
        _ => 0,
    };
    let add = |by: u32| moved[place] + by;
    // SAFETY: there are as many elements as threads.
    let pointer = unsafe { out.add(i) };
    // SAFETY: an element of this thread.
    let element = unsafe { &mut *pointer };
    *element = add(length as u32) + longer;
    let [one, _] = moved[..2] else { return };
    // SAFETY: as above; the static is not used by others.
    unsafe {
        *pointer += one.max(moved[1]).wrapping_add(x[i].min(3));
        COUNT = COUNT.wrapping_mul(0);
        *pointer += COUNT + (*pointer).rotate_left(1) % 2;
        pointer.write(pointer.read() + [1, 2, 3][i % 3] + i.to_le_bytes()[7] as u32);
    }
    // names that are rebound temporarily
    let shadowed = {
        let (x, pair) = (4_u32, 5_u32);
        x.max(pair) + [x, pair].map(|out: u32| out.pow(1))[0]
    };
    for more in 0..2_u32 {
        let _ = more.max(shadowed);
    }
    if let Some(x) = Some(2_u32) {
        let _ = core::convert::identity(x);
    }
    let mut turns = 0;
    while turns < i % 3 {
        turns += 1;
    }
    let row = &mut more[i];
    row[0] = turns as u32;
    row[1] = sum(&x[i..i + 1], &mut row[0]);
    (row[0], row[1]) = (row[1], row[0]);
    assert_eq!(more[i][0], x[i], "{}", x[i]);
}

#[test]
fn instrumentation_preserves_behaviour() {
    let run = |mode| {
        let x: Vec<u32> = (1..33).collect();
        let pair = [Pair {
            first: 3,
            others: [4, 5],
        }];
        let (mut out, mut more) = (vec![0; 32], vec![[9; 2]; 32]);
        let arguments = (
            View::from(&x[..]),
            View::from(&pair[..]),
            out.as_mut_ptr(),
            ViewMut::from(&mut more[..]),
        );
        // SAFETY: each thread writes its own elements.
        unsafe { launch_on_cpu::<everything>(shape(2, 16), mode, arguments) }.unwrap();
        (out, more)
    };
    let expected = run(Mode::Fast);
    assert!(expected.0.iter().all(|&x| x > 0));
    for mode in MODES {
        assert_eq!(run(mode), expected);
        if mode != Mode::Fast {
            assert_eq!(simt::untracked_memory(), []);
        }
    }
}

/// Accesses the elements by iterators, which are not instrumented.
#[kernel]
pub unsafe fn by_iterators(x: &[u32], y: View<u32>, z: &[u32], out: ViewMut<u32>) {
    // SAFETY: `y` is not written.
    let y = unsafe { y.as_slice() };
    let tail = &x[1..];
    let mut sum = tail.iter().sum::<u32>() + y.iter().sum::<u32>() + x[0];
    for &more in z {
        sum += more;
    }
    out.write(thread::index_1d() as usize, sum);
}

#[test]
fn memory_used_by_iterators_is_reported_as_untracked() {
    let (x, mut out) = ([1, 2, 3], [0]);
    let view = View::from(&x[..]);
    let arguments = (
        view,
        View::from(&[4, 5][..]),
        View::from(&[6][..]),
        ViewMut::from(&mut out[..]),
    );
    // SAFETY: one thread.
    unsafe { launch_on_cpu::<by_iterators>(shape(1, 1), CHECKED, arguments) }.unwrap();
    assert_eq!(out, [21]);
    let texts: Vec<String> = simt::untracked_memory()
        .iter()
        .map(ToString::to_string)
        .collect();
    let [x, y, z] = &texts[..] else {
        panic!("{texts:?}");
    };
    for (text, parameter) in [
        (x, "`x` (parameter 1)"),
        (y, "`y` (parameter 2)"),
        (z, "`z` (parameter 3)"),
    ] {
        assert!(
            text.starts_with(&format!(
                "{parameter}: it was passed to an uninstrumented function"
            )),
            "{text}"
        );
    }
}

/// Reads the neighbour's number through dynamic shared memory.
#[kernel]
pub unsafe fn by_dynamic_memory(out: ViewMut<u32>, barrier: bool, skip: u32) {
    let tile = dynamic_shared_mem::<u32>();
    let t = thread::thread_idx_x();
    // SAFETY: the launch provides a word for each thread.
    unsafe {
        if t != skip {
            *tile.add(t as usize) = t;
        }
        if barrier {
            thread::sync_threads();
        }
        out.write(t as usize, *tile.add((t as usize + 1) % 32));
    }
}

#[test]
fn dynamic_shared_memory_is_tracked() {
    let run = |barrier, skip| {
        let mut out = [0; 32];
        let shape = simt::LaunchShape {
            dynamic_shared_bytes: 128,
            ..shape(1, 32)
        };
        let arguments = (ViewMut::from(&mut out[..]), barrier, skip);
        // SAFETY: checked mode runs one thread at a time, and initialises memory before a block.
        unsafe { launch_on_cpu::<by_dynamic_memory>(shape, CHECKED, arguments) }
    };
    run(true, 99).unwrap();
    let report = findings(run(false, 99));
    let is_race = |kind: &FindingKind| matches!(kind, FindingKind::Race { .. });
    assert!(
        report.findings().iter().any(|one| is_race(&one.kind)),
        "{report}"
    );
    assert!(
        report
            .to_string()
            .contains("of the 128 bytes of dynamic shared memory")
    );
    let report = findings(run(true, 4));
    assert!(
        matches!(
            report.findings()[0].kind,
            FindingKind::UninitializedRead { .. }
        ),
        "{report}"
    );
}

/// Counts atomically in shared memory, and reads the counter `early` or after a barrier.
#[kernel]
pub unsafe fn count(out: ViewMut<u32>, early: bool) {
    let counter = shared_array![u32; 1];
    let t = thread::thread_idx_x();
    // SAFETY: one word.
    unsafe {
        if t == 0 {
            *counter = 0;
        }
        thread::sync_threads();
        mid::atomic_fetch_add_u32_block(counter, Relaxed, 1);
        if !early {
            thread::sync_threads();
        }
        out.write(t as usize, *counter);
    }
}

#[test]
fn atomics_through_pointers_are_tracked() {
    let run = |early| {
        let mut out = [0; 32];
        let arguments = (ViewMut::from(&mut out[..]), early);
        // SAFETY: checked mode runs one thread at a time.
        let result = unsafe { launch_on_cpu::<count>(shape(1, 32), CHECKED, arguments) };
        (result, out)
    };
    let (result, out) = run(false);
    result.unwrap();
    assert_eq!((out, simt::untracked_memory()), ([32; 32], vec![]));
    let report = findings(run(true).0);
    let text = report.to_string();
    assert!(
        text.contains("updated it atomically") && text.contains("read it"),
        "{text}"
    );
}

/// Copies a tile asynchronously. `fault` omits the wait (1), waits after the barrier (2), or
/// overwrites the source (3).
#[kernel]
pub unsafe fn copy(x: ViewMut<u32>, out: ViewMut<u32>, fault: u32) {
    let tile = shared_view![u32; 64];
    let t = thread::thread_idx_x() as usize;
    async_copy::copy_vector::<u32, 2>(x.as_view(), 2 * t, tile, 2 * t);
    if fault == 3 {
        x.write(2 * t, 0);
    }
    if fault == 2 {
        thread::sync_threads();
    }
    if fault != 1 {
        async_copy::wait_all();
    }
    if fault != 2 {
        thread::sync_threads();
    }
    out.write(t, tile.read(63 - t));
}

#[test]
fn missing_waits_for_asynchronous_copies_are_found() {
    let run = |fault| {
        let (mut x, mut out) = ([1; 64], [0; 32]);
        let arguments = (
            ViewMut::from(&mut x[..]),
            ViewMut::from(&mut out[..]),
            fault,
        );
        // SAFETY: checked mode runs one thread at a time.
        unsafe { launch_on_cpu::<copy>(shape(1, 32), CHECKED, arguments) }
    };
    run(0).unwrap();
    for fault in [1, 3] {
        let report = findings(run(fault));
        let finding = &report.findings()[0];
        assert!(
            matches!(finding.kind, FindingKind::AsyncCopyConflict { .. }),
            "{report}"
        );
        let text = finding.to_string();
        let place = [
            "tile",
            "of a shared array of 256 bytes",
            "",
            "`x` (parameter 1)",
        ][fault as usize];
        assert!(
            text.contains(place) && text.contains("began the copy at"),
            "{text}"
        );
    }
    // The wait orders only the waiting thread; a barrier must follow it.
    let report = findings(run(2));
    assert!(
        report.findings().iter().any(|one| matches!(
            one.kind,
            FindingKind::AsyncCopyConflict { .. } | FindingKind::Race { .. }
        )),
        "{report}"
    );
}

/// Computes endlessly without accessing memory.
#[kernel]
pub unsafe fn endless(out: *mut u32) {
    let mut x = 1_u32;
    while x != 0 {
        x = x.wrapping_mul(3);
    }
    // SAFETY: one word.
    unsafe { *out = x };
}

#[test]
fn a_loop_without_accesses_is_ended_in_an_instrumented_kernel() {
    let mut out = 0;
    let limits = Limits {
        steps: Some(10_000),
        ..Limits::default()
    };
    // SAFETY: one thread.
    let result =
        limits.apply(|| unsafe { launch_on_cpu::<endless>(shape(1, 1), CHECKED, (&raw mut out,)) });
    let error = result.unwrap_err();
    assert!(
        matches!(error, LaunchError::StepLimit { steps: 10_000, .. }),
        "{error}"
    );
    let text = error.to_string();
    assert!(
        text.contains("`endless`") && text.contains("instrumented.rs:"),
        "{text}"
    );
    assert!(text.contains("block (0, 0, 0), thread (0, 0, 0)"), "{text}");
}
