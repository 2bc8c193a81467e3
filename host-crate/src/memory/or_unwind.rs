//! Allocation that unwinds on failure, for code that cannot return a `Result`.
//!
//! Skeleton code allocates hundreds of lists in iterator closures, in comparators and on all
//! threads at once. The functions here allocate fallibly, and on failure unwind the stack with an
//! [`OutOfMemory`] as payload and without a panic message, up to [`catch_out_of_memory`], which
//! returns it as an ordinary error. The entry points of skeletons, of graph files and of curve
//! pictures call it. Functions that do not return a `Result` (graph queries) panic with the
//! error's message if no caller catches it. With `panic = "abort"` the process aborts, and so it
//! does if the hundred bytes that unwinding needs cannot be allocated; the command `ferrovox` then
//! prints an error.

use super::{
    OutOfMemory,
    fallible::{check_available, size_in_bytes, try_zeroed},
};
use bytemuck::Zeroable;
use std::{
    cmp::Ordering,
    collections::{BinaryHeap, HashMap, HashSet, VecDeque},
    hash::{BuildHasher, Hash},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// Purpose of an allocation in the errors of this module, until [`catch_out_of_memory`] names the
/// purpose of the work.
const PURPOSE: &str = "a list on the host";

/// Number of threads inside [`catch_out_of_memory`].
static CATCHING_THREADS: AtomicUsize = AtomicUsize::new(0);

/// Runs `work` and turns the unwinding of a failed allocation into an error, which quotes `purpose`
/// unless the allocation has a purpose of its own. This covers the calling thread and all threads
/// whose panics are propagated to it, as rayon does. Other panics propagate.
pub(crate) fn catch_out_of_memory<T, E: From<OutOfMemory>>(
    purpose: &'static str,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    CATCHING_THREADS.fetch_add(1, Relaxed);
    // unwind safety: partial results are dropped, or belong to a caller that receives an error
    let outcome = catch_unwind(AssertUnwindSafe(work));
    CATCHING_THREADS.fetch_sub(1, Relaxed);
    outcome.unwrap_or_else(|panic| match panic.downcast::<OutOfMemory>() {
        Ok(mut error) => {
            if error.purpose == PURPOSE {
                error.purpose = purpose;
            }
            Err((*error).into())
        }
        Err(panic) => resume_unwind(panic),
    })
}

#[cold]
fn unwind(error: OutOfMemory) -> ! {
    match CATCHING_THREADS.load(Relaxed) {
        0 => panic!("{error}"),
        _ => resume_unwind(Box::new(error)),
    }
}

/// Returns the value of `result`, or unwinds with its error.
pub(crate) fn unwrap_or_unwind<T>(result: Result<T, OutOfMemory>) -> T {
    result.unwrap_or_else(|error| unwind(error))
}

/// Collections with a capacity that can be reserved.
pub(crate) trait ReserveOrUnwind {
    /// Reserves capacity for `additional` more elements, with amortized growth, or unwinds.
    fn reserve_or_unwind(&mut self, additional: usize);
}

/// Calls `allocate`, which allocates `bytes` bytes, and unwinds if it fails.
fn reserve_bytes<E>(bytes: u64, allocate: impl FnOnce() -> Result<(), E>) {
    if check_available(PURPOSE, bytes).is_err() || allocate().is_err() {
        unwind(OutOfMemory {
            purpose: PURPOSE,
            bytes,
        });
    }
}

impl<T> ReserveOrUnwind for Vec<T> {
    #[inline]
    fn reserve_or_unwind(&mut self, additional: usize) {
        if self.capacity() - self.len() < additional {
            grow_vec(self, additional);
        }
    }
}

#[cold]
fn grow_vec<T>(list: &mut Vec<T>, additional: usize) {
    // doubles the capacity, like the standard library; otherwise reserves exactly `additional`
    let len = list.len();
    let bytes = |additional: usize| size_in_bytes::<T>(len.saturating_add(additional));
    let doubled = additional.max(len).max(if additional == 1 { 4 } else { 0 });
    if check_available(PURPOSE, bytes(doubled)).is_err() || list.try_reserve_exact(doubled).is_err()
    {
        reserve_bytes(bytes(additional), || list.try_reserve_exact(additional));
    }
}

impl<T: Ord> ReserveOrUnwind for BinaryHeap<T> {
    #[inline]
    fn reserve_or_unwind(&mut self, additional: usize) {
        if self.capacity() - self.len() < additional {
            let bytes = size_in_bytes::<T>(self.len() + additional);
            reserve_bytes(bytes, || self.try_reserve(additional));
        }
    }
}

impl<T> ReserveOrUnwind for VecDeque<T> {
    #[inline]
    fn reserve_or_unwind(&mut self, additional: usize) {
        if self.capacity() - self.len() < additional {
            let bytes = size_in_bytes::<T>(self.len() + additional);
            reserve_bytes(bytes, || self.try_reserve(additional));
        }
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> ReserveOrUnwind for HashMap<K, V, S> {
    #[inline]
    fn reserve_or_unwind(&mut self, additional: usize) {
        if self.capacity() - self.len() < additional {
            let bytes = size_in_bytes::<(K, V)>(self.len() + additional);
            reserve_bytes(bytes, || self.try_reserve(additional));
        }
    }
}

impl<K: Eq + Hash, S: BuildHasher> ReserveOrUnwind for HashSet<K, S> {
    #[inline]
    fn reserve_or_unwind(&mut self, additional: usize) {
        if self.capacity() - self.len() < additional {
            let bytes = size_in_bytes::<K>(self.len() + additional);
            reserve_bytes(bytes, || self.try_reserve(additional));
        }
    }
}

/// Collections that elements can be added to.
pub(crate) trait ExtendOrUnwind<T>: ReserveOrUnwind {
    /// Adds one element, at the end of ordered collections, or unwinds.
    fn push_or_unwind(&mut self, value: T);

    /// Adds all elements of an iterator, or unwinds.
    fn extend_or_unwind(&mut self, values: impl IntoIterator<Item = T>) {
        let values = values.into_iter();
        self.reserve_or_unwind(values.size_hint().0);
        values.for_each(|value| self.push_or_unwind(value));
    }
}

impl<T> ExtendOrUnwind<T> for Vec<T> {
    #[inline]
    fn push_or_unwind(&mut self, value: T) {
        self.reserve_or_unwind(1);
        self.push(value);
    }

    #[inline]
    fn extend_or_unwind(&mut self, values: impl IntoIterator<Item = T>) {
        let values = values.into_iter();
        let (lower, upper) = values.size_hint();
        self.reserve_or_unwind(lower);
        if upper == Some(lower) {
            self.extend(values)
        } else {
            values.for_each(|value| self.push_or_unwind(value))
        }
    }
}

impl<T: Ord> ExtendOrUnwind<T> for BinaryHeap<T> {
    #[inline]
    fn push_or_unwind(&mut self, value: T) {
        self.reserve_or_unwind(1);
        self.push(value);
    }
}

impl<T> ExtendOrUnwind<T> for VecDeque<T> {
    #[inline]
    fn push_or_unwind(&mut self, value: T) {
        self.reserve_or_unwind(1);
        self.push_back(value);
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> ExtendOrUnwind<(K, V)> for HashMap<K, V, S> {
    #[inline]
    fn push_or_unwind(&mut self, (key, value): (K, V)) {
        self.reserve_or_unwind(1);
        self.insert(key, value);
    }
}

impl<K: Eq + Hash, S: BuildHasher> ExtendOrUnwind<K> for HashSet<K, S> {
    #[inline]
    fn push_or_unwind(&mut self, value: K) {
        self.reserve_or_unwind(1);
        self.insert(value);
    }
}

/// Iterators whose items can be collected into a list.
pub(crate) trait CollectOrUnwind: Iterator + Sized {
    /// Collects all items into a list, or unwinds.
    #[inline]
    fn collect_or_unwind(self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        list.extend_or_unwind(self);
        list
    }
}

impl<I: Iterator> CollectOrUnwind for I {}

/// Creates an empty list with capacity for `capacity` elements, or unwinds.
pub(crate) fn with_capacity_or_unwind<T>(capacity: usize) -> Vec<T> {
    let mut list = Vec::new();
    list.reserve_or_unwind(capacity);
    list
}

/// Creates a list of `len` clones of `value`, or unwinds.
pub(crate) fn filled_or_unwind<T: Clone>(value: T, len: usize) -> Vec<T> {
    let mut list = with_capacity_or_unwind(len);
    list.resize(len, value);
    list
}

/// Creates a list of `len` zeros without writing them, or unwinds: the system provides zeroed
/// pages.
pub(crate) fn zeroed_or_unwind<T: Zeroable>(len: usize) -> Vec<T> {
    unwrap_or_unwind(try_zeroed(PURPOSE, len))
}

/// Collects all values into a map, a set, a heap or a queue, or unwinds.
pub(crate) fn collect_into_or_unwind<T, C: ExtendOrUnwind<T> + Default>(
    values: impl IntoIterator<Item = T>,
) -> C {
    let mut collection = C::default();
    collection.extend_or_unwind(values);
    collection
}

/// Copies a slice into a new list, or unwinds.
pub(crate) fn copy_or_unwind<T: Clone>(slice: &[T]) -> Vec<T> {
    slice.iter().cloned().collect_or_unwind()
}

/// Concatenates lists, or unwinds.
pub(crate) fn concat_or_unwind<T: Copy>(lists: &[impl AsRef<[T]>]) -> Vec<T> {
    let len = lists.iter().map(|list| list.as_ref().len()).sum();
    let mut joined = with_capacity_or_unwind(len);
    for list in lists {
        joined.extend_or_unwind(list.as_ref().iter().copied());
    }
    joined
}

/// Sorts a list stably, or unwinds. `slice::sort_by` allocates infallibly.
pub(crate) fn stable_sort_or_unwind<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    // the standard library sorts up to 20 elements without allocating
    if list.len() <= 20 {
        return list.sort_by(compare);
    }
    let mut order = (0..list.len()).collect_or_unwind();
    order.sort_unstable_by(|&a, &b| compare(&list[a], &list[b]).then(a.cmp(&b)));
    // `order[k]` is the source index of element k: apply the permutation cycle by cycle
    for start in 0..order.len() {
        let mut target = start;
        while order[target] != start {
            let source = std::mem::replace(&mut order[target], target);
            list.swap(target, source);
            target = source;
        }
        order[target] = target;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn failed_allocation_becomes_an_error() {
        let catch = |work: fn()| {
            catch_out_of_memory("a test", || {
                work();
                Ok::<_, OutOfMemory>(())
            })
        };
        let error = catch(|| drop(with_capacity_or_unwind::<u32>(1 << 60))).unwrap_err();
        assert_eq!((error.purpose, error.bytes), ("a test", 4 << 60));
        for fails in [
            || drop(filled_or_unwind([1u64; 2], 1 << 58)),
            || drop(zeroed_or_unwind::<u64>(1 << 58)),
            || BinaryHeap::<u64>::new().reserve_or_unwind(1 << 58),
            || VecDeque::<u64>::new().reserve_or_unwind(1 << 58),
            || HashMap::<u64, u64>::new().reserve_or_unwind(1 << 58),
            || HashSet::<u64>::new().reserve_or_unwind(1 << 58),
        ] {
            assert_eq!(catch(fails).unwrap_err().purpose, "a test");
        }
        let named = || unwrap_or_unwind(try_zeroed::<u8>("numbers", 1 << 63)).clear();
        assert_eq!(catch(named).unwrap_err().purpose, "numbers");
        assert_eq!(catch(|| ()), Ok(()));
    }

    #[test]
    #[should_panic(expected = "of another kind")]
    fn other_panics_propagate() {
        let _ = catch_out_of_memory("a test", || -> Result<(), OutOfMemory> {
            panic!("of another kind")
        });
    }

    proptest! {
        #[test]
        fn lists_equal_those_of_the_standard_library(numbers in prop::collection::vec(0u32..40, 0..300)) {
            let keep = |number: &u32| (!number.is_multiple_of(7)).then_some(*number);
            let odd: Vec<u32> = numbers.iter().filter_map(keep).collect();
            prop_assert_eq!(&copy_or_unwind(&numbers), &numbers);
            prop_assert_eq!(&numbers.iter().filter_map(keep).collect_or_unwind(), &odd);
            let mut numbered: Vec<(u32, usize)> = numbers.iter().copied().zip(0..).collect();
            let mut stable = numbered.clone();
            stable.sort_by_key(|&(number, _)| number / 5);
            stable_sort_or_unwind(&mut numbered, |a, b| (a.0 / 5).cmp(&(b.0 / 5)));
            prop_assert_eq!(numbered, stable);
        }
    }
}
