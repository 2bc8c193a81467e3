//! Nodes of graphs.

use crate::sys::CUgraphNode;

/// Node of a graph. An identifier only: graphs reject nodes of other graphs.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphNode {
    raw: CUgraphNode,
}

// SAFETY: the handle is only compared, or passed to the driver by the graph that contains it.
unsafe impl Send for GraphNode {}
// SAFETY: as above.
unsafe impl Sync for GraphNode {}

impl GraphNode {
    /// Creates a node from the driver's handle.
    pub fn from_raw(raw: CUgraphNode) -> Self {
        GraphNode { raw }
    }

    /// Returns the driver's handle.
    pub fn to_raw(self) -> CUgraphNode {
        self.raw
    }
}

/// Type of a graph node.
#[repr(u8)]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GraphNodeType {
    /// Kernel launch.
    KernelInvocation = 0,
    /// Memory copy.
    Memcpy = 1,
    /// Memory fill.
    Memset = 2,
    /// Call of a host function.
    HostExecute = 3,
    /// Child graph.
    ChildGraph = 4,
    /// Empty node, used for dependencies.
    Empty = 5,
    /// Wait for an event.
    WaitEvent = 6,
    /// Recording of an event.
    EventRecord = 7,
    /// Signal of an external semaphore.
    SemaphoreSignal = 8,
    /// Wait for an external semaphore.
    SemaphoreWait = 9,
    /// Memory allocation.
    MemoryAllocation = 10,
    /// Memory deallocation.
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

    /// Converts the driver's number; returns `None` for an unknown type.
    pub fn from_raw(raw: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.to_raw() == raw)
    }

    /// Returns the driver's number.
    pub fn to_raw(self) -> i32 {
        self as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_types_round_trip_through_their_numbers() {
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
