//! Loops on all threads of the host.
//!
//! All of them are [`each`], in which the work is behind a pointer: what shares out the numbers of a loop is much code, and is so compiled once,
//! not for every loop and for every type of samples. A loop over many small things gives the threads portions of them. What is made is in the
//! order of the numbers, whichever thread was first.
//!
//! Lists are made as in [`memory`](crate::memory): where there is no room for them the stack is unwound, up to
//! [`caught`](crate::memory::caught).

use crate::memory::{Listed, Put, with_room};
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

/// Calls `work` with each number below `count`. A panic of it goes on here.
pub(crate) fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    match count {
        0 => (),
        1 => work(0),
        _ => (0..count).into_par_iter().with_max_len(1).for_each(work),
    }
}

/// Calls `work` with the ranges of so many numbers each that there are up to `count`.
pub(crate) fn each_range(count: usize, portion: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    each(count.div_ceil(portion), &|part| {
        work(range_of(count, portion, part));
    });
}

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

/// Calls `work` with what an iterator gives, and before each its number. It has no more than `count`.
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

/// Calls `work` with each number below `count`, and with a state that is another call's before and after. Returns the states, of which there are as
/// many as calls were at a time.
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
    made.into_iter().flatten().listed()
}

/// What `of` gives for each number below `count`, or the first of its errors. After an error no more is begun.
pub(crate) fn try_map<T: Send, E: Send>(
    count: usize,
    of: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    try_map_of(count, 0..count, |_, number| of(number))
}

/// What `of` gives for each element of a list and its number, or the first of its errors. After an error no more is begun.
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

/// The first that `of` gives of ranges of so many numbers. Ranges behind it are left out, as far as they have not begun.
pub(crate) fn first<T: Send>(
    count: usize,
    portion: usize,
    of: impl Fn(Range<usize>) -> Option<T> + Sync,
) -> Option<T> {
    let first = AtomicUsize::new(usize::MAX);
    let found = Mutex::new(None);
    each_range(count, portion, &|range| {
        let start = range.start;
        if start > first.load(Relaxed) {
            return;
        }
        if let Some(it) = of(range) {
            let mut found = lock(&found);
            if start < first.fetch_min(start, Relaxed) {
                *found = Some(it);
            }
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{OutOfMemory, caught};
    use proptest::prelude::*;
    use std::sync::atomic::AtomicU64;

    proptest! {
        #[test]
        fn loops_do_what_loops_on_one_thread_do(
            numbers in prop::collection::vec(0_u32..60, 0..300),
            portion in 1_usize..40,
        ) {
            let sum = AtomicU64::new(0);
            each_range(numbers.len(), portion, &|range| {
                let sum_there: u32 = numbers[range].iter().sum();
                sum.fetch_add(sum_there.into(), Relaxed);
            });
            prop_assert_eq!(sum.into_inner(), numbers.iter().map(|&it| u64::from(it)).sum::<u64>());

            let mut changed = numbers.clone();
            each_portion_mut(&mut changed, portion, |first, part| {
                for (at, number) in (first..).zip(part) {
                    *number += at as u32;
                }
            });
            each_mut(&mut changed, |at, number| *number -= at as u32);
            prop_assert_eq!(&changed, &numbers);

            let states = each_with(numbers.len(), || 0, |sum, at| *sum += u64::from(numbers[at]));
            prop_assert_eq!(states.iter().sum::<u64>(), numbers.iter().map(|&it| u64::from(it)).sum::<u64>());

            prop_assert_eq!(&map(numbers.len(), |at| numbers[at]), &numbers);
            let is_odd = |number: &u32| !number.is_multiple_of(7);
            let odd: Vec<u32> = numbers.iter().copied().filter(is_odd).collect();
            let found = listed(numbers.len(), portion, |range, list| {
                list.put_all(numbers[range].iter().copied().filter(is_odd));
            });
            prop_assert_eq!(found, odd);
            let place = |range: Range<usize>| numbers[range.clone()].iter().position(|&it| it > 55).map(|at| range.start + at);
            prop_assert_eq!(first(numbers.len(), portion, place), place(0..numbers.len()));

            let mut changed = numbers.clone();
            prop_assert_eq!(&map_mut(&mut changed, |at, number| std::mem::replace(number, at as u32)), &numbers);
            prop_assert!(changed.iter().copied().eq(0..numbers.len() as u32));

            let tried = |at: usize| if numbers[at] == 59 { Err(59) } else { Ok(numbers[at]) };
            let expected: Result<Vec<u32>, i32> = (0..numbers.len()).map(tried).collect();
            prop_assert_eq!(&try_map(numbers.len(), tried), &expected);
            prop_assert_eq!(try_map_mut(&mut changed, |at, _| tried(at)), expected);
        }
    }

    #[test]
    fn nothing_is_begun_after_an_error() {
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let begun = AtomicUsize::new(0);
        let made = one.unwrap().install(|| {
            try_map(100, |at| {
                begun.fetch_add(1, Relaxed);
                if at == 9 { Err(at) } else { Ok(at) }
            })
        });
        assert_eq!((made, begun.into_inner()), (Err(9), 10));
    }

    #[test]
    fn what_cannot_be_had_comes_back_to_where_it_is_caught() {
        let made = caught(|| {
            each(8, &|_| drop(with_room::<u64>(1 << 58)));
            Ok::<_, OutOfMemory>(())
        });
        assert_eq!(made.unwrap_err().bytes, 1 << 61);
    }
}
