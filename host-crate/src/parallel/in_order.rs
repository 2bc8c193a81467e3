//! Results that all threads compute and the calling thread consumes in order.

use super::{Inherited, lock};
use std::{
    mem,
    sync::{Condvar, Mutex, PoisonError},
};

/// Largest number of values between [`produce_in_order`]'s functions. As many suffice for pieces of
/// meshes, which are produced faster than a disk takes them.
const MAX_VALUES: usize = 18;

/// Calls `produce(index, &mut value)` with every index below `count` on all threads, and
/// `consume(&value)` on the calling thread in the order of the indices, at the same time.
///
/// A value is passed to `produce` as [`Default`] or as an earlier call left it, so that its memory
/// is used again. There are two values per thread and two more, at most [`MAX_VALUES`]. If the
/// calling thread needs a value that no thread has begun, it produces it itself. A thread outside
/// the pool waits at the end until threads of the pool are idle. `produce` must not wait for other
/// threads.
///
/// # Errors
/// The first error in the order of the indices, where that of `produce` comes before that of
/// `consume`. No further values are then consumed.
pub(crate) fn produce_in_order<T: Default + Send, E: Send>(
    count: usize,
    produce: impl Fn(usize, &mut T) -> Result<(), E> + Sync,
    mut consume: impl FnMut(&T) -> Result<(), E>,
) -> Result<(), E> {
    let values = MAX_VALUES.min(2 * rayon::current_num_threads() + 2);
    let values = values.min(count);
    let ring = Ring::new(values, produce);
    let (ring, inherited) = (&ring, &Inherited::from_current_thread());
    rayon::in_place_scope_fifo(|scope| {
        let _close = CloseOnDrop(ring);
        let request = |index, value| {
            if index < count {
                ring.put(index, Slot::Requested { index, value });
                scope.spawn_fifo(move |_| inherited.apply(|| ring.produce(index)));
            }
        };
        for index in 0..values {
            request(index, T::default());
        }
        for index in 0..count {
            inherited.apply(|| ring.produce(index));
            let Some(produced) = ring.take(index) else {
                return Ok(()); // the scope resumes the panic of the thread
            };
            let value = produced?;
            consume(&value)?;
            request(index + values, value);
        }
        Ok(())
    })
}

/// Values on their way between `produce` and `consume`.
struct Ring<T, E, P> {
    /// Value `index` is in the slot of this number, modulo the number of slots.
    slots: Mutex<Vec<Slot<T, E>>>,
    /// Notified when a call of `produce` has ended.
    ended: Condvar,
    produce: P,
}

enum Slot<T, E> {
    /// The value is with the calling thread, or not needed.
    Empty,
    /// No thread has begun to produce the value.
    Requested {
        index: usize,
        value: T,
    },
    InProduction,
    Produced(Result<T, E>),
    /// `produce` has unwound the stack of its thread.
    Unwound,
}

impl<T, E, P: Fn(usize, &mut T) -> Result<(), E>> Ring<T, E, P> {
    fn new(len: usize, produce: P) -> Self {
        let slots = (0..len).map(|_| Slot::Empty).collect();
        Self {
            slots: Mutex::new(slots),
            ended: Condvar::new(),
            produce,
        }
    }

    /// Replaces the slot of an index.
    fn put(&self, index: usize, slot: Slot<T, E>) {
        let mut slots = lock(&self.slots);
        let number = index % slots.len();
        slots[number] = slot;
    }

    /// Produces a value, unless another thread has begun to.
    fn produce(&self, index: usize) {
        let Some(mut value) = self.begin(index) else {
            return;
        };
        let mut end = EndOnDrop {
            ring: self,
            index,
            slot: Slot::Unwound,
        };
        let result = (self.produce)(index, &mut value);
        end.slot = Slot::Produced(result.map(|()| value));
    }

    /// Marks a value as in production. Returns `None` if it has been begun already, in which case
    /// its slot may hold a later one.
    fn begin(&self, index: usize) -> Option<T> {
        let mut slots = lock(&self.slots);
        let number = index % slots.len();
        match mem::replace(&mut slots[number], Slot::InProduction) {
            Slot::Requested {
                index: requested,
                value,
            } if requested == index => Some(value),
            other => {
                slots[number] = other;
                None
            }
        }
    }

    /// Waits for a value that has been begun, and empties its slot. Returns `None` if its thread
    /// has unwound.
    fn take(&self, index: usize) -> Option<Result<T, E>> {
        let slots = lock(&self.slots);
        let number = index % slots.len();
        let is_unfinished = |slots: &mut Vec<_>| matches!(slots[number], Slot::InProduction);
        let slots = self.ended.wait_while(slots, is_unfinished);
        let mut slots = slots.unwrap_or_else(PoisonError::into_inner);
        match mem::replace(&mut slots[number], Slot::Empty) {
            Slot::Produced(result) => Some(result),
            _ => None,
        }
    }
}

/// Puts the result of a call of `produce` into its slot when it is dropped, also by unwinding.
struct EndOnDrop<'r, T, E, P: Fn(usize, &mut T) -> Result<(), E>> {
    ring: &'r Ring<T, E, P>,
    index: usize,
    slot: Slot<T, E>,
}

