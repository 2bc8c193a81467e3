//! Kernels, compiled by the driver when they are first needed.

use super::Shared;
use crate::{
    device::{DeviceError, ptx::PtxText},
    occupancy::KernelResources,
};
use cust::{
    function::{Function, FunctionAttribute},
    module::Module,
};
use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// The shipped PTX, and the kernels of it that were asked for.
pub(super) struct Kernels {
    shared: Arc<Shared>,
    ptx: PtxText<'static>,
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
    pub fn new(shared: &Arc<Shared>, ptx: &'static str) -> Self {
        Self {
            shared: shared.clone(),
            ptx: PtxText::new(ptx),
            known: Mutex::default(),
        }
    }

    /// A kernel, compiled if it was not asked for before.
    pub fn get(&self, entry: &str) -> Result<LoadedKernel, DeviceError> {
        if let Some(kernel) = self.known(entry) {
            return Ok(kernel);
        }
        self.load(&[entry])?;
        self.known(entry).ok_or_else(|| self.unknown(entry))
    }

    /// Compiles kernels that were not asked for before, as one module: that takes less than a module for each.
    pub fn prepare(&self, entries: &[Cow<'static, str>]) -> Result<(), DeviceError> {
        let missing: Vec<&str> = entries
            .iter()
            .map(|entry| &**entry)
            .filter(|entry| self.known(entry).is_none())
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        self.load(&missing)
    }

    fn unknown(&self, entry: &str) -> DeviceError {
        DeviceError::UnknownKernel {
            kernel: entry.to_owned(),
            device: self.shared.id.clone(),
        }
    }

    fn known(&self, entry: &str) -> Option<LoadedKernel> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(entry).cloned()
    }

    fn load(&self, entries: &[&str]) -> Result<(), DeviceError> {
        let ptx = self
            .ptx
            .module_of(entries)
            .map_err(|entry| self.unknown(entry))?;
        // without the lock: others can launch what is known meanwhile
        let loaded = self
            .shared
            .with("loading kernels", || Ok(Module::from_ptx_logged(&ptx, &[])))?;
        let (module, _) = loaded.map_err(|error| DeviceError::Cuda {
            device: self.shared.id.clone(),
            what: format!("compiling {}", entries.join(", ")),
            // with the compiler's log
            detail: error.to_string(),
        })?;
        for &entry in entries {
            let function = module
                .get_function_owned(entry)
                .map_err(|_| self.unknown(entry))?;
            let kernel = LoadedKernel {
                resources: self.resources(&function)?,
                function,
                entry: entry.to_owned(),
            };
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.entry(entry.to_owned()).or_insert(kernel);
        }
        Ok(())
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
