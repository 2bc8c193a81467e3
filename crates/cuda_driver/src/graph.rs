//! CUDA graphs: launches described once and submitted together, ordered by their dependencies.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaError, CudaResult, check};
use crate::types::{
    CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUstream, KernelNodeParams, LaunchDims,
};

impl Driver {
    /// Creates an empty graph (`cuGraphCreate`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for flags other than 0.
    pub fn graph_create(&self, flags: u32) -> CudaResult<CUgraph> {
        let create = self.table.graph_create.get()?;
        let mut graph: CUgraph = ptr::null_mut();
        // SAFETY: `graph` is live for the call.
        check(unsafe { create(&mut graph, flags) })?;
        Ok(graph)
    }

    /// Destroys a graph and its nodes (`cuGraphDestroy`). Executable graphs created from it remain
    /// valid.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `graph` is a graph, and neither it nor any of its nodes is used afterwards.
    pub unsafe fn graph_destroy(&self, graph: CUgraph) -> CudaResult<()> {
        let destroy = self.table.graph_destroy.get()?;
        // SAFETY: the caller's guarantee (1).
        check(unsafe { destroy(graph) })
    }

    /// Adds a kernel node, which runs after its dependencies (`cuGraphAddKernelNode`). `arguments`
    /// are those of [`Driver::launch_kernel`]; the driver copies the values before it returns.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for launch dimensions that the
    /// device does not support, or repeated dependencies.
    ///
    /// # Safety
    /// 1. `graph` is a graph that no other thread uses, and `dependencies` are nodes of it.
    /// 2. `function` belongs to a module loaded in the current context, which stays loaded as long
    ///    as the graph and the executable graphs created from it exist.
    /// 3. `arguments` holds one address for each parameter of the kernel, in order, each readable
    ///    for the parameter's size.
    pub unsafe fn graph_add_kernel(
        &self,
        graph: CUgraph,
        dependencies: &[CUgraphNode],
        function: CUfunction,
        dims: LaunchDims,
        arguments: &[*mut c_void],
    ) -> CudaResult<CUgraphNode> {
        let add = match self.table.graph_add_kernel_node.get() {
            Ok(add) => add,
            // drivers before CUDA 12 export only the first version, which reads a prefix of the
            // same descriptor
            Err(missing) => self
                .table
                .graph_add_kernel_node_v1
                .get()
                .map_err(|_| missing)?,
        };
        let description = KernelNodeParams {
            function,
            grid: dims.grid,
            block: dims.block,
            shared_bytes: dims.dynamic_shared_bytes,
            // the driver only reads the array
            arguments: arguments.as_ptr().cast_mut(),
            extra: ptr::null_mut(),
            kernel: ptr::null_mut(),
            context: ptr::null_mut(),
        };
        let mut node: CUgraphNode = ptr::null_mut();
        // SAFETY: the caller's guarantees (1 to 3); the descriptor is live for the call.
        check(unsafe {
            add(
                &mut node,
                graph,
                dependencies.as_ptr(),
                dependencies.len(),
                &description,
            )
        })?;
        Ok(node)
    }

    /// Returns all nodes of a graph (`cuGraphGetNodes`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `graph` is a graph that no other thread uses.
    pub unsafe fn graph_nodes(&self, graph: CUgraph) -> CudaResult<Vec<CUgraphNode>> {
        let get = self.table.graph_get_nodes.get()?;
        let mut count = 0usize;
        // SAFETY: a graph (1); with a null array the driver only returns the count.
        check(unsafe { get(graph, ptr::null_mut(), &mut count) })?;
        let mut nodes = vec![ptr::null_mut(); count];
        if count > 0 {
            // SAFETY: a graph (1); the array has space for `count` nodes.
            check(unsafe { get(graph, nodes.as_mut_ptr(), &mut count) })?;
        }
        nodes.truncate(count);
        Ok(nodes)
    }

