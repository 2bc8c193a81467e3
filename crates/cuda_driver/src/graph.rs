//! Graphs: launches that are described once and run together, in the order of what depends on what.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaError, CudaResult, check};
use crate::types::{
    CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUstream, KernelNodeParams, LaunchDims,
};

impl Driver {
    /// `cuGraphCreate`: a graph without nodes.
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

    /// `cuGraphDestroy`: the graph and its nodes. What was made ready to run of it stays.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `graph` is a graph, and neither it nor a node of it is used afterwards.
    pub unsafe fn graph_destroy(&self, graph: CUgraph) -> CudaResult<()> {
        let destroy = self.table.graph_destroy.get()?;
        // SAFETY: the caller's promise (1).
        check(unsafe { destroy(graph) })
    }

    /// `cuGraphAddKernelNode`: a launch, which runs after the nodes that it depends on. `arguments`
    /// are as in [`Driver::launch_kernel`]; the driver copies the values before it returns.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for a shape the device cannot
    /// run, or equal dependencies.
    ///
    /// # Safety
    /// 1. `graph` is a graph that no other thread uses, and `dependencies` are nodes of it.
    /// 2. `function` is of a loaded module of the current context, which stays loaded as long as
    ///    the graph and what is made of it.
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
            // Drivers before CUDA 12 have the first version only, which reads the begin of the same
            // description.
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
            // The driver only reads the array.
            arguments: arguments.as_ptr().cast_mut(),
            extra: ptr::null_mut(),
            kernel: ptr::null_mut(),
            context: ptr::null_mut(),
        };
        let mut node: CUgraphNode = ptr::null_mut();
        // SAFETY: the caller's promises (1 to 3); the description is live for the call.
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

    /// `cuGraphGetNodes`: all nodes.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `graph` is a graph that no other thread uses.
    pub unsafe fn graph_nodes(&self, graph: CUgraph) -> CudaResult<Vec<CUgraphNode>> {
        let get = self.table.graph_get_nodes.get()?;
        let mut count = 0usize;
        // SAFETY: a graph (1); without room for nodes the driver counts them.
        check(unsafe { get(graph, ptr::null_mut(), &mut count) })?;
        let mut nodes = vec![ptr::null_mut(); count];
        if count > 0 {
            // SAFETY: as above, with room for `count` nodes.
            check(unsafe { get(graph, nodes.as_mut_ptr(), &mut count) })?;
        }
        nodes.truncate(count);
        Ok(nodes)
    }

    /// `cuGraphGetEdges`: (before, after) of all dependencies.
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
        // SAFETY: a graph (1); without room for edges the driver counts them.
        check(unsafe { get(graph, ptr::null_mut(), ptr::null_mut(), &mut count) })?;
        let (mut from, mut to) = (vec![ptr::null_mut(); count], vec![ptr::null_mut(); count]);
        if count > 0 {
            // SAFETY: as above, with room for `count` edges.
            check(unsafe { get(graph, from.as_mut_ptr(), to.as_mut_ptr(), &mut count) })?;
        }
        let edges: Vec<_> = from.into_iter().zip(to).collect();
        Ok(edges.into_iter().take(count).collect())
    }

    /// `cuGraphNodeGetType`: the driver's number for what a node does; 0 is a kernel.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `node` is of a graph that is there and that no other thread uses.
    pub unsafe fn graph_node_type(&self, node: CUgraphNode) -> CudaResult<i32> {
        let get_type = self.table.graph_node_get_type.get()?;
        let mut number: c_int = 0;
        // SAFETY: a node (1), a live out-parameter.
        check(unsafe { get_type(node, &mut number) })?;
        Ok(number)
    }

    /// `cuGraphDebugDotPrint`: writes a file that shows the graph, in the DOT language.
    ///
    /// # Errors
    /// [`CudaError::OperatingSystemError`](crate::CudaError::OperatingSystemError) where the file
    /// cannot be written.
    ///
    /// # Safety
    /// 1. `graph` is a graph that no other thread uses.
    pub unsafe fn graph_print(&self, graph: CUgraph, path: &CStr, flags: u32) -> CudaResult<()> {
        let print = self.table.graph_debug_dot_print.get()?;
        // SAFETY: a graph (1), a string that ends in NUL.
        check(unsafe { print(graph, path.as_ptr(), flags) })
    }

    /// `cuGraphInstantiateWithFlags`: makes a graph ready to run, as it is now.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for a graph that cannot run, and
    /// those of the driver.
    ///
    /// # Safety
    /// 1. `graph` is a graph that no other thread uses.
    pub unsafe fn graph_instantiate(&self, graph: CUgraph) -> CudaResult<CUgraphExec> {
        let instantiate = self.table.graph_instantiate.get()?;
        let mut ready: CUgraphExec = ptr::null_mut();
        // SAFETY: a graph (1), a live out-parameter.
        check(unsafe { instantiate(&mut ready, graph, 0) })?;
        if ready.is_null() {
            return Err(CudaError::InvalidValue);
        }
        Ok(ready)
    }

    /// `cuGraphLaunch`: queues all of a graph.
    ///
    /// # Errors
    /// Those of the launches, and of earlier work.
    ///
    /// # Safety
    /// 1. `ready` was made ready and not destroyed, and `stream` (null is the default stream) is
    ///    live, its context current.
    /// 2. As [`Driver::launch_kernel`], point 3, for each kernel.
    pub unsafe fn graph_launch(&self, ready: CUgraphExec, stream: CUstream) -> CudaResult<()> {
        let launch = self.table.graph_launch.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { launch(ready, stream) })
    }

    /// `cuGraphExecDestroy`. A launch under way goes on.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `ready` was made ready, and is not used afterwards.
    pub unsafe fn graph_exec_destroy(&self, ready: CUgraphExec) -> CudaResult<()> {
        let destroy = self.table.graph_exec_destroy.get()?;
        // SAFETY: the caller's promise (1).
        check(unsafe { destroy(ready) })
    }
}
