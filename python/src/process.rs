//! Threads and devices of a process, and interruptible calls.

use crate::{
    array::{Array, ArrayElement, Memory},
    device_memory::DeviceMemory,
    error::Failure,
};
use ferrovox::{
    device::{Buffer, Device, DeviceKind, Stream},
    error::ErrorKind,
    monitor::{CancelFlag, Monitor, Progress},
};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    process,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicPtr, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    time::Duration,
};

/// Interval in which signals are handled during a computation.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Threads and devices of one process. A child made by `fork` has the memory but not the threads of
/// its parent, so it gets its own.
struct Process {
    id: u32,
    pool: ThreadPool,
    cpu: Device,
    cuda: Mutex<HashMap<String, Device>>,
}

/// State of the current process or of a parent; never freed.
static PROCESS: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());
/// `true` once a CUDA device was opened, in this process or a parent.
static CUDA_IN_USE: AtomicBool = AtomicBool::new(false);

fn current_process() -> Result<&'static Process, Failure> {
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
    let state = Box::into_raw(Box::new(Process {
        id,
        pool,
        cpu,
        cuda: Mutex::default(),
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

impl Process {
    /// Returns the device with a name such as `cpu` or `cuda:1`.
    fn device(&self, name: &str) -> Result<Device, Failure> {
        if name == "cpu" {
            return Ok(self.cpu.clone());
        }
        let mut cuda = self.cuda.lock().unwrap_or_else(PoisonError::into_inner);
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
}

/// Devices, progress and cancellation of a computation.
pub(crate) struct Call<'a> {
    process: &'static Process,
    cancel: &'a CancelFlag,
    /// Callback for the finished fraction of a computation on a stream.
    report: Option<Arc<dyn Fn(f64) + Send + Sync>>,
    /// Progress and cancellation.
    pub monitor: Monitor<'a>,
}

impl Call<'_> {
    /// Creates a stream on a device, which an interruption cancels.
    pub fn stream(&self, device: &str) -> Result<Stream, Failure> {
        let device = self.process.device(device)?;
        let stream = device.stream()?.cancelled_by(self.cancel);
        Ok(match self.report.clone() {
            Some(report) => stream.on_progress(move |fraction| report(fraction)),
            None => stream,
        })
    }
}

/// Stream of a computation, and the place of its results.
pub(crate) struct Workspace {
    stream: Arc<Stream>,
    /// Index of the CUDA device that the results stay on; `None` for the host.
    result_device: Option<usize>,
}

impl Call<'_> {
    /// Calls `compute` with a stream on a device, which waits for the inputs on that device, for
    /// each its memory or `None` on the host. With such an input, the results stay on the device.
    /// All work is complete on return: inputs may be freed or written, and results may be used by
    /// any stream.
    pub fn on_device<R>(
        &self,
        device: &str,
        inputs: &[Option<&DeviceMemory>],
        compute: impl FnOnce(&Workspace) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let mut work = Workspace {
            stream: Arc::new(self.stream(device)?),
            result_device: None,
        };
        for memory in inputs.iter().flatten() {
            if memory.device_id() != device {
                return Err(Failure::invalid(format!(
                    "the arrays are on different devices: {} and {device}",
                    memory.device_id()
                )));
            }
            work.result_device = Some(memory.index());
            memory.order_before(&work.stream)?;
        }
        let result = compute(&work);
        if work.result_device.is_none() {
            return result;
        }
        let complete = work.stream.synchronize();
        // a result keeps the stream, and must not keep its freed memory from other libraries
        work.stream.release_cached_memory();
        let result = result?;
        complete?;
        Ok(result)
    }
}

impl Workspace {
    /// Returns the stream.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns `true` if results stay on a CUDA device.
    pub fn keeps_results_on_device(&self) -> bool {
        self.result_device.is_some()
    }

    /// Creates an array of the elements of a buffer, which are copied from a CUDA device unless
    /// results stay there.
    pub fn array_from_buffer<T: ArrayElement>(
        &self,
        buffer: Buffer<T>,
        shape: Vec<usize>,
    ) -> Result<Array, Failure> {
        if buffer.as_slice().is_some() {
            return Ok(Array::from_host_buffer(buffer, shape));
        }
        let Some(index) = self.result_device else {
            return Ok(Array::from_vec(self.stream.download(&buffer)?, shape));
        };
        let address = buffer.pointer().addr();
        let memory = DeviceMemory::new(Box::new(buffer), self.stream.clone(), index);
        Ok(Array::contiguous(
            Memory::Device(memory),
            address,
            shape,
            T::TYPESTR,
        ))
    }

    /// Creates an array of elements on the host, which are copied to a CUDA device if results stay
    /// there.
    pub fn array_from_vec<T: ArrayElement>(
        &self,
        elements: Vec<T>,
        shape: Vec<usize>,
    ) -> Result<Array, Failure> {
        if self.result_device.is_none() {
            return Ok(Array::from_vec(elements, shape));
        }
        self.array_from_buffer(self.stream.upload(&elements)?, shape)
    }
}

/// Event of a computation, for the thread that waits for it.
enum Event<R> {
    Progress(f64),
    End(Result<R, Failure>),
}

/// Runs a computation on the threads of the module without the global interpreter lock, and returns
/// its result. Meanwhile signals are handled: an interruption cancels the computation and is
/// raised. `progress` is called with the finished fraction; an exception that it raises cancels the
/// computation too.
pub(crate) fn run<R: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Call<'_>) -> Result<R, Failure> + Send,
) -> PyResult<R> {
    let process = current_process()?;
    let progress = progress.map(|callback| callback.clone().unbind());
    let cancel = CancelFlag::new();
    let compute = |cancel: &CancelFlag, sender: &mpsc::Sender<Event<R>>| {
        let shared = Mutex::new(sender.clone());
        let send: Arc<dyn Fn(f64) + Send + Sync> = Arc::new(move |fraction| {
            let sender = shared.lock().unwrap_or_else(PoisonError::into_inner);
            // the receiver lives until the end of the computation
            let _ = sender.send(Event::Progress(fraction));
        });
        let report = |progress: Progress| send(progress.fraction());
        let mut monitor = Monitor::new().cancelled_by(cancel);
        if progress.is_some() {
            monitor = monitor.on_progress(&report);
        }
        work(&Call {
            process,
            cancel,
            report: progress.is_some().then(|| send.clone()),
            monitor,
        })
    };
    let (result, interruption) = py.detach(|| {
        let (sender, receiver) = mpsc::channel();
        process.pool.in_place_scope(|scope| {
            let cancel_flag = &cancel;
            scope.spawn(move |_| {
                let result = catch_unwind(AssertUnwindSafe(|| compute(cancel_flag, &sender)));
                let result = result.unwrap_or_else(|panic| Err(Failure::from_panic(&*panic)));
                // the receiver waits for this event
                let _ = sender.send(Event::End(result));
            });
            let mut interruption = None;
            loop {
                let handled = match receiver.recv_timeout(SIGNAL_INTERVAL) {
                    Ok(Event::End(result)) => return (result, interruption),
                    Ok(Event::Progress(fraction)) => match &progress {
                        Some(callback) => {
                            Python::attach(|py| callback.call1(py, (fraction,)).map(drop))
                        }
                        None => Ok(()),
                    },
                    Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
                    Err(RecvTimeoutError::Disconnected) => {
                        let message = "a computation ended without a result".to_owned();
                        return (Err(Failure::invalid(message)), interruption);
                    }
                };
                if let Err(error) = handled {
                    cancel.cancel();
                    interruption.get_or_insert(error);
                }
            }
        })
    });
    match interruption {
        Some(error) => Err(error),
        None => Ok(result?),
    }
}

/// Returns the names of the devices of this machine: CUDA devices by index, then the CPU.
#[pyfunction]
pub(crate) fn device_ids(py: Python<'_>) -> PyResult<Vec<String>> {
    run(py, None, |_| {
        let count = Device::cuda_count().unwrap_or(0);
        let cuda = (0..count).map(|index| format!("cuda:{index}"));
        Ok(cuda.chain(["cpu".to_owned()]).collect())
    })
}

/// Return the memory that the devices keep for later calls to the system.
///
/// Freed memory of results and computations stays in a pool: of the CPU at most 1 GiB, of a CUDA
/// device all that was needed at a time, which other libraries cannot use meanwhile.
#[pyfunction]
pub(crate) fn release_cached_memory(py: Python<'_>) -> PyResult<()> {
    run(py, None, |call| {
        call.process.cpu.release_cached_memory()?;
        let cuda = call
            .process
            .cuda
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for device in cuda.values() {
            device.release_cached_memory()?;
        }
        Ok(())
    })
}
