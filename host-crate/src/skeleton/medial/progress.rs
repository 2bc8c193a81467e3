//! Progress and cancellation within one component.

use crate::monitor::{Cancelled, Counter};
use std::sync::atomic::{AtomicU64, Ordering};

/// Minimum number of voxels of a component whose stages are reported; smaller ones take
/// milliseconds and are counted as a whole.
const MIN_REPORTED_VOXELS: u64 = 1 << 15;

/// Number of loop iterations between two progress reports.
pub const REPORT_INTERVAL: usize = 1 << 14;

/// Stages of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Voxels,
    Distances,
    Topology,
    Classes,
    Ends,
    Paths,
    Curves,
    Centring,
    Certificate,
}

/// Approximate share of each stage in the time, in percent, for a large component with few tunnels.
const STAGE_SHARES: [u64; 9] = [5, 10, 2, 12, 21, 35, 5, 8, 2];

/// Counts the voxels of a component proportionally to the progress of its stages.
pub struct ComponentProgress<'a> {
    counter: Option<&'a Counter<'a>>,
    voxels: u64,
    /// Number of voxels counted for each stage.
    counted: [AtomicU64; STAGE_SHARES.len()],
}

impl<'a> ComponentProgress<'a> {
    /// Creates the progress of a component of `voxels` voxels.
    pub fn new(counter: &'a Counter<'a>, voxels: u64) -> Self {
        Self {
            counter: Some(counter),
            voxels,
            counted: Default::default(),
        }
    }

    /// Creates progress that counts nothing and is never cancelled.
    #[cfg(test)]
    pub fn disabled() -> Self {
        Self {
            counter: None,
            voxels: 0,
            counted: Default::default(),
        }
    }

    /// Reports that `done` of `all` items of a stage are finished; smaller values than before are
    /// ignored.
    ///
    /// # Errors
    /// [`Cancelled`] if cancellation was requested.
    pub fn report(&self, stage: Stage, done: usize, all: usize) -> Result<(), Cancelled> {
        let Some(counter) = self.counter.filter(|_| self.voxels >= MIN_REPORTED_VOXELS) else {
            return Ok(());
        };
        let share = u128::from(self.voxels) * u128::from(STAGE_SHARES[stage as usize]);
        let part = share * done.min(all) as u128 / (100 * all.max(1) as u128);
        let part = part as u64;
        let before = self.counted[stage as usize].fetch_max(part, Ordering::Relaxed);
        counter.add(part.saturating_sub(before))
    }

    /// Calls [`report`](Self::report) once per [`REPORT_INTERVAL`] iterations of a loop.
    ///
    /// # Errors
    /// [`Cancelled`] if cancellation was requested.
    #[inline(always)]
    pub fn report_every(&self, stage: Stage, done: usize, all: usize) -> Result<(), Cancelled> {
        match done % REPORT_INTERVAL {
            0 => self.report(stage, done, all),
            _ => Ok(()),
        }
    }

    /// Reports that a stage is finished.
    ///
    /// # Errors
    /// [`Cancelled`] if cancellation was requested.
    pub fn finish_stage(&self, stage: Stage) -> Result<(), Cancelled> {
        self.report(stage, 1, 1)
    }

    /// Checks for cancellation without counting anything.
    ///
    /// # Errors
    /// [`Cancelled`] if cancellation was requested.
    pub fn check(&self) -> Result<(), Cancelled> {
        self.counter.map_or(Ok(()), Counter::check)
    }

