//! One worker for each device, and what becomes of them.

use super::exchange::GivenUp;
use crate::device::{Device, DeviceError, no_thread};
use std::{
    error::Error,
    fmt, io,
    sync::OnceLock,
    thread::{self, Scope, ScopedJoinHandle},
};

/// Why a worker stops before it is done.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop<E> {
    /// It failed.
    Failed(E),
    /// Another one did, or its results are no longer needed: it has nothing to report.
    OtherFailed,
}

impl<E> From<GivenUp> for Stop<E> {
    fn from(_: GivenUp) -> Self {
        Self::OtherFailed
    }
}

impl<E: From<DeviceError>> From<DeviceError> for Stop<E> {
    fn from(error: DeviceError) -> Self {
        Self::Failed(error.into())
    }
}

/// An error of one of several devices that worked together.
///
/// It names the device as one names it to choose it; a device that was named more than once, by its
/// place too.
///
/// ```
/// use ferrovox::partition::{AmongDevices, OnDevice};
///
/// let source = Box::new(std::fmt::Error);
/// let mut error = OnDevice { device: "cuda:1".into(), among: None, source };
/// assert!(error.to_string().starts_with("cuda:1: "));
/// error.among = Some(AmongDevices { number: 2, count: 3 });
/// assert!(error.to_string().starts_with("cuda:1 (device 2 of 3): "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnDevice<E> {
    /// The device: `cpu`, `cuda:0`.
    pub device: String,
    /// Which of the devices of the work it is, if its name alone is ambiguous.
    pub among: Option<AmongDevices>,
    /// What went wrong there.
    pub source: Box<E>,
}

/// A device's place among those of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmongDevices {
    /// Its number, from 1.
    pub number: usize,
    /// How many devices the work was for.
    pub count: usize,
}

impl<E> OnDevice<E> {
    /// The error of a worker, which has the device of the same number, from 0.
    pub(crate) fn new<'d>(
        devices: impl IntoIterator<Item = &'d Device>,
        worker: usize,
        source: E,
    ) -> Self {
        let ids: Vec<String> = devices.into_iter().map(Device::id).collect();
        let device = ids[worker].clone();
        let named = ids.iter().filter(|id| **id == device).count();
        Self {
            among: (named > 1).then_some(AmongDevices {
                number: worker + 1,
                count: ids.len(),
            }),
            device,
            source: Box::new(source),
        }
    }
}

impl<E: fmt::Display> fmt::Display for OnDevice<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (device, text) = (&self.device, self.source.to_string());
        // errors of the driver begin with the device themselves
        let own = text.strip_prefix(device.as_str());
        let text = own.and_then(|it| it.strip_prefix(": ")).unwrap_or(&text);
        match self.among {
            None => write!(f, "{device}: {text}"),
            Some(AmongDevices { number, count }) => {
                write!(f, "{device} (device {number} of {count}): {text}")
            }
        }
    }
}

impl<E: Error + 'static> Error for OnDevice<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}

/// Runs `work` for each of `jobs` at once, the first on this thread and the others each on one of
/// its own. The results are in their order. If one panics, so does this, when all are done.
///
/// # Errors
/// [`DeviceError::NoThreads`]; then no work was done.
pub(crate) fn each<J: Send, R: Send>(
    jobs: impl IntoIterator<Item = J>,
    work: impl Fn(usize, J) -> R + Sync,
) -> Result<Vec<R>, DeviceError> {
    let mut jobs = jobs.into_iter();
    let Some(first) = jobs.next() else {
        return Ok(Vec::new());
    };
    let work = &work;
    let gate = OnceLock::new();
    thread::scope(|scope| {
        let others = begin(scope, &gate, jobs, |i, job| work(i + 1, job))?;
        let mut results = Vec::with_capacity(others.len() + 1);
        results.push(work(0, first));
        for other in others {
            let result = other.join();
            results.extend(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        Ok(results)
    })
}

/// Begins a thread for each of `jobs`. They begin to work when all are there, since they may wait
/// for each other: if one cannot be made, all end without a result.
pub(crate) fn begin<'scope, J: Send + 'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    gate: &'scope OnceLock<bool>,
    jobs: impl IntoIterator<Item = J>,
    work: impl Fn(usize, J) -> R + Copy + Send + 'scope,
) -> Result<Vec<ScopedJoinHandle<'scope, Option<R>>>, DeviceError> {
    let begin = |(worker, job)| {
        let work = move || gate.wait().then(|| work(worker, job));
        thread::Builder::new().spawn_scoped(scope, work)
    };
    let begun: io::Result<Vec<_>> = jobs.into_iter().enumerate().map(begin).collect();
    // nobody else sets it
    let _ = gate.set(begun.is_ok());
    begun.map_err(|error| no_thread(&error))
}

/// What the workers of some devices made, in order: all of it, unless some stopped with nothing to
/// report.
///
/// # Errors
/// That of the first that failed.
pub(crate) fn finished<'d, R, E>(
    devices: impl IntoIterator<Item = &'d Device>,
    results: Vec<Result<R, Stop<E>>>,
) -> Result<Vec<R>, OnDevice<E>> {
    let mut made = Vec::with_capacity(results.len());
    for (worker, result) in results.into_iter().enumerate() {
        match result {
            Ok(result) => made.push(result),
            Err(Stop::OtherFailed) => {}
            Err(Stop::Failed(source)) => return Err(OnDevice::new(devices, worker, source)),
        }
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cmp::Ordering, fmt::Error as Problem};

    #[test]
    fn nobody_has_nothing_to_do() {
        assert!(each(0..0, |worker, _| worker).unwrap().is_empty());
    }

    #[test]
    fn results_are_in_the_order_of_the_jobs() {
        let here = thread::current().id();
        let results = each([5, 6, 7], |worker, job| {
            (worker, job, thread::current().id() == here)
        })
        .unwrap();
        assert_eq!(results, [(0, 5, true), (1, 6, false), (2, 7, false)]);
    }

    #[test]
    fn the_first_that_failed_is_named() {
        let devices = [Device::cpu(), Device::cpu(), Device::cpu()];
        for failing in 0..3 {
            let results = each(0..3, |worker, _| match worker.cmp(&failing) {
                Ordering::Less => Err::<(), _>(Stop::OtherFailed),
                _ => Err(Stop::Failed(Problem)),
            })
            .unwrap();
            let error = finished(&devices, results).unwrap_err();
            let (number, count) = (failing + 1, 3);
            assert_eq!(error.among, Some(AmongDevices { number, count }));
            assert_eq!(error.device, "cpu");
        }
    }

    #[test]
    fn a_device_that_is_named_once_is_its_name() {
        let error = OnDevice::new(&[Device::cpu()], 0, Problem);
        assert_eq!((error.device.as_str(), error.among), ("cpu", None));
        let stopped: Vec<Result<(), Stop<Problem>>> = vec![Err(Stop::OtherFailed)];
        assert!(finished(&[Device::cpu()], stopped).unwrap().is_empty());
    }
}
