//! A broken rule of the programming model, and where it was broken.

mod display;

use crate::shape::Dim3;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A place in the kernel's source.
pub type Site = &'static Location<'static>;

/// How memory was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic read, or read-modify-write.
    Atomic,
    /// An atomic write, which reads nothing.
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

/// Which memory a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLocation {
    /// Memory that every block sees.
    Global {
        /// Address of the first byte.
        address: usize,
    },
    /// Memory of a parameter of the kernel.
    Parameter {
        /// The parameter's name.
        name: &'static str,
        /// Its place among the kernel's parameters, from 1.
        number: u32,
        /// The element that holds the first byte; for a pointer, counted from where it points to.
        element: usize,
    },
    /// A shared static of the block.
    SharedStatic {
        /// First byte, from the start of the array.
        offset: usize,
        /// Bytes of the array.
        size: usize,
    },
    /// The block's dynamic shared memory.
    DynamicShared {
        /// First byte, from the start.
        offset: usize,
        /// Bytes in all.
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

/// The rule that was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// A view was indexed outside its bounds. The thread ends there.
    OutOfBounds {
        /// The kind of view.
        what: &'static str,
        /// The index asked for.
        index: usize,
        /// Elements of the view.
        len: usize,
    },
    /// Threads of one block wait at different barriers.
    BarrierDivergence {
        /// A thread that waits elsewhere.
        other_thread: Dim3,
        /// Where it waits.
        other_site: Site,
    },
    /// A thread left the kernel while others of its block wait at a barrier.
    ExitedBeforeBarrier {
        /// A thread that left.
        other_thread: Dim3,
    },
    /// A thread called a warp operation whose mask does not name its own lane. The thread ends
    /// there.
    LaneNotInMask {
        /// The calling lane.
        lane: u32,
        /// The mask it passed.
        mask: u32,
    },
    /// A warp operation's mask names lanes that have left the kernel.
    ExitedLanesInMask {
        /// The lanes that have left.
        lanes: u32,
        /// The mask.
        mask: u32,
    },
    /// A named barrier for a number of threads that is no multiple of 32, or more than the block
    /// has in whole warps. The thread ends there.
    InvalidNamedBarrierCount {
        /// The barrier.
        barrier: u32,
        /// Threads that it was to be for.
        threads: u32,
        /// Threads of the block.
        block_threads: u32,
    },
    /// Two threads came to one named barrier with different numbers of threads.
    NamedBarrierCountMismatch {
        /// The barrier.
        barrier: u32,
        /// Threads that the barrier is for, as the later thread says.
        threads: u32,
        /// Threads that the barrier is for, as the earlier thread says.
        other_threads: u32,
        /// The earlier thread.
        other_thread: Dim3,
        /// Where the earlier thread came to the barrier.
        other_site: Site,
    },
    /// A thread came to a named barrier while another of its warp came to another, or to the same
    /// at another place.
    WarpDivergence {
        /// The barrier.
        barrier: u32,
        /// The thread of the same warp.
        other_thread: Dim3,
        /// Where that came to a named barrier.
        other_site: Site,
    },
    /// Two threads touch the same memory, at least one writes, and nothing orders them.
    Race {
        /// The memory.
        location: MemoryLocation,
        /// Bytes of the later access.
        bytes: usize,
        /// What the later thread did.
        access: Access,
        /// What the earlier thread did.
        other_access: Access,
        /// Block of the earlier thread.
        other_block: Dim3,
        /// The earlier thread, within its block.
        other_thread: Dim3,
        /// Where the earlier thread did it.
        other_site: Site,
    },
    /// Shared memory was read that no thread of the block had written.
    UninitializedRead {
        /// The memory.
        location: MemoryLocation,
        /// Bytes of the access.
        bytes: usize,
    },
    /// Memory was touched that an asynchronous copy may still be writing, or written that it may
    /// still be reading: the thread that began the copy had not waited for it.
    AsyncCopyConflict {
        /// The memory.
        location: MemoryLocation,
        /// What the thread did.
        access: Access,
        /// The thread that began the copy.
        copying_thread: Dim3,
        /// Where it began the copy.
        copy_site: Site,
    },
    /// Bytes behind the end of an array of shared memory were written. Which thread did it is not
    /// known: the one named is the block's first.
    SharedMemoryOverrun {
        /// The array's last byte.
        location: MemoryLocation,
    },
}

/// What makes two findings the same: the rule and the source lines, whichever threads broke it
/// there.
pub(crate) type FindingKey = (u8, Location<'static>, Option<Location<'static>>);

/// One finding: the rule, and the first thread that broke it at this place.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Name of the kernel.
    pub kernel: Arc<str>,
    /// Block of the thread.
    pub block: Dim3,
    /// The thread, within its block.
    pub thread: Dim3,
    /// The source line.
    pub site: Site,
    /// The rule it broke.
    pub kind: FindingKind,
    /// How often it was broken at this place (or pair of places).
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

/// A key that does not depend on which of the two places was reached first.
fn pair(kind: u8, a: Location<'static>, b: Location<'static>) -> FindingKey {
    (kind, a.min(b), Some(a.max(b)))
}
