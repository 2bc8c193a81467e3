//! A CUDA device as a machine for the cases.

use conformance_cases::{Buffer, Machine};
use cuda_std::{Kernel, PackedArgs};
use cust::error::CudaError;
use cust::function::{Function, FunctionAttribute};
use cust::memory::DeviceBuffer;
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use cust::sys::Driver;
use simt::LaunchShape;

/// The kernels, loaded into the current context.
pub struct Kernels {
    module: Module,
    stream: Stream,
}

impl Kernels {
    /// Loads PTX.
    ///
    /// # Errors
    ///
    /// The driver's error with the log of its compiler.
    pub fn load(ptx: &str) -> Result<Self, String> {
        let (module, _log) =
            Module::from_ptx_logged(ptx, &[]).map_err(|error| error.to_string())?;
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).map_err(error_text)?;
        Ok(Self { module, stream })
    }

    /// Returns a machine with empty memory for one case.
    pub fn machine(&self) -> Gpu<'_> {
        Gpu {
            kernels: self,
            memory: Vec::new(),
            too_large: None,
        }
    }
}

/// The device, and the memory of one case.
pub struct Gpu<'k> {
    kernels: &'k Kernels,
    memory: Vec<DeviceBuffer<u8>>,
    too_large: Option<u32>,
}

impl Gpu<'_> {
    /// Returns the maximum number of threads per block of the kernel, if a launch was refused
    /// because its block was too large.
    pub fn too_large(&self) -> Option<u32> {
        self.too_large
    }

    /// Returns `true` if the `bytes` bytes from `address` are one of this machine's buffers, or a
    /// prefix of one.
    fn holds(&self, address: u64, bytes: usize) -> bool {
        let starts_here = |buffer: &&DeviceBuffer<u8>| buffer.as_device_ptr().as_raw() == address;
        self.memory
            .iter()
            .find(starts_here)
            .is_some_and(|buffer| bytes <= buffer.len())
    }

    /// Refuses blocks of more threads than the device has registers for, with a clearer message
    /// than the driver's.
    fn check_block_size(&mut self, function: &Function<'_>, threads: u64) -> Result<(), String> {
        let attribute = function
            .get_attribute(FunctionAttribute::MaxThreadsPerBlock)
            .map_err(error_text)?;
        let limit = u32::try_from(attribute)
            .map_err(|_| format!("the driver returned an invalid maximum block size: {attribute}"))?;
        if threads > u64::from(limit) {
            self.too_large = Some(limit);
            return Err(format!(
                "blocks of {threads} threads, but the kernel can have {limit} at most"
            ));
        }
        Ok(())
    }
}

impl Machine for Gpu<'_> {
    fn upload<T: Copy + 'static>(&mut self, data: &[T]) -> Result<Buffer<T>, String> {
        let bytes = size_of_val(data);
        // SAFETY: (1) the copy below writes all of it.
        let buffer = unsafe { DeviceBuffer::<u8>::uninitialized(bytes) }.map_err(error_text)?;
        let address = buffer.as_device_ptr().as_raw();
        if bytes > 0 {
            let driver = Driver::get().map_err(error_text)?;
            // SAFETY: the buffer and `data` have `bytes` bytes each; the buffer is not shared yet.
            unsafe { driver.copy_to_device(address, data.as_ptr().cast(), bytes) }
                .map_err(error_text)?;
        }
        self.memory.push(buffer);
        Ok(Buffer {
            ptr: address as *mut T,
            len: data.len(),
        })
    }

    fn download<T: Copy + 'static>(&mut self, buffer: Buffer<T>) -> Result<Vec<T>, String> {
        let bytes = buffer.len * size_of::<T>();
        let address = buffer.ptr as u64;
        if bytes > 0 && !self.holds(address, bytes) {
            return Err(format!("{bytes} bytes at {address:#x} were never uploaded"));
        }
        let mut values = Vec::<T>::with_capacity(buffer.len);
        if bytes > 0 {
            let driver = Driver::get().map_err(error_text)?;
            // SAFETY: `values` has the capacity, `holds` found the buffer on the device, and all
            // launches have completed.
            unsafe { driver.copy_to_host(values.as_mut_ptr().cast(), address, bytes) }
                .map_err(error_text)?;
        }
        // SAFETY: the copy wrote `buffer.len` values, which `upload` or a kernel wrote as `T`.
        unsafe { values.set_len(buffer.len) };
        Ok(values)
    }

    unsafe fn launch<K: Kernel>(
        &mut self,
        shape: LaunchShape,
        args: K::Args<'_>,
    ) -> Result<(), String> {
        let LaunchShape { grid, block, .. } = shape;
        let entry = K::entry();
        let function = self
            .kernels
            .module
            .get_function(&entry)
            .map_err(|error| format!("no kernel {entry} in the PTX: {error}"))?;
        self.check_block_size(&function, block.count())?;
        let mut packed = PackedArgs::default();
        K::pack(&args, &mut packed);
        let stream = &self.kernels.stream;
        // SAFETY: (1) module and stream belong to the same context. (2) `pack` stored the entry's
        // parameters in order. (3) The caller guarantees that the arguments refer to this machine's
        // memory and match the kernel; one launch runs at a time.
        unsafe {
            stream.launch(
                &function,
                (grid.x, grid.y, grid.z),
                (block.x, block.y, block.z),
                shape.dynamic_shared_bytes,
                &packed.pointers(),
            )
        }
        .map_err(error_text)?;
        stream.synchronize().map_err(error_text)
    }
}

/// Formats an error.
fn error_text(error: impl Into<CudaError>) -> String {
    error.into().to_string()
}
