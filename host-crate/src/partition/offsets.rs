//! What comes before a part: the exclusive scan of the parts' counts, as they become known.

use super::{
    devices::{OnDevice, Stop, each, finished},
    exchange::{Exchange, GivenUp, Guard},
};
use crate::device::{Device, DeviceError};

/// The counts that parts publish, and what comes before each: known as soon as all parts before it
/// have published.
pub(crate) struct Offsets<T> {
    state: Exchange<State<T>>,
    combine: fn(T, T) -> T,
}

pub(crate) struct State<T> {
    /// What each part has.
    counts: Vec<Option<T>>,
    /// What comes before each of the first parts, and after all of them; one more than there are
    /// parts in the end.
    before: Vec<T>,
}

/// Where a part is among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placement<T> {
    /// What comes before it.
    pub before: T,
    /// What all parts have.
    pub total: T,
}

impl<T: Copy> Offsets<T> {
    /// Of `parts` parts after `initial`; `combine` adds the later to the earlier.
    pub fn new(initial: T, parts: usize, combine: fn(T, T) -> T) -> Self {
        let mut before = Vec::with_capacity(parts + 1);
        before.push(initial);
        let state = Exchange::new(State {
            counts: vec![None; parts],
            before,
        });
        Self { state, combine }
    }

    /// Publishes the count of a part.
    pub fn publish(&self, part: usize, count: T) {
        self.state.update(|state| {
            state.counts[part] = Some(count);
            while let Some(&Some(count)) = state.counts.get(state.before.len() - 1) {
                let last = state.before[state.before.len() - 1];
                state.before.push((self.combine)(last, count));
            }
        });
    }

    /// What comes before a part. Waits until it is known.
    ///
    /// # Errors
    /// [`GivenUp`] if another worker failed.
    pub fn before(&self, part: usize) -> Result<T, GivenUp> {
        self.state.wait(|state| state.before.get(part).copied())
    }

    /// What comes before a part, and what all have. Waits until all have published.
    ///
    /// # Errors
    /// As [`before`](Self::before).
    pub fn placement(&self, part: usize) -> Result<Placement<T>, GivenUp> {
        self.state.wait(|state| {
            let total = *state.before.get(state.counts.len())?;
            let before = state.before[part];
            Some(Placement { before, total })
        })
    }

    /// The sum of all that is known in the end.
    pub fn total(self) -> T {
        let before = self.state.into_inner().before;
        before[before.len() - 1]
    }

    /// Runs `work` for each of `jobs`, one for each of the first of `devices`, as [`each`] does.
    /// When a worker fails or panics, all that wait give up.
    ///
    /// # Errors
    /// That of the first device that failed.
    pub fn each_worker<'d, J: Send, R: Send, E>(
        &self,
        devices: impl IntoIterator<Item = &'d Device>,
        jobs: impl IntoIterator<Item = J>,
        work: impl Fn(usize, J) -> Result<R, Stop<E>> + Sync,
    ) -> Result<Vec<R>, OnDevice<E>>
    where
        T: Send,
        E: From<DeviceError> + Send,
    {
        // the guards are made before any worker begins, so that none is waited for that never does
        let jobs: Vec<_> = jobs.into_iter().map(|job| (job, self.guard())).collect();
        let results = each(jobs, |worker, (job, guard)| {
            let result = work(worker, job)?;
            guard.done();
            Ok(result)
        });
        match results {
            Ok(results) => finished(devices, results),
            Err(error) => Err(OnDevice::new(devices, 0, error.into())),
        }
    }

    /// Makes all others give up when the guard is dropped before it is done.
    pub fn guard(&self) -> Guard<'_, State<T>> {
        self.state.guard()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::devices::each;
    use std::{panic, thread, time::Duration};

    fn offsets(parts: usize) -> Offsets<u64> {
        Offsets::new(100, parts, |before, count| before + count)
    }

    #[test]
    fn places_follow_each_other_whoever_is_last() {
        for late in 0..4 {
            let offsets = offsets(4);
            let places = each(0..4, |worker, _| {
                if worker == late {
                    thread::sleep(Duration::from_millis(2));
                }
                offsets.publish(worker, 10 + worker as u64);
                offsets.placement(worker).unwrap()
            })
            .unwrap();
            let before: Vec<u64> = places.iter().map(|place| place.before).collect();
            assert_eq!(before, [100, 110, 121, 133]);
            assert!(places.iter().all(|place| place.total == 146));
            assert_eq!(offsets.total(), 146);
        }
    }

    #[test]
    fn what_comes_before_is_known_before_the_total() {
        let offsets = offsets(3);
        assert_eq!(offsets.before(0), Ok(100));
        offsets.publish(1, 5);
        offsets.publish(0, 7);
        assert_eq!((offsets.before(1), offsets.before(2)), (Ok(107), Ok(112)));
        assert_eq!(offsets.total(), 112);
    }

    #[test]
    fn nobody_waits_for_who_failed() {
        let devices = [Device::cpu(), Device::cpu(), Device::cpu()];
        for place in 0..3 {
            let offsets = offsets(3);
            let outcome = offsets.each_worker(&devices, 0..3, |worker, _| {
                if worker == place {
                    return Err(Stop::Failed(DeviceError::TooLarge { len: 1, size: 1 }));
                }
                offsets.publish(worker, 1);
                Ok(offsets.placement(worker)?)
            });
            assert_eq!(outcome.unwrap_err().among.unwrap().number, place + 1);
        }
    }

    #[test]
    fn nobody_waits_for_who_panicked() {
        let devices = [Device::cpu(), Device::cpu(), Device::cpu()];
        for place in 0..3 {
            let offsets = offsets(3);
            let outcome = panic::catch_unwind(panic::AssertUnwindSafe(|| {
                offsets.each_worker(&devices, 0..3, |worker, _| {
                    assert!(worker != place, "worker {worker}");
                    offsets.publish(worker, 1);
                    Ok::<_, Stop<DeviceError>>(offsets.placement(worker)?)
                })
            }));
            assert!(outcome.is_err());
        }
    }
}
