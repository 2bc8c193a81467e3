//! CUDA graphs: launches with dependencies that are described once and executed many times.
//!
//! In Rust-CUDA this module is private and graphs cannot be executed. Names are the same; additions
//! are marked.
//!
//! ```no_run
//! use cust::graph::{Graph, GraphCreationFlags};
//! use cust::kernel_invocation;
//! use cust::prelude::*;
//!
//! # fn main() -> cust::error::CudaResult<()> {
//! let _context = cust::quick_init()?;
//! let module = Module::from_file("double.ptx")?;
//! let stream = Stream::new(StreamFlags::DEFAULT, None)?;
//! let values = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.0])?;
//! let pointer = values.as_device_ptr();
//! let double = kernel_invocation!(module.double<<<1, 3, 0, _>>>(pointer, values.len()))?;
//! let mut graph = Graph::new(GraphCreationFlags::NONE)?;
//! // SAFETY: double(ptr, len).
//! unsafe {
//!     let first = graph.add_kernel_node(double.clone(), [])?;
//!     graph.add_kernel_node(double, [first])?;
//! }
//! let exec = graph.instantiate()?;
//! // SAFETY: the kernels access only `values`, which is not used elsewhere until the stream is
//! // synchronized.
//! unsafe { exec.launch(&stream) }?;
//! stream.synchronize()?;
//! assert_eq!(values.as_host_vec()?, [4.0, 8.0, 12.0]);
//! # Ok(())
//! # }
//! ```

use std::ffi::CString;
use std::path::Path;
use std::ptr;

use bitflags::bitflags;

use crate::context::owner::Owner;
use crate::driver;
use crate::error::{CudaError, CudaResult};
use crate::sys::CUgraph;

mod exec;
mod invocation;
mod node;

pub use exec::GraphExec;
pub use invocation::KernelInvocation;
pub use node::{GraphNode, GraphNodeType};

bitflags! {
    /// Flags of [`Graph::new`]; none are defined yet.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct GraphCreationFlags: u32 {
        /// Default behaviour.
        const NONE = 0b00000000;
    }
}

/// Kernel launches and the dependencies between them.
#[derive(Debug)]
pub struct Graph {
    /// Null after [`Graph::into_raw`].
    raw: CUgraph,
    owner: Owner,
    /// Result of the last call of [`Graph::nodes`].
    nodes: Vec<GraphNode>,
    /// The invocation of each node. It keeps the modules loaded.
    kernels: Vec<(GraphNode, KernelInvocation)>,
}

// SAFETY: the driver allows the use of a graph from any thread, but not by two threads
// concurrently.
unsafe impl Send for Graph {}
// SAFETY: every call of the driver borrows the graph mutably.
unsafe impl Sync for Graph {}

impl Graph {
    /// Creates an empty graph.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`] if no context is current, [`CudaError::MissingFunction`]
    /// before CUDA 10.0.
    pub fn new(flags: GraphCreationFlags) -> CudaResult<Self> {
        let owner = Owner::current()?;
        let raw = driver()?.graph_create(flags.bits())?;
        Ok(Graph {
            raw,
            owner,
            nodes: Vec::new(),
            kernels: Vec::new(),
        })
    }

    /// Adds a kernel node, which runs after the nodes in `dependencies`.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] for a dependency that is not a node of this graph or is repeated
    /// (Rust-CUDA panics), and for launch dimensions that the device does not support.
    ///
    /// # Safety
    /// 1. The invocation has one argument for each parameter of the kernel, in order and of the
    ///    same type.
    pub unsafe fn add_kernel_node(
        &mut self,
        invocation: KernelInvocation,
        dependencies: impl AsRef<[GraphNode]>,
    ) -> CudaResult<GraphNode> {
        let dependencies = dependencies.as_ref();
        for (i, node) in dependencies.iter().enumerate() {
            if dependencies[..i].contains(node) || !self.is_valid_node(*node)? {
                return Err(CudaError::InvalidValue);
            }
        }
        let dependencies: Vec<_> = dependencies.iter().map(|node| node.to_raw()).collect();
        let _current = invocation.enter()?;
        // SAFETY: a mutably borrowed graph and nodes of it; the invocation keeps the function's
        // module loaded, is kept by the graph and by all executable graphs created from it, and its
        // context is current; the arguments are the caller's guarantee (1).
        let raw = unsafe {
            driver()?.graph_add_kernel(
                self.raw,
                &dependencies,
                invocation.function(),
                invocation.dims()?,
                &invocation.addresses(),
            )
        }?;
        drop(_current);
        let node = GraphNode::from_raw(raw);
        self.kernels.push((node, invocation));
        Ok(node)
    }

