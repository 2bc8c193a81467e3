//! Uniform interface to the CPU executor, which detects races and out-of-bounds accesses in checked
//! mode, and to a GPU.

use std::error::Error;

use cuda_std::{PackedArgs, View, ViewMut, kernel::Kernel};
use cust::{memory::DeviceCopy, prelude::*};
use simt::{LaunchShape, Mode};

/// A result with an error message.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// A device that runs kernels.
pub enum Machine {
    Cpu(Mode),
    Gpu(Gpu),
}

/// A GPU with the course's kernels.
pub struct Gpu {
    module: Module,
    stream: Stream,
    _context: Context,
}

impl Gpu {
    /// Opens the first GPU, if there are one and a driver.
    pub fn first(ptx: &str) -> Outcome<Self> {
        let context = cust::quick_init()?;
        Ok(Self {
            module: Module::from_ptx(ptx, &[])?,
            stream: Stream::new(StreamFlags::NON_BLOCKING, None)?,
            _context: context,
        })
    }
}

/// Elements in the memory of a machine.
pub enum Buffer<T: DeviceCopy> {
    Host(Vec<T>),
    Device(DeviceBuffer<T>),
}

impl Machine {
    /// Copies elements to the machine's memory.
    pub fn upload<T: DeviceCopy>(&self, elements: &[T]) -> Outcome<Buffer<T>> {
        Ok(match self {
            Machine::Cpu(_) => Buffer::Host(elements.to_vec()),
            Machine::Gpu(_) => Buffer::Device(DeviceBuffer::from_slice(elements)?),
        })
    }

    /// Runs a kernel and waits for it.
    ///
    /// # Safety
    /// The requirements of [`cuda_std::launch_on_cpu`].
    pub unsafe fn launch<K: Kernel>(&self, shape: LaunchShape, args: K::Args<'_>) -> Outcome<()> {
        match self {
            // SAFETY: guaranteed by the caller.
            Machine::Cpu(mode) => unsafe { cuda_std::launch_on_cpu::<K>(shape, *mode, args)? },
            Machine::Gpu(gpu) => {
                let mut packed = PackedArgs::default();
                K::pack(&args, &mut packed);
                let kernel = gpu.module.get_function(K::entry())?;
                let (grid, block) = (shape.grid, shape.block);
                // SAFETY: `pack` stores the kernel's parameters in order; the rest is guaranteed by
                // the caller.
                unsafe {
                    gpu.stream.launch(
                        &kernel,
                        (grid.x, grid.y, grid.z),
                        (block.x, block.y, block.z),
                        shape.dynamic_shared_bytes,
                        &packed.pointers(),
                    )?;
                }
                gpu.stream.synchronize()?;
            }
        }
        Ok(())
    }
}

impl<T: DeviceCopy> Buffer<T> {
    /// Returns the argument for a kernel that reads the buffer.
    pub fn view(&self) -> View<'_, T> {
        match self {
            Buffer::Host(elements) => View::from(&elements[..]),
            Buffer::Device(memory) => {
                View::for_launch(memory.as_device_ptr().as_ptr(), memory.len())
            }
        }
    }

    /// Returns the argument for a kernel that writes the buffer.
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        match self {
            Buffer::Host(elements) => ViewMut::from(&mut elements[..]),
            Buffer::Device(memory) => {
                ViewMut::for_launch(memory.as_device_ptr().as_mut_ptr(), memory.len())
            }
        }
    }

    /// Copies the elements back to the host.
    pub fn download(&self) -> Outcome<Vec<T>>
    where
        T: Default,
    {
        match self {
            Buffer::Host(elements) => Ok(elements.clone()),
            Buffer::Device(memory) => Ok(memory.as_host_vec()?),
        }
    }
}
