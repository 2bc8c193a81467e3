//! Fault injection: every driver call of every pipeline fails once, or the device is lost from that
//! call on.
//!
//! On a machine without a GPU the underlying driver is the stand-in of the tests, whose kernels do
//! nothing. With `FERROVOX_FAULTS_DRIVER=libcuda.so.1` it is the machine's own, and pipelines run
//! completely.
//!
//! - `FERROVOX_FAULTS_DRIVER`: underlying driver instead of the stand-in. It is then an error if
//!   there is no C compiler, or if a pipeline fails without a fault.
//! - `FERROVOX_FAULTS_ONLY`: run only pipelines whose names contain this text.
//! - `FERROVOX_FAULTS_ALL`: test all calls of pipelines with more than 300 calls, instead of every
//!   third, or every ninth outside `cargo xtask test --all`.
//! - `FERROVOX_FAULTS_SECONDS`: test calls for this time, after one run of each pipeline, in random
//!   order, alternating between pipelines. Prints how many of how many calls were tested.
//! - `FERROVOX_FAULTS_SEED`: seed of that order [default: the clock, printed].
#![cfg(target_os = "linux")]

mod driver;
mod jobs;
mod sample;

use driver::{Driver, LiveObjects, STATUSES};
use jobs::{JOBS, Job, JobFolder};
use sample::Sample;
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Calls before a device is known, whose errors cannot name one.
const BEFORE_DEVICES: [&str; 3] = ["cuInit", "cuDriverGetVersion", "cuDeviceGetCount"];

/// Calls that make a device's context current.
const CONTEXTS: [&str; 2] = ["cuCtxGetCurrent", "cuCtxSetCurrent"];

/// A single test, because the driver and its counters belong to the process.
#[test]
fn every_call_of_the_driver_may_fail() {
    let Some(driver) = Driver::open() else {
        return;
    };
    driver.arm(0, 0, false);
    let folder = JobFolder::new();
    let only = std::env::var("FERROVOX_FAULTS_ONLY").unwrap_or_default();
    let sample = Sample::from_environment();
    let mut problems = Vec::new();
    let chosen: Vec<&Job> = JOBS
        .iter()
        .filter(|(name, _)| name.contains(&only))
        .collect();
    assert!(!chosen.is_empty(), "no pipeline name contains {only:?}");
    let prepare = |job, problems: &mut _| FaultedPipeline::prepare(&driver, &folder, job, problems);
    if let Some(sample) = sample {
        let jobs: Vec<FaultedPipeline> = chosen
            .iter()
            .filter_map(|job| prepare(job, &mut problems))
            .collect();
        sample.run(&jobs, &mut problems);
    } else {
        let mut tried = BTreeMap::new();
        for job in chosen {
            if let Some(faulted) = prepare(job, &mut problems) {
                tried.insert(job.0, faulted.try_all(&mut problems));
            }
        }
        println!("calls that failed, once and from there on: {tried:?}");
    }
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

/// Pipeline whose calls fail.
struct FaultedPipeline<'a> {
    driver: &'a Driver,
    folder: &'a JobFolder,
    job: &'a Job,
    /// Outcome without a fault.
    reference: Outcome,
    /// Number of calls without a fault.
    calls: i64,
}

/// Outcome of a run.
#[derive(Clone, PartialEq)]
enum Outcome {
    Success(Vec<u8>),
    Failed(String),
    Panicked,
}

impl<'a> FaultedPipeline<'a> {
    /// Runs the pipeline without a fault; returns `None` if that already fails.
    fn prepare(
        driver: &'a Driver,
        folder: &'a JobFolder,
        job: &'a Job,
        problems: &mut Vec<String>,
    ) -> Option<Self> {
        let mut faulted = Self {
            driver,
            folder,
            job,
            reference: Outcome::Panicked,
            calls: 0,
        };
        // after the first run, everything that a process caches exists
        driver.arm(0, 0, false);
        let (before, live) = (faulted.run(), driver.live_objects());
        driver.arm(0, 0, false);
        (faulted.reference, faulted.calls) = (faulted.run(), driver.calls());
        let name = job.0;
        if let Outcome::Failed(error) = &faulted.reference {
            eprintln!("{name} ends early because kernels do nothing: {error}");
            if driver::is_named() {
                problems.push(format!("{name}: without a fault it fails: {error}"));
                return None;
            }
        }
        let reference = &faulted.reference;
        if *reference == Outcome::Panicked || *reference != before || driver.live_objects() != live
        {
            problems.push(format!(
                "{name}: without a fault it panics, leaks or differs"
            ));
            return None;
        }
        Some(faulted)
    }

