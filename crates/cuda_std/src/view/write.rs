//! `ViewMut`: a buffer that a kernel writes.

use super::View;
use core::marker::PhantomData;

/// A buffer of `T` that a kernel reads and writes. `Copy`: all threads of a launch hold the same
/// view, which is why launching is `unsafe`. Threads may access different elements freely, but the
/// same element only in an order established by barriers or atomics.
///
/// On the host, a view created from a slice can only be passed to a launch: reading or writing an
/// element panics there.
///
/// ```should_panic
/// # use cuda_std::ViewMut;
/// let mut data = [1.0, 2.0];
/// let argument = ViewMut::from(&mut data[..]);
/// argument.write(0, 3.0); // panics outside a launch
/// ```
pub struct ViewMut<'a, T> {
    pub(super) ptr: *mut T,
    /// Number of elements and closed state: see [`View`].
    pub(super) size: usize,
    /// Number of elements, or 0 if every access must take the slow path: see [`View`].
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

// SAFETY: a closed view grants no access; the caller that opened it guaranteed that threads do not
// race when they read and write elements.
unsafe impl<T: Send> Send for ViewMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for ViewMut<'_, T> {}

impl<'a, T: Copy> ViewMut<'a, T> {
    /// Creates an open view of the `len` elements at `ptr`.
    ///
    /// # Safety
    ///
    /// 1. Wherever an element is used, on the host or on a device, `ptr` must be valid there for
    ///    reads and writes of `len` elements for `'a`.
    /// 2. Elements are not accessed otherwise at the same time, except by atomic operations.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn from_raw_parts(ptr: *mut T, len: usize) -> Self {
        Self {
            ptr,
            size: len,
            #[cfg(not(target_arch = "nvptx64"))]
            fast_len: len,
            data: PhantomData,
        }
    }

    /// Creates a closed view of the `len` elements at `ptr`, on the host or on a device, for use as
    /// an argument of a launch; see [`View::for_launch`].
    #[cfg(not(target_arch = "nvptx64"))]
    #[must_use]
    pub const fn for_launch(ptr: *mut T, len: usize) -> Self {
        Self {
            ptr,
            size: len | super::slow_path::CLOSED_BIT,
            fast_len: 0,
            data: PhantomData,
        }
    }

    length!();

    /// Returns the address of the first element.
    #[inline(always)]
    #[must_use]
    pub const fn as_ptr(&self) -> *const T {
        self.ptr
    }

    /// Returns the address of the first element, for writing.
    #[inline(always)]
    #[must_use]
    pub const fn as_mut_ptr(&self) -> *mut T {
        self.ptr
    }

    /// Reads element `i`. Out of bounds it behaves like [`View::read`].
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn read(&self, i: usize) -> T {
        check_element!(self, VIEW_MUT, Read, i);
        // SAFETY: `i` is in bounds (on the device by the kernel's contract), and the view is valid.
        unsafe { self.ptr.add(i).read() }
    }

    /// Writes `value` to element `i`. Out of bounds it behaves like [`View::read`].
    #[inline(always)]
    #[track_caller]
    pub fn write(&self, i: usize, value: T) {
        check_element!(self, VIEW_MUT, Write, i);
        // SAFETY: `i` is in bounds (on the device by the kernel's contract), and the view is valid
        // for writes.
        unsafe { self.ptr.add(i).write(value) }
    }

    /// Returns the address of element `i` for an atomic operation.
    #[inline(always)]
    #[track_caller]
    pub(super) fn atomic_ptr(&self, i: usize) -> *mut T {
        check_element!(self, VIEW_MUT, Atomic, i);
        // SAFETY: `i` is in bounds.
        unsafe { self.ptr.add(i) }
    }

    /// Returns a read-only view of the same elements.
    #[inline(always)]
    #[must_use]
    pub fn as_view(&self) -> View<'a, T> {
        // SAFETY: the result is closed if this view is. Otherwise memory valid for reads and writes
        // is valid for reads, and the caller that opened this view guaranteed the absence of
        // conflicting writes.
        let view = unsafe { View::from_raw_parts(self.ptr, self.len()) };
        #[cfg(not(target_arch = "nvptx64"))]
        let view = view.like(self.fast_len, self.size);
        view
    }

    part_of_buffer!("ViewMut");

    /// Returns the elements as a slice. Checked mode tracks its accesses only in kernels and in
    /// [`instrument`](macro@crate::instrument) functions.
    ///
    /// # Safety
    ///
    /// The elements are not accessed otherwise while the slice lives.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn as_mut_slice(&self) -> &'a mut [T] {
        // SAFETY: the view is valid, and the caller guarantees exclusive access.
        unsafe { core::slice::from_raw_parts_mut(self.ptr, self.len()) }
    }
}

impl<'a, T: Copy> From<&'a mut [T]> for ViewMut<'a, T> {
    /// Converts the slice to an argument of a launch. On the host only the launch reads and writes
    /// through it; [`ViewMut::from_raw_parts`] creates a view that the host may use like a kernel.
    #[inline(always)]
    fn from(slice: &'a mut [T]) -> Self {
        let (ptr, len) = (slice.as_mut_ptr(), slice.len());
        #[cfg(not(target_arch = "nvptx64"))]
        return Self::for_launch(ptr, len);
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: an exclusive slice is valid and unshared during its lifetime; all code on the
        // device is part of a launch.
        unsafe {
            Self::from_raw_parts(ptr, len)
        }
    }
}
