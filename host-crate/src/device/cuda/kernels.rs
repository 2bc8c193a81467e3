//! The kernels of the loaded module.

use super::Shared;
use crate::{device::DeviceError, occupancy::KernelResources};
use cust::{
    function::{Function, FunctionAttribute},
    module::Module,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// The module, and what is known of the kernels that were asked for.
pub(super) struct Kernels {
    shared: Arc<Shared>,
    module: Module,
    known: Mutex<HashMap<String, LoadedKernel>>,
}

/// A kernel that can be launched.
#[derive(Clone)]
pub(super) struct LoadedKernel {
    pub function: Function<'static>,
    pub entry: String,
    pub resources: KernelResources,
}

impl Kernels {
    pub fn load(shared: &Arc<Shared>, ptx: &str) -> Result<Self, DeviceError> {
        let loaded = shared.with("loading the PTX", || Ok(Module::from_ptx_logged(ptx, &[])))?;
        let (module, _) = loaded.map_err(|error| DeviceError::Cuda {
            device: shared.id.clone(),
            what: "loading the PTX".to_owned(),
            // with the compiler's log
            detail: error.to_string(),
        })?;
        Ok(Self {
            shared: shared.clone(),
            module,
            known: Mutex::default(),
        })
    }

    pub fn get(&self, entry: &str) -> Result<LoadedKernel, DeviceError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = known.get(entry) {
            return Ok(kernel.clone());
        }
        let function =
            self.module
                .get_function_owned(entry)
                .map_err(|_| DeviceError::UnknownKernel {
                    kernel: entry.to_owned(),
                    device: self.shared.id.clone(),
                })?;
        let resources = self.resources(&function)?;
        let kernel = LoadedKernel {
            function,
            entry: entry.to_owned(),
            resources,
        };
        known.insert(entry.to_owned(), kernel.clone());
        Ok(kernel)
    }

    fn resources(&self, function: &Function<'static>) -> Result<KernelResources, DeviceError> {
        let ask = |attribute| {
            let value = function
                .get_attribute(attribute)
                .map(|value| value.max(0) as u32);
            value.map_err(|error| self.shared.error("asking for a kernel's resources", error))
        };
        Ok(KernelResources {
            registers: ask(FunctionAttribute::NumRegisters)?,
            static_shared_bytes: ask(FunctionAttribute::SharedMemorySizeBytes)?,
            max_threads: ask(FunctionAttribute::MaxThreadsPerBlock)?,
        })
    }
}
