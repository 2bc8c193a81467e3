//! Where a lesson runs, in one form: the executor on the CPU, which in checked mode looks for races
//! and bounds, or a GPU.

use std::error::Error;

use cuda_std::{PackedArgs, View, ViewMut, kernel::Kernel};
use cust::{memory::DeviceCopy, prelude::*};
use simt::{LaunchShape, Mode};

/// What went wrong, for a person to read.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// What runs kernels.
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
    /// The first one, if there is one and a driver.
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
    /// Copies elements to where its kernels can use them.
    pub fn upload<T: DeviceCopy>(&self, elements: &[T]) -> Outcome<Buffer<T>> {
        Ok(match self {
            Machine::Cpu(_) => Buffer::Host(elements.to_vec()),
            Machine::Gpu(_) => Buffer::Device(DeviceBuffer::from_slice(elements)?),
        })
    }

    /// Runs a kernel, and waits for it.
    ///
    /// # Safety
    /// As for [`cuda_std::launch_on_cpu`].
    pub unsafe fn launch<K: Kernel>(&self, shape: LaunchShape, args: K::Args<'_>) -> Outcome<()> {
        match self {
            // SAFETY: the caller's promise.
            Machine::Cpu(mode) => unsafe { cuda_std::launch_on_cpu::<K>(shape, *mode, args)? },
            Machine::Gpu(gpu) => {
                let mut packed = PackedArgs::default();
                K::pack(&args, &mut packed);
                let kernel = gpu.module.get_function(K::entry())?;
                let (grid, block) = (shape.grid, shape.block);
                // SAFETY: `pack` has the kernel's parameters in order; the rest is the caller's
                // promise.
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
    /// For a kernel that reads.
    pub fn view(&self) -> View<'_, T> {
        match self {
            Buffer::Host(elements) => View::from(&elements[..]),
            Buffer::Device(memory) => {
                View::for_launch(memory.as_device_ptr().as_ptr(), memory.len())
            }
        }
    }

    /// For a kernel that writes.
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        match self {
            Buffer::Host(elements) => ViewMut::from(&mut elements[..]),
            Buffer::Device(memory) => {
                ViewMut::for_launch(memory.as_device_ptr().as_mut_ptr(), memory.len())
            }
        }
    }

    /// Copies the elements back.
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
