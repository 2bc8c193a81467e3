//! Kernels of a CUDA device, loaded on first use: machine code if it is shipped for the device,
//! otherwise PTX, which the driver compiles.

use super::Shared;
use crate::{
    device::{
        DeviceError, Launch, LaunchOverride, launch_config::LaunchConfig,
        machine_code::MachineCode, modules::ShippedModule, ptx::PtxText,
    },
    occupancy::{DeviceLimits, KernelResources},
};
use cust::{
    error::{CudaError, CudaResult},
    function::{Function, FunctionAttribute},
    memory::DeviceSlice,
    module::{Module, ModuleJitOption},
};
use std::{
    borrow::Cow,
    collections::HashMap,
    ffi::CString,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// The shipped kernels, and those loaded so far.
pub(super) struct Kernels {
    shared: Arc<Shared>,
    code: Mutex<Code>,
    shipped: &'static ShippedModule,
    ptx: OnceLock<PtxText<'static>>,
    loaded: Mutex<HashMap<String, Arc<LoadedKernel>>>,
    /// Kernels compiled with a register limit.
    limited: Mutex<HashMap<(String, u32), Arc<LoadedKernel>>>,
}

/// Machine code for the device.
enum Code {
    /// No machine code, or none that the driver accepts: PTX is compiled.
    Absent,
    Shipped(&'static MachineCode),
    Loaded(Arc<Module>),
}

/// Shared memory in bytes, static arrays included, that a block can have without opting in to more.
const SHARED_WITHOUT_ASKING: u32 = 48 * 1024;

/// A loaded kernel.
pub(in crate::device) struct LoadedKernel {
    pub function: Function<'static>,
    pub entry: String,
    pub resources: KernelResources,
    module: Arc<Module>,
    /// Block sizes chosen by the calculator, by what they depend on: the calculation takes longer
    /// than a launch.
    choices: Mutex<Vec<(Launch, LaunchConfig)>>,
    /// Maximum dynamic shared memory requested so far, in bytes.
    max_dynamic_shared: Mutex<u32>,
}

/// Maximum number of cached choices per kernel. Few kernels have more than one.
const CHOICES: usize = 16;

/// Constant memory of a kernel's module, which it keeps loaded.
pub(in crate::device) struct CudaConstant {
    bytes: DeviceSlice<u8>,
    _module: Arc<Module>,
}

impl CudaConstant {
    pub(super) fn bytes(&self) -> &DeviceSlice<u8> {
        &self.bytes
    }
}

impl LoadedKernel {
    /// Permits blocks with `bytes` bytes of dynamic shared memory.
    pub fn allow_shared(&self, dynamic_bytes: u32) -> CudaResult<()> {
        let own = self.resources.static_shared_bytes;
        if own.saturating_add(dynamic_bytes) <= SHARED_WITHOUT_ASKING {
            return Ok(());
        }
        // locked until the driver has set it, so that a smaller value cannot overwrite a larger one
        let max = self.max_dynamic_shared.lock();
        let mut max = max.unwrap_or_else(PoisonError::into_inner);
        if dynamic_bytes > *max {
            self.function
                .set_max_dynamic_shared_memory(dynamic_bytes as usize)?;
            *max = dynamic_bytes;
        }
        Ok(())
    }

    /// Chooses the blocks of a launch.
    pub fn launch_config(
        &self,
        limits: &DeviceLimits,
        launch: &Launch,
        launch_override: Option<&LaunchOverride>,
    ) -> Result<LaunchConfig, DeviceError> {
        let configure = || {
            LaunchConfig::on_gpu(
                limits,
                &self.entry,
                &self.resources,
                launch,
                launch_override,
            )
        };
        if launch_override.is_some() {
            return configure();
        }
        let asked = launch.without_pieces();
        let mut choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cached)) = choices.iter().find(|(launch, _)| *launch == asked) {
            return Ok(LaunchConfig {
                blocks: launch.blocks(cached.threads),
                ..*cached
            });
        }
        let choice = configure()?;
        if choices.len() == CHOICES {
            choices.clear();
        }
        choices.push((asked, choice));
        Ok(choice)
    }
}

impl Kernels {
    pub fn new(
        shared: &Arc<Shared>,
        shipped: &'static ShippedModule,
        code: Option<&'static MachineCode>,
    ) -> Self {
        Self {
            shared: shared.clone(),
            code: Mutex::new(code.map_or(Code::Absent, Code::Shipped)),
            shipped,
            ptx: OnceLock::new(),
            loaded: Mutex::default(),
            limited: Mutex::default(),
        }
    }

    /// Returns a kernel, which is loaded on first use.
    pub fn get(&self, entry: &str) -> Result<Arc<LoadedKernel>, DeviceError> {
        if let Some(kernel) = self.loaded_kernel(entry) {
            return Ok(kernel);
        }
        self.load(&[entry])?;
        self.loaded_kernel(entry)
            .ok_or_else(|| self.unknown_kernel(entry))
    }

    /// Returns a constant of a kernel's module by name.
    pub fn constant(&self, entry: &str, symbol: &str) -> Result<CudaConstant, DeviceError> {
        let module = self.get(entry)?.module.clone();
        let name = CString::new(symbol).unwrap_or_default();
        // SAFETY: the slice goes with the module.
        let found = self.shared.with("looking for a constant", || unsafe {
            Ok(module.get_global_slice::<u8>(&name))
        })?;
        let bytes = found.map_err(|error| match error {
            CudaError::NotFound => DeviceError::UnknownConstant {
                constant: symbol.to_owned(),
                kernel: entry.to_owned(),
                device: self.shared.id.clone(),
            },
            other => self.shared.error(format!("looking for {symbol}"), other),
        })?;
        Ok(CudaConstant {
            bytes,
            _module: module,
        })
    }

