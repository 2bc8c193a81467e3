//! `View`: a buffer that a kernel reads.

use core::marker::PhantomData;

/// A buffer of `T` that a kernel reads. `Copy`; every thread of a launch holds the same one.
///
/// As a kernel's parameter it is written `View<T>` and reaches the PTX entry point as a pointer and
/// a length.
pub struct View<'a, T> {
    pub(super) ptr: *const T,
    /// How many elements there are; on the CPU with [`CLOSED_BIT`](super::slow_path::CLOSED_BIT) where none may
    /// be used yet.
    pub(super) size: usize,
    /// The length, or 0 where every access is watched or none is allowed: one comparison is the
    /// bounds check and the way to the watched path.
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

// SAFETY: an open view gives out copies of the elements, like `&[T]`; a closed one nothing.
unsafe impl<T: Sync> Send for View<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for View<'_, T> {}

impl<'a, T: Copy> View<'a, T> {
    /// A view of the `len` elements at `ptr`.
    ///
    /// # Safety
    ///
    /// 1. Wherever an element is read, on the host or on a device, `ptr` must be valid there for
    ///    reads of `len` elements for `'a`.
    /// 2. No one writes an element at the same time, except by atomic operations where the kernel
    ///    also reads it atomically.
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

    /// The `len` elements at `ptr`, of the host or of a device, as an argument of a launch: until
    /// it is launched with, and on the host ever after, reading an element of it panics.
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

    /// Where the first element is.
    #[inline(always)]
    #[must_use]
    pub const fn as_ptr(&self) -> *const T {
        self.ptr
    }

    /// Element `i`. Past the end the thread ends with a finding on the CPU and traps in a debug
    /// build for the device; a release build for the device reads whatever is there.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn read(&self, i: usize) -> T {
        check_element!(self, VIEW, Read, i);
        // SAFETY: `i` is within the view (on the device the kernel's contract says so), which was
        // promised valid.
        unsafe { self.ptr.add(i).read() }
    }

    part_of_buffer!("View");

    /// The elements as a slice, whose accesses checked mode sees in kernels and
    /// [`watched`](macro@crate::instrument) functions only.
    ///
    /// # Safety
    ///
    /// No one may write the elements while the slice lives.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn as_slice(&self) -> &'a [T] {
        // SAFETY: the view was promised valid, and the caller promises that nobody writes.
        unsafe { core::slice::from_raw_parts(self.ptr, self.len()) }
    }

    /// This view, watched and closed as another of the same elements is.
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
        // SAFETY: a shared slice is valid and unwritten for its lifetime.
        unsafe { Self::from_raw_parts(slice.as_ptr(), slice.len()) }
    }
}
