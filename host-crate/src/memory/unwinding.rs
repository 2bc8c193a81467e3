//! Lists that are made where an error has no way out.
//!
//! The lists of a skeleton are made in closures of iterators, in comparisons of sorts and on all
//! threads at once, hundreds of them. What is here asks for memory in a way that can fail, and
//! where there is none the stack is unwound, with an [`OutOfMemory`] and without a word, up to
//! [`caught`], which makes of it the error that it is. The entries of skeletons, of graphs' files
//! and of pictures of curves call that. What returns no `Result` (queries of graphs) panics with
//! the error's message where nobody catches. A program that is compiled to abort where others
//! unwind does so here too.

use super::{
    OutOfMemory,
    lists::{bytes_of, check_room},
};
use bytemuck::Zeroable;
use std::{
    cmp::Ordering,
    collections::{BinaryHeap, HashMap, HashSet, VecDeque},
    hash::{BuildHasher, Hash},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// What the memory was for.
const WHAT: &str = "a list on the host";

/// How many threads are in [`caught`].
static CATCHING: AtomicUsize = AtomicUsize::new(0);

/// Does some work in which lists are made by the functions here, on this thread and on those that
/// bring their panics back to it, as rayon's do. Other panics go on.
pub(crate) fn caught<T, E: From<OutOfMemory>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    CATCHING.fetch_add(1, Relaxed);
    // what the work has half done is dropped, or belongs to a caller that gets an error
    let done = catch_unwind(AssertUnwindSafe(work));
    CATCHING.fetch_sub(1, Relaxed);
    done.unwrap_or_else(|panic| match panic.downcast::<OutOfMemory>() {
        Ok(error) => Err((*error).into()),
        Err(panic) => resume_unwind(panic),
    })
}

#[cold]
fn unwind(error: OutOfMemory) -> ! {
    match CATCHING.load(Relaxed) {
        0 => panic!("{error}"),
        _ => resume_unwind(Box::new(error)),
    }
}

/// Unwinds where there is no room.
pub(crate) fn or_unwind<T>(made: Result<T, OutOfMemory>) -> T {
    made.unwrap_or_else(|error| unwind(error))
}

/// Collections that grow, or unwind.
pub(crate) trait Room {
    /// Makes room for so many more, and for more than that where it has grown before.
    fn room(&mut self, more: usize);
}

/// What a reservation says of bytes that are asked for at once.
fn of_bytes<E>(bytes: u64, reserve: impl FnOnce() -> Result<(), E>) {
    if check_room(WHAT, bytes).is_err() || reserve().is_err() {
        unwind(OutOfMemory { what: WHAT, bytes });
    }
}

impl<T> Room for Vec<T> {
    #[inline]
    fn room(&mut self, more: usize) {
        if self.capacity() - self.len() < more {
            room_of_vec(self, more);
        }
    }
}

#[cold]
fn room_of_vec<T>(list: &mut Vec<T>, more: usize) {
    // to twice as many, as the standard library's lists grow
    let len = list.len();
    let bytes = |more: usize| bytes_of::<T>(len.saturating_add(more));
    let doubled = more.max(len).max(if more == 1 { 4 } else { 0 });
    if check_room(WHAT, bytes(doubled)).is_err() || list.try_reserve_exact(doubled).is_err() {
        of_bytes(bytes(more), || list.try_reserve_exact(more));
    }
}

impl<T: Ord> Room for BinaryHeap<T> {
    #[inline]
    fn room(&mut self, more: usize) {
        if self.capacity() - self.len() < more {
            of_bytes(bytes_of::<T>(self.len() + more), || self.try_reserve(more));
        }
    }
}

