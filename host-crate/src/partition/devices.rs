//! One worker per device, and the collection of their results.

use super::exchange::WorkerFailed;
use crate::device::{Device, DeviceError, no_thread};
use std::{
    error::Error,
    fmt, io,
    sync::OnceLock,
    thread::{self, Scope, ScopedJoinHandle},
};

/// Reason why a worker stops early.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop<E> {
    /// The worker failed.
    Failed(E),
    /// Another worker failed, or further results are not needed. This is not reported as an error.
    OtherFailed,
}

impl<E> From<WorkerFailed> for Stop<E> {
    fn from(_: WorkerFailed) -> Self {
        Self::OtherFailed
    }
}

impl<E: From<DeviceError>> From<DeviceError> for Stop<E> {
    fn from(error: DeviceError) -> Self {
        Self::Failed(error.into())
    }
}

/// The error of one of several devices that work together.
///
/// The message begins with the name that selects the device, and with its position in the list if
/// that name occurs more than once.
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
    /// Name of the device: `cpu`, `cuda:0`.
    pub device: String,
    /// Position of the device in the list of devices, if its name is ambiguous.
    pub among: Option<AmongDevices>,
    /// Error of the device.
    pub source: Box<E>,
}

/// Position of a device in a list of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmongDevices {
    /// Position, from 1.
    pub number: usize,
    /// Length of the list.
    pub count: usize,
}

impl<E> OnDevice<E> {
    /// Creates the error of the worker with index `worker`, which runs on the device of that index.
    pub(crate) fn new<'d>(
        devices: impl IntoIterator<Item = &'d Device>,
        worker: usize,
        source: E,
    ) -> Self {
        let ids: Vec<String> = devices.into_iter().map(Device::id).collect();
        let device = ids[worker].clone();
        let occurrences = ids.iter().filter(|id| **id == device).count();
        Self {
            among: (occurrences > 1).then_some(AmongDevices {
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
        // messages of the driver begin with the device already
        let rest = text.strip_prefix(device.as_str());
        let text = rest.and_then(|it| it.strip_prefix(": ")).unwrap_or(&text);
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

/// Calls `work(index, job)` for all jobs concurrently, the first on this thread and each other on a
/// thread of its own. Returns the results in the order of the jobs. A panic of a worker propagates
/// when all are finished.
///
/// # Errors
/// [`DeviceError::NoThreads`] if a thread cannot be created; no job has run then.
pub(crate) fn run_workers<J: Send, R: Send>(
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
        let others = spawn_workers(scope, &gate, jobs, |i, job| work(i + 1, job))?;
        let mut results = Vec::with_capacity(others.len() + 1);
        results.push(work(0, first));
        for other in others {
            let result = other.join();
            results.extend(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        Ok(results)
    })
}

/// Spawns a thread for each job. The threads start to work once all of them exist, since workers
/// may wait for each other: if one cannot be created, all end without a result.
pub(crate) fn spawn_workers<'scope, J: Send + 'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    gate: &'scope OnceLock<bool>,
    jobs: impl IntoIterator<Item = J>,
    work: impl Fn(usize, J) -> R + Copy + Send + 'scope,
) -> Result<Vec<ScopedJoinHandle<'scope, Option<R>>>, DeviceError> {
    let spawn = |(worker, job)| {
        let work = move || gate.wait().then(|| work(worker, job));
        thread::Builder::new().spawn_scoped(scope, work)
    };
    let threads: io::Result<Vec<_>> = jobs.into_iter().enumerate().map(spawn).collect();
    // cannot fail: the gate is set only here
    let _ = gate.set(threads.is_ok());
    threads.map_err(|error| no_thread(&error))
}

/// Collects the results of the workers of some devices, in order. Workers that stopped with
/// [`Stop::OtherFailed`] are left out.
///
/// # Errors
/// The error of the first worker that failed, with the name of its device.
pub(crate) fn collect_results<'d, R, E>(
    devices: impl IntoIterator<Item = &'d Device>,
    results: Vec<Result<R, Stop<E>>>,
) -> Result<Vec<R>, OnDevice<E>> {
    let mut values = Vec::with_capacity(results.len());
    for (worker, result) in results.into_iter().enumerate() {
        match result {
            Ok(result) => values.push(result),
            Err(Stop::OtherFailed) => {}
            Err(Stop::Failed(source)) => return Err(OnDevice::new(devices, worker, source)),
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cmp::Ordering, fmt::Error as Problem};

    #[test]
    fn no_jobs_give_no_results() {
        assert!(run_workers(0..0, |worker, _| worker).unwrap().is_empty());
    }

    #[test]
    fn results_are_in_the_order_of_the_jobs() {
        let caller = thread::current().id();
        let results = run_workers([5, 6, 7], |worker, job| {
            (worker, job, thread::current().id() == caller)
        })
        .unwrap();
        assert_eq!(results, [(0, 5, true), (1, 6, false), (2, 7, false)]);
    }

    #[test]
    fn error_names_the_first_failed_device() {
        let devices = [Device::cpu(), Device::cpu(), Device::cpu()];
        for failing in 0..3 {
            let results = run_workers(0..3, |worker, _| match worker.cmp(&failing) {
                Ordering::Less => Err::<(), _>(Stop::OtherFailed),
                _ => Err(Stop::Failed(Problem)),
            })
            .unwrap();
            let error = collect_results(&devices, results).unwrap_err();
            let (number, count) = (failing + 1, 3);
            assert_eq!(error.among, Some(AmongDevices { number, count }));
            assert_eq!(error.device, "cpu");
        }
    }

    #[test]
    fn unambiguous_device_is_identified_by_its_name() {
        let error = OnDevice::new(&[Device::cpu()], 0, Problem);
        assert_eq!((error.device.as_str(), error.among), ("cpu", None));
        let stopped: Vec<Result<(), Stop<Problem>>> = vec![Err(Stop::OtherFailed)];
        assert!(
            collect_results(&[Device::cpu()], stopped)
                .unwrap()
                .is_empty()
        );
    }
}
