//! Executable graphs.

use super::KernelInvocation;
use crate::context::owner::Owner;
use crate::driver;
use crate::error::CudaResult;
use crate::stream::Stream;
use crate::sys::CUgraphExec;

/// Executable graph, created by [`Graph::instantiate`](super::Graph::instantiate). (Not part of
/// Rust-CUDA.)
#[derive(Debug)]
pub struct GraphExec {
    raw: CUgraphExec,
    owner: Owner,
    /// Invocations, which keep their modules loaded.
    _kernels: Vec<KernelInvocation>,
}

// SAFETY: the driver allows its use from any thread.
unsafe impl Send for GraphExec {}
// SAFETY: launching is the only shared operation, and its callers exclude concurrent launches.
unsafe impl Sync for GraphExec {}

impl GraphExec {
    pub(super) fn new(raw: CUgraphExec, owner: Owner, kernels: Vec<KernelInvocation>) -> Self {
        GraphExec {
            raw,
            owner,
            _kernels: kernels,
        }
    }

    /// Queues the graph in `stream`.
    ///
    /// # Errors
    /// Errors of the launches and of earlier work.
    ///
    /// # Safety
    /// 1. Conditions 1 and 3 of [`Stream::launch`] hold for each kernel.
    /// 2. No other thread launches this graph concurrently.
    /// 3. The graph is dropped only after the launch is complete.
    pub unsafe fn launch(&self, stream: &Stream) -> CudaResult<()> {
        let _current = stream.enter()?;
        // SAFETY: a live stream with its context current; the caller's guarantees (1 to 3).
        unsafe { driver()?.graph_launch(self.raw, stream.as_inner()) }
    }
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        let destroy = || {
            let _current = self.owner.enter()?;
            // SAFETY: this value's handle, destroyed once; callers of `launch` guarantee that the
            // launch is complete.
            unsafe { driver()?.graph_exec_destroy(self.raw) }
        };
        // Errors cannot be reported here.
        let _: CudaResult<()> = destroy();
    }
}