    /// Returns `true` if `node` belongs to this graph.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn is_valid_node(&mut self, node: GraphNode) -> CudaResult<bool> {
        Ok(self.nodes()?.contains(&node))
    }

    /// Returns the number of nodes.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn num_nodes(&mut self) -> CudaResult<usize> {
        Ok(self.nodes()?.len())
    }

    /// Returns all nodes.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn nodes(&mut self) -> CudaResult<&[GraphNode]> {
        let _current = self.owner.enter()?;
        // SAFETY: a graph, borrowed mutably.
        let nodes = unsafe { driver()?.graph_nodes(self.raw) }?;
        self.nodes = nodes.into_iter().map(GraphNode::from_raw).collect();
        Ok(&self.nodes)
    }

    /// Returns the number of dependencies.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn num_edges(&mut self) -> CudaResult<usize> {
        Ok(self.edges()?.len())
    }

    /// Returns all dependencies as pairs of (predecessor, successor).
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn edges(&mut self) -> CudaResult<Vec<(GraphNode, GraphNode)>> {
        let _current = self.owner.enter()?;
        // SAFETY: a graph, borrowed mutably.
        let edges = unsafe { driver()?.graph_edges(self.raw) }?;
        let node = GraphNode::from_raw;
        Ok(edges
            .into_iter()
            .map(|(from, to)| (node(from), node(to)))
            .collect())
    }

    /// Returns the type of a node.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] for a node of another graph, [`CudaError::NotSupported`] for a
    /// type not listed in [`GraphNodeType`].
    pub fn node_type(&mut self, node: GraphNode) -> CudaResult<GraphNodeType> {
        if !self.is_valid_node(node)? {
            return Err(CudaError::InvalidValue);
        }
        let _current = self.owner.enter()?;
        // SAFETY: a node of this graph, which is borrowed mutably.
        let number = unsafe { driver()?.graph_node_type(node.to_raw()) }?;
        GraphNodeType::from_raw(number).ok_or(CudaError::NotSupported)
    }

    /// Returns the invocation passed to [`Graph::add_kernel_node`] for a node.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] for any other node.
    pub fn kernel_node_params(&mut self, node: GraphNode) -> CudaResult<KernelInvocation> {
        let added = self.kernels.iter().find(|(added, _)| *added == node);
        added
            .map(|(_, invocation)| invocation.clone())
            .ok_or(CudaError::InvalidValue)
    }

    /// Writes the graph to a file in the DOT language.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] for a path that is not UTF-8, [`CudaError::InteriorNul`],
    /// [`CudaError::OperatingSystemError`] if the file cannot be written,
    /// [`CudaError::MissingFunction`] before CUDA 11.3.
    pub fn dump_debug_dotfile<P: AsRef<Path>>(&mut self, path: P) -> CudaResult<()> {
        const VERBOSE: u32 = 1;
        let path = path.as_ref().to_str().ok_or(CudaError::InvalidValue)?;
        let path = CString::new(path).map_err(|_| CudaError::InteriorNul)?;
        let _current = self.owner.enter()?;
        // SAFETY: a graph, borrowed mutably.
        unsafe { driver()?.graph_write_dot(self.raw, &path, VERBOSE) }
    }

    /// Creates an executable graph from the current state of the graph. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// Errors of the driver; [`CudaError::MissingFunction`] before CUDA 11.4.
    pub fn instantiate(&mut self) -> CudaResult<GraphExec> {
        let _current = self.owner.enter()?;
        // SAFETY: a graph, borrowed mutably.
        let raw = unsafe { driver()?.graph_instantiate(self.raw) }?;
        let kernels = self
            .kernels
            .iter()
            .map(|(_, invocation)| invocation.clone());
        Ok(GraphExec::new(raw, self.owner.clone(), kernels.collect()))
    }

    /// Takes ownership of a graph.
    ///
    /// # Safety
    /// 1. `raw` is a graph that nothing else uses or destroys.
    /// 2. Modules launched by its nodes stay loaded as long as the graph and all executable graphs
    ///    created from it.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`] if no context is current. (In Rust-CUDA this function is
    /// infallible.)
    pub unsafe fn from_raw(raw: CUgraph) -> CudaResult<Self> {
        Ok(Graph {
            raw,
            owner: Owner::current()?,
            nodes: Vec::new(),
            kernels: Vec::new(),
        })
    }

    /// Releases ownership of the graph, which no longer keeps its modules loaded.
    pub fn into_raw(mut self) -> CUgraph {
        std::mem::replace(&mut self.raw, ptr::null_mut())
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if self.raw.is_null() {
            return;
        }
        let destroy = || {
            let _current = self.owner.enter()?;
            // SAFETY: this graph's handle, destroyed once; a node that outlives it is not found in
            // any graph.
            unsafe { driver()?.graph_destroy(self.raw) }
        };
        // Errors cannot be reported here.
        let _: CudaResult<()> = destroy();
    }
}
