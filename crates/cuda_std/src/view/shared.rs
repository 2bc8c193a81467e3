//! `SharedView`: an array in shared memory.

use core::mem::MaybeUninit;

/// A type for which all bit patterns are valid, since shared memory has arbitrary contents when a
/// block starts: numbers, arrays of them, and structs of these.
///
/// # Safety
///
/// Every bit pattern is a valid value: no references, no `bool`, no enums.
///
/// ```
/// use cuda_std::prelude::*;
/// use cuda_std::{AnyBytes, shared_view};
///
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Pair {
///     place: u32,
///     cost: f32,
/// }
/// // SAFETY: two numbers.
/// unsafe impl AnyBytes for Pair {}
///
/// #[kernel]
/// pub unsafe fn pairs(out: ViewMut<f32>) {
///     let tile = shared_view![Pair; 64];
///     let t = thread::thread_idx_x();
///     tile.write(t as usize, Pair { place: t, cost: 0.5 });
///     out.write(t as usize, tile.read(t as usize).cost);
/// }
/// ```
///
/// Other types are rejected at compile time:
///
/// ```compile_fail,E0277
/// # use cuda_std::shared_view;
/// let flags = shared_view![bool; 64];
/// ```
pub unsafe trait AnyBytes: Copy {}

macro_rules! any_bytes {
    ($($number:ty)+) => {
        $(
            // SAFETY: every bit pattern of a number is valid.
            unsafe impl AnyBytes for $number {}
        )+
    };
}

any_bytes!(() u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

// SAFETY: an array of valid elements.
unsafe impl<T: AnyBytes, const N: usize> AnyBytes for [T; N] {}
// SAFETY: `MaybeUninit` has no invalid contents.
unsafe impl<T: Copy> AnyBytes for MaybeUninit<T> {}
// SAFETY: a raw pointer may hold any address.
unsafe impl<T> AnyBytes for *const T {}
// SAFETY: as above.
unsafe impl<T> AnyBytes for *mut T {}
any_bytes!(glam::Vec2 glam::Vec3 glam::Vec4 glam::Quat glam::Mat3 glam::Mat4 glam::UVec2 glam::UVec3 glam::UVec4);

/// An array in the block's shared memory, created by [`shared_view!`](crate::shared_view).
/// Uninitialised when the block starts.
///
/// It is valid for the threads of its block while the block runs: see the safety requirements of a
/// launch. On the CPU its memory is kept for later launches, so that a use after the block does not
/// corrupt unrelated memory, and the view is not `Send`:
///
/// ```compile_fail,E0277
/// # use cuda_std::SharedView;
/// fn send<T: Send>() {}
/// send::<SharedView<u32>>();
/// ```
pub struct SharedView<T> {
    pub(super) ptr: *mut T,
    pub(super) size: usize,
    /// Number of elements, or 0 if every access must take the slow path: see [`View`](crate::View).
    #[cfg(not(target_arch = "nvptx64"))]
    pub(super) fast_len: usize,
}

impl<T> Clone for SharedView<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedView<T> {}

impl<T: Copy> SharedView<T> {
    /// Creates a view of `len` elements of shared memory at `ptr`.
    ///
    /// # Safety
    ///
    /// `ptr` must be valid for reads and writes of `len` elements of the block's shared memory, or
    /// of global memory that only this block accesses, while the view or a copy of it is used, and
    /// elements must be valid when they are read.
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_raw_parts(ptr: *mut T, len: usize) -> Self {
        Self {
            ptr,
            size: len,
            #[cfg(not(target_arch = "nvptx64"))]
            fast_len: if simt::current::is_checked() { 0 } else { len },
        }
    }

    length!();

    /// Returns the address of the first element.
    #[inline(always)]
    #[must_use]
    pub const fn as_mut_ptr(&self) -> *mut T {
        self.ptr
    }

    /// Reads element `i`, which a thread of the block must have written, with a barrier in between.
    /// Out of bounds it behaves like [`View::read`](crate::View::read).
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn read(&self, i: usize) -> T {
        check_element!(self, SHARED_VIEW, Read, i);
        // SAFETY: `i` is in bounds (on the device by the kernel's contract), and the array is
        // valid.
        unsafe { self.ptr.add(i).read() }
    }

    /// Writes `value` to element `i`. Out of bounds it behaves like
    /// [`View::read`](crate::View::read).
    #[inline(always)]
    #[track_caller]
    pub fn write(&self, i: usize, value: T) {
        check_element!(self, SHARED_VIEW, Write, i);
        // SAFETY: as in `read`.
        unsafe { self.ptr.add(i).write(value) }
    }

    /// Returns the address of element `i` for an atomic operation.
    #[inline(always)]
    #[track_caller]
    pub(super) fn atomic_ptr(&self, i: usize) -> *mut T {
        check_element!(self, SHARED_VIEW, Atomic, i);
        // SAFETY: `i` is in bounds.
        unsafe { self.ptr.add(i) }
    }
}
