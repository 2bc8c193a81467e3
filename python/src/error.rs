//! Errors of the library as exceptions of Python.

use ferrovox::{
    device::DeviceError,
    distance::DistanceError,
    error::ErrorKind,
    graph::GraphError,
    grid::{GridError, VolumeError},
    io::{FileError, FileProblem},
    isosurface::IsosurfaceError,
    memory::OutOfMemory,
    monitor::Cancelled,
    render::RenderError,
    scan::ScanError,
    skeleton::SkeletonError,
    viewer::PageError,
    voxelize::VoxelizeError,
};
use pyo3::{
    exceptions::{
        PyFileNotFoundError, PyIsADirectoryError, PyKeyboardInterrupt, PyMemoryError, PyOSError,
        PyPermissionError, PyRuntimeError, PyTypeError, PyValueError,
    },
    prelude::*,
};

/// Reason why a function failed.
pub(crate) enum Failure {
    /// Error of the library.
    Library {
        /// Kind of the error, which selects the exception.
        kind: ErrorKind,
        /// Message of the exception.
        message: String,
        /// Memory of a device, if it was insufficient.
        memory: Option<MemoryShortage>,
    },
    /// Error that Python defines.
    Python(PyErr),
    /// There is no surface at a level within the data.
    NoSurface,
}

/// Memory of a device in bytes, when an allocation failed for lack of it.
pub(crate) struct MemoryShortage {
    requested: u64,
    free: u64,
    total: u64,
}

impl Failure {
    /// Creates the failure of an invalid argument.
    pub fn invalid(message: String) -> Self {
        Self::Python(PyValueError::new_err(message))
    }

    /// Creates the failure of a programming error of the library.
    pub fn internal(message: String) -> Self {
        Self::Library {
            kind: ErrorKind::Internal,
            message,
            memory: None,
        }
    }

    /// Creates the failure of an unexpected panic, of a failed allocation, or of a cancelled loop.
    pub fn from_panic(payload: &(dyn std::any::Any + Send)) -> Self {
        if let Some(error) = payload.downcast_ref::<OutOfMemory>() {
            return (*error).into();
        }
        if payload.is::<Cancelled>() {
            return Cancelled.into();
        }
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or(payload.downcast_ref::<&str>().copied());
        Self::internal(text.unwrap_or("a computation panicked").to_owned())
    }
}

/// Creates the exception for a type of elements that a function does not take.
pub(crate) fn unexpected_type(typestr: &str) -> PyErr {
    PyTypeError::new_err(format!("unexpected element type {typestr}"))
}

fn memory_shortage(error: &DeviceError) -> Option<MemoryShortage> {
    match *error {
        DeviceError::OutOfMemory {
            requested,
            free,
            total,
            ..
        } => Some(MemoryShortage {
            requested,
            free,
            total,
        }),
        _ => None,
    }
}

macro_rules! impl_from {
    ($($Error:ty { $device:pat => $inner:expr }),* $(,)?) => {
        $(impl From<$Error> for Failure {
            fn from(error: $Error) -> Self {
                let memory = match &error {
                    $device => memory_shortage($inner),
                    // unreachable for errors with a single variant
                    #[allow(unreachable_patterns)]
                    _ => None,
                };
                Self::Library { kind: error.kind(), message: error.to_string(), memory }
            }
        })*
    };
}

impl_from!(
    DeviceError { error => error },
    GridError { GridError::Device(error) => error },
    IsosurfaceError { IsosurfaceError::Device(error) => error },
    DistanceError { DistanceError::Device(error) => error },
    ScanError { ScanError::Device(error) => error },
    SkeletonError { SkeletonError::Device(error) => error },
    VoxelizeError { VoxelizeError::Device(error) => error },
    RenderError { RenderError::Device(error) => error },
);

macro_rules! impl_from_host {
    ($($Error:ty),*) => {
        $(impl From<$Error> for Failure {
            fn from(error: $Error) -> Self {
                Self::Library { kind: error.kind(), message: error.to_string(), memory: None }
            }
        })*
    };
}

impl_from_host!(VolumeError, GraphError, PageError);

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let message = error.to_string();
        match error.problem {
            FileProblem::NotFound => Self::Python(PyFileNotFoundError::new_err(message)),
            FileProblem::PermissionDenied => Self::Python(PyPermissionError::new_err(message)),
            FileProblem::IsDirectory => Self::Python(PyIsADirectoryError::new_err(message)),
            problem => Self::Library {
                kind: problem.kind(),
                message,
                memory: None,
            },
        }
    }
}

impl From<OutOfMemory> for Failure {
    fn from(error: OutOfMemory) -> Self {
        DeviceError::from(error).into()
    }
}

impl From<Cancelled> for Failure {
    fn from(error: Cancelled) -> Self {
        DeviceError::from(error).into()
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        let (kind, message, memory) = match failure {
            Failure::Python(error) => return error,
            Failure::NoSurface => {
                return PyRuntimeError::new_err("No surface found at the given iso value.");
            }
            Failure::Library {
                kind,
                message,
                memory,
            } => (kind, message, memory),
        };
        let name = match kind {
            ErrorKind::InvalidArgument => return PyValueError::new_err(message),
            ErrorKind::Io => return PyOSError::new_err(message),
            ErrorKind::Cancelled => return PyKeyboardInterrupt::new_err(message),
            ErrorKind::Memory if memory.is_none() => return PyMemoryError::new_err(message),
            ErrorKind::Memory => "memory",
            ErrorKind::Device => "device",
            ErrorKind::Unsupported => "unsupported",
            _ => "internal",
        };
        Python::attach(|py| {
            let create = || {
                let errors = py.import("ferrovox._errors")?;
                match memory {
                    Some(memory) => {
                        let numbers = (message, memory.requested, memory.free, memory.total);
                        errors.getattr("DeviceMemoryError")?.call1(numbers)
                    }
                    None => errors.getattr("FerrovoxError")?.call1((message, name)),
                }
            };
            create().map_or_else(|error| error, PyErr::from_value)
        })
    }
}
