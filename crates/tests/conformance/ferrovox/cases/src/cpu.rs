//! The CPU executor as a machine.

use crate::{Buffer, Machine};
use cuda_std::kernel::{Kernel, launch_on_cpu};
use simt::{LaunchShape, Mode};
use std::any::Any;

/// The CPU executor in one of its modes.
pub struct Cpu {
    mode: Mode,
    memory: Vec<Box<dyn Any>>,
}

impl Cpu {
    /// Creates a machine whose launches run in `mode`.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            memory: Vec::new(),
        }
    }
}

impl Machine for Cpu {
    fn upload<T: Copy + 'static>(&mut self, data: &[T]) -> Result<Buffer<T>, String> {
        let mut copy = data.to_vec();
        let buffer = Buffer {
            ptr: copy.as_mut_ptr(),
            len: copy.len(),
        };
        self.memory.push(Box::new(copy));
        Ok(buffer)
    }

    fn download<T: Copy + 'static>(&mut self, buffer: Buffer<T>) -> Result<Vec<T>, String> {
        // SAFETY: `upload` created the buffer, `memory` keeps it, and no launch is running.
        Ok(unsafe { std::slice::from_raw_parts(buffer.ptr, buffer.len) }.to_vec())
    }

    unsafe fn launch<K: Kernel>(
        &mut self,
        shape: LaunchShape,
        args: K::Args<'_>,
    ) -> Result<(), String> {
        // SAFETY: guaranteed by the caller.
        unsafe { launch_on_cpu::<K>(shape, self.mode, args) }.map_err(|error| error.to_string())
    }
}
