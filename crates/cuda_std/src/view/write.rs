//! `ViewMut`: a buffer that a kernel writes.

use super::View;
use core::marker::PhantomData;

/// A buffer of `T` that a kernel reads and writes. `Copy`: every thread of a launch holds the same one, which is why launching is
/// `unsafe`. Two threads may write different elements; the same element only in an order that barriers or atomics make.
pub struct ViewMut<'a, T> {
    pub(super) ptr: *mut T,
    pub(super) len: usize,
    /// See [`View`].
    #[cfg(not(target_arch = "nvptx64"))]
    pub(super) fast_len: usize,
    data: PhantomData<&'a mut [T]>,
}

impl<T> Clone for ViewMut<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ViewMut<'_, T> {}

// SAFETY: elements are copied in and out; that threads do not collide is what the kernel's `unsafe` promises.
unsafe impl<T: Send> Send for ViewMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for ViewMut<'_, T> {}

impl<'a, T: Copy> ViewMut<'a, T> {
    /// A view of the `len` elements at `ptr`.
    ///
    /// # Safety
    ///
    /// 1. Wherever an element is used, on the host or on a device, `ptr` must be valid there for reads and writes of `len` elements
    ///    for `'a`.
    /// 2. No one else uses an element at the same time, except by atomic operations.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn from_raw_parts(ptr: *mut T, len: usize) -> Self {
        Self {
            ptr,
            len,
            #[cfg(not(target_arch = "nvptx64"))]
            fast_len: len,
            data: PhantomData,
        }
    }

    length!();

    /// Where the first element is.
    #[inline(always)]
    #[must_use]
    pub const fn as_ptr(&self) -> *const T {
        self.ptr
    }

    /// Where the first element is, for writing.
    #[inline(always)]
    #[must_use]
    pub const fn as_mut_ptr(&self) -> *mut T {
        self.ptr
    }

    /// Element `i`; past the end as [`View::read`].
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn read(&self, i: usize) -> T {
        check_element!(self, VIEW_MUT, Read, i);
        // SAFETY: `i` is within the view (on the device the kernel's contract says so), which was promised valid.
        unsafe { self.ptr.add(i).read() }
    }

    /// Puts `value` into element `i`; past the end as [`View::read`].
    #[inline(always)]
    #[track_caller]
    pub fn write(&self, i: usize, value: T) {
        check_element!(self, VIEW_MUT, Write, i);
        // SAFETY: `i` is within the view (on the device the kernel's contract says so), which was promised valid for writes.
        unsafe { self.ptr.add(i).write(value) }
    }

    /// Where element `i` is, for an atomic operation.
    #[inline(always)]
    #[track_caller]
    pub(super) fn atomic_ptr(&self, i: usize) -> *mut T {
        check_element!(self, VIEW_MUT, Atomic, i);
        // SAFETY: `i` is within the view.
        unsafe { self.ptr.add(i) }
    }

    /// The same elements, for reading.
    #[inline(always)]
    #[must_use]
    pub fn as_view(&self) -> View<'a, T> {
        // SAFETY: what is valid for reads and writes is valid for reads; that no one writes what is read is the kernel's promise.
        let view = unsafe { View::from_raw_parts(self.ptr, self.len) };
        #[cfg(not(target_arch = "nvptx64"))]
        let view = view.watched_as(self.fast_len != self.len);
        view
    }

    part_of_buffer!("ViewMut");

    /// The elements as a slice, whose accesses checked mode does not watch.
    ///
    /// # Safety
    ///
    /// No one else may use the elements while the slice lives.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn as_mut_slice(&self) -> &'a mut [T] {
        // SAFETY: the view was promised valid, and the caller promises to be alone.
        unsafe { core::slice::from_raw_parts_mut(self.ptr, self.len) }
    }
}

impl<'a, T: Copy> From<&'a mut [T]> for ViewMut<'a, T> {
    #[inline(always)]
    fn from(slice: &'a mut [T]) -> Self {
        // SAFETY: an exclusive slice is valid and unshared for its lifetime.
        unsafe { Self::from_raw_parts(slice.as_mut_ptr(), slice.len()) }
    }
}