    fn run(&self) -> Outcome {
        match catch_unwind(AssertUnwindSafe(|| (self.job.1)(self.folder))) {
            Ok(Ok(output)) => Outcome::Success(output),
            Ok(Err(error)) => Outcome::Failed(error.to_string()),
            Err(_) => Outcome::Panicked,
        }
    }

    /// Makes each call fail in turn; returns the number of calls tested.
    fn try_all(&self, problems: &mut Vec<String>) -> i64 {
        // of many calls a sample, which includes all kinds and devices, unless all are requested
        let all = std::env::var_os("FERROVOX_FAULTS_ALL").is_some();
        let step = match self.calls {
            _ if all => 1,
            ..300 => 1,
            _ if test_cases::run_all_cases() => 3,
            _ => 17,
        };
        // threads of several devices interleave arbitrarily, so there may be a few more or fewer
        // calls
        let mut at = 1 - step;
        let (mut tried, mut beyond) = (0, 0);
        while beyond < 3 {
            at += step;
            (tried, beyond) = if self.try_call(at, at / step, problems) {
                (tried + 1, 0)
            } else {
                (tried, beyond + 1)
            };
            assert!(at < 20 * self.calls.max(100), "{} never ends", self.job.0);
        }
        tried
    }

    /// Makes a call fail, once and permanently, with the status selected by the index; returns
    /// `true` if there was such a call.
    fn try_call(&self, at: i64, status_index: i64, problems: &mut Vec<String>) -> bool {
        let (name, reference) = (self.job.0, &self.reference);
        let mut any = false;
        for lasting in [false, true] {
            let (status, status_name) = STATUSES[status_index as usize % STATUSES.len()];
            let live = self.driver.live_objects();
            self.driver.arm(at, status, lasting);
            let end = self.run();
            let hit = self.driver.failed_call();
            self.driver.arm(0, 0, false);
            let Some(hit) = hit else { continue };
            any = true;
            let mut problem = |defect: &str| {
                let description = match &end {
                    Outcome::Failed(error) => error,
                    Outcome::Success(_) => "no error",
                    Outcome::Panicked => "a panic",
                };
                let how = if lasting { "from there on" } else { "once" };
                let function = &hit.function;
                problems.push(format!(
                    "{name}, call {at} ({function}) gives {status_name} {how}: {defect}: {description}"
                ));
            };
            let device = hit.device.map(|device| format!("cuda:{device}"));
            match &end {
                Outcome::Panicked => problem("a panic"),
                Outcome::Failed(error) => {
                    let memory = status == 2 && error.contains("not enough memory");
                    if !error.contains(status_name) && !memory && end != *reference {
                        problem("the error does not name the status");
                    }
                    if error.contains("cuda:0: cuda:0: ") || error.contains(" 0 of 0 ") {
                        problem("it says nothing, or one thing twice");
                    }
                    let early = BEFORE_DEVICES.contains(&hit.function.as_str());
                    let named = device.is_none_or(|device| error.contains(&device));
                    if !early && !named && end != *reference {
                        problem("the error does not name the device");
                    }
                }
                Outcome::Success(_) if end != *reference => problem("another result"),
                Outcome::Success(_) => {}
            }
            // nothing can be freed on a device whose context cannot be made current
            let now = self.driver.live_objects();
            let reachable = !CONTEXTS.contains(&hit.function.as_str());
            if now != live && reachable {
                problem(&leak(&now, &live));
            }
            if !self.folder.leftovers().is_empty() {
                problem(&format!("files remain: {:?}", self.folder.leftovers()));
            }
            if lasting && self.run() != *reference {
                problem("the next run differs from the first");
            }
        }
        any
    }
}

fn leak(now: &LiveObjects, before: &LiveObjects) -> String {
    format!(
        "device memory, pinned memory, streams, events, modules, contexts: {now:?}, before it {before:?}"
    )
}
