//! Loops on all threads of the host.
//!
//! All of them are [`each`], in which the work is behind a pointer: what shares out the numbers of
//! a loop is much code, and is so compiled once, not for every loop and for every type of samples.
//! A loop over many small things gives the threads portions of them. What is made is in the order
//! of the numbers, whichever thread was first.
//!
//! Lists are made as in [`memory`](crate::memory): where there is no room for them the stack is
//! unwound, up to [`caught`](crate::memory::caught).

use crate::memory::{Put, with_room};
use rayon::prelude::*;
use std::{
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
};

/// Small things that a thread takes at a time, where nothing speaks for another number.
pub(crate) const PORTION: usize = 1 << 14;

/// Parts at most that are joined to one: each of several hundred threads has some.
const PARTS: usize = 256;

/// Calls `work` with each number below `count`. A panic of it goes on here.
fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    match count {
        0 => (),
        1 => work(0),
        _ => (0..count).into_par_iter().with_max_len(1).for_each(work),
    }
}

/// The numbers of a part, of parts of so many numbers that go up to `count`.
fn range_of(count: usize, portion: usize, part: usize) -> Range<usize> {
    part * portion..count.min((part + 1) * portion)
}

/// Calls `work` with the number and each element of a list.
pub(crate) fn each_mut<T: Send>(list: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    each_of(list.len(), list.iter_mut(), work);
}

/// Calls `work` with portions of a list, and before each with the number of its first element.
pub(crate) fn each_portion_mut<T: Send>(
    list: &mut [T],
    portion: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let parts = list.len().div_ceil(portion);
    each_of(parts, list.chunks_mut(portion), |part, list| {
        work(part * portion, list);
    });
}

/// Calls `work` with what an iterator gives, and before each its number. It has no more than
/// `count`.
fn each_of<I: Iterator + Send>(count: usize, items: I, work: impl Fn(usize, I::Item) + Sync) {
    let items = Mutex::new(items.enumerate());
    each(count, &|_| {
        // the lock is let go before the work begins
        let next = lock(&items).next();
        if let Some((number, item)) = next {
            work(number, item);
        }
    });
}

/// Calls `work` with each number below `count`, and with a state that is another call's before and
/// after. Returns the states, of which there are as many as calls were at a time.
pub(crate) fn each_with<S: Send>(
    count: usize,
    new: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) + Sync,
) -> Vec<S> {
    let states = Mutex::new(Vec::new());
    each(count, &|number| {
        let free = lock(&states).pop();
        let mut state = free.unwrap_or_else(&new);
        work(&mut state, number);
        lock(&states).put(state);
    });
    states.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `of` gives for each number below `count`.
pub(crate) fn map<T: Send>(count: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_of(count, 0..count, |_, number| of(number))
}

/// What `of` gives for each element of a list and its number.
pub(crate) fn map_mut<T: Send, R: Send>(
    list: &mut [T],
    of: impl Fn(usize, &mut T) -> R + Sync,
) -> Vec<R> {
    map_of(list.len(), list.iter_mut(), of)
}

fn map_of<I: Iterator + Send, T: Send>(
    count: usize,
    items: I,
    of: impl Fn(usize, I::Item) -> T + Sync,
) -> Vec<T> {
    let mut made = with_room(count);
    made.extend((0..count).map(|_| None));
    each_of(count, items.zip(&mut made), |number, (item, made)| {
        *made = Some(of(number, item));
    });
    let mut list = with_room(count);
    list.extend(made.into_iter().flatten());
    list
}

/// What `of` gives for each number below `count`, or the first of its errors. After an error no
/// more is begun.
pub(crate) fn try_map<T: Send, E: Send>(
    count: usize,
    of: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    try_map_of(count, 0..count, |_, number| of(number))
}

/// What `of` gives for each element of a list and its number, or the first of its errors. After an
/// error no more is begun.
pub(crate) fn try_map_mut<T: Send, R: Send, E: Send>(
    list: &mut [T],
    of: impl Fn(usize, &mut T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_map_of(list.len(), list.iter_mut(), of)
}

fn try_map_of<I: Iterator + Send, T: Send, E: Send>(
    count: usize,
    items: I,
    of: impl Fn(usize, I::Item) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let failed = AtomicBool::new(false);
    let made = map_of(count, items, |number, item| {
        if failed.load(Relaxed) {
            return None;
        }
        let made = of(number, item);
        failed.fetch_or(made.is_err(), Relaxed);
        Some(made)
    });
    let mut list = with_room(made.len());
    for made in made.into_iter().flatten() {
        list.push(made?);
    }
    Ok(list)
}

/// What `of` gives for each range of so many numbers.
pub(crate) fn map_ranges<T: Send>(
    count: usize,
    portion: usize,
    of: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    map(count.div_ceil(portion), |part| {
        of(range_of(count, portion, part))
    })
}

/// What `of` gives for ranges of so many numbers or more, joined in their order; nothing where
/// there is no number. It allocates nothing.
pub(crate) fn reduce<T: Send>(
    count: usize,
    portion: usize,
    of: impl Fn(Range<usize>) -> T + Sync,
    join: impl Fn(T, T) -> T,
) -> Option<T> {
    let portion = portion.max(count.div_ceil(PARTS));
    let mut made = [const { None }; PARTS];
    each_mut(&mut made[..count.div_ceil(portion)], |part, made| {
        *made = Some(of(range_of(count, portion, part)));
    });
    made.into_iter().flatten().reduce(join)
}

/// What `put` puts into a list for each range of so many numbers, in one list.
pub(crate) fn listed<T: Send>(
    count: usize,
    portion: usize,
    put: impl Fn(Range<usize>, &mut Vec<T>) + Sync,
) -> Vec<T> {
    let mut parts = map_ranges(count, portion, |range| {
        let mut list = Vec::new();
        put(range, &mut list);
        list
    });
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let mut list = with_room(parts.iter().map(Vec::len).sum());
    parts.into_iter().for_each(|part| list.put_all(part));
    list
}

/// The first that `of` gives of ranges of so many numbers. Ranges behind it are left out, as far as
/// they have not begun.
pub(crate) fn first<T: Send>(
    count: usize,
    portion: usize,
    of: impl Fn(Range<usize>) -> Option<T> + Sync,
) -> Option<T> {
    let first = AtomicUsize::new(usize::MAX);
    let found = Mutex::new(None);
    each(count.div_ceil(portion), &|part| {
        if part > first.load(Relaxed) {
            return;
        }
        if let Some(it) = of(range_of(count, portion, part)) {
            let mut found = lock(&found);
            if part < first.fetch_min(part, Relaxed) {
                *found = Some(it);
            }
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "parallel_tests.rs"]
mod tests;
