//! Helpers shared by the test files: arrays with recorded accesses, as cuda_std's views make them,
//! and short launches.

use simt::memory::{self, Space};
use simt::{Finding, FindingKind, LaunchError, LaunchShape, Mode, Report, current};
use std::sync::atomic::{AtomicU32, Ordering};

/// Modes that must agree for every correct kernel.
pub const MODES: [Mode; 4] = [
    Mode::Fast,
    Mode::Checked { seed: 0 },
    Mode::Checked { seed: 1 },
    Mode::Checked { seed: 0xFEED },
];

pub const CHECKED: Mode = Mode::Checked { seed: 7 };

/// Array of words whose accesses are recorded for checked mode. The words are atomics, so that a
/// kernel with a race is not undefined behaviour of the test.
pub struct Words {
    words: Vec<AtomicU32>,
    space: Space,
}

impl Words {
    pub fn new(count: usize) -> Self {
        Words {
            words: (0..count).map(|_| AtomicU32::new(0)).collect(),
            space: Space::Global,
        }
    }

    #[track_caller]
    fn word(&self, index: usize) -> &AtomicU32 {
        match self.words.get(index) {
            Some(word) => word,
            None => memory::out_of_bounds("View", index, self.words.len()),
        }
    }

    #[track_caller]
    pub fn read(&self, index: usize) -> u32 {
        let word = self.word(index);
        memory::record_read(self.space, word.as_ptr().addr(), 4);
        word.load(Ordering::Relaxed)
    }

    #[track_caller]
    pub fn write(&self, index: usize, value: u32) {
        let word = self.word(index);
        memory::record_write(self.space, word.as_ptr().addr(), 4);
        word.store(value, Ordering::Relaxed);
    }

    #[track_caller]
    pub fn add(&self, index: usize, value: u32) -> u32 {
        let word = self.word(index);
        memory::record_atomic(self.space, word.as_ptr().addr(), 4);
        word.fetch_add(value, Ordering::Relaxed)
    }

    pub fn to_vec(&self) -> Vec<u32> {
        let load = |word: &AtomicU32| word.load(Ordering::Relaxed);
        self.words.iter().map(load).collect()
    }
}

/// Block-shared array of words whose accesses are recorded.
pub struct SharedWords {
    start: *mut u32,
    count: usize,
}

impl SharedWords {
    /// Returns the array of the static at `key` for the running block.
    pub fn new(key: &'static u8, count: usize) -> Self {
        let start = memory::shared_static(std::ptr::from_ref(key).addr(), 4 * count, 4);
        SharedWords {
            start: start.cast(),
            count,
        }
    }

    #[track_caller]
    fn word(&self, index: usize) -> &AtomicU32 {
        if index >= self.count {
            memory::out_of_bounds("SharedView", index, self.count);
        }
        // SAFETY: in bounds of the block's array, which lives as long as the block; accessed only
        // as an atomic.
        unsafe { AtomicU32::from_ptr(self.start.add(index)) }
    }

    #[track_caller]
    pub fn read(&self, index: usize) -> u32 {
        let word = self.word(index);
        memory::record_read(Space::Shared, word.as_ptr().addr(), 4);
        word.load(Ordering::Relaxed)
    }

    #[track_caller]
    pub fn write(&self, index: usize, value: u32) {
        let word = self.word(index);
        memory::record_write(Space::Shared, word.as_ptr().addr(), 4);
        word.store(value, Ordering::Relaxed);
    }

    #[track_caller]
    pub fn add(&self, index: usize, value: u32) -> u32 {
        let word = self.word(index);
        memory::record_atomic(Space::Shared, word.as_ptr().addr(), 4);
        word.fetch_add(value, Ordering::Relaxed)
    }

    pub fn address(&self) -> usize {
        self.start.addr()
    }
}

/// Returns the running thread's rank, for use as an index.
pub fn rank() -> usize {
    current::thread_rank() as usize
}

/// Returns the running thread's index in a one-dimensional grid.
pub fn global_index() -> usize {
    (current::block_idx().x * current::block_dim().x + current::thread_idx().x) as usize
}

/// Launches a closure that does not wait in an initialiser of a thread-local variable.
pub fn launch(
    kernel: &str,
    shape: LaunchShape,
    mode: Mode,
    body: impl Fn() + Sync,
) -> Result<(), LaunchError> {
    // SAFETY: the tests do not declare thread-local variables whose initialiser waits.
    unsafe { simt::launch(kernel, shape, mode, body) }
}

/// Launches `blocks` blocks of `threads` threads.
pub fn run(
    blocks: u32,
    threads: u32,
    mode: Mode,
    body: impl Fn() + Sync,
) -> Result<(), LaunchError> {
    launch("kernel", LaunchShape::new(blocks, threads), mode, body)
}

/// Returns the report of a launch that must have findings.
#[track_caller]
pub fn findings(result: Result<(), LaunchError>) -> Report {
    match result {
        Err(LaunchError::Findings(report)) => report,
        other => panic!("findings were expected, not {other:?}"),
    }
}

/// Returns the only finding of a launch that must have exactly one.
#[track_caller]
pub fn only_finding(result: Result<(), LaunchError>) -> Finding {
    let report = findings(result);
    assert_eq!(report.findings().len(), 1, "{report}");
    assert_eq!(report.omitted(), 0, "{report}");
    report.findings()[0].clone()
}

/// Returns `true` if the finding is a race.
pub fn is_race(finding: &Finding) -> bool {
    matches!(finding.kind, FindingKind::Race { .. })
}
