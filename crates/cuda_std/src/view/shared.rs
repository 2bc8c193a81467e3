//! `SharedView`: a block-shared array.

use core::mem::MaybeUninit;

/// A type that any initialised bytes are a value of, as shared memory holds anything when a block
/// starts: numbers, arrays of them, and structs of nothing else.
///
/// # Safety
///
/// Every pattern of bits is a value of the type: no references, no `bool`, no enums.
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
/// What is not always a value is refused:
///
/// ```compile_fail,E0277
/// # use cuda_std::shared_view;
/// let flags = shared_view![bool; 64];
/// ```
pub unsafe trait AnyBytes: Copy {}

macro_rules! any_bytes {
    ($($number:ty)+) => {
        $(
            // SAFETY: a number, or a few.
            unsafe impl AnyBytes for $number {}
        )+
    };
}

any_bytes!(() u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 half::f16 half::bf16);

// SAFETY: elements one after the other.
unsafe impl<T: AnyBytes, const N: usize> AnyBytes for [T; N] {}
// SAFETY: no bytes need be anything.
unsafe impl<T: Copy> AnyBytes for MaybeUninit<T> {}
// SAFETY: an address, which need not be one of anything.
unsafe impl<T> AnyBytes for *const T {}
// SAFETY: as above.
unsafe impl<T> AnyBytes for *mut T {}
any_bytes!(glam::Vec2 glam::Vec3 glam::Vec4 glam::Quat glam::Mat3 glam::Mat4 glam::UVec2 glam::UVec3 glam::UVec4);

/// An array in the block's shared memory, made by [`shared_view!`](crate::shared_view).
/// Uninitialised when the block starts.
///
/// It is for the threads of the block, and for as long as that lives: see the contract of a launch.
/// On the CPU it stays on its thread,
///
/// ```compile_fail,E0277
/// # use cuda_std::SharedView;
/// fn send<T: Send>() {}
/// send::<SharedView<u32>>();
/// ```
///
/// and there the memory is kept for launches when its own ends, so that one used too late harms no
/// memory of anyone else's.
pub struct SharedView<T> {
    pub(super) ptr: *mut T,
    pub(super) size: usize,
    /// See [`View`](crate::View).
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
    /// A view of `len` elements of shared memory at `ptr`.
    ///
    /// # Safety
    ///
    /// `ptr` must be valid for reads and writes of `len` elements of the block's shared memory as
    /// long as the view or a copy of it is used, and name is read must be a value of `T`.
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

    /// Where the first element is.
    #[inline(always)]
    #[must_use]
    pub const fn as_mut_ptr(&self) -> *mut T {
        self.ptr
    }

    /// Element `i`, which some thread must have written, with a barrier between. Past the end as
    /// [`View::read`](crate::View::read).
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn read(&self, i: usize) -> T {
        check_element!(self, SHARED_VIEW, Read, i);
        // SAFETY: `i` is within the array (on the device the kernel's contract says so), which was
        // promised to be valid and to hold values.
        unsafe { self.ptr.add(i).read() }
    }

    /// Puts `value` into element `i`; past the end as [`View::read`](crate::View::read).
    #[inline(always)]
    #[track_caller]
    pub fn write(&self, i: usize, value: T) {
        check_element!(self, SHARED_VIEW, Write, i);
        // SAFETY: as in `read`.
        unsafe { self.ptr.add(i).write(value) }
    }

    /// Where element `i` is, for an atomic operation.
    #[inline(always)]
    #[track_caller]
    pub(super) fn atomic_ptr(&self, i: usize) -> *mut T {
        check_element!(self, SHARED_VIEW, Atomic, i);
        // SAFETY: `i` is within the array.
        unsafe { self.ptr.add(i) }
    }
}