impl<T, E, P: Fn(usize, &mut T) -> Result<(), E>> Drop for EndOnDrop<'_, T, E, P> {
    fn drop(&mut self) {
        self.ring
            .put(self.index, mem::replace(&mut self.slot, Slot::Empty));
        self.ring.ended.notify_one();
    }
}

/// Withdraws the requests that no thread has begun when it is dropped.
struct CloseOnDrop<'r, T, E, P>(&'r Ring<T, E, P>);

impl<T, E, P> Drop for CloseOnDrop<'_, T, E, P> {
    fn drop(&mut self) {
        for slot in lock(&self.0.slots).iter_mut() {
            if let Slot::Requested { .. } = slot {
                *slot = Slot::Empty;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        monitor::{CancelFlag, Cancelled},
        parallel::catch_cancelled,
    };
    use std::{
        panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
        sync::{
            atomic::{AtomicUsize, Ordering::Relaxed},
            mpsc::channel,
        },
        thread,
        time::Duration,
    };

    /// Produces a hundred times the index, and the number of calls with the value. Every seventh
    /// call is slow.
    fn number(index: usize, value: &mut (usize, usize)) -> Result<(), usize> {
        if index.is_multiple_of(7) {
            thread::sleep(Duration::from_micros(300));
        }
        *value = (100 * index, value.1 + 1);
        Ok(())
    }

    fn pool(threads: usize) -> rayon::ThreadPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    }

    #[test]
    fn values_are_consumed_in_order_and_used_again() {
        for threads in [1, 3] {
            for count in [0, 1, 2, 8, 9, 100] {
                let mut consumed = Vec::new();
                let mut most_uses = 0;
                let run = || {
                    produce_in_order(count, number, |&(value, uses)| {
                        consumed.push(value);
                        most_uses = most_uses.max(uses);
                        Ok(())
                    })
                };
                assert_eq!(pool(threads).install(run), Ok(()));
                let expected: Vec<_> = (0..count).map(|index| 100 * index).collect();
                assert_eq!(consumed, expected);
                assert_eq!(most_uses, count.div_ceil(2 * threads + 2));
            }
        }
    }

    #[test]
    fn values_are_produced_while_other_threads_are_busy() {
        let (started, has_started) = channel();
        let (release, is_released) = channel::<()>();
        let consumed = pool(2).install(move || {
            rayon::spawn(move || {
                started.send(()).unwrap();
                is_released.recv().unwrap();
            });
            has_started.recv().unwrap();
            let mut consumed = 0;
            let consume = |_: &_| {
                consumed += 1;
                Ok(())
            };
            assert_eq!(produce_in_order(50, number, consume), Ok(()));
            release.send(()).unwrap();
            consumed
        });
        assert_eq!(consumed, 50);
    }

    #[test]
    fn first_error_in_order_is_returned() {
        let fail_from = |first: usize| {
            move |index: usize, value: &mut (usize, usize)| {
                if index >= first {
                    return Err(index);
                }
                number(index, value)
            }
        };
        let fail_at = |last: usize| {
            move |&(value, _): &(usize, usize)| {
                if value == 100 * last {
                    return Err(1000 + last);
                }
                Ok(())
            }
        };
        for (produced, consumed, expected) in [
            (30, 90, 30),
            (90, 30, 1030),
            (30, 30, 30),
            (0, 0, 0),
            (90, 0, 1000),
        ] {
            let result = produce_in_order(80, fail_from(produced), fail_at(consumed));
            assert_eq!(result, Err(expected));
        }
    }

    #[test]
    fn no_further_values_are_begun_after_an_error() {
        let begun = AtomicUsize::new(0);
        let produce = |_: usize, (): &mut ()| {
            begun.fetch_add(1, Relaxed);
            Ok(())
        };
        let run = || produce_in_order(1000, produce, |()| Err(()));
        // the only thread produces the first value, and withdraws the other requests
        assert_eq!(pool(1).install(run), Err(()));
        assert_eq!(begun.into_inner(), 1);
    }

    #[test]
    fn panics_of_both_sides_propagate() {
        for (produced, consumed) in [(40, 90), (90, 40), (0, 0)] {
            let produce = |index: usize, value: &mut (usize, usize)| {
                if index == produced {
                    resume_unwind(Box::new("production"));
                }
                number(index, value)
            };
            let consume = |&(value, _): &(usize, usize)| {
                if value == 100 * consumed {
                    resume_unwind(Box::new("consumption"));
                }
                Ok(())
            };
            let run = || produce_in_order(80, produce, consume);
            let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            let expected = if produced <= consumed {
                "production"
            } else {
                "consumption"
            };
            assert_eq!(*panic.downcast::<&str>().unwrap(), expected);
        }
    }

    #[test]
    fn cancellation_ends_the_production() {
        let flag = CancelFlag::new();
        let mut consumed = 0;
        let run = || {
            let consume = |_: &_| {
                consumed += 1;
                flag.cancel();
                Ok(())
            };
            produce_in_order(1000, |_, _: &mut u8| Ok(()), consume)
        };
        let result = catch_cancelled(Some(&flag), run);
        assert_eq!(result, Err(Cancelled));
        assert!(consumed < 1000);
    }
}
