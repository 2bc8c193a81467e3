//! Counting the steps of threads, so that none goes on for ever.

use crate::finding::Site;
use crate::monitor::Beat;
use crate::{LaunchError, LaunchShape, Limits};
use std::sync::Arc;
use std::time::Instant;

/// Steps between two looks at the time.
const STEPS_PER_LOOK: u64 = 1 << 10;

pub(crate) struct Steps {
    kernel: String,
    shape: LaunchShape,
    limits: Limits,
    began: Instant,
    block: u64,
    /// Of each thread of the block.
    of_thread: Vec<u64>,
    total: u64,
    /// The next step at which to look at the time.
    next_look: u64,
    beat: Option<Arc<Beat>>,
}

impl Steps {
    pub(crate) fn new(kernel: &str, shape: LaunchShape, beat: Option<Arc<Beat>>) -> Self {
        Steps {
            kernel: kernel.to_owned(),
            shape,
            limits: Limits::current(),
            began: Instant::now(),
            block: 0,
            of_thread: vec![0; shape.block.count() as usize],
            total: 0,
            next_look: 0,
            beat,
        }
    }

    pub(crate) fn begin_block(&mut self, block: u64) {
        self.block = block;
        self.of_thread.fill(0);
    }

    /// The thread goes on, or starts: the monitoring thread is to know.
    pub(crate) fn goes_on(&mut self, rank: u32, site: Option<Site>) {
        self.total += 1;
        if let Some(beat) = &self.beat {
            beat.set(self.total, self.block, rank, site);
        }
    }

    /// The thread makes a step. An error where that is one too many, or the launch has taken too
    /// long.
    pub(crate) fn step(&mut self, rank: u32, site: Site) -> Option<LaunchError> {
        self.goes_on(rank, Some(site));
        let steps = &mut self.of_thread[rank as usize];
        *steps += 1;
        if let Some(limit) = self.limits.steps
            && *steps > limit
        {
            return Some(LaunchError::StepLimit {
                kernel: self.kernel.clone(),
                block: self.shape.grid.index_of(self.block),
                thread: self.shape.block.index_of(u64::from(rank)),
                steps: limit,
                site,
            });
        }
        if let Some(limit) = self.limits.time
            && self.looks_at_time()
            && self.began.elapsed() > limit
        {
            return Some(LaunchError::TimeLimit {
                kernel: self.kernel.clone(),
                block: self.shape.grid.index_of(self.block),
                thread: self.shape.block.index_of(u64::from(rank)),
                seconds: limit.as_secs_f64(),
                site,
            });
        }
        None
    }

    fn looks_at_time(&mut self) -> bool {
        let now = self.total >= self.next_look;
        if now {
            self.next_look = self.total + STEPS_PER_LOOK;
        }
        now
    }
}
