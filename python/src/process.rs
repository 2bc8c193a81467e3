//! Threads and devices of a process.

use crate::{deferred_release::ReleaseQueue, error::Failure};
use ferrovox::{
    device::{Device, DeviceKind, Stream},
    error::ErrorKind,
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::{
    collections::HashMap,
    process,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicPtr, AtomicU32, Ordering},
    },
};

/// Threads and devices of one process. A child made by `fork` has the memory but not the threads of
/// its parent, so it gets its own.
pub(crate) struct Process {
    id: u32,
    pool: ThreadPool,
    cpu: Device,
    cuda: Mutex<HashMap<String, Device>>,
    /// Streams of threads that have ended, for later threads, with the names of their devices.
    idle_streams: Mutex<Vec<(String, Stream)>>,
    releases: ReleaseQueue,
}

/// State of the current process or of a parent; never freed.
static PROCESS: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());
/// Id of the process that initialised CUDA, this one or a parent; 0 if none did.
static CUDA_PROCESS: AtomicU32 = AtomicU32::new(0);

/// Locks a mutex, whose contents no panic leaves in an invalid state.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Process {
    /// Returns the state of the current process; `None` before its first computation.
    pub fn existing() -> Option<&'static Self> {
        // SAFETY: the state is never freed.
        let state = unsafe { PROCESS.load(Ordering::Acquire).as_ref() };
        state.filter(|state| state.is_current())
    }

    /// Returns the state of the current process, which the first call creates.
    pub fn current() -> Result<&'static Self, Failure> {
        let current = PROCESS.load(Ordering::Acquire);
        if let Some(state) = Self::existing() {
            return Ok(state);
        }
        let pool = ThreadPoolBuilder::new()
            .thread_name(|number| format!("ferrovox-{number}"))
            .build()
            .map_err(|error| Failure::Library {
                kind: ErrorKind::Device,
                message: format!("the system cannot create more threads: {error}"),
                memory: None,
            })?;
        let cpu = pool.install(Device::cpu);
        let state = Box::into_raw(Box::new(Self {
            id: process::id(),
            pool,
            cpu,
            cuda: Mutex::default(),
            idle_streams: Mutex::default(),
            releases: ReleaseQueue::default(),
        }));
        let swapped = PROCESS.compare_exchange(current, state, Ordering::AcqRel, Ordering::Acquire);
        let state = match swapped {
            Ok(_) => state,
            Err(other) => {
                // SAFETY: the state was not published.
                drop(unsafe { Box::from_raw(state) });
                other
            }
        };
        // SAFETY: published states are never freed.
        Ok(unsafe { &*state })
    }

    /// Returns `false` in a child of the process made by `fork`.
    pub fn is_current(&self) -> bool {
        self.id == process::id()
    }

    /// Returns the threads for large computations.
    pub fn pool(&self) -> &ThreadPool {
        &self.pool
    }

    /// Returns the memory that is released on a thread of its own.
    pub fn releases(&self) -> &ReleaseQueue {
        &self.releases
    }

    /// Initialises CUDA, if there is a driver.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] in a child made by `fork` of a process that initialised CUDA.
    fn initialize_cuda(&self) -> Result<(), Failure> {
        let process = CUDA_PROCESS.load(Ordering::Relaxed);
        if process == 0 {
            if Device::cuda_count().is_ok() {
                CUDA_PROCESS.store(self.id, Ordering::Relaxed);
            }
            return Ok(());
        }
        if process == self.id {
            return Ok(());
        }
        Err(Failure::Library {
            kind: ErrorKind::Device,
            message: "CUDA cannot be used after fork(), because the parent process used it; start \
                      processes with multiprocessing.set_start_method(\"spawn\")"
                .to_owned(),
            memory: None,
        })
    }

    /// Returns the number of CUDA devices that the process can use.
    pub fn cuda_count(&self) -> usize {
        if self.initialize_cuda().is_err() {
            return 0;
        }
        Device::cuda_count().unwrap_or(0)
    }

    /// Returns the index of the CUDA device that owns the memory at `address`.
    pub fn cuda_index_at(&self, address: u64) -> Result<usize, Failure> {
        self.initialize_cuda()?;
        Ok(Device::cuda_index_at(address)?)
    }

    /// Returns the device with a name such as `cpu` or `cuda:1`.
    fn device(&self, name: &str) -> Result<Device, Failure> {
        if name == "cpu" {
            return Ok(self.cpu.clone());
        }
        let mut cuda = lock(&self.cuda);
        if let Some(device) = cuda.get(name) {
            return Ok(device.clone());
        }
        self.initialize_cuda()?;
        let device: Device = name.parse()?;
        if device.kind() == DeviceKind::Cuda {
            cuda.insert(name.to_owned(), device.clone());
        }
        Ok(device)
    }

    /// Returns a stream on a device that no other thread uses.
    pub fn unused_stream(&self, device: &str) -> Result<Stream, Failure> {
        let mut idle = lock(&self.idle_streams);
        if let Some(position) = idle.iter().position(|(name, _)| name == device) {
            return Ok(idle.swap_remove(position).1);
        }
        drop(idle);
        Ok(self.device(device)?.stream()?)
    }

    /// Keeps streams, with the names of their devices, for later threads.
    pub fn keep_streams(&self, streams: Vec<(String, Stream)>) {
        lock(&self.idle_streams).extend(streams);
    }

    /// Returns the memory that the devices keep for later calls to the system.
    pub fn release_cached_memory(&self) -> Result<(), Failure> {
        self.cpu.release_cached_memory()?;
        for device in lock(&self.cuda).values() {
            device.release_cached_memory()?;
        }
        Ok(())
    }
}