impl<T> Room for VecDeque<T> {
    #[inline]
    fn room(&mut self, more: usize) {
        if self.capacity() - self.len() < more {
            of_bytes(bytes_of::<T>(self.len() + more), || self.try_reserve(more));
        }
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> Room for HashMap<K, V, S> {
    #[inline]
    fn room(&mut self, more: usize) {
        if self.capacity() - self.len() < more {
            let bytes = bytes_of::<(K, V)>(self.len() + more);
            of_bytes(bytes, || self.try_reserve(more));
        }
    }
}

impl<K: Eq + Hash, S: BuildHasher> Room for HashSet<K, S> {
    #[inline]
    fn room(&mut self, more: usize) {
        if self.capacity() - self.len() < more {
            let bytes = bytes_of::<K>(self.len() + more);
            of_bytes(bytes, || self.try_reserve(more));
        }
    }
}

/// Collections that something is put into, which grow or unwind.
pub(crate) trait Put<T>: Room {
    /// Puts one more in, behind the others where there is an order.
    fn put(&mut self, value: T);

    /// Puts more in.
    fn put_all(&mut self, values: impl IntoIterator<Item = T>) {
        let values = values.into_iter();
        self.room(values.size_hint().0);
        values.for_each(|value| self.put(value));
    }
}

impl<T> Put<T> for Vec<T> {
    #[inline]
    fn put(&mut self, value: T) {
        self.room(1);
        self.push(value);
    }

    #[inline]
    fn put_all(&mut self, values: impl IntoIterator<Item = T>) {
        let values = values.into_iter();
        let (least, most) = values.size_hint();
        self.room(least);
        if most == Some(least) {
            self.extend(values)
        } else {
            values.for_each(|value| self.put(value))
        }
    }
}

impl<T: Ord> Put<T> for BinaryHeap<T> {
    #[inline]
    fn put(&mut self, value: T) {
        self.room(1);
        self.push(value);
    }
}

impl<T> Put<T> for VecDeque<T> {
    #[inline]
    fn put(&mut self, value: T) {
        self.room(1);
        self.push_back(value);
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> Put<(K, V)> for HashMap<K, V, S> {
    #[inline]
    fn put(&mut self, (key, value): (K, V)) {
        self.room(1);
        self.insert(key, value);
    }
}

impl<K: Eq + Hash, S: BuildHasher> Put<K> for HashSet<K, S> {
    #[inline]
    fn put(&mut self, value: K) {
        self.room(1);
        self.insert(value);
    }
}

/// What an iterator gives, as a list.
pub(crate) trait Listed: Iterator + Sized {
    /// All of it.
    #[inline]
    fn listed(self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        list.put_all(self);
        list
    }
}

impl<I: Iterator> Listed for I {}

/// An empty list with room for so many.
pub(crate) fn with_room<T>(len: usize) -> Vec<T> {
    let mut list = Vec::new();
    list.room(len);
    list
}

/// So many that are the same.
pub(crate) fn repeated<T: Clone>(value: T, len: usize) -> Vec<T> {
    let mut list = with_room(len);
    list.resize(len, value);
    list
}

/// So many that are zero, which the system gives without their being written.
pub(crate) fn zeros<T: Zeroable>(len: usize) -> Vec<T> {
    or_unwind(super::zeroed(WHAT, len))
}

/// All of an iterator, as a map, a set or a heap.
pub(crate) fn gathered<T, C: Put<T> + Default>(values: impl IntoIterator<Item = T>) -> C {
    let mut all = C::default();
    all.put_all(values);
    all
}

/// A copy.
pub(crate) fn copy<T: Clone>(list: &[T]) -> Vec<T> {
    list.iter().cloned().listed()
}

/// Lists one after the other.
pub(crate) fn one_list<T: Copy>(lists: &[impl AsRef<[T]>]) -> Vec<T> {
    let mut all = with_room(lists.iter().map(|list| list.as_ref().len()).sum());
    for list in lists {
        all.put_all(list.as_ref().iter().copied());
    }
    all
}

/// Sorts and leaves what is equal in its order, as `sort_by`, which cannot fail.
pub(crate) fn sort_stably<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    // so few need no memory but the stack's
    if list.len() <= 20 {
        return list.sort_by(compare);
    }
    let mut order = (0..list.len()).listed();
    order.sort_unstable_by(|&a, &b| compare(&list[a], &list[b]).then(a.cmp(&b)));
    // `order[k]` is where the k-th comes from: along each cycle of that they are swapped to their
    // places
    for start in 0..order.len() {
        let mut at = start;
        while order[at] != start {
            let from = std::mem::replace(&mut order[at], at);
            list.swap(at, from);
            at = from;
        }
        order[at] = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_cannot_be_had_is_an_error() {
        let caught = |work: fn()| {
            caught(|| {
                work();
                Ok::<_, OutOfMemory>(())
            })
        };
        let error = caught(|| drop(with_room::<u32>(1 << 60))).unwrap_err();
        assert_eq!((error.what, error.bytes), (WHAT, 4 << 60));
        for fails in [
            || drop(repeated([1u64; 2], 1 << 58)),
            || drop(zeros::<u64>(1 << 58)),
            || BinaryHeap::<u64>::new().room(1 << 58),
            || VecDeque::<u64>::new().room(1 << 58),
            || HashMap::<u64, u64>::new().room(1 << 58),
            || HashSet::<u64>::new().room(1 << 58),
        ] {
            assert_eq!(caught(fails).unwrap_err().what, WHAT);
        }
        assert_eq!(caught(|| ()), Ok(()));
    }

    #[test]
    #[should_panic(expected = "of another kind")]
    fn other_panics_go_on() {
        let _ = caught(|| -> Result<(), OutOfMemory> { panic!("of another kind") });
    }

    proptest! {
        #[test]
        fn lists_are_those_of_the_standard_library(numbers in prop::collection::vec(0u32..40, 0..300)) {
            let of = |number: &u32| (!number.is_multiple_of(7)).then_some(*number);
            let odd: Vec<u32> = numbers.iter().filter_map(of).collect();
            prop_assert_eq!(&copy(&numbers), &numbers);
            prop_assert_eq!(&numbers.iter().filter_map(of).listed(), &odd);
            let mut numbered: Vec<(u32, usize)> = numbers.iter().copied().zip(0..).collect();
            let mut stable = numbered.clone();
            stable.sort_by_key(|&(number, _)| number / 5);
            sort_stably(&mut numbered, |a, b| (a.0 / 5).cmp(&(b.0 / 5)));
            prop_assert_eq!(numbered, stable);
        }
    }
}
