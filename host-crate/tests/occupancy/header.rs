//! Comparison with NVIDIA's header in millions of cases, if it is installed.
//! `FERROVOX_OCCUPANCY_CASES` sets the number per compute capability.

use crate::{
    cases::{Case, Draw},
    oracle::{Oracle, compile, say},
};
use ferrovox::occupancy::{ComputeCapability, DeviceLimits, HardwareModel, best_block};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

/// Default number of cases per compute capability.
const CASES: usize = 16 * BATCH;
/// Number of cases that are sent to the header at a time.
const BATCH: usize = 1 << 16;

fn cases() -> usize {
    let given = std::env::var("FERROVOX_OCCUPANCY_CASES").ok();
    given.map_or(CASES, |text| {
        text.parse().expect("FERROVOX_OCCUPANCY_CASES is a number")
    })
}

/// Runs `check`, which returns the number of cases, for every compute capability that the header
/// covers, in parallel.
fn with_each(what: &str, check: impl Fn(&mut Oracle, &DeviceLimits) -> usize + Sync) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = match compile(folder.path()) {
        Ok(program) => program,
        Err(why) => {
            return test_cases::report_skip(format_args!("{why}"));
        }
    };
    let start = Instant::now();
    let known: Vec<ComputeCapability> = covered().collect();
    let (next, count) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut oracle = Oracle::start(&program);
        while let Some(&capability) = known.get(next.fetch_add(1, Ordering::Relaxed)) {
            let device = DeviceLimits::for_capability(capability).unwrap();
            count.fetch_add(check(&mut oracle, &device), Ordering::Relaxed);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(8) {
            scope.spawn(work);
        }
    });
    say(&format!(
        "{what}: {} cases like the header, {} capabilities, {:.1} s",
        count.into_inner(),
        known.len(),
        start.elapsed().as_secs_f64()
    ));
}

/// Returns the compute capabilities that the header of CUDA 13 covers, from 3.0 on.
pub fn covered() -> impl Iterator<Item = ComputeCapability> {
    ComputeCapability::supported().filter(|capability| capability.major >= 3)
}

#[test]
fn active_blocks_equal_those_of_the_header() {
    with_each("active blocks", |oracle, device| {
        let model = HardwareModel::new(*device);
        let capability = device.capability.unwrap();
        let mut draw = Draw::new(capability, 0);
        let mut left = cases();
        while left > 0 {
            let batch: Vec<Case> = (0..left.min(BATCH)).map(|_| draw.case(device)).collect();
            let answers = oracle.active(device, &batch);
            for (case, answer) in batch.iter().zip(answers) {
                assert_eq!(case.answer(&model), answer, "{capability}: {case:?}");
            }
            left -= batch.len();
        }
        cases()
    });
}

#[test]
fn best_block_equals_that_of_the_header() {
    with_each("best blocks", |oracle, device| {
        let model = HardwareModel::new(*device);
        let mut draw = Draw::new(device.capability.unwrap(), 1);
        let count = cases() / 64;
        let batch: Vec<Case> = (0..count).map(|_| draw.case(device)).collect();
        let answers = oracle.best(device, &batch);
        for (case, answer) in batch.iter().zip(answers) {
            let shared = |threads| case.dynamic_bytes + case.bytes_per_thread * threads;
            let block = case.block(device);
            let kernel = case.kernel().with_max_threads(case.threads);
            let best = best_block(&model, &kernel, &block, shared, |_| true);
            let ours = best.map_or((0, 0), |best| (best.threads, best.min_grid_size));
            let answer = (answer.0, u64::from(answer.1));
            assert_eq!(ours, answer, "{}: {case:?}", device.capability.unwrap());
        }
        count
    });
}
