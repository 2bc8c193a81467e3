//! Loops over indices and slices on all threads of the host.
//!
//! All functions are built on [`for_each`], which takes the loop body as a trait object: rayon's
//! splitting code is large, and is compiled once instead of per loop and sample type.
//! Loops over many small items pass threads ranges or chunks of them. Results are returned in
//! index order, regardless of thread timing.
//!
//! Lists are allocated as in [`memory`](crate::memory): a failed allocation unwinds the stack up
//! to [`catch_out_of_memory`](crate::memory::catch_out_of_memory).

use crate::{
    memory::{ExtendOrUnwind, with_capacity_or_unwind},
    monitor::{CancelFlag, Cancelled},
};
use rayon::prelude::*;
use std::{
    cell::{Cell, RefCell},
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
};

/// Default number of small items that a thread processes at a time.
pub(crate) const CHUNK_LEN: usize = 1 << 14;

/// Maximum number of ranges that [`reduce`] splits its indices into: enough for several hundred
/// threads.
const MAX_RANGES: usize = 256;

thread_local! {
    /// `true` while the thread works for a caller that catches panics.
    static IS_PANIC_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Returns `true` if a panic of the calling thread is caught by the caller of
/// [`with_caught_panics`], on this thread or as one of its loops.
pub(crate) fn is_panic_caught() -> bool {
    IS_PANIC_CAUGHT.get()
}

/// Calls `act`, whose panics the caller catches if `is_caught`. Loops pass that on to the threads
/// that run them.
pub(crate) fn with_caught_panics<R>(is_caught: bool, act: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IS_PANIC_CAUGHT.set(self.0);
        }
    }
    let _restore = Restore(IS_PANIC_CAUGHT.replace(is_caught));
    act()
}

thread_local! {
    /// Flag that ends the loops of the thread.
    static CANCEL: RefCell<Option<CancelFlag>> = const { RefCell::new(None) };
}

/// Calls `work`, whose loops end soon after the flag is set: at the next item they unwind the stack
/// up to this function, as a failed allocation does, without a panic message. This covers the
/// calling thread and the threads that run its loops.
///
/// # Errors
/// [`Cancelled`] if a loop ended early; the errors of `work`.
pub(crate) fn catch_cancelled<T, E: From<Cancelled>>(
    flag: Option<&CancelFlag>,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let work = || with_cancel_flag(flag.cloned(), work);
    // unwind safety: partial results are dropped
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(panic) if panic.is::<Cancelled>() => Err(Cancelled.into()),
        Err(panic) => resume_unwind(panic),
    }
}

/// Calls `act` with a flag that ends its loops.
fn with_cancel_flag<R>(flag: Option<CancelFlag>, act: impl FnOnce() -> R) -> R {
    struct Restore(Option<CancelFlag>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CANCEL.set(self.0.take());
        }
    }
    let _restore = Restore(CANCEL.replace(flag));
    act()
}

/// Unwinds the stack up to [`catch_cancelled`] if the flag of the thread is set. Long loops of one
/// thread call this once per about a thousand items.
pub(crate) fn unwind_if_cancelled() {
    let is_cancelled =
        |flag: &Option<CancelFlag>| flag.as_ref().is_some_and(CancelFlag::is_cancelled);
    if CANCEL.with_borrow(is_cancelled) {
        resume_unwind(Box::new(Cancelled));
    }
}

/// Runs a job that is independent of the loops that the calling thread may be waiting for.
pub(crate) fn run_job<R>(job: impl FnOnce() -> R) -> R {
    Inherited::default().apply(job)
}

/// State of the calling thread that applies to its loops on other threads, too.
#[derive(Default)]
struct Inherited {
    is_panic_caught: bool,
    cancel: Option<CancelFlag>,
}

impl Inherited {
    fn from_current_thread() -> Self {
        Self {
            is_panic_caught: is_panic_caught(),
            cancel: CANCEL.with_borrow(Clone::clone),
        }
    }

    /// Calls `act` with this state, unless it is cancelled.
    fn apply<R>(&self, act: impl FnOnce() -> R) -> R {
        with_caught_panics(self.is_panic_caught, || {
            with_cancel_flag(self.cancel.clone(), || {
                unwind_if_cancelled();
                act()
            })
        })
    }
}

