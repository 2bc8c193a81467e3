//! What was launched on a device, for tests and measurements.

use super::{BlockSizeSource, DeviceError, Event, LaunchOverride};
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// What is recorded of launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recording {
    /// Nothing.
    #[default]
    Off,
    /// Their shapes.
    Shapes,
    /// Their shapes, and how long each took by the device's clock, with what there is between
    /// launches of it.
    Times,
}

/// A launch that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchRecord {
    /// The kernel's entry point.
    pub kernel: String,
    /// Blocks of the grid.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Dynamic shared memory of a block, in bytes.
    pub dynamic_shared_bytes: u32,
    /// Who decided on the block's size.
    pub block_size_source: BlockSizeSource,
    /// How long it took, where that was asked for.
    pub time: Option<Duration>,
}

/// A launch whose end may not have come.
pub(super) struct Pending {
    pub launch: LaunchRecord,
    pub between: Option<(Event, Event)>,
}

/// The override of a device's launches, and the record of them.
#[derive(Default)]
pub(super) struct Launches {
    /// Whether there is either: nothing is locked for launches otherwise.
    is_special: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    launch_override: Option<Arc<LaunchOverride>>,
    recording: Recording,
    pending: Vec<Pending>,
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

    /// The override, if there is one about this kernel.
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

    pub fn add(&self, pending: Pending) {
        self.state().pending.push(pending);
    }

    /// The launches since they were last taken. Synchronises with those that are timed.
    pub fn take(&self) -> Result<Vec<LaunchRecord>, DeviceError> {
        let pending = std::mem::take(&mut self.state().pending);
        let resolve = |pending: Pending| {
            let Pending { launch, between } = pending;
            let time = between.map(|(start, end)| end.since(&start)).transpose()?;
            Ok(LaunchRecord { time, ..launch })
        };
        pending.into_iter().map(resolve).collect()
    }
}
