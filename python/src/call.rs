//! Interruptible calls of the library.

use crate::{
    device_memory::{DeviceMemory, release_large_cache},
    error::Failure,
    process::{Process, lock},
    serial::become_serial,
    thread_streams::ThreadStreams,
    wait::{SIGNAL_INTERVAL, Waits},
    workspace::Workspace,
};
use ferrovox::{
    device::{Stream, run_job},
    monitor::{CancelFlag, Monitor, Progress},
};
use pyo3::prelude::*;
use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        mpsc::{self, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

/// Maximum number of elements of a computation that runs on the calling thread: on the CPU about a
/// millisecond of work.
const MAX_SMALL_ON_CPU: usize = 1 << 16;
/// Maximum number of elements of a computation on a CUDA device that runs on the calling thread.
const MAX_SMALL_ON_CUDA: usize = 1 << 18;
/// The same for elements that are already on the device and that no loop of the host visits: a few
/// milliseconds of work.
const MAX_RESIDENT_ON_CUDA: usize = 1 << 28;

thread_local! {
    /// Duration of the last computation that the thread called.
    static LAST_DURATION: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Streams, progress and cancellation of a computation.
pub(crate) struct Call<'a> {
    process: &'static Process,
    streams: &'a ThreadStreams,
    cancel: &'a CancelFlag,
    /// Callback for the finished fraction of a computation on a stream.
    report: Option<Arc<dyn Fn(f64) + Send + Sync>>,
    /// Waits for the work of other libraries.
    pub waits: Waits<'a>,
    /// Progress and cancellation.
    pub monitor: Monitor<'a>,
}

impl Call<'_> {
    /// Returns the stream of the calling thread on a device; an interruption cancels its work.
    pub fn stream(&self, device: &str) -> Result<Stream, Failure> {
        let stream = self.streams.stream(device)?.cancelled_by(self.cancel);
        Ok(match self.report.clone() {
            Some(report) => stream.on_progress(move |fraction| report(fraction)),
            None => stream,
        })
    }

    /// Calls `compute` with a stream on a device, which waits for the inputs on that device, for
    /// each its memory or `None` on the host. With such an input, the results stay on the device.
    /// All work is complete on return: inputs may be freed or written, and results may be used by
    /// any stream.
    fn on_device<R>(
        &self,
        device: &str,
        inputs: &[Option<&DeviceMemory>],
        compute: impl FnOnce(&Workspace) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let stream = Arc::new(self.stream(device)?);
        let mut result_device = None;
        let _current = stream.stay_current()?;
        for memory in inputs.iter().flatten() {
            if memory.device_id() != device {
                return Err(Failure::invalid(format!(
                    "the arrays are on different devices: {} and {device}",
                    memory.device_id()
                )));
            }
            result_device = Some(memory.index());
            memory.order_before(&stream, &self.waits)?;
        }
        if result_device.is_some() {
            // kernels that were enqueued behind the work of another library could not be cancelled
            self.waits.for_stream(&stream)?;
        }
        // after a panic, too, kernels may still read the inputs
        let result = catch_panic(|| compute(&Workspace::new(stream.clone(), result_device)));
        // results of the host have been downloaded, after all other work
        let complete = match result_device {
            Some(_) => stream.synchronize(),
            None => Ok(()),
        };
        release_large_cache(&stream);
        let result = result?;
        complete?;
        Ok(result)
    }
}

/// Place and size of a computation.
pub(crate) struct Task<'a> {
    /// Name of the device.
    pub device: &'a str,
    /// Memory of each input on a CUDA device; `None` for inputs on the host.
    pub inputs: &'a [Option<&'a DeviceMemory>],
    /// Number of elements of the first input. Computations on few elements run on the calling
    /// thread.
    pub elements: usize,
    /// `true` if loops of the host may visit all elements, also those of arrays on a CUDA device,
    /// or if single threads of the device may visit many.
    pub has_long_loops: bool,
}

impl Task<'_> {
    /// Returns the maximum number of elements with which the computation runs on the calling
    /// thread.
    fn max_small(&self) -> usize {
        let is_resident = matches!(self.inputs, [Some(_), ..]);
        match self.device {
            "cpu" => MAX_SMALL_ON_CPU,
            _ if is_resident && !self.has_long_loops => MAX_RESIDENT_ON_CUDA,
            _ => MAX_SMALL_ON_CUDA,
        }
    }
}

/// Longest axis along which single threads of a device may visit all elements in a short
/// computation.
const MAX_SHORT_AXIS: usize = 1 << 14;

/// Returns `true` for a grid with a long axis.
pub(crate) fn is_long(dims: [usize; 3]) -> bool {
    dims.iter().any(|&dim| dim > MAX_SHORT_AXIS)
}

