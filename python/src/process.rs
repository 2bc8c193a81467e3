//! Threads and devices of a process.

use crate::error::Failure;
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
        atomic::{AtomicBool, AtomicPtr, Ordering},
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
}

/// State of the current process or of a parent; never freed.
static PROCESS: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());
/// `true` once a CUDA device was opened, in this process or a parent.
static CUDA_IN_USE: AtomicBool = AtomicBool::new(false);

/// Locks a mutex, whose contents no panic leaves in an invalid state.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Process {
    /// Returns the state of the current process, which the first call creates.
    pub fn current() -> Result<&'static Self, Failure> {
        let id = process::id();
        let current = PROCESS.load(Ordering::Acquire);
        // SAFETY: the state is never freed.
        if let Some(state) = unsafe { current.as_ref() }
            && state.id == id
        {
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
            id,
            pool,
            cpu,
            cuda: Mutex::default(),
            idle_streams: Mutex::default(),
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

    /// Returns the device with a name such as `cpu` or `cuda:1`.
    fn device(&self, name: &str) -> Result<Device, Failure> {
        if name == "cpu" {
            return Ok(self.cpu.clone());
        }
        let mut cuda = lock(&self.cuda);
        if let Some(device) = cuda.get(name) {
            return Ok(device.clone());
        }
        if cuda.is_empty() && CUDA_IN_USE.load(Ordering::Relaxed) {
            return Err(Failure::Library {
                kind: ErrorKind::Device,
                message: "CUDA cannot be used after fork(), because the parent process used it; \
                          start processes with multiprocessing.set_start_method(\"spawn\")"
                    .to_owned(),
                memory: None,
            });
        }
        let device: Device = name.parse()?;
        if device.kind() == DeviceKind::Cuda {
            CUDA_IN_USE.store(true, Ordering::Relaxed);
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
