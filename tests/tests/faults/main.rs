//! GPUs that fail: every call of the driver in every pipeline gives an error once, or the device is
//! gone from there on.
//!
//! On a machine without a GPU the driver below is the tests' stand-in, whose kernels do nothing.
//! With `FERROVOX_FAULTS_DRIVER=libcuda.so.1` it is the machine's own, and pipelines go all of
//! their way.
//!
//! | variable | what it does |
//! | --- | --- |
//! | `FERROVOX_FAULTS_DRIVER` | the driver below, in place of the stand-in; then it is an error if there is no C compiler, or if a pipeline fails without a fault |
//! | `FERROVOX_FAULTS_ONLY` | only pipelines whose names contain this |
//! | `FERROVOX_FAULTS_ALL` | all calls of a pipeline that has more than 300, and not each third, or outside `cargo xtask test --all` each ninth |
//! | `FERROVOX_FAULTS_SECONDS` | calls are tried for so long, beside one run of each pipeline at first: one call of each pipeline after the other, drawn from all that it has. It says how many of how many were tried |
//! | `FERROVOX_FAULTS_SEED` | the order of these; without it the clock's, and it is said |
#![cfg(target_os = "linux")]

mod driver;
mod jobs;
mod sample;

use driver::{Driver, Live, STATUSES};
use jobs::{JOBS, Job, Place};
use sample::Sample;
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Calls before a device is known: an error of them cannot name one.
const BEFORE_DEVICES: [&str; 3] = ["cuInit", "cuDriverGetVersion", "cuDeviceGetCount"];

/// Calls that make a device's context current.
const CONTEXTS: [&str; 2] = ["cuCtxGetCurrent", "cuCtxSetCurrent"];

/// One test, since the driver and what it counts are the process's.
#[test]
fn every_call_of_the_driver_may_fail() {
    let Some(driver) = Driver::open() else {
        return;
    };
    driver.arm(0, 0, false);
    let place = Place::new();
    let only = std::env::var("FERROVOX_FAULTS_ONLY").unwrap_or_default();
    let sample = Sample::asked_for();
    let mut problems = Vec::new();
    let chosen: Vec<&Job> = JOBS
        .iter()
        .filter(|(name, _)| name.contains(&only))
        .collect();
    assert!(!chosen.is_empty(), "no pipeline has {only:?} in its name");
    let prepared = |job, problems: &mut _| Faulted::prepared(&driver, &place, job, problems);
    if let Some(sample) = sample {
        let jobs: Vec<Faulted> = chosen
            .iter()
            .filter_map(|job| prepared(job, &mut problems))
            .collect();
        sample.run(&jobs, &mut problems);
    } else {
        let mut tried = BTreeMap::new();
        for job in chosen {
            if let Some(faulted) = prepared(job, &mut problems) {
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

/// A pipeline whose calls fail.
struct Faulted<'a> {
    driver: &'a Driver,
    place: &'a Place,
    job: &'a Job,
    /// What comes of it without a fault.
    good: End,
    /// How many calls it has then.
    calls: i64,
}

/// What came of a run.
#[derive(Clone, PartialEq)]
enum End {
    Made(Vec<u8>),
    Failed(String),
    Panicked,
}

impl<'a> Faulted<'a> {
    /// Runs it without a fault; `None` if that alone is a problem.
    fn prepared(
        driver: &'a Driver,
        place: &'a Place,
        job: &'a Job,
        problems: &mut Vec<String>,
    ) -> Option<Self> {
        let mut faulted = Self {
            driver,
            place,
            job,
            good: End::Panicked,
            calls: 0,
        };
        // what a process keeps is there after the first
        driver.arm(0, 0, false);
        let (before, live) = (faulted.run(), driver.live());
        driver.arm(0, 0, false);
        (faulted.good, faulted.calls) = (faulted.run(), driver.calls());
        let name = job.0;
        if let End::Failed(error) = &faulted.good {
            eprintln!("{name} comes no further than this, with kernels that do nothing: {error}");
            if driver::is_given() {
                problems.push(format!("{name}: without a fault it fails: {error}"));
                return None;
            }
        }
        let good = &faulted.good;
        if *good == End::Panicked || *good != before || driver.live() != live {
            problems.push(format!(
                "{name}: without a fault it panics, leaks or differs"
            ));
            return None;
        }
        Some(faulted)
    }

    fn run(&self) -> End {
        match catch_unwind(AssertUnwindSafe(|| (self.job.1)(self.place))) {
            Ok(Ok(made)) => End::Made(made),
            Ok(Err(error)) => End::Failed(error.to_string()),
            Err(_) => End::Panicked,
        }
    }

    /// Lets each call fail in turn; how many there were.
    fn try_all(&self, problems: &mut Vec<String>) -> i64 {
        // of many calls a part, which are of all kinds and devices, unless all are asked for
        let all = std::env::var_os("FERROVOX_FAULTS_ALL").is_some();
        let step = match self.calls {
            _ if all => 1,
            ..300 => 1,
            _ if test_cases::run_all_cases() => 3,
            _ => 17,
        };
        // threads of several devices take turns as they like, so that there may be a few more or
        // fewer calls
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

    /// Lets a call fail, once and from there on, with a status that the turn chooses; whether there
    /// was such a call.
    fn try_call(&self, at: i64, turn: i64, problems: &mut Vec<String>) -> bool {
        let (name, good) = (self.job.0, &self.good);
        let mut any = false;
        for lasting in [false, true] {
            let (status, status_name) = STATUSES[turn as usize % STATUSES.len()];
            let live = self.driver.live();
            self.driver.arm(at, status, lasting);
            let end = self.run();
            let hit = self.driver.hit();
            self.driver.arm(0, 0, false);
            let Some(hit) = hit else { continue };
            any = true;
            let mut problem = |what: &str| {
                let said = match &end {
                    End::Failed(error) => error,
                    End::Made(_) => "no error",
                    End::Panicked => "a panic",
                };
                let how = if lasting { "from there on" } else { "once" };
                let function = &hit.function;
                problems.push(format!(
                    "{name}, call {at} ({function}) gives {status_name} {how}: {what}: {said}"
                ));
            };
            let device = hit.device.map(|device| format!("cuda:{device}"));
            match &end {
                End::Panicked => problem("a panic"),
                End::Failed(error) => {
                    let memory = status == 2 && error.contains("not enough memory");
                    if !error.contains(status_name) && !memory && end != *good {
                        problem("the status is not named");
                    }
                    if error.contains("cuda:0: cuda:0: ") || error.contains(" 0 of 0 ") {
                        problem("it says nothing, or one thing twice");
                    }
                    let early = BEFORE_DEVICES.contains(&hit.function.as_str());
                    let named = device.is_none_or(|device| error.contains(&device));
                    if !early && !named && end != *good {
                        problem("the device is not named");
                    }
                }
                End::Made(_) if end != *good => problem("another result"),
                End::Made(_) => {}
            }
            // nothing can be given back to a device whose context cannot be made current
            let now = self.driver.live();
            let reachable = !CONTEXTS.contains(&hit.function.as_str());
            if now != live && reachable {
                problem(&leak(&now, &live));
            }
            if !self.place.leftovers().is_empty() {
                problem(&format!("files are left: {:?}", self.place.leftovers()));
            }
            if lasting && self.run() != *good {
                problem("the next run is not as the first");
            }
        }
        any
    }
}

fn leak(now: &Live, before: &Live) -> String {
    format!(
        "device memory, pinned memory, streams, events, modules, contexts: {now:?}, before it {before:?}"
    )
}
