//! Runs of a pipeline in which one allocation is refused.

use crate::{
    allocator::{MIN_BYTES, SHOW_LOCATIONS, was_refused, with_refused_allocation},
    folder::Folder,
};
use ferrovox::{device::start_threads, pipeline::PipelineError};
use std::{fs, path::PathBuf};
use test_cases::is_in_shard;

/// Refuses each allocation of at least [`MIN_BYTES`] bytes in turn, and checks that the job fails
/// with an error about memory or, by its retry policy, produces the same files.
pub fn refuse_each(
    pipeline: &str,
    folder: &Folder,
    run: impl Fn() -> Result<(), PipelineError>,
) -> Refusals {
    refuse_each_from(MIN_BYTES, pipeline, folder, run)
}

/// Outcomes of refused allocations.
#[derive(Default)]
pub struct Refusals {
    /// Number of jobs that failed.
    pub errors: usize,
    /// Number of jobs that continued with a smaller plan and succeeded.
    pub recoveries: usize,
}

/// Performs the test of [`refuse_each`] for allocations of at least `min_bytes` bytes.
pub fn refuse_each_from(
    min_bytes: usize,
    pipeline: &str,
    folder: &Folder,
    run: impl Fn() -> Result<(), PipelineError>,
) -> Refusals {
    start_threads().unwrap();
    let start = std::time::Instant::now();
    let before = folder.names();
    run().unwrap();
    let outputs: Vec<PathBuf> = folder
        .names()
        .difference(&before)
        .map(|name| folder.path(name))
        .collect();
    let content =
        || -> Vec<Vec<u8>> { outputs.iter().map(|path| fs::read(path).unwrap()).collect() };
    let expected = content();
    let clear = || {
        outputs
            .iter()
            .for_each(|path| fs::remove_file(path).unwrap())
    };
    clear();
    let mut refusals = Refusals::default();
    if std::env::var_os("FERROVOX_PRINT_ALLOCATIONS").is_some() {
        with_refused_allocation(SHOW_LOCATIONS, min_bytes, run)
            .0
            .unwrap();
        clear();
        return refusals;
    }
    for number in (1..).filter(|&number| number < 8 || is_in_shard(number as usize, 8)) {
        let (result, was_reached) = with_refused_allocation(number, min_bytes, &run);
        match result {
            Ok(()) => {
                assert!(content() == expected, "{pipeline}, number {number}");
                clear();
                refusals.recoveries += usize::from(was_refused());
            }
            Err(error) => {
                assert!(was_refused(), "{pipeline}: {error}");
                let text = error.to_string();
                assert!(
                    text.contains("memory"),
                    "{pipeline}, number {number}: {text}"
                );
                refusals.errors += 1;
            }
        }
        assert_eq!(folder.names(), before, "{pipeline}, number {number}");
        if !was_reached {
            break;
        }
    }
    let Refusals { errors, recoveries } = refusals;
    let time = start.elapsed();
    eprintln!("{pipeline}: {errors} errors and {recoveries} recoveries in {time:.0?}");
    assert!(errors + recoveries > 0, "{pipeline}");
    refusals
}
