//! `#[address_space(shared)]` statics.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

/// What an `#[address_space(shared)]` static is: it dereferences to the current block's copy.
///
/// The copy is uninitialised when the block starts; the static's initialiser is compiled and dropped. On the CPU the executor keeps
/// the copies, found by the static's address: take pointers through the value (`TILE.as_mut_ptr()`, `&raw mut TILE[0]`), not of the
/// static itself.
#[repr(transparent)]
pub struct SharedStatic<T> {
    memory: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: `&SharedStatic` gives out `&T` of a block's own memory; the block's threads share it as the kernel's `unsafe` promises.
unsafe impl<T: Sync> Sync for SharedStatic<T> {}

impl<T> SharedStatic<T> {
    /// The static; `initialiser` says no more than its type.
    #[doc(hidden)]
    pub const fn new(initialiser: T) -> Self {
        core::mem::forget(initialiser);
        Self {
            memory: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// The current block's copy.
    #[inline(always)]
    #[must_use]
    pub fn as_block_ptr(&self) -> *mut T {
        let here = self.memory.get();
        #[cfg(target_arch = "nvptx64")]
        {
            here.cast()
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            simt::memory::shared_static(here.addr(), size_of::<T>(), align_of::<T>()).cast()
        }
    }
}

impl<T> Deref for SharedStatic<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the memory is aligned, large enough and lives as long as the block. The kernel promises to write before it reads
        // and that no two threads collide.
        unsafe { &*self.as_block_ptr() }
    }
}

impl<T> DerefMut for SharedStatic<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`.
        unsafe { &mut *self.as_block_ptr() }
    }
}
