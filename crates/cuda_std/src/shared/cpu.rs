//! Shared memory on the CPU: the executor keeps one arena per block, in which an array or a static is found by an address.

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::AtomicU8;

/// The current block's memory for a value of type `T`, named by the address of `key`.
#[inline]
pub fn array_on_cpu<T>(key: &'static AtomicU8) -> *mut T {
    simt::memory::shared_static(&raw const *key as usize, size_of::<T>(), align_of::<T>()).cast()
}

/// What a `#[address_space(shared)]` static is on the CPU: it dereferences to the current block's copy.
///
/// The copy starts poisoned, as shared memory is uninitialised on the device; the initialiser is kept only so that it is compiled.
/// Take pointers through the value (`TILE.as_mut_ptr()`, `&raw mut TILE[0]`), not of the static itself.
#[repr(transparent)]
pub struct SharedStatic<T> {
    initialiser: UnsafeCell<T>,
}

// SAFETY: `&SharedStatic` gives out `&T` of a block's own memory; the block's threads share it as the kernel's `unsafe` promises.
unsafe impl<T: Sync> Sync for SharedStatic<T> {}

impl<T> SharedStatic<T> {
    /// A static whose initialiser is `initialiser`.
    pub const fn new(initialiser: T) -> Self {
        Self {
            initialiser: UnsafeCell::new(initialiser),
        }
    }

    /// The current block's copy.
    #[inline]
    pub fn as_block_ptr(&self) -> *mut T {
        let key = self.initialiser.get() as usize;
        simt::memory::shared_static(key, size_of::<T>(), align_of::<T>()).cast()
    }
}

impl<T> Deref for SharedStatic<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the executor's memory is aligned, large enough and lives as long as the block. As on the device, the kernel
        // promises to write before it reads and not to let two threads collide.
        unsafe { &*self.as_block_ptr() }
    }
}

impl<T> DerefMut for SharedStatic<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`.
        unsafe { &mut *self.as_block_ptr() }
    }
}
