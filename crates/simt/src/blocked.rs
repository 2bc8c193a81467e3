//! Waiting threads of a block.

use crate::finding::Site;
use crate::shape::Dim3;

/// A waiting thread.
#[derive(Clone, Copy)]
pub(crate) struct Waiter {
    /// Rank within the block.
    pub(crate) rank: u32,
    pub(crate) site: Site,
}

/// A waiting thread of a deadlocked block.
#[derive(Clone, Debug)]
pub struct BlockedThread {
    /// Index of the thread within its block.
    pub thread: Dim3,
    /// Operation that waits, for example `barrier` or `warp_sync(0x0000ffff)`.
    pub operation: String,
    /// Source location of the wait.
    pub site: Site,
}

/// Formats waiting threads as `32 threads, the first of them (0, 0, 0), wait in barrier at
/// a.rs:1:2; …`.
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
