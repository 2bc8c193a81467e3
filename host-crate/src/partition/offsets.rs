//! Exclusive scan of the counts of parts, as workers publish them.

use super::{
    devices::{OnDevice, Stop, collect_results, run_workers},
    exchange::{Exchange, Guard, WorkerFailed},
};
use crate::device::{Device, DeviceError};

/// Counts that parts publish, and their exclusive prefix sums. The offset of a part is available as
/// soon as all parts before it have published their counts.
pub(crate) struct Offsets<T> {
    state: Exchange<State<T>>,
    combine: fn(T, T) -> T,
}

pub(crate) struct State<T> {
    /// Count of each part, if published.
    counts: Vec<Option<T>>,
    /// Offsets of the parts whose predecessors are all published; once all counts are published,
    /// followed by the total.
    offsets: Vec<T>,
}

/// Position of a part among all parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placement<T> {
    /// Sum of the counts of the parts before.
    pub before: T,
    /// Sum of the counts of all parts.
    pub total: T,
}

impl<T: Copy> Offsets<T> {
    /// Creates the scan of `parts` counts with the given initial value. `combine(earlier, later)`
    /// adds two counts.
    pub fn new(initial: T, parts: usize, combine: fn(T, T) -> T) -> Self {
        let mut offsets = Vec::with_capacity(parts + 1);
        offsets.push(initial);
        let state = Exchange::new(State {
            counts: vec![None; parts],
            offsets,
        });
        Self { state, combine }
    }

    /// Publishes the count of a part.
    pub fn publish(&self, part: usize, count: T) {
        self.state.update(|state| {
            state.counts[part] = Some(count);
            while let Some(&Some(count)) = state.counts.get(state.offsets.len() - 1) {
                let last = state.offsets[state.offsets.len() - 1];
                state.offsets.push((self.combine)(last, count));
            }
        });
    }

    /// Returns the offset of a part. Blocks until it is available.
    ///
    /// # Errors
    /// [`WorkerFailed`] if another worker failed.
    pub fn before(&self, part: usize) -> Result<T, WorkerFailed> {
        self.state.wait(|state| state.offsets.get(part).copied())
    }

    /// Returns the offset of a part and the total. Blocks until all counts are published.
    ///
    /// # Errors
    /// [`WorkerFailed`] if another worker failed.
    pub fn placement(&self, part: usize) -> Result<Placement<T>, WorkerFailed> {
        self.state.wait(|state| {
            let total = *state.offsets.get(state.counts.len())?;
            let before = state.offsets[part];
            Some(Placement { before, total })
        })
    }

    /// Returns the sum of the counts published without a gap.
    pub fn total(self) -> T {
        let offsets = self.state.into_inner().offsets;
        offsets[offsets.len() - 1]
    }

    /// Runs `work` for each job, job number i on device number i, as
    /// [`run_workers`](super::devices::run_workers) does. If a worker fails or panics, all waits
    /// fail.
    ///
    /// # Errors
    /// The error of the first device that failed.
    pub fn run_workers<'d, J: Send, R: Send, E>(
        &self,
        devices: impl IntoIterator<Item = &'d Device>,
        jobs: impl IntoIterator<Item = J>,
        work: impl Fn(usize, J) -> Result<R, Stop<E>> + Sync,
    ) -> Result<Vec<R>, OnDevice<E>>
    where
        T: Send,
        E: From<DeviceError> + Send,
    {
        // created before any worker starts, so that no worker waits for one that never starts
        let jobs: Vec<_> = jobs.into_iter().map(|job| (job, self.guard())).collect();
        let results = run_workers(jobs, |worker, (job, guard)| {
            let result = work(worker, job)?;
            guard.done();
            Ok(result)
        });
        match results {
            Ok(results) => collect_results(devices, results),
            Err(error) => Err(OnDevice::new(devices, 0, error.into())),
        }
    }

    /// Returns a guard that makes all waits fail if it is dropped before
    /// [`Guard::done`] is called.
    pub fn guard(&self) -> Guard<'_, State<T>> {
        self.state.guard()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::devices::run_workers;
    use std::{panic, thread, time::Duration};

    fn offsets(parts: usize) -> Offsets<u64> {
        Offsets::new(100, parts, |before, count| before + count)
    }

    #[test]
    fn placements_do_not_depend_on_the_order_of_publication() {
        for late in 0..4 {
            let offsets = offsets(4);
            let placements = run_workers(0..4, |worker, _| {
                if worker == late {
                    thread::sleep(Duration::from_millis(2));
                }
                offsets.publish(worker, 10 + worker as u64);
                offsets.placement(worker).unwrap()
            })
            .unwrap();
            let before: Vec<u64> = placements
                .iter()
                .map(|placement| placement.before)
                .collect();
            assert_eq!(before, [100, 110, 121, 133]);
            assert!(placements.iter().all(|placement| placement.total == 146));
            assert_eq!(offsets.total(), 146);
        }
    }

    #[test]
    fn offset_is_available_before_the_total() {
        let offsets = offsets(3);
        assert_eq!(offsets.before(0), Ok(100));
        offsets.publish(1, 5);
        offsets.publish(0, 7);
        assert_eq!((offsets.before(1), offsets.before(2)), (Ok(107), Ok(112)));
        assert_eq!(offsets.total(), 112);
    }

    #[test]
    fn workers_do_not_wait_for_a_failed_worker() {
        let devices = [Device::cpu(), Device::cpu(), Device::cpu()];
        for failing in 0..3 {
            let offsets = offsets(3);
            let outcome = offsets.run_workers(&devices, 0..3, |worker, _| {
                if worker == failing {
                    return Err(Stop::Failed(DeviceError::TooLarge { len: 1, size: 1 }));
                }
                offsets.publish(worker, 1);
                Ok(offsets.placement(worker)?)
            });
            assert_eq!(outcome.unwrap_err().among.unwrap().number, failing + 1);
        }
    }

    #[test]
    fn workers_do_not_wait_for_a_panicked_worker() {
        let devices = [Device::cpu(), Device::cpu(), Device::cpu()];
        for failing in 0..3 {
            let offsets = offsets(3);
            let outcome = panic::catch_unwind(panic::AssertUnwindSafe(|| {
                offsets.run_workers(&devices, 0..3, |worker, _| {
                    assert!(worker != failing, "worker {worker}");
                    offsets.publish(worker, 1);
                    Ok::<_, Stop<DeviceError>>(offsets.placement(worker)?)
                })
            }));
            assert!(outcome.is_err());
        }
    }
}
