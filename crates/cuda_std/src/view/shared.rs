//! `SharedView`: a block-shared array.

/// An array in the block's shared memory, made by [`shared_view!`](crate::shared_view). Uninitialised when the block starts.
pub struct SharedView<T> {
    pub(super) ptr: *mut T,
    pub(super) len: usize,
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
    /// `ptr` must be valid for reads and writes of `len` elements of the block's shared memory while the kernel runs.
    #[inline(always)]
    #[must_use]
    pub unsafe fn from_raw_parts(ptr: *mut T, len: usize) -> Self {
        Self {
            ptr,
            len,
            #[cfg(not(target_arch = "nvptx64"))]
            fast_len: if crate::kernel::checked() { 0 } else { len },
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
        // SAFETY: `i` is within the array (on the device the kernel's contract says so), which lives as long as the block.
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