/// Runs a computation on a device as [`run`] does, or on the calling thread if it is small.
/// `compute` gets a stream that waits for the inputs; with inputs on a CUDA device, the results
/// stay there. All work is complete on return.
pub(crate) fn run_on_device<R: Send + 'static>(
    py: Python<'_>,
    task: Task<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    compute: impl FnOnce(&Workspace) -> Result<R, Failure> + Send,
) -> PyResult<R> {
    let work = |call: &Call<'_>| {
        call.on_device(task.device, task.inputs, |work| {
            let start = Instant::now();
            let result = compute(work)?;
            Ok((result, start.elapsed()))
        })
    };
    let (result, duration) = if task.elements <= task.max_small() && progress.is_none() {
        run_small(py, work)
    } else {
        run(py, progress, work)
    }?;
    LAST_DURATION.set(duration);
    Ok(result)
}

/// Returns the duration of the library's computation, in seconds, in the last call of this thread.
#[pyfunction]
pub(crate) fn last_duration() -> f64 {
    LAST_DURATION.get().as_secs_f64()
}

/// Runs a short computation on the calling thread without the global
/// interpreter lock, and returns its result. Signals are handled while it waits for other
/// libraries, and afterwards.
pub(crate) fn run_small<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Call<'_>) -> Result<R, Failure> + Send,
) -> PyResult<R> {
    let process = Process::current()?;
    if !become_serial() {
        return run(py, None, work);
    }
    let result = py.detach(|| {
        let cancel = CancelFlag::new();
        let streams = ThreadStreams::current(process);
        let call = Call {
            process,
            streams: &streams,
            cancel: &cancel,
            report: None,
            waits: Waits::on_caller(&cancel),
            monitor: Monitor::new().cancelled_by(&cancel),
        };
        catch_panic(|| work(&call))
    });
    Ok(result?)
}

/// Calls `work`, and returns a panic as an error.
fn catch_panic<R>(work: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
    let result = catch_unwind(AssertUnwindSafe(work));
    result.unwrap_or_else(|panic| Err(Failure::from_panic(&*panic)))
}

/// Event of a computation, for the thread that waits for it.
enum Event<R> {
    Progress(f64),
    End(Result<R, Failure>),
}

/// Runs a computation on the threads of the module without the global interpreter lock, and returns
/// its result. Meanwhile signals are handled: an interruption cancels the computation and is
/// raised. `progress` is called with the finished fraction; an exception that it raises cancels the
/// computation too, and ends the calls.
pub(crate) fn run<R: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Call<'_>) -> Result<R, Failure> + Send,
) -> PyResult<R> {
    let process = Process::current()?;
    let streams = ThreadStreams::current(process);
    let progress = progress.map(|callback| callback.clone().unbind());
    let cancel = CancelFlag::new();
    let compute = |cancel: &CancelFlag, sender: &mpsc::Sender<Event<R>>| {
        let shared = Mutex::new(sender.clone());
        let send: Arc<dyn Fn(f64) + Send + Sync> = Arc::new(move |fraction| {
            // the receiver lives until the end of the computation
            let _ = lock(&shared).send(Event::Progress(fraction));
        });
        let report = |progress: Progress| send(progress.fraction());
        let mut monitor = Monitor::new().cancelled_by(cancel);
        if progress.is_some() {
            monitor = monitor.on_progress(&report);
        }
        work(&Call {
            process,
            streams: &streams,
            cancel,
            report: progress.is_some().then(|| send.clone()),
            waits: Waits::cancelled_by(cancel),
            monitor,
        })
    };
    let (result, interruption) = py.detach(|| {
        let (sender, receiver) = mpsc::channel();
        process.pool().in_place_scope(|scope| {
            let cancel_flag = &cancel;
            scope.spawn(move |_| {
                // the thread may be waiting for a loop of another computation
                let result = run_job(|| catch_panic(|| compute(cancel_flag, &sender)));
                // the receiver waits for this event
                let _ = sender.send(Event::End(result));
            });
            let mut interruption = None;
            let mut last_check = Instant::now();
            loop {
                let mut handled = match receiver.recv_timeout(SIGNAL_INTERVAL) {
                    Ok(Event::End(result)) => return (result, interruption),
                    Ok(Event::Progress(fraction)) => match &progress {
                        Some(callback) if interruption.is_none() => {
                            Python::attach(|py| callback.call1(py, (fraction,)).map(drop))
                        }
                        _ => Ok(()),
                    },
                    Err(RecvTimeoutError::Timeout) => Ok(()),
                    Err(RecvTimeoutError::Disconnected) => {
                        let message = "a computation ended without a result".to_owned();
                        return (Err(Failure::invalid(message)), interruption);
                    }
                };
                // by the clock, because a callback that is no function of Python handles none
                if handled.is_ok() && last_check.elapsed() >= SIGNAL_INTERVAL {
                    handled = Python::attach(|py| py.check_signals());
                    last_check = Instant::now();
                }
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
    run_small(py, |call| {
        let cuda = (0..call.process.cuda_count()).map(|index| format!("cuda:{index}"));
        Ok(cuda.chain(["cpu".to_owned()]).collect())
    })
}

/// Return the memory that the devices keep for later calls to the system.
///
/// Freed memory of results and computations stays in a pool: of the CPU at most 1 GiB, of a CUDA
/// device all that was needed at a time, which other libraries cannot use meanwhile.
#[pyfunction]
pub(crate) fn release_cached_memory(py: Python<'_>) -> PyResult<()> {
    run_small(py, |call| call.process.release_cached_memory())
}