    /// Counts all voxels of the component that were not counted yet.
    ///
    /// # Errors
    /// [`Cancelled`] if cancellation was requested.
    pub fn finish(&self) -> Result<(), Cancelled> {
        let counted = self.counted.iter();
        let before: u64 = counted.map(|part| part.load(Ordering::Relaxed)).sum();
        match self.counter {
            Some(counter) => counter.add(self.voxels - before),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device::DeviceError,
        grid::{Geometry, Mask},
        monitor::{CancelFlag, Monitor, Progress},
        skeleton::{
            SkeletonError,
            medial::{self, Params, Skeletons},
        },
    };
    use std::sync::Mutex;

    #[test]
    fn stage_shares_sum_to_100_percent() {
        assert_eq!(STAGE_SHARES.iter().sum::<u64>(), 100);
        let reported = Mutex::new(Vec::new());
        let hook = |progress: Progress| {
            reported
                .lock()
                .unwrap()
                .push((progress.done, progress.total))
        };
        let monitor = Monitor::new().on_progress(&hook);
        let counter = monitor.counter("skeletons", 100_000);
        let progress = ComponentProgress::new(&counter, 100_000);
        progress.report(Stage::Voxels, 1, 2).unwrap();
        // only the first and the last report are guaranteed to be immediate
        progress.report(Stage::Voxels, 1, 4).unwrap();
        progress.finish_stage(Stage::Certificate).unwrap();
        progress.finish().unwrap();
        assert_eq!(
            *reported.lock().unwrap(),
            [(2_500, 100_000), (100_000, 100_000)]
        );
    }

    #[test]
    fn small_components_are_counted_when_finished() {
        let reported = Mutex::new(Vec::new());
        let hook = |progress: Progress| reported.lock().unwrap().push(progress.done);
        let flag = CancelFlag::new();
        let monitor = Monitor::new().on_progress(&hook).cancelled_by(&flag);
        let counter = monitor.counter("skeletons", 9);
        let progress = ComponentProgress::new(&counter, 9);
        progress.finish_stage(Stage::Voxels).unwrap();
        assert!(reported.lock().unwrap().is_empty());
        flag.cancel();
        assert!(progress.finish_stage(Stage::Paths).is_ok() && progress.check().is_err());
        assert!(progress.finish().is_err());
        assert!(ComponentProgress::disabled().finish().is_ok());
    }

    /// Creates a block with a tunnel: one component, with work in each stage.
    fn block() -> Mask {
        let mut mask = Mask::new([40, 40, 60], Geometry::default()).unwrap();
        let samples: Vec<u8> = (0..40 * 40 * 60)
            .map(|at| [at % 40, at / 40 % 40])
            .map(|at| u8::from(at.iter().any(|x| !(15..25).contains(x))))
            .collect();
        mask.set_planes(0, &samples, |sample| sample != 0.0);
        mask
    }

    fn extract_block(mask: &Mask, monitor: Monitor<'_>) -> Result<Skeletons, SkeletonError> {
        medial::extract(&[], mask, &Params::default(), monitor)
    }

    #[test]
    fn large_component_reports_progress_in_parts() {
        let mask = block();
        let reported = Mutex::new(Vec::new());
        let hook = |progress: Progress| reported.lock().unwrap().push(progress);
        let monitor = Monitor::new().on_progress(&hook);
        extract_block(&mask, monitor).unwrap();
        let reported = reported.into_inner().unwrap();
        let [first, .., last] = &reported[..] else {
            panic!("{reported:?}")
        };
        let voxels = mask.count();
        assert!(voxels > MIN_REPORTED_VOXELS && reported.iter().all(|it| it.total == voxels));
        assert!(first.done < voxels / 10 && last.done == voxels);
        assert!(reported.windows(2).all(|pair| pair[0].done <= pair[1].done));
    }

    #[test]
    fn extraction_of_one_component_can_be_cancelled() {
        let mask = block();
        let flag = CancelFlag::new();
        let reported = Mutex::new(Vec::new());
        let hook = |progress: Progress| {
            reported.lock().unwrap().push(progress.done);
            flag.cancel();
        };
        let silent = Monitor::new().cancelled_by(&flag);
        let is_cancelled = |result: Result<Skeletons, _>| {
            matches!(
                result,
                Err(SkeletonError::Device(DeviceError::Cancelled(_)))
            )
        };
        assert!(is_cancelled(extract_block(
            &mask,
            silent.on_progress(&hook)
        )));
        assert!(
            reported
                .lock()
                .unwrap()
                .iter()
                .all(|&done| done < mask.count() / 10)
        );
        // cancellation at any time
        for milliseconds in [1, 5, 20, 40] {
            let flag = CancelFlag::new();
            let other = flag.clone();
            let result = std::thread::scope(|scope| {
                scope.spawn(move || {
                    std::thread::sleep(std::time::Duration::from_millis(milliseconds));
                    other.cancel();
                });
                extract_block(&mask, Monitor::new().cancelled_by(&flag))
            });
            assert!(result.is_ok() || is_cancelled(result));
        }
    }
}
