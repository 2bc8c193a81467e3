//! Step counter: ends threads that exceed the step or time limit.

use crate::finding::Site;
use crate::watchdog::Heartbeat;
use crate::{LaunchError, LaunchShape, Limits};
use std::sync::Arc;
use std::time::Instant;

/// Number of steps between two checks of the time limit.
const STEPS_PER_TIME_CHECK: u64 = 1 << 10;

pub(crate) struct StepCounter {
    kernel: String,
    shape: LaunchShape,
    limits: Limits,
    began: Instant,
    block: u64,
    /// Steps of each thread of the block, by rank.
    by_thread: Vec<u64>,
    total: u64,
    /// Step at which the time limit is checked next.
    next_time_check: u64,
    heartbeat: Option<Arc<Heartbeat>>,
}

impl StepCounter {
    pub(crate) fn new(kernel: &str, shape: LaunchShape, heartbeat: Option<Arc<Heartbeat>>) -> Self {
        StepCounter {
            kernel: kernel.to_owned(),
            shape,
            limits: Limits::current(),
            began: Instant::now(),
            block: 0,
            by_thread: vec![0; shape.block.count() as usize],
            total: 0,
            next_time_check: 0,
            heartbeat,
        }
    }

    pub(crate) fn begin_block(&mut self, block: u64) {
        self.block = block;
        self.by_thread.fill(0);
    }

    /// Records that a thread starts or resumes, for the watchdog.
    pub(crate) fn thread_resumed(&mut self, rank: u32, site: Option<Site>) {
        self.total += 1;
        if let Some(heartbeat) = &self.heartbeat {
            heartbeat.set(self.total, self.block, rank, site);
        }
    }

    /// Counts a step of the thread. Returns an error if the thread exceeds the step limit or the
    /// launch exceeds the time limit.
    pub(crate) fn count_step(&mut self, rank: u32, site: Site) -> Option<LaunchError> {
        self.thread_resumed(rank, Some(site));
        let steps = &mut self.by_thread[rank as usize];
        *steps += 1;
        if let Some(limit) = self.limits.steps
            && *steps > limit
        {
            return Some(LaunchError::StepLimit {
                kernel: self.kernel.clone(),
                block: self.shape.grid.index_at(self.block),
                thread: self.shape.block.index_at(u64::from(rank)),
                steps: limit,
                site,
            });
        }
        if let Some(limit) = self.limits.time
            && self.is_time_check_due()
            && self.began.elapsed() > limit
        {
            return Some(LaunchError::TimeLimit {
                kernel: self.kernel.clone(),
                block: self.shape.grid.index_at(self.block),
                thread: self.shape.block.index_at(u64::from(rank)),
                seconds: limit.as_secs_f64(),
                site,
            });
        }
        None
    }

    fn is_time_check_due(&mut self) -> bool {
        let now = self.total >= self.next_time_check;
        if now {
            self.next_time_check = self.total + STEPS_PER_TIME_CHECK;
        }
        now
    }
}