    /// Returns all dependencies as pairs of (predecessor, successor) (`cuGraphGetEdges`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `graph` is a graph that no other thread uses.
    pub unsafe fn graph_edges(
        &self,
        graph: CUgraph,
    ) -> CudaResult<Vec<(CUgraphNode, CUgraphNode)>> {
        let get = self.table.graph_get_edges.get()?;
        let mut count = 0usize;
        // SAFETY: a graph (1); with null arrays the driver only returns the count.
        check(unsafe { get(graph, ptr::null_mut(), ptr::null_mut(), &mut count) })?;
        let (mut from, mut to) = (vec![ptr::null_mut(); count], vec![ptr::null_mut(); count]);
        if count > 0 {
            // SAFETY: a graph (1); the arrays have space for `count` edges.
            check(unsafe { get(graph, from.as_mut_ptr(), to.as_mut_ptr(), &mut count) })?;
        }
        let edges: Vec<_> = from.into_iter().zip(to).collect();
        Ok(edges.into_iter().take(count).collect())
    }

    /// Returns the type of a node as a `CUgraphNodeType` number; 0 is a kernel
    /// (`cuGraphNodeGetType`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `node` belongs to a live graph that no other thread uses.
    pub unsafe fn graph_node_type(&self, node: CUgraphNode) -> CudaResult<i32> {
        let get_type = self.table.graph_node_get_type.get()?;
        let mut number: c_int = 0;
        // SAFETY: a node (1), a live out-parameter.
        check(unsafe { get_type(node, &mut number) })?;
        Ok(number)
    }

    /// Writes the graph to a file in the DOT language (`cuGraphDebugDotPrint`).
    ///
    /// # Errors
    /// [`CudaError::OperatingSystemError`](crate::CudaError::OperatingSystemError) if the file
    /// cannot be written.
    ///
    /// # Safety
    /// 1. `graph` is a graph that no other thread uses.
    pub unsafe fn graph_write_dot(
        &self,
        graph: CUgraph,
        path: &CStr,
        flags: u32,
    ) -> CudaResult<()> {
        let print = self.table.graph_debug_dot_print.get()?;
        // SAFETY: a graph (1), a NUL-terminated string.
        check(unsafe { print(graph, path.as_ptr(), flags) })
    }

    /// Creates an executable graph from the current state of a graph
    /// (`cuGraphInstantiateWithFlags`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for an invalid graph, and other
    /// errors of the driver.
    ///
    /// # Safety
    /// 1. `graph` is a graph that no other thread uses.
    pub unsafe fn graph_instantiate(&self, graph: CUgraph) -> CudaResult<CUgraphExec> {
        let instantiate = self.table.graph_instantiate.get()?;
        let mut exec: CUgraphExec = ptr::null_mut();
        // SAFETY: a graph (1), a live out-parameter.
        check(unsafe { instantiate(&mut exec, graph, 0) })?;
        if exec.is_null() {
            return Err(CudaError::InvalidValue);
        }
        Ok(exec)
    }

    /// Queues an executable graph in `stream` (`cuGraphLaunch`).
    ///
    /// # Errors
    /// Errors of the launches and of earlier work.
    ///
    /// # Safety
    /// 1. `exec` is a live executable graph; `stream` is live (null is the default stream), and its
    ///    context is current.
    /// 2. Condition 3 of [`Driver::launch_kernel`] holds for each kernel.
    pub unsafe fn graph_launch(&self, exec: CUgraphExec, stream: CUstream) -> CudaResult<()> {
        let launch = self.table.graph_launch.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { launch(exec, stream) })
    }

    /// Destroys an executable graph (`cuGraphExecDestroy`). A running launch completes.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `exec` is a live executable graph and is not used afterwards.
    pub unsafe fn graph_exec_destroy(&self, exec: CUgraphExec) -> CudaResult<()> {
        let destroy = self.table.graph_exec_destroy.get()?;
        // SAFETY: the caller's guarantee (1).
        check(unsafe { destroy(exec) })
    }
}
