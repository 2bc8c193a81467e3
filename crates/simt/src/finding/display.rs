//! Text of a finding.

use super::{Finding, FindingKind};
use std::fmt;

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding {
            block,
            thread,
            site,
            ..
        } = self;
        match self.kind {
            FindingKind::OutOfBounds { view, index, len } => write!(
                f,
                "out of bounds: index {index} into a {view} of {len} elements\n     block {block}, thread {thread}, at {site}"
            ),
            FindingKind::BarrierDivergence {
                other_thread,
                other_site,
            } => write!(
                f,
                "barrier divergence: threads of one block wait at different barriers\n     block {block}, thread {thread} waits at {site}\n     block {block}, thread {other_thread} waits at {other_site}\n     move the barrier out of the branch, so that all threads of the block reach the same one"
            ),
            FindingKind::ExitedBeforeBarrier { other_thread } => write!(
                f,
                "barrier divergence: a thread exited the kernel while others of its block wait at a barrier\n     block {block}, thread {thread} waits at {site}\n     block {block}, thread {other_thread} has exited\n     return only after the last barrier"
            ),
            FindingKind::LaneNotInMask { lane, mask } => write!(
                f,
                "lane {lane} called a warp operation with mask {mask:#010x}, which does not contain it\n     block {block}, thread {thread}, at {site}"
            ),
            FindingKind::ExitedLanesInMask { lanes, mask } => write!(
                f,
                "the mask {mask:#010x} of a warp operation contains lanes that have exited the kernel: {lanes:#010x}\n     block {block}, thread {thread}, at {site}"
            ),
            FindingKind::InvalidNamedBarrierCount {
                barrier,
                threads,
                block_threads,
            } => write!(
                f,
                "named barrier {barrier} for {threads} threads in a block of {block_threads}: use a multiple of 32, at most the block's threads rounded up to whole warps\n     block {block}, thread {thread}, at {site}"
            ),
            FindingKind::NamedBarrierCountMismatch {
                barrier,
                threads,
                other_threads,
                other_thread,
                other_site,
            } => write!(
                f,
                "named barrier {barrier} with different thread counts\n     block {block}, thread {other_thread} passed {other_threads} at {other_site}\n     block {block}, thread {thread} passed {threads} at {site}"
            ),
            FindingKind::WarpDivergence {
                barrier,
                other_thread,
                other_site,
            } => write!(
                f,
                "warp divergence: lanes of one warp arrive at different named barriers or source lines\n     block {block}, thread {other_thread} arrived at {other_site}\n     block {block}, thread {thread} arrived at named barrier {barrier} at {site}"
            ),
            FindingKind::Race {
                location,
                bytes,
                access,
                other_access,
                other_block,
                other_thread,
                other_site,
            } => write!(
                f,
                "race on {location} ({bytes} bytes): these accesses are not ordered by a barrier\n     block {other_block}, thread {other_thread} {other_access} at {other_site}\n     block {block}, thread {thread} {access} at {site}"
            ),
            FindingKind::UninitializedRead { location, bytes } => write!(
                f,
                "uninitialised read: no thread of the block has written {location} ({bytes} bytes)\n     block {block}, thread {thread}, at {site}"
            ),
            FindingKind::AsyncCopyConflict {
                location,
                access,
                copying_thread,
                copy_site,
            } => write!(
                f,
                "access to {location} while an asynchronous copy may be in progress there\n     block {block}, thread {copying_thread} began the copy at {copy_site} and has not waited for it\n     block {block}, thread {thread} {access} at {site}"
            ),
            FindingKind::SharedMemoryOverrun { location } => write!(
                f,
                "shared memory overrun: bytes past the end of an array were written, after {location}\n     block {block}, array created at {site}"
            ),
        }?;
        if self.occurrences > 1 {
            write!(f, "\n     occurred {} times", self.occurrences)?;
        }
        Ok(())
    }
}
