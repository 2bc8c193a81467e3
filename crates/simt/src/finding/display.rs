//! What a finding says.

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
            FindingKind::OutOfBounds { what, index, len } => write!(
                f,
                "out of bounds: index {index} into a {what} of {len} elements\n     block {block}, thread {thread}, at {site}"
            ),
            FindingKind::BarrierDivergence {
                other_thread,
                other_site,
            } => write!(
                f,
                "threads of one block wait at different barriers\n     block {block}, thread {thread} waits at {site}\n     block {block}, thread {other_thread} waits at {other_site}"
            ),
            FindingKind::ExitedBeforeBarrier { other_thread } => write!(
                f,
                "a thread left the kernel while others of its block wait at a barrier\n     block {block}, thread {thread} waits at {site}\n     block {block}, thread {other_thread} has left"
            ),
            FindingKind::LaneNotInMask { lane, mask } => write!(
                f,
                "lane {lane} called a warp operation with mask {mask:#010x}, which does not name it\n     block {block}, thread {thread}, at {site}"
            ),
            FindingKind::ExitedLanesInMask { lanes, mask } => write!(
                f,
                "a warp operation with mask {mask:#010x} names lanes that have left the kernel: {lanes:#010x}\n     block {block}, thread {thread}, at {site}"
            ),
            FindingKind::InvalidNamedBarrierCount {
                barrier,
                threads,
                block_threads,
            } => write!(
                f,
                "named barrier {barrier} for {threads} threads in a block of {block_threads}: the number must be that of whole warps of the block, a multiple of 32\n     block {block}, thread {thread}, at {site}"
            ),
            FindingKind::NamedBarrierCountMismatch {
                barrier,
                threads,
                other_threads,
                other_thread,
                other_site,
            } => write!(
                f,
                "named barrier {barrier} for different numbers of threads\n     block {block}, thread {other_thread} said {other_threads} at {other_site}\n     block {block}, thread {thread} said {threads} at {site}"
            ),
            FindingKind::WarpDivergence {
                barrier,
                other_thread,
                other_site,
            } => write!(
                f,
                "threads of one warp come to named barriers at different places\n     block {block}, thread {other_thread} is at {other_site}\n     block {block}, thread {thread} comes to named barrier {barrier} at {site}"
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
                "race on {location} ({bytes} bytes): nothing orders these two\n     block {other_block}, thread {other_thread} {other_access} at {other_site}\n     block {block}, thread {thread} {access} at {site}"
            ),
            FindingKind::UninitializedRead { location, bytes } => write!(
                f,
                "read of shared memory that no thread of the block wrote: {location} ({bytes} bytes)\n     block {block}, thread {thread}, at {site}"
            ),
            FindingKind::AsyncCopyConflict {
                location,
                access,
                copying_thread,
                copy_site,
            } => write!(
                f,
                "use of {location} while an asynchronous copy may be under way there\n     block {block}, thread {copying_thread} began the copy at {copy_site} and had not waited for it\n     block {block}, thread {thread} {access} at {site}"
            ),
            FindingKind::SharedMemoryOverrun { location } => write!(
                f,
                "bytes behind the end of shared memory were written, after {location}\n     block {block}, of the array made at {site}"
            ),
        }?;
        if self.occurrences > 1 {
            write!(f, "\n     seen {} times", self.occurrences)?;
        }
        Ok(())
    }
}
