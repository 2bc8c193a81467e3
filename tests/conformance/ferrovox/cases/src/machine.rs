//! What a case needs of a device.

use cuda_std::kernel::Kernel;
use cuda_std::{View, ViewMut};
use simt::LaunchShape;

/// Memory and launches.
pub trait Machine {
    /// Copies `data` into memory of the machine. The machine keeps it until it is dropped.
    ///
    /// # Errors
    ///
    /// What the machine says.
    fn upload<T: Copy + 'static>(&mut self, data: &[T]) -> Result<Buffer<T>, String>;

    /// Copies a buffer back, after the launches before.
    ///
    /// # Errors
    ///
    /// What the machine says.
    fn download<T: Copy + 'static>(&mut self, buffer: Buffer<T>) -> Result<Vec<T>, String>;

    /// Launches `K` and waits for it.
    ///
    /// # Safety
    ///
    /// As for `cuda_std::launch_on_cpu`; what the arguments point to is memory of this machine.
    ///
    /// # Errors
    ///
    /// What the machine says.
    unsafe fn launch<K: Kernel>(
        &mut self,
        shape: LaunchShape,
        args: K::Args<'_>,
    ) -> Result<(), String>;
}

/// Memory of a machine.
pub struct Buffer<T> {
    /// Its address on the machine.
    pub ptr: *mut T,
    /// Its elements.
    pub len: usize,
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Buffer<T> {}

impl<T: Copy> Buffer<T> {
    /// The argument for a kernel that reads it.
    pub fn view(&self) -> View<'_, T> {
        // SAFETY: the machine keeps the buffer; a case uploads it once and no launch of the case
        // writes what it views.
        unsafe { View::from_raw_parts(self.ptr, self.len) }
    }

    /// The argument for a kernel that writes it.
    pub fn view_mut(&self) -> ViewMut<'_, T> {
        // SAFETY: as in `view`; one launch at a time uses the buffer.
        unsafe { ViewMut::from_raw_parts(self.ptr, self.len) }
    }
}
