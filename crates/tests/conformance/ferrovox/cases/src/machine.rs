//! Interface between the cases and a device.

use cuda_std::kernel::Kernel;
use cuda_std::{View, ViewMut};
use simt::LaunchShape;

/// A device with memory and launches.
pub trait Machine {
    /// Copies `data` to memory of the machine, which keeps it until it is dropped.
    ///
    /// # Errors
    ///
    /// The machine's error message.
    fn upload<T: Copy + 'static>(&mut self, data: &[T]) -> Result<Buffer<T>, String>;

    /// Copies a buffer back, after all previous launches.
    ///
    /// # Errors
    ///
    /// The machine's error message.
    fn download<T: Copy + 'static>(&mut self, buffer: Buffer<T>) -> Result<Vec<T>, String>;

    /// Launches `K` and waits for it.
    ///
    /// # Safety
    ///
    /// The requirements of `cuda_std::launch_on_cpu`; the arguments refer to memory of this
    /// machine.
    ///
    /// # Errors
    ///
    /// The machine's error message.
    unsafe fn launch<K: Kernel>(
        &mut self,
        shape: LaunchShape,
        args: K::Args<'_>,
    ) -> Result<(), String>;
}

/// A buffer in the memory of a machine.
pub struct Buffer<T> {
    /// Address on the machine.
    pub ptr: *mut T,
    /// Number of elements.
    pub len: usize,
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Buffer<T> {}

impl<T: Copy> Buffer<T> {
    /// Returns the argument for a kernel that reads the buffer.
    pub fn view(&self) -> View<'_, T> {
        // SAFETY: the machine keeps the buffer; a case uploads it once and does not write it while
        // it is viewed.
        unsafe { View::from_raw_parts(self.ptr, self.len) }
    }

    /// Returns the argument for a kernel that writes the buffer.
    pub fn view_mut(&self) -> ViewMut<'_, T> {
        // SAFETY: as in `view`; one launch at a time uses the buffer.
        unsafe { ViewMut::from_raw_parts(self.ptr, self.len) }
    }
}