    /// Loads the machine code, if it is shipped for the device. An error is reported when a kernel
    /// is used.
    pub fn load_machine_code(&self) {
        let _ = self.machine_code();
    }

    /// Loads the kernels that are not loaded yet. If PTX is compiled, they form one module, which
    /// is faster than one module per kernel.
    pub fn prepare(&self, entries: &[Cow<'static, str>]) -> Result<(), DeviceError> {
        let missing: Vec<&str> = entries
            .iter()
            .map(|entry| &**entry)
            .filter(|entry| self.loaded_kernel(entry).is_none())
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        self.load(&missing)
    }

    fn unknown_kernel(&self, entry: &str) -> DeviceError {
        DeviceError::UnknownKernel {
            kernel: entry.to_owned(),
            device: self.shared.id.clone(),
        }
    }

    fn loaded_kernel(&self, entry: &str) -> Option<Arc<LoadedKernel>> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.get(entry).cloned()
    }

    /// Returns a kernel compiled with at most `registers` registers per thread.
    pub fn with_registers(&self, entry: &str, most: u32) -> Result<Arc<LoadedKernel>, DeviceError> {
        let limited = || self.limited.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (entry.to_owned(), most);
        if let Some(kernel) = limited().get(&key) {
            return Ok(kernel.clone());
        }
        let options = [ModuleJitOption::MaxRegisters(most)];
        let mut compiled = self.compile(&[entry], &options)?;
        let kernel = Arc::new(compiled.pop().ok_or_else(|| self.unknown_kernel(entry))?);
        limited().insert(key, kernel.clone());
        Ok(kernel)
    }

    fn load(&self, entries: &[&str]) -> Result<(), DeviceError> {
        // unlocked, so that other threads can launch loaded kernels meanwhile
        let kernels = match self.machine_code()? {
            Some(module) => self.find_kernels(&module, entries)?,
            None => self.compile(entries, &[])?,
        };
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        for kernel in kernels {
            loaded
                .entry(kernel.entry.clone())
                .or_insert_with(|| Arc::new(kernel));
        }
        Ok(())
    }

    /// Returns the module with all kernels as machine code, loaded once, or `None` if PTX is
    /// compiled.
    fn machine_code(&self) -> Result<Option<Arc<Module>>, DeviceError> {
        let mut code = self.code.lock().unwrap_or_else(PoisonError::into_inner);
        let shipped = match &*code {
            Code::Absent => return Ok(None),
            Code::Loaded(module) => return Ok(Some(module.clone())),
            Code::Shipped(shipped) => *shipped,
        };
        let bytes = shipped
            .code()
            .map_err(|error| self.not_decompressed(error))?;
        let loaded = self.shared.with("loading kernels", || {
            match Module::from_cubin(bytes, &[]) {
                // an old driver may not know the format; it can still compile PTX
                Err(CudaError::NoBinaryForGpu | CudaError::InvalidImage) => Ok(None),
                loaded => loaded.map(|module| Some(Arc::new(module))),
            }
        })?;
        *code = match &loaded {
            Some(module) => Code::Loaded(module.clone()),
            None => Code::Absent,
        };
        Ok(loaded)
    }

    fn not_decompressed(&self, error: &str) -> DeviceError {
        DeviceError::Cuda {
            device: self.shared.id.clone(),
            what: "decompressing its kernels".to_owned(),
            detail: error.to_owned(),
        }
    }

    /// Compiles kernels of the PTX as one module.
    fn compile(
        &self,
        entries: &[&str],
        options: &[ModuleJitOption],
    ) -> Result<Vec<LoadedKernel>, DeviceError> {
        let ptx = match self.ptx.get() {
            Some(ptx) => ptx,
            None => {
                let text = self.shipped.ptx();
                let text = text.map_err(|error| self.not_decompressed(&error))?;
                self.ptx.get_or_init(|| PtxText::new(text))
            }
        };
        let ptx = ptx
            .module_with(entries)
            .map_err(|entry| self.unknown_kernel(entry))?;
        let loaded = self.shared.with("loading kernels", || {
            Ok(Module::from_ptx_logged(&ptx, options))
        })?;
        let (module, _) = loaded.map_err(|error| DeviceError::Cuda {
            device: self.shared.id.clone(),
            what: format!("compiling {}", entries.join(", ")),
            // with the compiler's log
            detail: error.to_string(),
        })?;
        self.find_kernels(&Arc::new(module), entries)
    }

    fn find_kernels(
        &self,
        module: &Arc<Module>,
        entries: &[&str],
    ) -> Result<Vec<LoadedKernel>, DeviceError> {
        let kernel = |entry: &&str| {
            let function = module
                .get_function_owned(entry)
                .map_err(|error| match error {
                    CudaError::NotFound => self.unknown_kernel(entry),
                    other => self.shared.error(format!("looking for {entry}"), other),
                })?;
            Ok(LoadedKernel {
                resources: self.resources(&function)?,
                function,
                entry: (*entry).to_owned(),
                module: module.clone(),
                choices: Mutex::default(),
                max_dynamic_shared: Mutex::default(),
            })
        };
        entries.iter().map(kernel).collect()
    }

    fn resources(&self, function: &Function<'static>) -> Result<KernelResources, DeviceError> {
        let ask = |attribute| {
            let value = function
                .get_attribute(attribute)
                .map(|value| value.max(0) as u32);
            value.map_err(|error| self.shared.error("asking for a kernel's resources", error))
        };
        Ok(KernelResources::new(ask(FunctionAttribute::NumRegisters)?)
            .with_static_shared(ask(FunctionAttribute::SharedMemorySizeBytes)?)
            .with_max_threads(ask(FunctionAttribute::MaxThreadsPerBlock)?))
    }
}
