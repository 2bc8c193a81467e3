//! Arguments of functions: arrays of the host, and of a CUDA device.

use crate::{
    array::{Array, Order},
    device_memory::DeviceMemory,
    error::Failure,
    host_array::{HostArray, grid_dims},
    workspace::Workspace,
};
use ferrovox::{
    device::{Borrowed, Buffer, Element},
    grid::{DeviceSample, DeviceVolume, Geometry, Sample, VolumeView},
};
use pyo3::{exceptions::PyTypeError, prelude::*};
use std::borrow::Cow;

/// A C-contiguous array.
pub(crate) enum Input<'py> {
    /// Array in the memory of the host.
    Host(HostArray<'py>),
    /// Array in the memory of a CUDA device.
    Device(Bound<'py, Array>),
}

impl<'py> Input<'py> {
    /// Reads an array of NumPy, or one that was imported from a CUDA device.
    ///
    /// # Errors
    /// `TypeError` if the array is not C-contiguous, or has no array interface.
    pub fn new(array: &Bound<'py, PyAny>) -> PyResult<Self> {
        match array.cast::<Array>() {
            Ok(own) if own.get().device_memory().is_some() => {
                if !own.get().is_contiguous(Order::C) {
                    return Err(PyTypeError::new_err("the array is not C-contiguous"));
                }
                Ok(Self::Device(own.clone()))
            }
            _ => Ok(Self::Host(HostArray::new(array)?)),
        }
    }

    /// Returns the number of elements along each axis, the last of which is contiguous.
    pub fn shape(&self) -> &[usize] {
        match self {
            Self::Host(array) => &array.shape,
            Self::Device(array) => array.get().shape(),
        }
    }

    /// Returns the type of the elements, such as `<f4`.
    pub fn typestr(&self) -> &str {
        match self {
            Self::Host(array) => &array.typestr,
            Self::Device(array) => array.get().typestr(),
        }
    }

    /// Returns the number of elements along x, y and z, with 1 for missing axes.
    pub fn dims(&self) -> PyResult<[usize; 3]> {
        grid_dims(self.shape())
    }

    /// Returns the elements.
    ///
    /// # Errors
    /// `TypeError` if the elements have another size or alignment.
    pub fn elements<T: Element>(&self) -> PyResult<Elements<'_, T>> {
        match self {
            Self::Host(array) => Ok(Elements::Host(array.elements()?)),
            Self::Device(array) => {
                let array = array.get();
                let Some(memory) = array.device_memory() else {
                    return Err(PyTypeError::new_err("the array is not on a CUDA device"));
                };
                let (address, typestr) = (array.address(), array.typestr());
                let size = typestr.get(2..).and_then(|size| size.parse().ok());
                if size != Some(size_of::<T>()) || !address.is_multiple_of(align_of::<T>()) {
                    let message =
                        format!("the array has unaligned or unexpected elements of type {typestr}");
                    return Err(PyTypeError::new_err(message));
                }
                let len = array.shape().iter().product();
                Ok(Elements::Device {
                    memory,
                    address,
                    len,
                })
            }
        }
    }

    /// Returns the elements as samples of a grid.
    ///
    /// # Errors
    /// The errors of [`elements`](Self::elements) and [`dims`](Self::dims).
    pub fn samples<T: Element>(&self, geometry: Geometry) -> PyResult<Samples<'_, T>> {
        Ok(Samples {
            elements: self.elements()?,
            dims: self.dims()?,
            geometry,
        })
    }
}

/// Elements of an array.
#[derive(Clone, Copy)]
pub(crate) enum Elements<'a, T> {
    /// Elements in the memory of the host.
    Host(&'a [T]),
    /// Elements in the memory of a CUDA device.
    Device {
        /// Memory with the elements.
        memory: &'a DeviceMemory,
        /// Address of the first element.
        address: usize,
        /// Number of elements.
        len: usize,
    },
}

impl<'a, T: Element> Elements<'a, T> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        match *self {
            Self::Host(elements) => elements.len(),
            Self::Device { len, .. } => len,
        }
    }

    /// Returns the memory of the device that contains the elements; `None` on the host.
    pub fn device_memory(&self) -> Option<&'a DeviceMemory> {
        match *self {
            Self::Host(_) => None,
            Self::Device { memory, .. } => Some(memory),
        }
    }

    /// Creates a buffer of the elements, without a copy if they are on the device of the workspace
    /// and aligned to 16 bytes.
    pub fn borrow(&self, work: &Workspace) -> Result<Borrowed<'a, Buffer<T>>, Failure> {
        match *self {
            Self::Host(elements) => Ok(work.stream().borrow(elements)?),
            Self::Device {
                memory,
                address,
                len,
            } => memory.borrow(work.stream(), address, len),
        }
    }

    /// Returns the elements on the host, copied from a device.
    pub fn on_host(&self, work: &Workspace) -> Result<Cow<'a, [T]>, Failure> {
        match *self {
            Self::Host(elements) => Ok(Cow::Borrowed(elements)),
            Self::Device { .. } => Ok(Cow::Owned(work.stream().download(&*self.borrow(work)?)?)),
        }
    }
}

/// Samples of a grid.
#[derive(Clone, Copy)]
pub(crate) struct Samples<'a, T> {
    /// Samples, x fastest.
    pub elements: Elements<'a, T>,
    /// Number of samples along x, y and z.
    pub dims: [usize; 3],
    /// Position of the samples in the world.
    pub geometry: Geometry,
}

impl<'a, T: DeviceSample + Sample> Samples<'a, T> {
    /// Creates a volume of the samples, without a copy if they are on the device of the workspace
    /// and aligned to 16 bytes.
    pub fn borrow(&self, work: &Workspace) -> Result<Borrowed<'a, DeviceVolume<T>>, Failure> {
        let samples = self.elements.borrow(work)?;
        Ok(DeviceVolume::from_borrowed(
            samples,
            self.dims,
            self.geometry,
        )?)
    }

    /// Calls `act` with the samples on the host, copied from a device.
    pub fn with_host_view<R>(
        &self,
        work: &Workspace,
        act: impl FnOnce(VolumeView<'_, T>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let samples = self.elements.on_host(work)?;
        act(VolumeView::new(&samples, self.dims, self.geometry)?)
    }
}
