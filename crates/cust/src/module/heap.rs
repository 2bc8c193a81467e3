//! Heap for allocations in the kernels of a module.

use std::ffi::{CStr, c_void};
use std::sync::Arc;

use super::{Module, ModuleInner};
use crate::driver;
use crate::error::CudaResult;
use crate::memory::{DeviceBuffer, GpuBuffer};
use crate::stream::Stream;

/// Global variable of the module that describes the heap: three 64-bit integers, as declared in
/// `cuda_std::heap::Heap`.
const GLOBAL: &CStr = c"__ferrovox_heap";
/// Indices of the three integers.
const START: usize = 0;
const BYTES: usize = 1;
const USED: usize = 2;

/// Memory for allocations in the kernels of a module, created by [`Module::set_heap`]. (Not part of
/// Rust-CUDA.)
///
/// Allocations are served by bumping a pointer; deallocation frees nothing, and
/// [`ModuleHeap::reset`] frees everything. An allocation that does not fit aborts the kernel, and
/// the launch fails. Dropping this value removes the heap from the module.
///
/// ```no_run
/// use cust::prelude::*;
///
/// # fn main() -> cust::error::CudaResult<()> {
/// let _context = cust::quick_init()?;
/// let module = Module::from_file("kernels_with_vectors.ptx")?;
/// let stream = Stream::new(StreamFlags::DEFAULT, None)?;
/// let heap = module.set_heap(64 << 20)?;
/// for _ in 0..10 {
///     heap.reset(&stream)?;
///     // SAFETY: count() has no parameters; the heap outlives the launch, and no other launch
///     // uses it.
///     unsafe { launch!(module.count<<<100, 128, 0, stream>>>()) }?;
/// }
/// stream.synchronize()?;
/// println!("the last launch allocated {} of {} bytes", heap.used()?, heap.bytes());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ModuleHeap {
    memory: DeviceBuffer<u8>,
    /// Address of the module's global variable.
    global: u64,
    module: Arc<ModuleInner>,
}

impl Module {
    /// Provides `bytes` bytes of device memory to the kernels of the module for allocations,
    /// replacing any previous heap. Available to launches from now on, as long as the returned
    /// value is kept. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// [`CudaError::NotFound`](crate::error::CudaError::NotFound) if no kernel of the module
    /// allocates; [`CudaError::SymbolSize`](crate::error::CudaError::SymbolSize) if the heap's name
    /// is used for something else;
    /// [`CudaError::OutOfMemory`](crate::error::CudaError::OutOfMemory).
    pub fn set_heap(&self, bytes: usize) -> CudaResult<ModuleHeap> {
        let module = Arc::clone(self.shared());
        // look up the global before allocating memory
        let global = self
            .get_global::<[u64; 3]>(GLOBAL)?
            .as_device_ptr()
            .as_raw();
        let _current = module.enter()?;
        // SAFETY: the host does not read this memory, and kernels write what they allocated before
        // they read it.
        let memory = unsafe { DeviceBuffer::<u8>::uninitialized(bytes) }?;
        drop(_current);
        let heap = ModuleHeap {
            memory,
            global,
            module,
        };
        let mut words = [0u64; 3];
        words[START] = GpuBuffer::as_device_ptr(&heap.memory).as_raw();
        words[BYTES] = heap.bytes() as u64;
        heap.write(&words)?;
        Ok(heap)
    }
}

impl ModuleHeap {
    /// Queues a reset of the heap in `stream`: frees all allocations of earlier launches.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn reset(&self, stream: &Stream) -> CudaResult<()> {
        let _current = stream.enter()?;
        let used = self.global + (USED * size_of::<u64>()) as u64;
        // SAFETY: a live stream with its context current; the module is kept loaded. Callers of
        // launches guarantee exclusive access to its globals until the launch is complete.
        unsafe { driver()?.fill_32_async(used, 0, 2, stream.as_inner()) }
    }

    /// Returns the size of the heap, in bytes.
    pub fn bytes(&self) -> usize {
        self.memory.len()
    }

    /// Returns the number of bytes allocated since the last [`ModuleHeap::reset`], including failed
    /// allocations: the heap size that the launches would have needed.
    ///
    /// # Errors
    /// Errors of earlier work. After a launch that ran out of memory, nothing in its context can be
    /// read.
    pub fn used(&self) -> CudaResult<u64> {
        Ok(self.read()?[USED])
    }

    fn write(&self, words: &[u64; 3]) -> CudaResult<()> {
        let _current = self.module.enter()?;
        // SAFETY: both sides have 24 bytes (the size of the global was checked); the module is kept
        // loaded; exclusive access as in `reset`.
        unsafe {
            driver()?.copy_to_device(
                self.global,
                words.as_ptr().cast::<c_void>(),
                size_of_val(words),
            )
        }
    }

    fn read(&self) -> CudaResult<[u64; 3]> {
        let mut words = [0u64; 3];
        let _current = self.module.enter()?;
        // SAFETY: see `write`.
        unsafe {
            driver()?.copy_to_host(
                words.as_mut_ptr().cast::<c_void>(),
                self.global,
                size_of_val(&words),
            )
        }?;
        Ok(words)
    }
}

impl Drop for ModuleHeap {
    fn drop(&mut self) {
        // The memory is freed next, so later launches must not find it. A heap set since then is
        // kept.
        let start = GpuBuffer::as_device_ptr(&self.memory).as_raw();
        if self.read().is_ok_and(|words| words[START] == start) {
            // Errors cannot be reported here; they mean that the context is unusable.
            let _ = self.write(&[0; 3]);
        }
    }
}
