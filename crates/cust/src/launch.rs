//! Launches of kernels in a stream, and the launch macro.

use std::ffi::c_void;

use crate::driver;
use crate::error::CudaResult;
use crate::function::{BlockSize, Function, GridSize, launch_dims};
use crate::stream::Stream;

impl Stream {
    /// Queues a launch. `args` holds, in the kernel's order, the address of each parameter's value;
    /// the values are copied before this returns. [`launch!`](crate::launch!) writes the array by
    /// itself.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::error::CudaError::InvalidValue) for a shape the device
    /// cannot run, such as one without blocks,
    /// [`CudaError::LaunchOutOfResources`](crate::error::CudaError::LaunchOutOfResources), and
    /// those of earlier work.
    ///
    /// # Safety
    /// 1. `func` is of the stream's context.
    /// 2. `args` holds one address for each parameter of the kernel, in order, each readable for
    ///    the parameter's size and aligned for it.
    /// 3. What the kernel reads and writes, through its parameters, in its module's globals and in
    ///    its module's [heap](crate::module::Module::set_heap), is valid until the launch has run,
    ///    and nothing else writes there, or reads what it writes, in that time: neither other work
    ///    nor the host.
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
        // SAFETY: a live function and stream, its context current; the rest is the caller's promise
        // (1 to 3).
        unsafe { driver()?.launch_kernel(func.to_raw(), dims, self.as_inner(), args) }
    }

    /// Queues a launch whose blocks all run at the same time, so that they may wait for each other.
    /// (An addition to the published names.)
    ///
    /// # Errors
    /// [`CudaError::CooperativeLaunchTooLarge`](crate::error::CudaError::CooperativeLaunchTooLarge)
    /// where the device cannot hold that many blocks, and as [`Stream::launch`].
    ///
    /// # Safety
    /// 1. As [`Stream::launch`], all three.
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

/// Queues a launch:
/// `launch!(module.kernel<<<grid, block, dynamic_shared_bytes, stream>>>(arguments…))`, or with a
/// [`Function`](crate::function::Function) in place of `module.kernel`.
///
/// Grid and block are what [`GridSize`](crate::function::GridSize) and
/// [`BlockSize`](crate::function::BlockSize) can be made from: a number, a pair, or a triple. Every
/// argument must be [`DeviceCopy`](crate::memory::DeviceCopy); device memory is given as
/// [`DevicePointer`](crate::memory::DevicePointer) and length. The value is a
/// [`CudaResult`](crate::error::CudaResult): the launch is only queued, and its own errors come
/// with a later call.
///
/// # Safety
/// The macro needs an `unsafe` block, because nothing compares the arguments with the kernel's
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
/// let scale = module.get_function("scale")?;
/// // SAFETY: scale(ptr, len, factor), and it stays within len.
/// unsafe {
///     launch!(module.scale<<<4, 256, 0, stream>>>(values.as_device_ptr(), values.len(), 2.0f32))?;
///     launch!(scale<<<(4, 1, 1), (256, 1), 0, stream>>>(values.as_device_ptr(), values.len(), 2.0f32))?;
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
