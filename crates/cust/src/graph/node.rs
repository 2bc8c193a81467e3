//! Nodes of graphs.

use crate::sys::CUgraphNode;

/// A piece of work of a graph. It only names it: a graph that it is not of refuses it.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphNode {
    raw: CUgraphNode,
}

// SAFETY: the handle is only compared, and passed to the driver by a graph that has it.
unsafe impl Send for GraphNode {}
// SAFETY: as above.
unsafe impl Sync for GraphNode {}

impl GraphNode {
    /// From the driver's handle.
    pub fn from_raw(raw: CUgraphNode) -> Self {
        GraphNode { raw }
    }

    /// The driver's handle.
    pub fn to_raw(self) -> CUgraphNode {
        self.raw
    }
}

/// What a node does.
#[repr(u8)]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GraphNodeType {
    /// It launches a kernel.
    KernelInvocation = 0,
    /// It copies.
    Memcpy = 1,
    /// It fills.
    Memset = 2,
    /// It calls a function of the host.
    HostExecute = 3,
    /// It runs another graph.
    ChildGraph = 4,
    /// Nothing: others depend on it.
    Empty = 5,
    /// It waits for an event.
    WaitEvent = 6,
    /// It records an event.
    EventRecord = 7,
    /// It signals another interface's semaphore.
    SemaphoreSignal = 8,
    /// It waits for another interface's semaphore.
    SemaphoreWait = 9,
    /// It allocates.
    MemoryAllocation = 10,
    /// It frees.
    MemoryFree = 11,
}

impl GraphNodeType {
    const ALL: [GraphNodeType; 12] = [
        GraphNodeType::KernelInvocation,
        GraphNodeType::Memcpy,
        GraphNodeType::Memset,
        GraphNodeType::HostExecute,
        GraphNodeType::ChildGraph,
        GraphNodeType::Empty,
        GraphNodeType::WaitEvent,
        GraphNodeType::EventRecord,
        GraphNodeType::SemaphoreSignal,
        GraphNodeType::SemaphoreWait,
        GraphNodeType::MemoryAllocation,
        GraphNodeType::MemoryFree,
    ];

    /// From the driver's number; `None` for one that is not named here.
    pub fn from_raw(raw: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.to_raw() == raw)
    }

    /// The driver's number.
    pub fn to_raw(self) -> i32 {
        self as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_comes_back_from_its_number() {
        for (number, kind) in (0..).zip(GraphNodeType::ALL) {
            assert_eq!(
                (kind.to_raw(), GraphNodeType::from_raw(number)),
                (number, Some(kind))
            );
        }
        assert_eq!(GraphNodeType::from_raw(12), None);
        assert_eq!(GraphNodeType::from_raw(-1), None);
    }
}