/// Calls `body` with every index below `count`. A panic of `body` propagates to the caller.
fn for_each(count: usize, body: &(dyn Fn(usize) + Sync)) {
    match count {
        0 => (),
        1 => body(0),
        _ => {
            let inherited = Inherited::from_current_thread();
            let body = |index| inherited.apply(|| body(index));
            (0..count).into_par_iter().with_max_len(1).for_each(body);
        }
    }
}

/// Calls two functions, if possible at the same time.
pub(crate) fn join<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let inherited = Inherited::from_current_thread();
    rayon::join(|| inherited.apply(first), || inherited.apply(second))
}

/// Calls `background` on another thread, if one is idle, while the calling thread calls
/// `foreground`. Returns once both have ended.
pub(crate) fn with_background<R>(
    background: impl FnOnce() + Send,
    foreground: impl FnOnce() -> R,
) -> R {
    let inherited = Inherited::from_current_thread();
    rayon::in_place_scope(|scope| {
        scope.spawn(|_| inherited.apply(background));
        foreground()
    })
}

/// Returns the indices of chunk number `chunk`, where `0..count` is cut into chunks of
/// `chunk_len`.
fn chunk_range(count: usize, chunk_len: usize, chunk: usize) -> Range<usize> {
    chunk * chunk_len..count.min((chunk + 1) * chunk_len)
}

/// Calls `body(index, element)` for every element of a list.
pub(crate) fn for_each_mut<T: Send>(list: &mut [T], body: impl Fn(usize, &mut T) + Sync) {
    for_each_item(list.len(), list.iter_mut(), body);
}

/// Calls `body(start, chunk)` for every chunk of `chunk_len` elements of a list, where `start` is
/// the index of the chunk's first element.
pub(crate) fn for_each_chunk_mut<T: Send>(
    list: &mut [T],
    chunk_len: usize,
    body: impl Fn(usize, &mut [T]) + Sync,
) {
    let chunks = list.len().div_ceil(chunk_len);
    for_each_item(chunks, list.chunks_mut(chunk_len), |number, chunk| {
        body(number * chunk_len, chunk);
    });
}

/// Calls `body(start, (chunk, chunk))` for every chunk of `chunk_len` elements of two lists of
/// equal length, where `start` is the index of the first elements.
pub(crate) fn for_each_chunk_pair_mut<A: Send, B: Send>(
    (first, second): (&mut [A], &mut [B]),
    chunk_len: usize,
    body: impl Fn(usize, (&mut [A], &mut [B])) + Sync,
) {
    let count = first.len().div_ceil(chunk_len);
    let chunks = first
        .chunks_mut(chunk_len)
        .zip(second.chunks_mut(chunk_len));
    for_each_item(count, chunks, |number, pair| body(number * chunk_len, pair));
}

/// Calls `body(index, item)` for every item of an iterator with at most `count` items.
fn for_each_item<I: Iterator + Send>(count: usize, items: I, body: impl Fn(usize, I::Item) + Sync) {
    let items = Mutex::new(items.enumerate());
    for_each(count, &|_| {
        // a separate statement, so that the lock is released before the body runs
        let next = lock(&items).next();
        if let Some((index, item)) = next {
            body(index, item);
        }
    });
}

