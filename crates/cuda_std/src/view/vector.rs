//! Vector accesses: several consecutive elements in one access.

use super::{SharedView, View, ViewMut};

#[cfg(target_arch = "nvptx64")]
mod aligned {
    #[derive(Clone, Copy)]
    #[repr(C, align(16))]
    pub struct Align16<V>(pub V);
    #[derive(Clone, Copy)]
    #[repr(C, align(8))]
    pub struct Align8<V>(pub V);
    #[derive(Clone, Copy)]
    #[repr(C, align(4))]
    pub struct Align4<V>(pub V);
    #[derive(Clone, Copy)]
    #[repr(C, align(2))]
    pub struct Align2<V>(pub V);
}

/// Reads a vector, on the device in one access if its size allows.
///
/// # Safety
/// `from` is valid for reads, and aligned to the vector's size if that is 2, 4, 8 or 16 bytes.
#[inline(always)]
unsafe fn read<V: Copy>(from: *const V) -> V {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: guaranteed by the caller, which includes the alignment.
    unsafe {
        use aligned::*;
        match size_of::<V>() {
            16 => from.cast::<Align16<V>>().read().0,
            8 => from.cast::<Align8<V>>().read().0,
            4 => from.cast::<Align4<V>>().read().0,
            2 => from.cast::<Align2<V>>().read().0,
            _ => from.read(),
        }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    // SAFETY: guaranteed by the caller.
    unsafe {
        from.read()
    }
}

/// Writes a vector, on the device in one access if its size allows.
///
/// # Safety
/// `to` is valid for writes, and aligned to the vector's size if that is 2, 4, 8 or 16 bytes.
#[inline(always)]
unsafe fn write<V: Copy>(to: *mut V, value: V) {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: guaranteed by the caller, which includes the alignment.
    unsafe {
        use aligned::*;
        match size_of::<V>() {
            16 => to.cast::<Align16<V>>().write(Align16(value)),
            8 => to.cast::<Align8<V>>().write(Align8(value)),
            4 => to.cast::<Align4<V>>().write(Align4(value)),
            2 => to.cast::<Align2<V>>().write(Align2(value)),
            _ => to.write(value),
        }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    // SAFETY: guaranteed by the caller.
    unsafe {
        to.write(value);
    }
}

/// On the CPU, ends the thread if an element of the vector is out of bounds, and records the access
/// in checked mode.
macro_rules! check {
    ($view:expr, $kind:ident, $access:ident, $i:expr, $n:expr) => {
        #[cfg(target_arch = "nvptx64")]
        super::check_on_device($i + $n - 1, $view.size);
        #[cfg(not(target_arch = "nvptx64"))]
        if $view.fast_len < $n || $i > $view.fast_len - $n {
            let site = site!($kind, $access);
            super::slow_path::checked_vector_access(site, $view.ptr.cast(), $view.size, $i, $n);
        }
    };
}

impl<T: Copy> View<'_, T> {
    /// Reads elements `i..i + N`, on the device in one access if they occupy 2, 4, 8 or 16 bytes.
    /// Out of bounds it behaves like [`View::read`].
    ///
    /// The address of element `i` must be a multiple of that size. This holds if the view's start
    /// is (as for memory that the host allocates) and `i` is a multiple of `N`.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn read_vector<const N: usize>(&self, i: usize) -> [T; N] {
        check!(self, VIEW, Read, i, N);
        // SAFETY: the elements are in bounds of a valid view; the alignment is part of the kernel's
        // contract.
        unsafe { read(self.ptr.add(i).cast::<[T; N]>()) }
    }
}

impl<T: Copy> SharedView<T> {
    /// Reads elements `i..i + N`; see [`View::read_vector`].
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn read_vector<const N: usize>(&self, i: usize) -> [T; N] {
        check!(self, SHARED_VIEW, Read, i, N);
        // SAFETY: as for `View`.
        unsafe { read(self.ptr.add(i).cast::<[T; N]>()) }
    }

    /// Writes `values` to elements `i..i + N`; see [`ViewMut::write_vector`].
    #[inline(always)]
    #[track_caller]
    pub fn write_vector<const N: usize>(&self, i: usize, values: [T; N]) {
        check!(self, SHARED_VIEW, Write, i, N);
        // SAFETY: as for `View`, and valid for writes.
        unsafe { write(self.ptr.add(i).cast::<[T; N]>(), values) }
    }
}

impl<T: Copy> ViewMut<'_, T> {
    /// Reads elements `i..i + N`; see [`View::read_vector`].
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn read_vector<const N: usize>(&self, i: usize) -> [T; N] {
        check!(self, VIEW_MUT, Read, i, N);
        // SAFETY: as for `View`.
        unsafe { read(self.ptr.add(i).cast::<[T; N]>()) }
    }

    /// Writes `values` to elements `i..i + N`, on the device in one access if they occupy 2, 4, 8
    /// or 16 bytes; see [`View::read_vector`] for the alignment.
    #[inline(always)]
    #[track_caller]
    pub fn write_vector<const N: usize>(&self, i: usize, values: [T; N]) {
        check!(self, VIEW_MUT, Write, i, N);
        // SAFETY: as for `View`, and valid for writes.
        unsafe { write(self.ptr.add(i).cast::<[T; N]>(), values) }
    }
}
