//! Kernels: attributes, occupancy and launch dimensions.

use std::ffi::CString;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::context::{CacheConfig, ContextGuard, SharedMemoryConfig};
use crate::driver;
use crate::error::{CudaError, CudaResult};
use crate::module::{Module, ModuleInner};
use crate::sys::CUfunction;

mod attribute;
mod dimensions;

pub use attribute::FunctionAttribute;
pub(crate) use dimensions::launch_dims;
pub use dimensions::{BlockSize, GridSize};

/// Kernel of a loaded module.
#[derive(Clone, Debug)]
pub struct Function<'a> {
    raw: CUfunction,
    module: Arc<ModuleInner>,
    borrow: PhantomData<&'a Module>,
}

// SAFETY: the driver allows the use of a function from any thread.
unsafe impl Send for Function<'_> {}
// SAFETY: as above; the driver synchronizes internally.
unsafe impl Sync for Function<'_> {}

impl Module {
    /// Returns the kernel with the given entry-point name.
    ///
    /// # Errors
    /// [`CudaError::NotFound`], [`CudaError::InteriorNul`].
    pub fn get_function<T: AsRef<str>>(&'_ self, name: T) -> CudaResult<Function<'_>> {
        self.find_function(name.as_ref())
    }

    /// Returns a kernel that keeps its module loaded and does not borrow it. (Not part of
    /// Rust-CUDA.)
    ///
    /// # Errors
    /// See [`Module::get_function`].
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

    /// Returns an attribute of the kernel on its device.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn get_attribute(&self, attr: FunctionAttribute) -> CudaResult<i32> {
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module.
        unsafe { driver()?.function_attribute(self.raw, attr as i32) }
    }

    /// Sets an attribute. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] if the device does not support the value or the attribute is
    /// read-only.
    pub fn set_attribute(&self, attr: FunctionAttribute, value: i32) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module.
        unsafe { driver()?.set_function_attribute(self.raw, attr as i32, value) }
    }

    /// Allows launches with up to `bytes` bytes of dynamic shared memory per block. Required above
    /// 48 KiB; the maximum is `MaxSharedMemoryPerBlockOptin` of
    /// [`DeviceAttribute`](crate::device::DeviceAttribute) minus the kernel's static shared memory.
    /// (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] if the device has less shared memory.
    pub fn set_max_dynamic_shared_memory(&self, bytes: usize) -> CudaResult<()> {
        let bytes = i32::try_from(bytes).map_err(|_| CudaError::InvalidValue)?;
        self.set_attribute(FunctionAttribute::MaxDynamicSharedSizeBytes, bytes)
    }

    /// Sets the preferred split between L1 cache and shared memory for this kernel.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn set_cache_config(&mut self, config: CacheConfig) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module.
        unsafe { driver()?.set_function_cache_config(self.raw, config as i32) }
    }

    /// Sets the width of shared-memory banks for this kernel, on devices that support it.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn set_shared_memory_config(&mut self, cfg: SharedMemoryConfig) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module.
        unsafe { driver()?.set_function_shared_memory_config(self.raw, cfg as i32) }
    }

    /// Returns the driver's handle, valid as long as the module is loaded.
    pub fn to_raw(&self) -> CUfunction {
        self.raw
    }

    /// Returns the maximum dynamic shared memory per block, in bytes, with which `blocks` blocks of
    /// this size fit on a multiprocessor.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] if the blocks do not fit at all.
    pub fn available_dynamic_shared_memory_per_block(
        &self,
        blocks: GridSize,
        block_size: BlockSize,
    ) -> CudaResult<usize> {
        let blocks = blocks.count().ok_or(CudaError::InvalidValue)?;
        let threads = block_size.count().ok_or(CudaError::InvalidValue)?;
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module with its context current.
        unsafe { driver()?.available_dynamic_shared_memory(self.raw, blocks, threads) }
    }

    /// Returns the maximum number of resident blocks of this size per multiprocessor.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] for unsupported sizes.
    pub fn max_active_blocks_per_multiprocessor(
        &self,
        block_size: BlockSize,
        dynamic_smem_size: usize,
    ) -> CudaResult<u32> {
        let threads = block_size.count().ok_or(CudaError::InvalidValue)?;
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module with its context current.
        unsafe { driver()?.max_active_blocks(self.raw, threads, dynamic_smem_size, 0) }
    }

    /// Returns the smallest grid size and the block size with the highest occupancy, with at most
    /// `block_size_limit` threads per block; 0 sets no limit.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] for unsupported limits.
    pub fn suggested_launch_configuration(
        &self,
        dynamic_smem_size: usize,
        block_size_limit: BlockSize,
    ) -> CudaResult<(u32, u32)> {
        let limit = block_size_limit.count().ok_or(CudaError::InvalidValue)?;
        let _current = self.enter()?;
        // SAFETY: a function of a loaded module with its context current.
        unsafe { driver()?.max_potential_block_size(self.raw, dynamic_smem_size, limit) }
    }
}
