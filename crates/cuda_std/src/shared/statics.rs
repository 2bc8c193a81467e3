//! Statics declared with `#[address_space(shared)]`.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

/// Type of an `#[address_space(shared)]` static. It dereferences to the current block's copy.
///
/// A `static mut` is uninitialised when the block starts, and using it requires `unsafe`; its
/// initialiser is compiled but ignored. A `static`, whose use is safe, contains atomics or another
/// type with interior mutability. On the device it is uninitialised too; on the CPU each
/// operating-system thread has one copy, which starts with the initialiser's value and is never
/// freed.
///
/// The CPU executor finds the copies by the address of the static: take pointers through the value
/// (`TILE.as_mut_ptr()`, `&raw mut TILE[0]`), not of the static itself.
#[cfg_attr(target_arch = "nvptx64", repr(transparent))]
pub struct SharedStatic<T> {
    /// Initial value, on the CPU.
    memory: UnsafeCell<MaybeUninit<T>>,
    #[cfg(not(target_arch = "nvptx64"))]
    is_mut: bool,
}

// SAFETY: `&SharedStatic` grants access to `&T`; on the CPU, to a valid value that is never freed.
// On the device this happens in kernels only, whose caller is responsible for data shared between
// threads.
unsafe impl<T: Sync> Sync for SharedStatic<T> {}

/// Proof that a [`SharedStatic`] is the value of a static, whose address identifies it.
#[doc(hidden)]
pub struct InStatic {
    is_mut: bool,
}

impl InStatic {
    /// Creates the proof for a `static` or a `static mut`.
    ///
    /// # Safety
    ///
    /// The value is used as the whole value of a static, which is `mut` if and only if `is_mut` is
    /// `true`.
    pub const unsafe fn new(is_mut: bool) -> Self {
        Self { is_mut }
    }
}

impl<T> SharedStatic<T> {
    /// Creates the value of a static.
    #[doc(hidden)]
    pub const fn new(initialiser: T, token: InStatic) -> Self {
        #[cfg(target_arch = "nvptx64")]
        {
            let _ = token.is_mut;
            core::mem::forget(initialiser);
            Self {
                memory: UnsafeCell::new(MaybeUninit::uninit()),
            }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        Self {
            memory: UnsafeCell::new(MaybeUninit::new(initialiser)),
            is_mut: token.is_mut,
        }
    }

    /// Returns a pointer to the current block's copy.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn as_block_ptr(&self) -> *mut T {
        let memory = self.memory.get();
        #[cfg(target_arch = "nvptx64")]
        {
            memory.cast()
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let (key, bytes, align) = (memory.addr(), size_of::<T>(), align_of::<T>());
            if self.is_mut {
                return super::as_pointer(simt::memory::shared_static(key, bytes, align)).cast();
            }
            let initialise = |copy: *mut u8| {
                // SAFETY: the executor's memory is as large and as aligned as `T`, and the static's
                // own memory is never written. The copied value is a constant, and neither copy is
                // dropped.
                unsafe { copy.cast::<MaybeUninit<T>>().write(memory.read()) }
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
        // SAFETY: the memory is aligned and large enough. On the CPU a `static` holds a value and
        // lives for ever; the user of a `static mut`, or the caller of a launch on a device,
        // guarantees that values are written before they are read and that threads do not race.
        unsafe { &*self.as_block_ptr() }
    }
}

impl<T> DerefMut for SharedStatic<T> {
    #[inline(always)]
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, for a `static mut`, which is the only way to obtain `&mut`.
        unsafe { &mut *self.as_block_ptr() }
    }
}
