//! Record of the launches on a device, for tests and measurements.

use super::{BlockSizeSource, DeviceError, Event, LaunchOverride};
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Detail of the record of launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recording {
    /// Nothing is recorded.
    #[default]
    Off,
    /// Grid and block of each launch.
    Shapes,
    /// Grid, block and time of each launch, by the device's clock. The time includes idle time
    /// between launches.
    Times,
}

/// Record of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchRecord {
    /// Entry point of the kernel.
    pub kernel: String,
    /// Number of blocks of the grid.
    pub blocks: u32,
    /// Number of threads per block.
    pub threads: u32,
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared_bytes: u32,
    /// Origin of the block size.
    pub block_size_source: BlockSizeSource,
    /// Duration, if it was recorded.
    pub time: Option<Duration>,
}

/// A launch that may still be running.
pub(super) struct PendingLaunch {
    pub launch: LaunchRecord,
    pub between: Option<(Event, Event)>,
}

/// Launch override of a device, and its record of launches.
#[derive(Default)]
pub(super) struct Launches {
    /// `true` if an override or a record is active: otherwise launches take no lock.
    is_special: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    launch_override: Option<Arc<LaunchOverride>>,
    recording: Recording,
    pending: Vec<PendingLaunch>,
}

impl Launches {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let special = state.launch_override.is_some() || state.recording != Recording::Off;
        self.is_special.store(special, Ordering::Release);
    }

    pub fn set_launch_override(&self, launch_override: LaunchOverride) {
        let launch_override = (!launch_override.is_none()).then(|| Arc::new(launch_override));
        self.change(|state| state.launch_override = launch_override);
    }

    /// Returns the override, if there is one for this kernel.
    pub fn launch_override(&self, entry: &str) -> Option<Arc<LaunchOverride>> {
        if !self.is_special.load(Ordering::Acquire) {
            return None;
        }
        let launch_override = self.state().launch_override.clone();
        launch_override.filter(|launch_override| launch_override.is_about(entry))
    }

    pub fn set_recording(&self, recording: Recording) {
        self.change(|state| {
            state.recording = recording;
            state.pending.clear();
        });
    }

    pub fn recording(&self) -> Recording {
        if !self.is_special.load(Ordering::Acquire) {
            return Recording::Off;
        }
        self.state().recording
    }

    pub fn add(&self, pending: PendingLaunch) {
        self.state().pending.push(pending);
    }

    /// Returns the launches since the last call. Synchronises with the timed ones.
    pub fn take(&self) -> Result<Vec<LaunchRecord>, DeviceError> {
        let pending = std::mem::take(&mut self.state().pending);
        let resolve = |pending: PendingLaunch| {
            let PendingLaunch { launch, between } = pending;
            let time = between.map(|(start, end)| end.since(&start)).transpose()?;
            Ok(LaunchRecord { time, ..launch })
        };
        pending.into_iter().map(resolve).collect()
    }
}
