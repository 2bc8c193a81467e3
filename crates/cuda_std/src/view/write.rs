//! `ViewMut`: a buffer that a kernel writes.

use super::View;
use core::marker::PhantomData;

/// A buffer of `T` that a kernel reads and writes. `Copy`: every thread of a launch holds the same
/// one, which is why launching is `unsafe`. Two threads may write different elements; the same
/// element only in an order that barriers or atomics make.
///
/// On the host, one made from a slice is an argument of a launch and no more: reading or writing an
/// element panics there.
///
/// ```should_panic
/// # use cuda_std::ViewMut;
/// let mut data = [1.0, 2.0];
/// let argument = ViewMut::from(&mut data[..]);
/// argument.write(0, 3.0); // in no launch
/// ```
pub struct ViewMut<'a, T> {
    pub(super) ptr: *mut T,
    /// See [`View`].
    pub(super) size: usize,
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

// SAFETY: a closed view gives out nothing; who opened it promised that threads do not collide in
// copying elements in and out.
unsafe impl<T: Send> Send for ViewMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for ViewMut<'_, T> {}

impl<'a, T: Copy> ViewMut<'a, T> {
    /// A view of the `len` elements at `ptr`.
    ///
    /// # Safety
    ///
    /// 1. Wherever an element is used, on the host or on a device, `ptr` must be valid there for
    ///    reads and writes of `len` elements for `'a`.
    /// 2. No one else uses an element at the same time, except by atomic operations.
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

    /// The `len` elements at `ptr`, of the host or of a device, as an argument of a launch; as
    /// [`View::for_launch`].
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
        // SAFETY: `i` is within the view (on the device the kernel's contract says so), which was
        // promised valid.
        unsafe { self.ptr.add(i).read() }
    }

    /// Puts `value` into element `i`; past the end as [`View::read`].
    #[inline(always)]
    #[track_caller]
    pub fn write(&self, i: usize, value: T) {
        check_element!(self, VIEW_MUT, Write, i);
        // SAFETY: `i` is within the view (on the device the kernel's contract says so), which was
        // promised valid for writes.
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
        // SAFETY: closed where this view is. Else name is valid for reads and writes is valid for
        // reads, and that no one writes name is read was promised by who opened this view.
        let view = unsafe { View::from_raw_parts(self.ptr, self.len()) };
        #[cfg(not(target_arch = "nvptx64"))]
        let view = view.like(self.fast_len, self.size);
        view
    }

    part_of_buffer!("ViewMut");

    /// The elements as a slice, whose accesses checked mode sees in kernels and
    /// [`watched`](macro@crate::instrument) functions only.
    ///
    /// # Safety
    ///
    /// No one else may use the elements while the slice lives.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn as_mut_slice(&self) -> &'a mut [T] {
        // SAFETY: the view was promised valid, and the caller promises to be alone.
        unsafe { core::slice::from_raw_parts_mut(self.ptr, self.len()) }
    }
}

impl<'a, T: Copy> From<&'a mut [T]> for ViewMut<'a, T> {
    /// The slice as an argument of a launch. On the host only the launch reads and writes through
    /// it; for a view that the host may use as a kernel does there is [`ViewMut::from_raw_parts`].
    #[inline(always)]
    fn from(slice: &'a mut [T]) -> Self {
        let (ptr, len) = (slice.as_mut_ptr(), slice.len());
        #[cfg(not(target_arch = "nvptx64"))]
        return Self::for_launch(ptr, len);
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: an exclusive slice is valid and unshared for its lifetime; whatever runs on the
        // device is part of a launch.
        unsafe {
            Self::from_raw_parts(ptr, len)
        }
    }
}
