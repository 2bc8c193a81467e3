//! Launches that are described, not queued.

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

/// A kernel, the shape of its launch, and copies of its arguments.
/// [`kernel_invocation!`](crate::kernel_invocation!) writes it as [`launch!`](crate::launch!)
/// writes a launch. It keeps the kernel's module loaded.
#[derive(Clone, Debug)]
pub struct KernelInvocation {
    /// Threads in a block.
    pub block_dim: BlockSize,
    /// Blocks in the grid.
    pub grid_dim: GridSize,
    /// Bytes of dynamic shared memory of a block.
    pub shared_mem_bytes: u32,
    function: CUfunction,
    module: Arc<ModuleInner>,
    arguments: Vec<Argument>,
}

// SAFETY: the driver allows a function to be used from any thread; the module keeps it loaded, and
// arguments are `DeviceCopy`.
unsafe impl Send for KernelInvocation {}
// SAFETY: as above.
unsafe impl Sync for KernelInvocation {}

/// The bytes of an argument, aligned as no parameter needs more.
#[derive(Clone, Debug)]
struct Argument {
    bytes: Box<[MaybeUninit<u128>]>,
}

impl KernelInvocation {
    /// A launch without arguments so far.
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

    /// With one more argument.
    #[must_use]
    pub fn argument<T: DeviceCopy>(mut self, value: &T) -> Self {
        let words = size_of::<T>().div_ceil(size_of::<u128>());
        let mut bytes = vec![MaybeUninit::<u128>::uninit(); words].into_boxed_slice();
        // SAFETY: the words have room for the value's bytes, of which those between its fields need
        // not be written.
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

    /// Where each argument is.
    pub(super) fn addresses(&self) -> Vec<*mut c_void> {
        let address = |argument: &Argument| argument.bytes.as_ptr().cast::<c_void>().cast_mut();
        self.arguments.iter().map(address).collect()
    }
}

/// Describes a launch for a [`Graph`](crate::graph::Graph): as [`launch!`](crate::launch!), with
/// `_` or any name in the place of the stream, since nothing is queued. Needs no `unsafe`; adding
/// it to a graph does. The value is a [`CudaResult`](crate::error::CudaResult) of a
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
