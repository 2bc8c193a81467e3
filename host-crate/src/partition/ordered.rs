//! Delivery of the parts of several workers to one consumer, in order.

use super::devices::{Stop, spawn_workers};
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

/// Channel on which a worker sends the parts of its slabs, in order.
pub(crate) struct PartSender<P>(SyncSender<Part<P>>);

/// A part of the result of a slab.
struct Part<P> {
    part: P,
    ends_slab: bool,
}

impl<P> PartSender<P> {
    /// Sends the next part of the current slab. Blocks while the channel is full.
    ///
    /// # Errors
    /// [`Stop::OtherFailed`] if no further parts are needed.
    pub fn send<E>(&self, part: P, ends_slab: bool) -> Result<(), Stop<E>> {
        let sent = self.0.send(Part { part, ends_slab });
        sent.map_err(|_| Stop::OtherFailed)
    }
}

/// Results of the workers and of the consumer.
pub(crate) struct Outcome<R, E, F> {
    /// Result of each worker.
    pub workers: Vec<Result<R, Stop<E>>>,
    /// Error of the consumer. Parts that are missing because a worker, or the source of its work,
    /// failed are not an error here.
    pub consumed: Result<(), F>,
}

/// Runs a worker per job, each on a thread of its own, and passes their parts to `consume` on this
/// thread, in the order of the slabs.
///
/// Worker w of n computes the slabs w, w + n, w + 2n, …, below `slabs`, each in one or more parts.
/// Up to `queue_len` finished parts of each worker are queued, in addition to the one that
/// it is about to send. `counter` counts slabs. After an error of `consume`, or if the work is
/// cancelled, no more parts are consumed, and workers stop at their next part. A panic of a worker
/// propagates when all are finished.
///
/// # Errors
/// [`DeviceError::NoThreads`] if a thread cannot be created; no job has run then.
pub(crate) fn consume_in_order<J: Send, P: Send, R: Send, E: Send, F: From<Cancelled>>(
    jobs: impl IntoIterator<Item = J>,
    slabs: usize,
    queue_len: usize,
    counter: &Counter<'_>,
    work: impl Fn(usize, J, PartSender<P>) -> Result<R, Stop<E>> + Sync,
    consume: impl FnMut(usize, P) -> Result<(), F>,
) -> Result<Outcome<R, E, F>, DeviceError> {
    let work = &work;
    let (mut receivers, mut workers) = (Vec::new(), Vec::new());
    for job in jobs {
        let (sender, receiver) = sync_channel(queue_len);
        receivers.push(receiver);
        workers.push((job, PartSender(sender)));
    }
    let gate = OnceLock::new();
    thread::scope(|scope| {
        let work = |worker, (job, sender)| work(worker, job, sender);
        let threads = spawn_workers(scope, &gate, workers, work)?;
        // the receivers are dropped at the end, so that workers stop at their next part
        let consumed = consume_parts(receivers, slabs, counter, consume);
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

fn consume_parts<P, F: From<Cancelled>>(
    receivers: Vec<Receiver<Part<P>>>,
    slabs: usize,
    counter: &Counter<'_>,
    mut consume: impl FnMut(usize, P) -> Result<(), F>,
) -> Result<(), F> {
    for slab in 0..slabs {
        loop {
            let Some(Ok(next)) = receivers
                .get(slab % receivers.len().max(1))
                .map(Receiver::recv)
            else {
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

    /// Sends even slabs in one part and odd ones in two; the worker `slow` pauses before each slab.
    fn send_slabs(
        workers: usize,
        slow: usize,
        number: usize,
        sender: &PartSender<usize>,
    ) -> Outcome {
        let mut slabs = 0;
        for slab in (number..SLABS).step_by(workers) {
            if number == slow {
                thread::sleep(Duration::from_millis(1));
            }
            if slab % 2 == 1 {
                sender.send(100 + slab, false)?;
            }
            sender.send(slab, true)?;
            slabs += 1;
        }
        Ok(slabs)
    }

    type Outcome = Result<usize, Stop<Failure>>;

    #[test]
    fn parts_arrive_in_order_regardless_of_timing() {
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
                let reported = Mutex::new(0);
                let hook =
                    |progress: crate::monitor::Progress| *reported.lock().unwrap() = progress.done;
                let counter = Monitor::new()
                    .on_progress(&hook)
                    .counter("slabs", SLABS as u64);
                let mut parts = Vec::new();
                let outcome = consume_in_order(
                    0..workers,
                    SLABS,
                    slow % 2,
                    &counter,
                    |worker, _, sender| send_slabs(workers, slow, worker, &sender),
                    |_, part| {
                        parts.push(part);
                        Ok::<_, Failure>(())
                    },
                )
                .unwrap();
                assert_eq!(outcome.consumed, Ok(()));
                assert_eq!(parts, expected);
                assert_eq!(*reported.lock().unwrap(), SLABS as u64);
                let slabs = outcome.workers.into_iter().map(|slabs| slabs.unwrap());
                assert_eq!(slabs.sum::<usize>(), SLABS);
            }
        }
    }

    #[test]
    fn error_of_the_consumer_stops_all_workers() {
        let counter = Monitor::new().counter("slabs", SLABS as u64);
        let outcome = consume_in_order(
            0..2,
            SLABS,
            1,
            &counter,
            |worker, _, sender| send_slabs(2, 9, worker, &sender),
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
                .all(|result| *result == Err(Stop::OtherFailed))
        );
    }

    #[test]
    fn error_of_a_worker_is_the_only_one_reported() {
        let counter = Monitor::new().counter("slabs", SLABS as u64);
        let outcome = consume_in_order(
            0..2,
            SLABS,
            0,
            &counter,
            |worker, _, sender| match worker {
                0 => send_slabs(2, 9, worker, &sender),
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
        let counter = Monitor::new()
            .cancelled_by(&flag)
            .counter("slabs", SLABS as u64);
        let mut consumed = 0;
        let outcome = consume_in_order(
            0..2,
            SLABS,
            0,
            &counter,
            |worker, _, sender| send_slabs(2, 9, worker, &sender),
            |slab, _| {
                consumed = slab + 1;
                flag.cancel();
                Ok(())
            },
        )
        .unwrap();
        assert_eq!((outcome.consumed, consumed), (Err(Failure::Cancelled), 1));
    }
}
