//! Descriptions of kernel launches for graphs.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

use crate::context::ContextGuard;
use crate::error::CudaResult;
use crate::function::{BlockSize, Function, GridSize, launch_dims};
use crate::memory::DeviceCopy;
use crate::module::ModuleInner;
use crate::sys::{CUfunction, LaunchDims};

/// A kernel, its launch dimensions, and copies of its arguments. Created by
/// [`kernel_invocation!`](crate::kernel_invocation!), whose syntax is that of
/// [`launch!`](crate::launch!). Keeps the kernel's module loaded.
#[derive(Clone, Debug)]
pub struct KernelInvocation {
    /// Threads per block.
    pub block_dim: BlockSize,
    /// Blocks in the grid.
    pub grid_dim: GridSize,
    /// Dynamic shared memory per block, in bytes.
    pub shared_mem_bytes: u32,
    function: CUfunction,
    module: Arc<ModuleInner>,
    arguments: Vec<Argument>,
}

// SAFETY: the driver allows the use of a function from any thread; the module keeps it loaded, and
// arguments are `DeviceCopy`.
unsafe impl Send for KernelInvocation {}
// SAFETY: as above.
unsafe impl Sync for KernelInvocation {}

/// Bytes of an argument, with the maximum alignment of kernel parameters.
#[derive(Clone, Debug)]
struct Argument {
    bytes: Box<[MaybeUninit<u128>]>,
}

impl KernelInvocation {
    /// Creates an invocation without arguments.
    pub fn new<G, B>(
        function: &Function<'_>,
        grid_size: G,
        block_size: B,
        shared_mem_bytes: u32,
    ) -> Self
    where
        G: Into<GridSize>,
        B: Into<BlockSize>,
    {
        KernelInvocation {
            block_dim: block_size.into(),
            grid_dim: grid_size.into(),
            shared_mem_bytes,
            function: function.to_raw(),
            module: Arc::clone(function.module()),
            arguments: Vec::new(),
        }
    }

    /// Appends an argument.
    #[must_use]
    pub fn argument<T: DeviceCopy>(mut self, value: &T) -> Self {
        let words = size_of::<T>().div_ceil(size_of::<u128>());
        let mut bytes = vec![MaybeUninit::<u128>::uninit(); words].into_boxed_slice();
        // SAFETY: the words have space for the value's bytes; padding need not be initialized.
        unsafe {
            ptr::copy_nonoverlapping(
                (&raw const *value).cast::<MaybeUninit<u8>>(),
                bytes.as_mut_ptr().cast::<MaybeUninit<u8>>(),
                size_of::<T>(),
            );
        }
        self.arguments.push(Argument { bytes });
        self
    }

    pub(super) fn enter(&self) -> CudaResult<ContextGuard<'_>> {
        self.module.enter()
    }

    pub(super) fn function(&self) -> CUfunction {
        self.function
    }

    pub(super) fn dims(&self) -> CudaResult<LaunchDims> {
        launch_dims(self.grid_dim, self.block_dim, self.shared_mem_bytes)
    }

    /// Returns the address of each argument.
    pub(super) fn addresses(&self) -> Vec<*mut c_void> {
        let address = |argument: &Argument| argument.bytes.as_ptr().cast::<c_void>().cast_mut();
        self.arguments.iter().map(address).collect()
    }
}

/// Describes a launch for a [`Graph`](crate::graph::Graph). The syntax is that of
/// [`launch!`](crate::launch!), with `_` or any identifier instead of the stream, because nothing
/// is queued. Safe to use; adding the invocation to a graph is not. Evaluates to a
/// [`CudaResult`](crate::error::CudaResult) of a
/// [`KernelInvocation`](crate::graph::KernelInvocation).
#[macro_export]
macro_rules! kernel_invocation {
    ($module:ident . $kernel:ident <<<$grid:expr, $block:expr, $shared:expr, $stream:tt>>>($($argument:expr),* $(,)?)) => {
        match $module.get_function(::core::stringify!($kernel)) {
            ::core::result::Result::Ok(function) => {
                $crate::kernel_invocation!(function<<<$grid, $block, $shared, _>>>($($argument),*))
            }
            ::core::result::Result::Err(error) => ::core::result::Result::Err(error),
        }
    };
    ($function:ident <<<$grid:expr, $block:expr, $shared:expr, $stream:tt>>>($($argument:expr),* $(,)?)) => {
        $crate::error::CudaResult::Ok(
            $crate::graph::KernelInvocation::new(&$function, $grid, $block, $shared)
                $(.argument(&$argument))*,
        )
    };
}
