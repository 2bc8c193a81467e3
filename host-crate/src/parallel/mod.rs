//! Loops over indices and slices on all threads of the host.
//!
//! Loops are built on [`for_each`], which takes the loop body as a trait object: rayon's splitting
//! code is large, and is compiled once instead of per loop and sample type.
//! Loops over many small items pass threads ranges or chunks of them. Results are returned in
//! index order, regardless of thread timing.
//!
//! Lists are allocated as in [`memory`](crate::memory): a failed allocation unwinds the stack up
//! to [`catch_out_of_memory`](crate::memory::catch_out_of_memory).

mod in_order;
mod inherited;

pub(crate) use in_order::produce_in_order;
pub(crate) use inherited::{
    catch_cancelled, is_panic_caught, run_job, unwind_if_cancelled, with_caught_panics,
};

use inherited::Inherited;

use crate::memory::{ExtendOrUnwind, with_capacity_or_unwind};
use rayon::prelude::*;
use std::{
    ops::Range,
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

/// Calls `foreground` on the calling thread while half of the threads, at least one, combine
/// `f(range)` as [`reduce`] does, so that the others are left for the loops of `foreground`. Once
/// that has ended, all threads do. Returns both results.
pub(crate) fn reduce_in_background<T: Send, R>(
    count: usize,
    chunk_len: usize,
    f: impl Fn(Range<usize>) -> T + Sync,
    join: impl Fn(T, T) -> T,
    foreground: impl FnOnce() -> R,
) -> (Option<T>, R) {
    let chunk_len = chunk_len.max(count.div_ceil(MAX_RANGES));
    let mut slots = [const { None }; MAX_RANGES];
    let threads = rayon::current_num_threads();
    let background = (threads / 2).max(1);
    let chunks = Mutex::new(slots[..count.div_ceil(chunk_len)].iter_mut().enumerate());
    let reduce_chunks = || {
        loop {
            // a separate statement, so that the lock is released before `f` runs
            let next = lock(&chunks).next();
            let Some((chunk, slot)) = next else { break };
            unwind_if_cancelled();
            *slot = Some(f(chunk_range(count, chunk_len, chunk)));
        }
    };
    let inherited = Inherited::from_current_thread();
    let result = rayon::in_place_scope(|scope| {
        let begin = |threads: Range<usize>| {
            threads.for_each(|_| scope.spawn(|_| inherited.apply(reduce_chunks)));
        };
        begin(0..background);
        let result = foreground();
        begin(background..threads);
        result
    });
    (slots.into_iter().flatten().reduce(join), result)
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
mod tests;
