//! Kernel launches in a stream, and the launch macro.

use std::ffi::c_void;

use crate::driver;
use crate::error::CudaResult;
use crate::function::{BlockSize, Function, GridSize, launch_dims};
use crate::stream::Stream;

impl Stream {
    /// Queues a kernel launch. `args` contains the address of each parameter's value, in the
    /// kernel's order; the values are copied before this function returns.
    /// [`launch!`](crate::launch!) creates the array.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::error::CudaError::InvalidValue) for dimensions that the
    /// device does not support, such as an empty grid,
    /// [`CudaError::LaunchOutOfResources`](crate::error::CudaError::LaunchOutOfResources), and
    /// errors of earlier work.
    ///
    /// # Safety
    /// 1. `func` belongs to the stream's context.
    /// 2. `args` contains one address for each parameter of the kernel, in order, readable for the
    ///    parameter's size and aligned for it.
    /// 3. All memory that the kernel accesses (through its parameters, in its module's globals, and
    ///    in its module's [heap](crate::module::Module::set_heap)) is valid until the launch is
    ///    complete, and free of data races with other work and with the host until then.
    pub unsafe fn launch<G, B>(
        &self,
        func: &Function<'_>,
        grid_size: G,
        block_size: B,
        shared_mem_bytes: u32,
        args: &[*mut c_void],
    ) -> CudaResult<()>
    where
        G: Into<GridSize>,
        B: Into<BlockSize>,
    {
        let _current = self.enter()?;
        let dims = launch_dims(grid_size.into(), block_size.into(), shared_mem_bytes)?;
        // SAFETY: a live function and stream, with the context current; the caller's guarantees (1
        // to 3).
        unsafe { driver()?.launch_kernel(func.to_raw(), dims, self.as_inner(), args) }
    }

    /// Queues a cooperative launch: all blocks are resident at the same time and can synchronize
    /// with each other. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// [`CudaError::CooperativeLaunchTooLarge`](crate::error::CudaError::CooperativeLaunchTooLarge)
    /// if the grid does not fit on the device; otherwise see [`Stream::launch`].
    ///
    /// # Safety
    /// 1. The three conditions of [`Stream::launch`] hold.
    pub unsafe fn launch_cooperative<G, B>(
        &self,
        func: &Function<'_>,
        grid_size: G,
        block_size: B,
        shared_mem_bytes: u32,
        args: &[*mut c_void],
    ) -> CudaResult<()>
    where
        G: Into<GridSize>,
        B: Into<BlockSize>,
    {
        let _current = self.enter()?;
        let dims = launch_dims(grid_size.into(), block_size.into(), shared_mem_bytes)?;
        // SAFETY: as in `launch`.
        unsafe { driver()?.launch_cooperative_kernel(func.to_raw(), dims, self.as_inner(), args) }
    }
}

/// Queues a kernel launch: `launch!(module.kernel<<<grid, block, dynamic_shared_bytes,
/// stream>>>(arguments…))`, or with a [`Function`](crate::function::Function) instead of
/// `module.kernel`.
///
/// Grid and block are any types that convert to [`GridSize`](crate::function::GridSize) and
/// [`BlockSize`](crate::function::BlockSize): a number, a pair, or a triple. Every argument must be
/// [`DeviceCopy`](crate::memory::DeviceCopy); device memory is passed as
/// [`DevicePointer`](crate::memory::DevicePointer) and length. The macro evaluates to a
/// [`CudaResult`](crate::error::CudaResult). A launch is asynchronous: errors of the kernel are
/// reported by a later call.
///
/// # Safety
/// The macro requires an `unsafe` block, because the arguments are not checked against the kernel's
/// parameters: see [`Stream::launch`](crate::stream::Stream::launch).
///
/// ```no_run
/// use cust::prelude::*;
///
/// # fn main() -> cust::error::CudaResult<()> {
/// let _context = cust::quick_init()?;
/// let module = Module::from_file("scale.ptx")?;
/// let stream = Stream::new(StreamFlags::DEFAULT, None)?;
/// let values = DeviceBuffer::from_slice(&[1.0f32; 1000])?;
/// let pointer = values.as_device_ptr();
/// let scale = module.get_function("scale")?;
/// // SAFETY: scale(ptr, len, factor) accesses only `len` values.
/// unsafe {
///     launch!(module.scale<<<4, 256, 0, stream>>>(pointer, values.len(), 2.0f32))?;
///     launch!(scale<<<(4, 1, 1), (256, 1), 0, stream>>>(pointer, values.len(), 2.0f32))?;
/// }
/// stream.synchronize()
/// # }
/// ```
#[macro_export]
macro_rules! launch {
    ($module:ident . $kernel:ident <<<$grid:expr, $block:expr, $shared:expr, $stream:ident>>>($($argument:expr),* $(,)?)) => {
        match $module.get_function(::core::stringify!($kernel)) {
            ::core::result::Result::Ok(function) => {
                $crate::launch!(function<<<$grid, $block, $shared, $stream>>>($($argument),*))
            }
            ::core::result::Result::Err(error) => ::core::result::Result::Err(error),
        }
    };
    ($function:ident <<<$grid:expr, $block:expr, $shared:expr, $stream:ident>>>($($argument:expr),* $(,)?)) => {
        $stream.launch(
            &$function,
            $grid,
            $block,
            $shared,
            &[$($crate::memory::argument_address(&$argument)),*],
        )
    };
}