/// Calls `body(state, index)` for every index below `count`, giving each concurrent call its own
/// state. States are created by `new` on demand and reused; returns all of them in unspecified
/// order.
pub(crate) fn for_each_with<S: Send>(
    count: usize,
    new: impl Fn() -> S + Sync,
    body: impl Fn(&mut S, usize) + Sync,
) -> Vec<S> {
    let idle_states = Mutex::new(Vec::new());
    for_each(count, &|index| {
        let idle = lock(&idle_states).pop();
        let mut state = idle.unwrap_or_else(&new);
        body(&mut state, index);
        lock(&idle_states).push_or_unwind(state);
    });
    idle_states
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns `f(index)` for every index below `count`.
pub(crate) fn map<T: Send>(count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_items(count, 0..count, |_, index| f(index))
}

/// Returns `f(index, element)` for every element of a list.
pub(crate) fn map_mut<T: Send, R: Send>(
    list: &mut [T],
    f: impl Fn(usize, &mut T) -> R + Sync,
) -> Vec<R> {
    map_items(list.len(), list.iter_mut(), f)
}

fn map_items<I: Iterator + Send, T: Send>(
    count: usize,
    items: I,
    f: impl Fn(usize, I::Item) -> T + Sync,
) -> Vec<T> {
    let mut slots = with_capacity_or_unwind(count);
    slots.extend((0..count).map(|_| None));
    for_each_item(count, items.zip(&mut slots), |index, (item, slot)| {
        *slot = Some(f(index, item));
    });
    let mut results = with_capacity_or_unwind(count);
    results.extend(slots.into_iter().flatten());
    results
}

/// Returns `f(index)` for every index below `count`. After the first error no further calls are
/// started.
///
/// # Errors
/// The error with the smallest index among the calls that ran.
pub(crate) fn try_map<T: Send, E: Send>(
    count: usize,
    f: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    try_map_items(count, 0..count, |_, index| f(index))
}

/// Returns `f(index, element)` for every element of a list. After the first error no further calls
/// are started.
///
/// # Errors
/// The error with the smallest index among the calls that ran.
pub(crate) fn try_map_mut<T: Send, R: Send, E: Send>(
    list: &mut [T],
    f: impl Fn(usize, &mut T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_map_items(list.len(), list.iter_mut(), f)
}

fn try_map_items<I: Iterator + Send, T: Send, E: Send>(
    count: usize,
    items: I,
    f: impl Fn(usize, I::Item) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let has_failed = AtomicBool::new(false);
    let results = map_items(count, items, |index, item| {
        if has_failed.load(Relaxed) {
            return None;
        }
        let result = f(index, item);
        has_failed.fetch_or(result.is_err(), Relaxed);
        Some(result)
    });
    let mut values = with_capacity_or_unwind(results.len());
    for result in results.into_iter().flatten() {
        values.push(result?);
    }
    Ok(values)
}

/// Returns `f(range)` for every range of `chunk_len` indices below `count`.
pub(crate) fn map_ranges<T: Send>(
    count: usize,
    chunk_len: usize,
    f: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    map(count.div_ceil(chunk_len), |chunk| {
        f(chunk_range(count, chunk_len, chunk))
    })
}

/// Combines `f(range)` over ranges of at least `chunk_len` indices with `join`, in index order.
/// Returns `None` if `count` is 0. Does not allocate.
pub(crate) fn reduce<T: Send>(
    count: usize,
    chunk_len: usize,
    f: impl Fn(Range<usize>) -> T + Sync,
    join: impl Fn(T, T) -> T,
) -> Option<T> {
    let chunk_len = chunk_len.max(count.div_ceil(MAX_RANGES));
    let mut slots = [const { None }; MAX_RANGES];
    for_each_mut(&mut slots[..count.div_ceil(chunk_len)], |chunk, slot| {
        *slot = Some(f(chunk_range(count, chunk_len, chunk)));
    });
    slots.into_iter().flatten().reduce(join)
}

/// Calls `append(range, list)` for every range of `chunk_len` indices and concatenates the lists
/// in index order.
pub(crate) fn collect<T: Send>(
    count: usize,
    chunk_len: usize,
    append: impl Fn(Range<usize>, &mut Vec<T>) + Sync,
) -> Vec<T> {
    let mut parts = map_ranges(count, chunk_len, |range| {
        let mut list = Vec::new();
        append(range, &mut list);
        list
    });
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let mut list = with_capacity_or_unwind(parts.iter().map(Vec::len).sum());
    parts
        .into_iter()
        .for_each(|part| list.extend_or_unwind(part));
    list
}

/// Returns the result of `f(range)` for the first range of `chunk_len` indices where it is `Some`.
/// Ranges behind a match are skipped unless they have already started.
pub(crate) fn find_first<T: Send>(
    count: usize,
    chunk_len: usize,
    f: impl Fn(Range<usize>) -> Option<T> + Sync,
) -> Option<T> {
    let first_chunk = AtomicUsize::new(usize::MAX);
    let first_match = Mutex::new(None);
    for_each(count.div_ceil(chunk_len), &|chunk| {
        if chunk > first_chunk.load(Relaxed) {
            return;
        }
        if let Some(found) = f(chunk_range(count, chunk_len, chunk)) {
            let mut first_match = lock(&first_match);
            if chunk < first_chunk.fetch_min(chunk, Relaxed) {
                *first_match = Some(found);
            }
        }
    });
    first_match
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "parallel_tests.rs"]
mod tests;
