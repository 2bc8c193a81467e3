//! The launch macro.

/// Queues a launch: `launch!(module.kernel<<<grid, block, dynamic_shared_bytes, stream>>>(arguments…))`, or with a
/// [`Function`](crate::function::Function) in place of `module.kernel`.
///
/// Grid and block are what [`GridSize`](crate::function::GridSize) and [`BlockSize`](crate::function::BlockSize) can be made from: a
/// number, a pair, or a triple. Every argument must be [`DeviceCopy`](crate::memory::DeviceCopy); device memory is given as
/// [`DevicePointer`](crate::memory::DevicePointer) and length. The value is a [`CudaResult`](crate::error::CudaResult): the launch is only queued, and its own errors
/// come with a later call.
///
/// # Safety
/// The macro needs an `unsafe` block, because nothing compares the arguments with the kernel's parameters: see
/// [`Stream::launch`](crate::stream::Stream::launch).
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
