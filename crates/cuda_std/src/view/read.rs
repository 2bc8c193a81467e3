//! `View`: a buffer that a kernel reads.

use core::marker::PhantomData;

/// A buffer of `T` that a kernel reads. `Copy`; all threads of a launch hold the same view.
///
/// A kernel parameter is written `View<T>` and is passed to the PTX entry point as a pointer and a
/// length.
pub struct View<'a, T> {
    pub(super) ptr: *const T,
    /// Number of elements; on the CPU combined with [`CLOSED_BIT`](super::slow_path::CLOSED_BIT)
    /// while the view is closed.
    pub(super) size: usize,
    /// Number of elements, or 0 if every access must take the slow path (checked mode or closed
    /// view). A single comparison thus serves as bounds check and as branch to the slow path.
    #[cfg(not(target_arch = "nvptx64"))]
    pub(super) fast_len: usize,
    data: PhantomData<&'a [T]>,
}

impl<T> Clone for View<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

// SAFETY: an open view returns copies of the elements, like `&[T]`; a closed one returns nothing.
unsafe impl<T: Sync> Send for View<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for View<'_, T> {}

impl<'a, T: Copy> View<'a, T> {
    /// Creates an open view of the `len` elements at `ptr`.
    ///
    /// # Safety
    ///
    /// 1. Wherever an element is read, on the host or on a device, `ptr` must be valid there for
    ///    reads of `len` elements for `'a`.
    /// 2. Elements are not written at the same time, except atomically if the kernel also reads
    ///    them atomically.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn from_raw_parts(ptr: *const T, len: usize) -> Self {
        Self {
            ptr,
            size: len,
            #[cfg(not(target_arch = "nvptx64"))]
            fast_len: len,
            data: PhantomData,
        }
    }

    /// Creates a closed view of the `len` elements at `ptr`, on the host or on a device, for use as
    /// an argument of a launch. Reading an element outside a launch panics.
    ///
    /// ```
    /// # use cuda_std::View;
    /// let on_device = core::ptr::without_provenance::<f32>(0x7f00_0000_0000);
    /// let argument = View::for_launch(on_device, 1000);
    /// assert_eq!(argument.len(), 1000);
    /// ```
    #[cfg(not(target_arch = "nvptx64"))]
    #[must_use]
    pub const fn for_launch(ptr: *const T, len: usize) -> Self {
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

    /// Reads element `i`. Out of bounds the thread ends with a finding on the CPU and traps in a
    /// debug build for the device; a release build for the device does not check.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn read(&self, i: usize) -> T {
        check_element!(self, VIEW, Read, i);
        // SAFETY: `i` is in bounds (on the device by the kernel's contract), and the view is valid.
        unsafe { self.ptr.add(i).read() }
    }

    part_of_buffer!("View");

    /// Returns the elements as a slice. Checked mode tracks its accesses only in kernels and in
    /// [`instrument`](macro@crate::instrument) functions.
    ///
    /// # Safety
    ///
    /// The elements are not written while the slice lives.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn as_slice(&self) -> &'a [T] {
        // SAFETY: the view is valid, and the caller guarantees that the elements are not written.
        unsafe { core::slice::from_raw_parts(self.ptr, self.len()) }
    }

    /// Returns this view with the checked and closed state of another view of the same elements.
    #[cfg(not(target_arch = "nvptx64"))]
    pub(super) fn like(mut self, fast_len: usize, size: usize) -> Self {
        self.fast_len = fast_len;
        self.size = size;
        self
    }
}

impl<'a, T: Copy> From<&'a [T]> for View<'a, T> {
    #[inline(always)]
    fn from(slice: &'a [T]) -> Self {
        // SAFETY: a shared slice is valid and not written during its lifetime.
        unsafe { Self::from_raw_parts(slice.as_ptr(), slice.len()) }
    }
}
