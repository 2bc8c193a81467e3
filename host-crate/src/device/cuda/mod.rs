//! CUDA devices. The only module that uses types of the driver.

mod info;
mod kernels;
mod memory;
mod owner;
mod pool;
mod staging;
mod stream;
mod users;

pub(super) use cust::context::ContextGuard;
pub(super) use kernels::CudaConstant;
pub(super) use memory::{CudaHostMemory, CudaMemory};
pub(super) use staging::SLOT;
pub(super) use stream::{CudaEvent, CudaStream};

use super::{
    DeviceError, Launch, LaunchOverride, Memory, launch_config::LaunchConfig, machine_code, modules,
};
use crate::occupancy::{ComputeCapability, DeviceLimits, KernelResources};
use cust::{
    CudaFlags,
    context::Context,
    device::{Device as Driver, DeviceAttribute},
    error::{CudaError, CudaResult},
    memory::MemoryPool,
};
use kernels::{Kernels, LoadedKernel};
use pool::Pool;
use staging::Staging;
use std::{
    borrow::Cow,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// A CUDA device with its context.
pub(super) struct CudaDevice {
    index: usize,
    name: String,
    limits: DeviceLimits,
    clock_khz: Option<u32>,
    shared: Arc<Shared>,
    kernels: Kernels,
    /// Lock held by the owner of a constant of a kernel.
    constants: Mutex<()>,
}

/// State of a device that streams and memory keep alive.
struct Shared {
    id: String,
    /// Pinned staging memory of copies, freed before the context.
    staging: Mutex<Vec<Staging>>,
    context: Context,
    /// Memory pools of the streams.
    pools: Mutex<Vec<Weak<Pool>>>,
    /// Pool of the driver that the streams allocate from; `None` if the driver has no pools.
    memory_pool: Option<Arc<MemoryPool>>,
}

impl Shared {
    /// Registers the pool of a new stream.
    fn add_pool(&self, pool: &Arc<Pool>) {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.retain(|pool| pool.strong_count() > 0);
        pools.push(Arc::downgrade(pool));
    }

    /// Returns the memory of all pools to the driver and synchronises the device, so that it is
    /// free.
    fn clear_pools(&self) -> CudaResult<()> {
        let pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        for pool in pools.iter().filter_map(Weak::upgrade) {
            pool.clear();
        }
        let _current = self.context.enter()?;
        cust::context::CurrentContext::synchronize()
    }

    /// Returns the unused memory of the driver's pool to the system.
    fn trim_memory_pool(&self) -> Result<(), DeviceError> {
        let Some(pool) = &self.memory_pool else {
            return Ok(());
        };
        self.with("giving memory back", || pool.trim(0))
    }

    /// Converts an error of the driver.
    fn error(&self, what: impl Into<String>, error: CudaError) -> DeviceError {
        DeviceError::Cuda {
            device: self.id.clone(),
            what: what.into(),
            detail: error.to_string(),
        }
    }

    /// Calls `act` with the context of this device current on the calling thread.
    fn with<R>(&self, what: &str, act: impl FnOnce() -> CudaResult<R>) -> Result<R, DeviceError> {
        let _current = self
            .context
            .enter()
            .map_err(|error| self.error("making the context current", error))?;
        act().map_err(|error| self.error(what, error))
    }
}

impl CudaDevice {
    /// Returns the number of CUDA devices.
    pub fn count() -> Result<usize, DeviceError> {
        let no_driver = |error: CudaError| DeviceError::NoDriver {
            detail: error.to_string(),
        };
        cust::init(CudaFlags::empty()).map_err(no_driver)?;
        Ok(Driver::num_devices().map_err(no_driver)? as usize)
    }

    /// Opens a device and selects the kernels for it.
    pub fn open(index: usize) -> Result<Self, DeviceError> {
        let count = Self::count()?;
        if index >= count {
            return Err(DeviceError::NoSuchDevice { index, count });
        }
        let id = format!("cuda:{index}");
        let failed = |what: &str, error: CudaError| DeviceError::Cuda {
            device: id.clone(),
            what: what.to_owned(),
            detail: error.to_string(),
        };
        let driver = Driver::get_device(index as u32)
            .map_err(|error| failed("opening the device", error))?;
        let name = driver
            .name()
            .map_err(|error| failed("asking for its name", error))?;
        let (major, minor) = driver
            .compute_capability()
            .map_err(|error| failed("asking for its capability", error))?;
        let capability = (major * 10 + minor) as u32;
        let module =
            modules::for_capability(capability).ok_or_else(|| DeviceError::Unsupported {
                device: format!("{id} ({name})"),
                capability: format!("{major}.{minor}"),
            })?;
        let code = machine_code::begin(capability);
        let limits = limits(driver, ComputeCapability::new(major as u8, minor as u8))
            .map_err(|error| failed("asking for its limits", error))?;
        let clock_khz = driver
            .get_attribute(DeviceAttribute::ClockRate)
            .ok()
            .and_then(|khz| u32::try_from(khz).ok())
            .filter(|&khz| khz > 0);
        let context = Context::new(driver).map_err(|error| failed("making a context", error))?;
        let shared = Arc::new(Shared {
            id,
            staging: Mutex::default(),
            context,
            pools: Mutex::default(),
            memory_pool: pool::shared_memory_pool(index, driver),
        });
        let kernels = Kernels::new(&shared, module, code);
        Ok(Self {
            index,
            name,
            limits,
            clock_khz,
            shared,
            kernels,
            constants: Mutex::default(),
        })
    }

    pub fn index(&self) -> usize {
        self.index
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn limits(&self) -> &DeviceLimits {
        &self.limits
    }

    pub fn clock_khz(&self) -> Option<u32> {
        self.clock_khz
    }

    pub fn memory(&self) -> Result<Memory, DeviceError> {
        let (free, total) = self
            .shared
            .with("asking for its memory", cust::memory::mem_get_info)?;
        Ok(Memory {
            free: free as u64,
            total: total as u64,
        })
    }

    pub fn stream(&self) -> Result<CudaStream, DeviceError> {
        CudaStream::new(&self.shared)
    }

    /// Returns the index of the device that owns the memory at `address`.
    pub fn index_at(address: u64) -> Result<usize, DeviceError> {
        let look_up = || cust::memory::device_ordinal_at(address);
        let mut found = look_up();
        if found.is_err() {
            // the driver may not be initialised
            Self::count()?;
            found = look_up();
        }
        if found == Err(CudaError::InvalidContext) {
            // the driver looks up addresses in any context
            let context = Driver::get_device(0).and_then(Context::new);
            found = context.and_then(|_context| look_up());
        }
        let failed = |detail: String| DeviceError::Cuda {
            device: "cuda".to_owned(),
            what: format!("looking up the address {address:#x}"),
            detail,
        };
        let unknown = || failed("it is not in the memory of a CUDA device".to_owned());
        match found {
            Ok(ordinal) => usize::try_from(ordinal).map_err(|_| unknown()),
            Err(CudaError::InvalidValue) => Err(unknown()),
            Err(error) => Err(failed(error.to_string())),
        }
    }

    /// Returns the unused memory of all pools to the system. Waits for the device.
    pub fn release_cached_memory(&self) -> Result<(), DeviceError> {
        let shared = &self.shared;
        let cleared = shared.clear_pools();
        cleared.map_err(|error| shared.error("giving memory back", error))?;
        shared.trim_memory_pool()
    }

    /// Waits for all work in the context.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let synchronize = cust::context::CurrentContext::synchronize;
        self.shared.with("waiting for the device", synchronize)
    }

    /// Allocates uninitialised pinned host memory.
    pub fn host_memory(&self, bytes: usize) -> Result<CudaHostMemory, DeviceError> {
        CudaHostMemory::new(&self.shared, bytes)
    }

    /// Loads the machine code of the kernels.
    pub fn load_machine_code(&self) {
        self.kernels.load_machine_code();
    }

    /// Compiles kernels that are not loaded yet.
    pub fn prepare(&self, entries: &[Cow<'static, str>]) -> Result<(), DeviceError> {
        self.kernels.prepare(entries)
    }

    /// Returns a constant that a kernel reads.
    pub fn constant(&self, entry: &str, symbol: &str) -> Result<CudaConstant, DeviceError> {
        self.kernels.constant(entry, symbol)
    }

    /// Locks the constants of the device.
    pub fn constants(&self) -> &Mutex<()> {
        &self.constants
    }

    /// Chooses the blocks of a launch of a kernel.
    pub fn launch_config(
        &self,
        entry: &str,
        launch: &Launch,
        launch_override: Option<&LaunchOverride>,
    ) -> Result<(Arc<LoadedKernel>, LaunchConfig), DeviceError> {
        let kernel = self.kernel(entry, launch_override)?;
        let choice = kernel.launch_config(&self.limits, launch, launch_override)?;
        Ok((kernel, choice))
    }

    fn kernel(
        &self,
        entry: &str,
        launch_override: Option<&LaunchOverride>,
    ) -> Result<Arc<LoadedKernel>, DeviceError> {
        match launch_override.and_then(|it| it.max_registers) {
            Some(most) => self.kernels.with_registers(entry, most),
            None => self.kernels.get(entry),
        }
    }

    /// Returns the resources of a kernel according to the driver.
    pub fn resources(
        &self,
        entry: &str,
        launch_override: Option<&LaunchOverride>,
    ) -> Result<KernelResources, DeviceError> {
        Ok(self.kernel(entry, launch_override)?.resources)
    }

    /// Returns the number of resident blocks per multiprocessor according to the driver.
    pub fn active_blocks(
        &self,
        entry: &str,
        threads: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<u32, DeviceError> {
        let kernel = self.kernels.get(entry)?;
        self.shared.with("asking for an occupancy", || {
            kernel.allow_shared(dynamic_shared_bytes)?;
            kernel
                .function
                .max_active_blocks_per_multiprocessor(threads.into(), dynamic_shared_bytes as usize)
        })
    }
}

/// Returns the limits of a device as reported by the driver. Values that it does not report follow
/// from the compute capability, or from the newest known one.
fn limits(driver: Driver, capability: ComputeCapability) -> CudaResult<DeviceLimits> {
    let ask = |attribute| {
        driver
            .get_attribute(attribute)
            .map(|value| value.max(0) as u32)
    };
    let [before, after] = capability.neighbours();
    let like = [Some(capability), before, after].into_iter().flatten();
    let similar = like
        .filter_map(|capability| DeviceLimits::for_capability(capability).ok())
        .next();
    let similar = similar.unwrap_or(DeviceLimits::cpu(1));
    let shared_per_block = ask(DeviceAttribute::MaxSharedMemoryPerBlock)?;
    Ok(DeviceLimits {
        capability: Some(capability),
        multiprocessors: ask(DeviceAttribute::MultiprocessorCount)?,
        threads_per_block: ask(DeviceAttribute::MaxThreadsPerBlock)?,
        warps_per_multiprocessor: ask(DeviceAttribute::MaxThreadsPerMultiprocessor)? / 32,
        blocks_per_multiprocessor: ask(DeviceAttribute::MaxBlocksPerMultiprocessor)?,
        registers_per_multiprocessor: ask(DeviceAttribute::MaxRegistersPerMultiprocessor)?,
        registers_per_block: ask(DeviceAttribute::MaxRegistersPerBlock)?,
        shared_bytes_per_multiprocessor: ask(DeviceAttribute::MaxSharedMemoryPerMultiprocessor)?,
        shared_bytes_per_block: shared_per_block,
        shared_bytes_per_block_opt_in: ask(DeviceAttribute::MaxSharedMemoryPerBlockOptin)
            .map_or(shared_per_block, |opt_in| opt_in.max(shared_per_block)),
        reserved_shared_bytes_per_block: ask(DeviceAttribute::ReservedSharedMemoryPerBlock)
            .unwrap_or(0),
        ..similar
    })
}
