//! The parts of several workers, handed to one consumer in their order.

use super::devices::{Stop, begin};
use crate::{
    device::DeviceError,
    monitor::{Cancelled, Counter},
};
use std::{
    sync::{
        OnceLock,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
};

/// Where a worker puts its parts, slab after slab.
pub(crate) struct Outlet<P>(SyncSender<Part<P>>);

/// Some of a slab's result.
struct Part<P> {
    part: P,
    ends_slab: bool,
}

impl<P> Outlet<P> {
    /// The next part of the worker's slab. Waits while as many parts as may are waiting for the
    /// consumer.
    ///
    /// # Errors
    /// [`Stop::OtherFailed`] if no more parts are needed.
    pub fn put<E>(&self, part: P, ends_slab: bool) -> Result<(), Stop<E>> {
        let sent = self.0.send(Part { part, ends_slab });
        sent.map_err(|_| Stop::OtherFailed)
    }
}

/// What became of workers and consumer.
pub(crate) struct Outcome<R, E, F> {
    /// What each worker returned.
    pub workers: Vec<Result<R, Stop<E>>>,
    /// The consumer's error. All is well with it too if parts did not come: then a worker, or what
    /// gives it work, has the reason.
    pub consumed: Result<(), F>,
}

/// Hands what workers make to `consume`, on this thread, in the order of the slabs.
///
/// Each of `jobs` has a worker on a thread of its own. Of `slabs` slabs worker number w makes w, w +
/// as many as there are workers, and so on, each in one part or more; `waiting` finished parts of
/// each may wait for the consumer, beside the one that it wants to put there. `counter` counts
/// slabs. After an error of `consume`, or if the work is to stop, nothing more is taken, and
/// workers stop at their next part. If a worker panics, so does this, when all are done.
///
/// # Errors
/// [`DeviceError::NoThreads`]; then no work was done.
pub(crate) fn in_order<J: Send, P: Send, R: Send, E: Send, F: From<Cancelled>>(
    jobs: impl IntoIterator<Item = J>,
    slabs: usize,
    waiting: usize,
    counter: &Counter<'_>,
    work: impl Fn(usize, J, Outlet<P>) -> Result<R, Stop<E>> + Sync,
    consume: impl FnMut(usize, P) -> Result<(), F>,
) -> Result<Outcome<R, E, F>, DeviceError> {
    let work = &work;
    let (mut made, mut with_outlets) = (Vec::new(), Vec::new());
    for job in jobs {
        let (sender, receiver) = sync_channel(waiting);
        made.push(receiver);
        with_outlets.push((job, Outlet(sender)));
    }
    let gate = OnceLock::new();
    thread::scope(|scope| {
        let work = |worker, (job, outlet)| work(worker, job, outlet);
        let threads = begin(scope, &gate, with_outlets, work)?;
        // workers see from what is dropped here that no more parts are needed
        let consumed = take_all(made, slabs, counter, consume);
        let results = threads.into_iter().map(|thread| thread.join());
        let joined: Vec<_> = results.collect();
        let result = |result: thread::Result<_>| {
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        Ok(Outcome {
            workers: joined.into_iter().filter_map(result).collect(),
            consumed,
        })
    })
}

fn take_all<P, F: From<Cancelled>>(
    made: Vec<Receiver<Part<P>>>,
    slabs: usize,
    counter: &Counter<'_>,
    mut consume: impl FnMut(usize, P) -> Result<(), F>,
) -> Result<(), F> {
    for slab in 0..slabs {
        loop {
            let Some(Ok(next)) = made.get(slab % made.len().max(1)).map(Receiver::recv) else {
                return Ok(());
            };
            consume(slab, next.part)?;
            if next.ends_slab {
                break;
            }
        }
        counter.add(1)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::{CancelFlag, Monitor};
    use std::{sync::Mutex, time::Duration};

    #[derive(Debug, PartialEq, Eq)]
    enum Failure {
        Disk,
        Cancelled,
    }

    impl From<Cancelled> for Failure {
        fn from(_: Cancelled) -> Self {
            Self::Cancelled
        }
    }

    const SLABS: usize = 11;

    /// Slabs of one part, or of two where the number is odd; the worker `slow` is.
    fn make(workers: usize, slow: usize, number: usize, outlet: &Outlet<usize>) -> Outcome {
        let mut made = 0;
        for slab in (number..SLABS).step_by(workers) {
            if number == slow {
                thread::sleep(Duration::from_millis(1));
            }
            if slab % 2 == 1 {
                outlet.put(100 + slab, false)?;
            }
            outlet.put(slab, true)?;
            made += 1;
        }
        Ok(made)
    }

    type Outcome = Result<usize, Stop<Failure>>;

    #[test]
    fn parts_come_in_order_whoever_is_slow() {
        let expected: Vec<usize> = (0..SLABS)
            .flat_map(|slab| {
                (slab % 2 == 1)
                    .then_some(100 + slab)
                    .into_iter()
                    .chain([slab])
            })
            .collect();
        for workers in 1..4 {
            for slow in 0..workers {
                let told = Mutex::new(0);
                let hook =
                    |progress: crate::monitor::Progress| *told.lock().unwrap() = progress.done;
                let counter = Monitor::silent()
                    .on_progress(&hook)
                    .counter("slabs", SLABS as u64);
                let mut found = Vec::new();
                let outcome = in_order(
                    0..workers,
                    SLABS,
                    slow % 2,
                    &counter,
                    |worker, _, outlet| make(workers, slow, worker, &outlet),
                    |_, part| {
                        found.push(part);
                        Ok::<_, Failure>(())
                    },
                )
                .unwrap();
                assert_eq!(outcome.consumed, Ok(()));
                assert_eq!(found, expected);
                assert_eq!(*told.lock().unwrap(), SLABS as u64);
                let made = outcome.workers.into_iter().map(|made| made.unwrap());
                assert_eq!(made.sum::<usize>(), SLABS);
            }
        }
    }

    #[test]
    fn a_consumer_that_fails_stops_all() {
        let counter = Monitor::silent().counter("slabs", SLABS as u64);
        let outcome = in_order(
            0..2,
            SLABS,
            1,
            &counter,
            |worker, _, outlet| make(2, 9, worker, &outlet),
            |slab, _| match slab {
                3 => Err(Failure::Disk),
                _ => Ok(()),
            },
        )
        .unwrap();
        assert_eq!(outcome.consumed, Err(Failure::Disk));
        assert!(
            outcome
                .workers
                .iter()
                .all(|made| *made == Err(Stop::OtherFailed))
        );
    }

    #[test]
    fn a_worker_that_fails_is_all_that_is_told() {
        let counter = Monitor::silent().counter("slabs", SLABS as u64);
        let outcome = in_order(
            0..2,
            SLABS,
            0,
            &counter,
            |worker, _, outlet| match worker {
                0 => make(2, 9, worker, &outlet),
                _ => Err(Stop::Failed(Failure::Disk)),
            },
            |_, _| Ok::<_, Failure>(()),
        )
        .unwrap();
        assert_eq!(outcome.consumed, Ok(()));
        assert_eq!(outcome.workers[1], Err(Stop::Failed(Failure::Disk)));
    }

    #[test]
    fn cancelled_work_stops_after_a_slab() {
        let flag = CancelFlag::new();
        let counter = Monitor::silent()
            .cancelled_by(&flag)
            .counter("slabs", SLABS as u64);
        let mut taken = 0;
        let outcome = in_order(
            0..2,
            SLABS,
            0,
            &counter,
            |worker, _, outlet| make(2, 9, worker, &outlet),
            |slab, _| {
                taken = slab + 1;
                flag.cancel();
                Ok(())
            },
        )
        .unwrap();
        assert_eq!((outcome.consumed, taken), (Err(Failure::Cancelled), 1));
    }
}
