//! A CUDA device as a machine that runs cases.

use conformance_cases::{Buffer, Machine};
use cuda_std::{Kernel, PackedArgs};
use cust::error::CudaError;
use cust::function::{Function, FunctionAttribute};
use cust::memory::DeviceBuffer;
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use cust::sys::Driver;
use simt::LaunchShape;

/// The kernels, loaded into the context that was current.
pub struct Kernels {
    module: Module,
    stream: Stream,
}

impl Kernels {
    /// Loads PTX.
    ///
    /// # Errors
    ///
    /// What the driver says, with its compiler's log.
    pub fn load(ptx: &str) -> Result<Self, String> {
        let (module, _log) =
            Module::from_ptx_logged(ptx, &[]).map_err(|error| error.to_string())?;
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).map_err(say)?;
        Ok(Self { module, stream })
    }

    /// A machine without memory yet, for one case.
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
    /// Where a launch was refused because of its block's size: most threads that a block of that
    /// kernel can have on this device.
    pub fn too_large(&self) -> Option<u32> {
        self.too_large
    }

    /// Whether `bytes` bytes from `address` are one of this machine's buffers, or its beginning.
    fn holds(&self, address: u64, bytes: usize) -> bool {
        let starts_here = |buffer: &&DeviceBuffer<u8>| buffer.as_device_ptr().as_raw() == address;
        self.memory
            .iter()
            .find(starts_here)
            .is_some_and(|buffer| bytes <= buffer.len())
    }

    /// Refuses blocks of more threads than the device has registers for; the driver would, in fewer
    /// words.
    fn check_block_size(&mut self, function: &Function<'_>, threads: u64) -> Result<(), String> {
        let attribute = function
            .get_attribute(FunctionAttribute::MaxThreadsPerBlock)
            .map_err(say)?;
        let limit = u32::try_from(attribute)
            .map_err(|_| format!("the driver says {attribute} threads per block at most"))?;
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
        let buffer = unsafe { DeviceBuffer::<u8>::uninitialized(bytes) }.map_err(say)?;
        let address = buffer.as_device_ptr().as_raw();
        if bytes > 0 {
            let driver = Driver::get().map_err(say)?;
            // SAFETY: the buffer and `data` have `bytes` bytes each; nothing else knows the buffer
            // yet.
            unsafe { driver.copy_to_device(address, data.as_ptr().cast(), bytes) }.map_err(say)?;
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
            let driver = Driver::get().map_err(say)?;
            // SAFETY: `values` has room for them, and `holds` found them on the device; every
            // launch was waited for.
            unsafe { driver.copy_to_host(values.as_mut_ptr().cast(), address, bytes) }
                .map_err(say)?;
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
        // SAFETY: (1) module and stream were made in the same context. (2) `pack` wrote the entry's
        // parameters in order. (3) The caller promises that the arguments point to this machine's
        // memory and fit the kernel; one launch runs at a time.
        unsafe {
            stream.launch(
                &function,
                (grid.x, grid.y, grid.z),
                (block.x, block.y, block.z),
                shape.dynamic_shared_bytes,
                &packed.pointers(),
            )
        }
        .map_err(say)?;
        stream.synchronize().map_err(say)
    }
}

/// An error in its own words.
fn say(error: impl Into<CudaError>) -> String {
    error.into().to_string()
}
