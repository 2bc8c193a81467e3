//! Threads that wait: where, and for what.

use crate::finding::Site;
use crate::shape::Dim3;

/// A thread that waits, as the executor and checked mode know it.
#[derive(Clone, Copy)]
pub(crate) struct Waiter {
    /// Rank within the block.
    pub(crate) rank: u32,
    pub(crate) site: Site,
}

/// One of the threads of a deadlocked block: where it waits, and for what.
#[derive(Clone, Debug)]
pub struct BlockedThread {
    /// The thread, within its block.
    pub thread: Dim3,
    /// What it waits for, for example `barrier` or `warp_sync(0x0000ffff)`.
    pub operation: String,
    /// The source line of the wait.
    pub site: Site,
}

/// `32 threads, the first (0, 0, 0), wait in barrier at a.rs:1:2; …`
pub(crate) fn describe_blocked(waiting: &[BlockedThread]) -> String {
    let mut groups: Vec<(&BlockedThread, usize)> = Vec::new();
    for one in waiting {
        match groups
            .iter_mut()
            .find(|(first, _)| first.operation == one.operation && first.site == one.site)
        {
            Some((_, count)) => *count += 1,
            None => groups.push((one, 1)),
        }
    }
    let lines: Vec<String> = groups
        .iter()
        .map(|(first, count)| {
            let (thread, operation, site) = (first.thread, &first.operation, first.site);
            match count {
                1 => format!("thread {thread} waits in {operation} at {site}"),
                _ => format!(
                    "{count} threads, the first of them {thread}, wait in {operation} at {site}"
                ),
            }
        })
        .collect();
    lines.join("; ")
}
