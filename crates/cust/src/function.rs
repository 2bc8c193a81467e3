//! Kernels: their figures, their occupancy, and the shape of their launches.

use std::ffi::CString;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::context::{CacheConfig, ContextGuard, SharedMemoryConfig};
use crate::driver;
use crate::error::{CudaError, CudaResult};
use crate::module::{Module, ModuleInner};
use crate::sys::CUfunction;

mod attribute;
mod shape;

pub use attribute::FunctionAttribute;
pub(crate) use shape::launch_dims;
pub use shape::{BlockSize, GridSize};

/// A kernel of a loaded module.
#[derive(Clone, Debug)]
pub struct Function<'a> {
    raw: CUfunction,
    module: Arc<ModuleInner>,
    borrow: PhantomData<&'a Module>,
}

// SAFETY: the driver allows a function to be used from any thread.
unsafe impl Send for Function<'_> {}
// SAFETY: as above; it locks for itself.
unsafe impl Sync for Function<'_> {}

impl Module {
    /// A kernel, by its entry name.
    ///
    /// # Errors
    /// [`CudaError::NotFound`], [`CudaError::InteriorNul`].
    pub fn get_function<T: AsRef<str>>(&'_ self, name: T) -> CudaResult<Function<'_>> {
        self.find_function(name.as_ref())
    }

    /// A kernel that keeps its module loaded, and so need not borrow it. (An addition to the
    /// published names.)
    ///
    /// # Errors
    /// As [`Module::get_function`].
    pub fn get_function_owned<T: AsRef<str>>(&self, name: T) -> CudaResult<Function<'static>> {
        self.find_function(name.as_ref())
    }

    fn find_function<'a>(&self, name: &str) -> CudaResult<Function<'a>> {
        let name = CString::new(name).map_err(|_| CudaError::InteriorNul)?;
        let module = self.shared();
        let _current = module.enter()?;
        // SAFETY: a loaded module, which the function keeps loaded.
        let raw = unsafe { driver()?.module_function(module.raw(), &name) }?;
        Ok(Function {
            raw,
            module: Arc::clone(module),
            borrow: PhantomData,
        })
    }
}

impl Function<'_> {
    pub(crate) fn module(&self) -> &Arc<ModuleInner> {
        &self.module
    }

    fn enter(&self) -> CudaResult<ContextGuard<'_>> {
        self.module.enter()
    }

    /// One figure of the kernel on the device it is loaded on.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn get_attribute(&self, attr: FunctionAttribute) -> CudaResult<i32> {
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module.
        unsafe { driver()?.function_attribute(self.raw, attr as i32) }
    }

    /// Sets a figure that can be set. (An addition to the published names.)
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] where the device cannot do it, or the figure cannot be set.
    pub fn set_attribute(&self, attr: FunctionAttribute, value: i32) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module.
        unsafe { driver()?.set_function_attribute(self.raw, attr as i32, value) }
    }

    /// Lets launches ask for up to `bytes` of dynamic shared memory. Needed above 48 KiB; the
    /// device's limit is
    /// [`DeviceAttribute::MaxSharedMemoryPerBlockOptin`](crate::device::DeviceAttribute::MaxSharedMemoryPerBlockOptin),
    /// less what the kernel has statically. (An addition to the published names.)
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] where that is more than the device has.
    pub fn set_max_dynamic_shared_memory(&self, bytes: usize) -> CudaResult<()> {
        let bytes = i32::try_from(bytes).map_err(|_| CudaError::InvalidValue)?;
        self.set_attribute(FunctionAttribute::MaxDynamicSharedSizeBytes, bytes)
    }

    /// How L1 cache and shared memory should divide their storage while the kernel runs.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn set_cache_config(&mut self, config: CacheConfig) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module.
        unsafe { driver()?.set_function_cache_config(self.raw, config as i32) }
    }

    /// The width of a shared-memory bank while the kernel runs, on devices where it can be chosen.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn set_shared_memory_config(&mut self, cfg: SharedMemoryConfig) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module.
        unsafe { driver()?.set_function_shared_memory_config(self.raw, cfg as i32) }
    }

    /// The driver's handle, valid as long as the module is loaded.
    pub fn to_raw(&self) -> CUfunction {
        self.raw
    }

    /// Bytes of dynamic shared memory that a block may have so that one multiprocessor still holds
    /// `blocks` blocks of this size.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] where the device cannot hold them at all.
    pub fn available_dynamic_shared_memory_per_block(
        &self,
        blocks: GridSize,
        block_size: BlockSize,
    ) -> CudaResult<usize> {
        let blocks = blocks.count().ok_or(CudaError::InvalidValue)?;
        let threads = block_size.count().ok_or(CudaError::InvalidValue)?;
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module, its context current.
        unsafe { driver()?.available_dynamic_shared_memory(self.raw, blocks, threads) }
    }

    /// Blocks of this size that one multiprocessor holds at a time.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] for sizes that no device has.
    pub fn max_active_blocks_per_multiprocessor(
        &self,
        block_size: BlockSize,
        dynamic_smem_size: usize,
    ) -> CudaResult<u32> {
        let threads = block_size.count().ok_or(CudaError::InvalidValue)?;
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module, its context current.
        unsafe { driver()?.max_active_blocks(self.raw, threads, dynamic_smem_size, 0) }
    }

    /// (blocks that fill the device, threads per block) for the highest occupancy, with at most
    /// `block_size_limit` threads per block; a limit of 0 is none.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] for limits that no device has.
    pub fn suggested_launch_configuration(
        &self,
        dynamic_smem_size: usize,
        block_size_limit: BlockSize,
    ) -> CudaResult<(u32, u32)> {
        let limit = block_size_limit.count().ok_or(CudaError::InvalidValue)?;
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module, its context current.
        unsafe { driver()?.max_potential_block_size(self.raw, dynamic_smem_size, limit) }
    }
}
