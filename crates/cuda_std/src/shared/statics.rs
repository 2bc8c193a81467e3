//! `#[address_space(shared)]` statics.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

/// What an `#[address_space(shared)]` static is: it dereferences to the current block's copy.
///
/// A `static mut` is uninitialised when the block starts: its initialiser is compiled and dropped,
/// and `unsafe` is needed to use it. A `static`, which needs none, is one of atomics or of another
/// type that allows for changes through `&`. On the device it is uninitialised too; on the CPU its
/// copies begin as what the initialiser says, one for each of the operating system's threads, and
/// are never freed.
///
/// On the CPU the executor keeps the copies, found by the static's address: take pointers through
/// the value (`TILE.as_mut_ptr()`, `&raw mut TILE[0]`), not of the static itself.
#[cfg_attr(target_arch = "nvptx64", repr(transparent))]
pub struct SharedStatic<T> {
    /// On the CPU the initialiser's value.
    memory: UnsafeCell<MaybeUninit<T>>,
    #[cfg(not(target_arch = "nvptx64"))]
    is_mut: bool,
}

// SAFETY: `&SharedStatic` gives out `&T`, on the CPU of a value that is valid and lives for ever.
// On the device it gives it out in kernels only, and who launches one answers for what its threads
// share.
unsafe impl<T: Sync> Sync for SharedStatic<T> {}

/// The promise that a [`SharedStatic`] is made in a static: its address is a key.
#[doc(hidden)]
pub struct InStatic {
    is_mut: bool,
}

impl InStatic {
    /// Of a `static`, or a `static mut`.
    ///
    /// # Safety
    ///
    /// What takes it is the whole value of a static, which is `mut` as `is_mut` says.
    pub const unsafe fn new(is_mut: bool) -> Self {
        Self { is_mut }
    }
}

impl<T> SharedStatic<T> {
    /// The static.
    #[doc(hidden)]
    pub const fn new(initialiser: T, place: InStatic) -> Self {
        #[cfg(target_arch = "nvptx64")]
        {
            let _ = place.is_mut;
            core::mem::forget(initialiser);
            Self {
                memory: UnsafeCell::new(MaybeUninit::uninit()),
            }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        Self {
            memory: UnsafeCell::new(MaybeUninit::new(initialiser)),
            is_mut: place.is_mut,
        }
    }

    /// The current block's copy.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn as_block_ptr(&self) -> *mut T {
        let here = self.memory.get();
        #[cfg(target_arch = "nvptx64")]
        {
            here.cast()
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let (key, bytes, align) = (here.addr(), size_of::<T>(), align_of::<T>());
            if self.is_mut {
                return super::as_pointer(simt::memory::shared_static(key, bytes, align)).cast();
            }
            let initialise = |copy: *mut u8| {
                // SAFETY: the executor's memory is as large and as aligned as `T`, and nobody
                // writes the static's own. What is copied is a constant, which could as well have
                // been computed there; neither is dropped.
                unsafe { copy.cast::<MaybeUninit<T>>().write(here.read()) }
            };
            simt::memory::persistent_static(key, bytes, align, initialise).cast()
        }
    }
}

impl<T> Deref for SharedStatic<T> {
    type Target = T;

    #[inline(always)]
    #[track_caller]
    fn deref(&self) -> &T {
        // SAFETY: the memory is aligned and large enough. On the CPU a `static`'s holds a value and
        // lives for ever; who uses a `static mut`, or launches a kernel on a device, promises that
        // what is read was written, and that no two threads collide.
        unsafe { &*self.as_block_ptr() }
    }
}

impl<T> DerefMut for SharedStatic<T> {
    #[inline(always)]
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, for a `static mut`: there is no other way to have it by `&mut`.
        unsafe { &mut *self.as_block_ptr() }
    }
}
