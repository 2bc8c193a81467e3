//! Findings: violations of the programming model, with their source locations.

mod display;

use crate::shape::Dim3;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// Location in the kernel's source.
pub type Site = &'static Location<'static>;

/// Kind of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Plain read.
    Read,
    /// Plain write.
    Write,
    /// Atomic read or read-modify-write.
    Atomic,
    /// Atomic write that reads nothing.
    AtomicStore,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read it",
            Access::Write => "wrote it",
            Access::Atomic => "updated it atomically",
            Access::AtomicStore => "wrote it atomically",
        })
    }
}

/// Memory to which a finding refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLocation {
    /// Global memory, visible to all blocks.
    Global {
        /// Address of the first byte.
        address: usize,
    },
    /// Memory of a kernel parameter.
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// Position of the parameter in the kernel's signature, from 1.
        number: u32,
        /// Index of the element that contains the first byte; for a pointer, relative to its
        /// target.
        element: usize,
    },
    /// A shared static of the block.
    SharedStatic {
        /// Offset of the first byte in the array, in bytes.
        offset: usize,
        /// Size of the array, in bytes.
        size: usize,
    },
    /// The block's dynamic shared memory.
    DynamicShared {
        /// Offset of the first byte, in bytes.
        offset: usize,
        /// Size of the dynamic shared memory, in bytes.
        size: usize,
    },
}

impl fmt::Display for MemoryLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryLocation::Global { address } => write!(f, "global memory at {address:#x}"),
            MemoryLocation::Parameter {
                name,
                number,
                element,
            } => write!(f, "element {element} of `{name}` (parameter {number})"),
            MemoryLocation::SharedStatic { offset, size } => {
                write!(f, "byte {offset} of a shared array of {size} bytes")
            }
            MemoryLocation::DynamicShared { offset, size } => {
                write!(
                    f,
                    "byte {offset} of the {size} bytes of dynamic shared memory"
                )
            }
        }
    }
}

/// Rule of the programming model that was violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// A view was indexed out of bounds. The thread ends.
    OutOfBounds {
        /// Type of the view, such as `View`.
        view: &'static str,
        /// Index of the access.
        index: usize,
        /// Number of elements of the view.
        len: usize,
    },
    /// Threads of one block wait at different barriers.
    BarrierDivergence {
        /// A thread that waits at another barrier.
        other_thread: Dim3,
        /// Source location of that barrier.
        other_site: Site,
    },
    /// A thread exited the kernel while others of its block wait at a barrier.
    ExitedBeforeBarrier {
        /// A thread that exited.
        other_thread: Dim3,
    },
    /// A thread called a warp operation whose mask does not contain its own lane. The thread ends.
    LaneNotInMask {
        /// The calling lane.
        lane: u32,
        /// Mask of the operation.
        mask: u32,
    },
    /// The mask of a warp operation contains lanes that have exited the kernel.
    ExitedLanesInMask {
        /// Mask of the exited lanes.
        lanes: u32,
        /// Mask of the operation.
        mask: u32,
    },
    /// A named barrier was used with a thread count that is not a multiple of 32, or that exceeds
    /// the block's threads rounded up to whole warps. The thread ends.
    InvalidNamedBarrierCount {
        /// Number of the barrier.
        barrier: u32,
        /// Thread count of the call.
        threads: u32,
        /// Number of threads of the block.
        block_threads: u32,
    },
    /// Two threads arrived at a named barrier with different thread counts.
    NamedBarrierCountMismatch {
        /// Number of the barrier.
        barrier: u32,
        /// Thread count of the later arrival.
        threads: u32,
        /// Thread count of the earlier arrival.
        other_threads: u32,
        /// Thread of the earlier arrival.
        other_thread: Dim3,
        /// Source location of the earlier arrival.
        other_site: Site,
    },
    /// Lanes of one warp arrived at different named barriers, or at the same one at different
    /// source locations.
    WarpDivergence {
        /// Number of the barrier.
        barrier: u32,
        /// The other lane's thread.
        other_thread: Dim3,
        /// Source location of the other lane's arrival.
        other_site: Site,
    },
    /// Two unordered accesses to the same memory, at least one of them a write.
    Race {
        /// Accessed memory.
        location: MemoryLocation,
        /// Size of the later access, in bytes.
        bytes: usize,
        /// Kind of the later access.
        access: Access,
        /// Kind of the earlier access.
        other_access: Access,
        /// Block of the earlier access.
        other_block: Dim3,
        /// Thread of the earlier access, within its block.
        other_thread: Dim3,
        /// Source location of the earlier access.
        other_site: Site,
    },
    /// Shared memory was read that no thread of the block had written.
    UninitializedRead {
        /// Accessed memory.
        location: MemoryLocation,
        /// Size of the access, in bytes.
        bytes: usize,
    },
    /// Memory was accessed to which an asynchronous copy may still write, or written from which it
    /// may still read, because the copying thread had not waited for it.
    AsyncCopyConflict {
        /// Accessed memory.
        location: MemoryLocation,
        /// Kind of the access.
        access: Access,
        /// Thread that began the copy.
        copying_thread: Dim3,
        /// Source location at which the copy began.
        copy_site: Site,
    },
    /// Bytes past the end of a shared array were written. The writing thread is unknown; the
    /// block's first thread is reported.
    SharedMemoryOverrun {
        /// Last byte of the array.
        location: MemoryLocation,
    },
}

/// Identity of a finding: the rule and the source locations, regardless of the threads.
pub(crate) type FindingKey = (u8, Location<'static>, Option<Location<'static>>);

/// A finding: the violated rule, and the first thread that violated it at this location.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Name of the kernel.
    pub kernel: Arc<str>,
    /// Block of the thread.
    pub block: Dim3,
    /// Index of the thread within its block.
    pub thread: Dim3,
    /// Source location.
    pub site: Site,
    /// Violated rule.
    pub kind: FindingKind,
    /// Number of violations at this source location (or pair of locations).
    pub occurrences: u64,
}

impl Finding {
    pub(crate) fn key(&self) -> FindingKey {
        let site = *self.site;
        match self.kind {
            FindingKind::OutOfBounds { .. } => (0, site, None),
            FindingKind::BarrierDivergence { other_site, .. } => pair(1, site, *other_site),
            FindingKind::ExitedBeforeBarrier { .. } => (2, site, None),
            FindingKind::LaneNotInMask { .. } => (3, site, None),
            FindingKind::ExitedLanesInMask { .. } => (4, site, None),
            FindingKind::Race { other_site, .. } => pair(5, site, *other_site),
            FindingKind::UninitializedRead { .. } => (6, site, None),
            FindingKind::AsyncCopyConflict { copy_site, .. } => pair(7, site, *copy_site),
            FindingKind::SharedMemoryOverrun { .. } => (8, site, None),
            FindingKind::InvalidNamedBarrierCount { .. } => (9, site, None),
            FindingKind::NamedBarrierCountMismatch { other_site, .. } => {
                pair(10, site, *other_site)
            }
            FindingKind::WarpDivergence { other_site, .. } => pair(11, site, *other_site),
        }
    }
}

/// Returns a key that does not depend on the order of the two locations.
fn pair(kind: u8, a: Location<'static>, b: Location<'static>) -> FindingKey {
    (kind, a.min(b), Some(a.max(b)))
}
