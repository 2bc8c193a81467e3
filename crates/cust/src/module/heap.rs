//! The memory that the kernels of a module allocate from.

use std::ffi::{CStr, c_void};
use std::sync::Arc;

use super::{Module, ModuleInner};
use crate::driver;
use crate::error::CudaResult;
use crate::memory::{DeviceBuffer, GpuBuffer};
use crate::stream::Stream;

/// The module's global that says where its heap is: three numbers of 64 bits, as
/// `cuda_std::heap::Heap` has them.
const GLOBAL: &CStr = c"__ferrovox_heap";
/// Where each of the three stands.
const START: usize = 0;
const BYTES: usize = 1;
const USED: usize = 2;

/// Memory that the kernels of a module allocate from, made by [`Module::set_heap`]. (An addition to
/// the published names.)
///
/// Every allocation of a kernel takes some, and freeing gives nothing back; [`ModuleHeap::reset`]
/// does, for all of them. Where the heap is at its end, an allocation fails: the kernel stops, and
/// the launch is an error. When the value is dropped the module has no heap again.
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
///     // SAFETY: count() takes nothing; the heap lives until it has run, and nobody else uses it.
///     unsafe { launch!(module.count<<<100, 128, 0, stream>>>()) }?;
/// }
/// stream.synchronize()?;
/// println!("the last launch took {} of {} bytes", heap.used()?, heap.bytes());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ModuleHeap {
    memory: DeviceBuffer<u8>,
    /// The address of the module's global.
    global: u64,
    module: Arc<ModuleInner>,
}

impl Module {
    /// Gives the kernels of the module `bytes` bytes of device memory to allocate from, in place of
    /// what they had. It is there for the launches from here on, as long as the value is kept. (An
    /// addition to the published names.)
    ///
    /// # Errors
    /// [`CudaError::NotFound`](crate::error::CudaError::NotFound) where no kernel of the module
    /// allocates, and so needs no heap;
    /// [`CudaError::SymbolSize`](crate::error::CudaError::SymbolSize) where what has the heap's
    /// name is something else; [`CudaError::OutOfMemory`](crate::error::CudaError::OutOfMemory).
    pub fn set_heap(&self, bytes: usize) -> CudaResult<ModuleHeap> {
        let module = Arc::clone(self.shared());
        // before memory is allocated
        let global = self
            .get_global::<[u64; 3]>(GLOBAL)?
            .as_device_ptr()
            .as_raw();
        let _current = module.enter()?;
        // SAFETY: the host reads nothing of it, and a kernel writes what it allocated before it
        // reads that.
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
    /// Queues in `stream` that nothing is taken: all that kernels allocated before is gone for the
    /// launches that come.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn reset(&self, stream: &Stream) -> CudaResult<()> {
        let _current = stream.enter()?;
        let used = self.global + (USED * size_of::<u64>()) as u64;
        // SAFETY: a live stream, its context current; two words of a module that is kept loaded.
        // Whoever launched a kernel of it promised that nobody writes its globals until it has run.
        unsafe { driver()?.fill_32_async(used, 0, 2, stream.as_inner()) }
    }

    /// How many bytes the heap has.
    pub fn bytes(&self) -> usize {
        self.memory.len()
    }

    /// How many bytes are taken, those included that were asked for and not there: what the
    /// launches since [`ModuleHeap::reset`] would have needed.
    ///
    /// # Errors
    /// Those of earlier work. After a launch that failed for want of memory nothing of its context
    /// can be read.
    pub fn used(&self) -> CudaResult<u64> {
        Ok(self.read()?[USED])
    }

    fn write(&self, words: &[u64; 3]) -> CudaResult<()> {
        let _current = self.module.enter()?;
        // SAFETY: 24 bytes there, as was asked for when the global was found, of a module that is
        // kept loaded, and here; as in `reset`.
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
        // SAFETY: as in `write`.
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
        // The memory is freed next: a later launch must not find it. A heap that was set since
        // stays.
        let start = GpuBuffer::as_device_ptr(&self.memory).as_raw();
        if self.read().is_ok_and(|words| words[START] == start) {
            // A failure cannot be reported here: the context is broken then, and launches nothing.
            let _ = self.write(&[0; 3]);
        }
    }
}
