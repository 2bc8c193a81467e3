//! Graphs that are ready to run.

use super::KernelInvocation;
use crate::context::owner::Owner;
use crate::driver;
use crate::error::CudaResult;
use crate::stream::Stream;
use crate::sys::CUgraphExec;

/// A graph, ready to run: made by [`Graph::instantiate`](super::Graph::instantiate). (An addition
/// to the published names.)
#[derive(Debug)]
pub struct GraphExec {
    raw: CUgraphExec,
    owner: Owner,
    /// They keep their modules loaded.
    _kernels: Vec<KernelInvocation>,
}

// SAFETY: the driver allows it to be used from any thread.
unsafe impl Send for GraphExec {}
// SAFETY: a launch is all that is done with what is shared, and whoever launches answers for others
// at the same time.
unsafe impl Sync for GraphExec {}

impl GraphExec {
    pub(super) fn new(raw: CUgraphExec, owner: Owner, kernels: Vec<KernelInvocation>) -> Self {
        GraphExec {
            raw,
            owner,
            _kernels: kernels,
        }
    }

    /// Queues all of the graph.
    ///
    /// # Errors
    /// Those of the launches, and of earlier work.
    ///
    /// # Safety
    /// 1. For each kernel as [`Stream::launch`], points 1 and 3.
    /// 2. No other thread launches it at the same time.
    /// 3. It is dropped only when the launch has run.
    pub unsafe fn launch(&self, stream: &Stream) -> CudaResult<()> {
        let _current = stream.enter()?;
        // SAFETY: a live stream, its context current; the rest is the caller's promise (1 to 3).
        unsafe { driver()?.graph_launch(self.raw, stream.as_inner()) }
    }
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        let destroy = || {
            let _current = self.owner.enter()?;
            // SAFETY: this value's own, destroyed once; who launched it promised that the launch
            // has run.
            unsafe { driver()?.graph_exec_destroy(self.raw) }
        };
        // A failure cannot be reported here.
        let _: CudaResult<()> = destroy();
    }
}
