//! How far a component is, and whether its work is to stop.

use crate::monitor::{Cancelled, Counter};
use std::sync::atomic::{AtomicU64, Ordering};

/// A component of fewer voxels takes milliseconds, and is counted when it is done.
const MIN_REPORTED_VOXELS: u64 = 1 << 15;

/// After so many voxels a loop says how far it is.
pub const REPORT_INTERVAL: usize = 1 << 14;

/// The stages of a component that take long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Voxels,
    Distances,
    Topology,
    Classes,
    Paths,
    Curves,
    Centring,
    Certificate,
}

/// About what part of the time each takes, in hundredths: of a large component of few tunnels.
const STAGE_SHARES: [u64; 8] = [6, 12, 2, 14, 50, 6, 8, 2];

/// Counts the voxels of a component in parts as its stages go on.
pub struct ComponentProgress<'a> {
    counter: Option<&'a Counter<'a>>,
    voxels: u64,
    /// What has been counted of each stage.
    counted: [AtomicU64; STAGE_SHARES.len()],
}

impl<'a> ComponentProgress<'a> {
    /// Those of a component of so many voxels.
    pub fn new(counter: &'a Counter<'a>, voxels: u64) -> Self {
        Self {
            counter: Some(counter),
            voxels,
            counted: Default::default(),
        }
    }

    /// Nothing is counted, and nothing stops.
    #[cfg(test)]
    pub fn disabled() -> Self {
        Self {
            counter: None,
            voxels: 0,
            counted: Default::default(),
        }
    }

    /// So much of a stage is done: `done` of `all`. Less than before changes nothing.
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

    /// The same in a loop over voxels: every so many of them.
    #[inline(always)]
    pub fn report_every(&self, stage: Stage, done: usize, all: usize) -> Result<(), Cancelled> {
        match done % REPORT_INTERVAL {
            0 => self.report(stage, done, all),
            _ => Ok(()),
        }
    }

    /// A stage is done.
    pub fn finish_stage(&self, stage: Stage) -> Result<(), Cancelled> {
        self.report(stage, 1, 1)
    }

    /// Fails if the work is to stop. Nothing is counted.
    pub fn check(&self) -> Result<(), Cancelled> {
        self.counter.map_or(Ok(()), Counter::check)
    }

    /// All of the component is done.
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
    fn shares_make_a_whole() {
        assert_eq!(STAGE_SHARES.iter().sum::<u64>(), 100);
        let reported = Mutex::new(Vec::new());
        let hook =
            |progress: Progress| reported.lock().unwrap().push((progress.done, progress.all));
        let monitor = Monitor::silent().on_progress(&hook);
        let counter = monitor.counter("skeletons", 100_000);
        let progress = ComponentProgress::new(&counter, 100_000);
        progress.report(Stage::Voxels, 1, 2).unwrap();
        // told at once only if it is the first or the last
        progress.report(Stage::Voxels, 1, 4).unwrap();
        progress.finish_stage(Stage::Certificate).unwrap();
        progress.finish().unwrap();
        assert_eq!(
            *reported.lock().unwrap(),
            [(3_000, 100_000), (100_000, 100_000)]
        );
    }

    #[test]
    fn small_ones_are_counted_at_their_end() {
        let reported = Mutex::new(Vec::new());
        let hook = |progress: Progress| reported.lock().unwrap().push(progress.done);
        let flag = CancelFlag::new();
        let monitor = Monitor::silent().on_progress(&hook).cancelled_by(&flag);
        let counter = monitor.counter("skeletons", 9);
        let progress = ComponentProgress::new(&counter, 9);
        progress.finish_stage(Stage::Voxels).unwrap();
        assert!(reported.lock().unwrap().is_empty());
        flag.cancel();
        assert!(progress.finish_stage(Stage::Paths).is_ok() && progress.check().is_err());
        assert!(progress.finish().is_err());
        assert!(ComponentProgress::disabled().finish().is_ok());
    }

    /// A block with a tunnel: one component, with work in each stage.
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
    fn one_component_is_told_in_parts() {
        let mask = block();
        let reported = Mutex::new(Vec::new());
        let hook = |progress: Progress| reported.lock().unwrap().push(progress);
        let monitor = Monitor::silent().on_progress(&hook);
        extract_block(&mask, monitor).unwrap();
        let reported = reported.into_inner().unwrap();
        let [first, .., last] = &reported[..] else {
            panic!("{reported:?}")
        };
        let voxels = mask.count();
        assert!(voxels > MIN_REPORTED_VOXELS && reported.iter().all(|it| it.all == voxels));
        assert!(first.done < voxels / 10 && last.done == voxels);
        assert!(reported.windows(2).all(|pair| pair[0].done <= pair[1].done));
    }

    #[test]
    fn one_component_is_stopped_within() {
        let mask = block();
        let flag = CancelFlag::new();
        let reported = Mutex::new(Vec::new());
        let hook = |progress: Progress| {
            reported.lock().unwrap().push(progress.done);
            flag.cancel();
        };
        let silent = Monitor::silent().cancelled_by(&flag);
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
        // at any time
        for milliseconds in [1, 5, 20, 40] {
            let flag = CancelFlag::new();
            let other = flag.clone();
            let result = std::thread::scope(|scope| {
                scope.spawn(move || {
                    std::thread::sleep(std::time::Duration::from_millis(milliseconds));
                    other.cancel();
                });
                extract_block(&mask, Monitor::silent().cancelled_by(&flag))
            });
            assert!(result.is_ok() || is_cancelled(result));
        }
    }
}
