//! GPUs that fail: every call of the driver in every pipeline gives an error once, or the device is gone from there on.
//!
//! On a machine without a GPU the driver below is the tests' stand-in, whose kernels do nothing. With
//! `FERROVOX_FAULTS_DRIVER=libcuda.so.1` it is the machine's own, and pipelines go all of their way.
#![cfg(target_os = "linux")]

mod driver;
mod jobs;

use driver::{Driver, Live, STATUSES};
use jobs::{JOBS, Job, Place};
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
    let mut tried = BTreeMap::new();
    let mut problems = Vec::new();
    for job in JOBS.iter().filter(|(name, _)| name.contains(&only)) {
        let job = Faulted {
            driver: &driver,
            place: &place,
            job,
        };
        let count = job.try_all(&mut problems);
        tried.insert(job.job.0, count);
    }
    println!("calls that failed, once and from there on: {tried:?}");
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

struct Faulted<'a> {
    driver: &'a Driver,
    place: &'a Place,
    job: &'a Job,
}

/// What came of a run.
#[derive(Clone, PartialEq)]
enum End {
    Made(Vec<u8>),
    Failed(String),
    Panicked,
}

impl Faulted<'_> {
    fn run(&self) -> End {
        match catch_unwind(AssertUnwindSafe(|| (self.job.1)(self.place))) {
            Ok(Ok(made)) => End::Made(made),
            Ok(Err(error)) => End::Failed(error.to_string()),
            Err(_) => End::Panicked,
        }
    }

    /// Lets each call fail in turn; how many there were.
    fn try_all(&self, problems: &mut Vec<String>) -> i64 {
        // what a process keeps is there after the first
        self.driver.arm(0, 0, false);
        let (before, live) = (self.run(), self.driver.live());
        let (good, calls) = {
            self.driver.arm(0, 0, false);
            (self.run(), self.driver.calls())
        };
        let name = self.job.0;
        if let End::Failed(error) = &good {
            eprintln!("{name} comes no further than this, with kernels that do nothing: {error}");
        }
        if good == End::Panicked || good != before || self.driver.live() != live {
            problems.push(format!(
                "{name}: without a fault it panics, leaks or differs"
            ));
            return 0;
        }
        // of many calls each third, which are of all kinds and devices, unless all are asked for
        let all = std::env::var_os("FERROVOX_FAULTS_ALL").is_some();
        let step = if all || calls < 300 { 1 } else { 3 };
        // threads of several devices take turns as they like, so that there may be a few more or fewer calls
        let mut at = 1 - step;
        let (mut tried, mut beyond) = (0, 0);
        while beyond < 3 {
            at += step;
            let mut any = false;
            for lasting in [false, true] {
                let (status, status_name) = STATUSES[(at / step) as usize % STATUSES.len()];
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
                        if !error.contains(status_name) && !memory && end != good {
                            problem("the status is not named");
                        }
                        if error.contains("cuda:0: cuda:0: ") || error.contains(" 0 of 0 ") {
                            problem("it says nothing, or one thing twice");
                        }
                        let early = BEFORE_DEVICES.contains(&hit.function.as_str());
                        let named = device.is_none_or(|device| error.contains(&device));
                        if !early && !named && end != good {
                            problem("the device is not named");
                        }
                    }
                    End::Made(_) if end != good => problem("another result"),
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
                if lasting && self.run() != good {
                    problem("the next run is not as the first");
                }
            }
            (tried, beyond) = if any {
                (tried + 1, 0)
            } else {
                (tried, beyond + 1)
            };
            assert!(at < 20 * calls.max(100), "{name} never ends");
        }
        tried
    }
}

fn leak(now: &Live, before: &Live) -> String {
    format!(
        "device memory, pinned memory, streams, events, modules, contexts: {now:?}, before it {before:?}"
    )
}
