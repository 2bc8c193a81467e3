//! Views of device buffers and of shared arrays.
//!
//! A view is a pointer and a length. In a release build for the device an access is a plain load or
//! store; in a debug build for the device an out-of-bounds access traps. On the CPU every access is
//! bounds-checked, and in checked mode also checked for races.
//!
//! # Safety of views
//!
//! Every thread of a launch has the same view and may write through it, which borrow checking
//! cannot express; this is why launches are `unsafe`. On the CPU a view that can be created without
//! `unsafe`, and that could write or refer to another device's memory, is *closed*: only its
//! address and length can be queried, and any other use panics. A launch opens the views among its
//! arguments, and its caller is responsible for the kernel's use of them. `from_raw_parts`, which
//! is `unsafe`, creates open views; so does [`View`]'s `From<&[T]>`, which is read-only.

/// On the CPU, ends the thread if an element is out of bounds, and records the access in checked
/// mode. On the device see [`check_on_device`].
macro_rules! check_element {
    ($view:expr, $kind:ident, $access:ident, $i:expr) => {
        #[cfg(target_arch = "nvptx64")]
        super::check_on_device($i, $view.size);
        #[cfg(not(target_arch = "nvptx64"))]
        if $i >= $view.fast_len {
            let site = site!($kind, $access);
            super::slow_path::checked_access(site, $view.ptr.cast(), $view.size, $i);
        }
    };
}

/// Describes an access for the slow path.
#[cfg(not(target_arch = "nvptx64"))]
macro_rules! site {
    ($kind:ident, $access:ident) => {
        const {
            &super::slow_path::AccessSite {
                kind: super::slow_path::$kind,
                access: super::slow_path::Access::$access,
                bytes: size_of::<T>(),
            }
        }
    };
}

/// Defines the length methods of all views.
macro_rules! length {
    () => {
        /// Returns the number of elements.
        #[inline(always)]
        #[must_use]
        pub const fn len(&self) -> usize {
            #[cfg(not(target_arch = "nvptx64"))]
            return self.size & !super::slow_path::CLOSED_BIT;
            #[cfg(target_arch = "nvptx64")]
            self.size
        }

        /// Returns `true` if there are no elements.
        #[inline(always)]
        #[must_use]
        pub const fn is_empty(&self) -> bool {
            self.len() == 0
        }
    };
}

/// Defines the methods of buffer views: slicing, and opening for a launch.
macro_rules! part_of_buffer {
    ($name:literal) => {
        /// Returns the view of elements `start..start + len`. Panics on the CPU if they are out of
        /// bounds.
        #[inline(always)]
        #[track_caller]
        #[must_use]
        pub fn slice(&self, start: usize, len: usize) -> Self {
            #[cfg(target_arch = "nvptx64")]
            super::check_on_device(start + len, self.size + 1);
            #[cfg(not(target_arch = "nvptx64"))]
            assert!(
                start <= self.len() && len <= self.len() - start,
                concat!("elements {}..{}+{} of a ", $name, " of {}"),
                start,
                start,
                len,
                self.len()
            );
            Self {
                // SAFETY: `start` is at most the length of the view, which a launch has opened.
                #[cfg(target_arch = "nvptx64")]
                ptr: unsafe { self.ptr.add(start) },
                // The address of a closed view need not be that of an allocation of the host.
                #[cfg(not(target_arch = "nvptx64"))]
                ptr: self.ptr.wrapping_add(start),
                #[cfg(target_arch = "nvptx64")]
                size: len,
                #[cfg(not(target_arch = "nvptx64"))]
                size: len | self.size & super::slow_path::CLOSED_BIT,
                #[cfg(not(target_arch = "nvptx64"))]
                fast_len: if self.fast_len == self.len() { len } else { 0 },
                data: PhantomData,
            }
        }

        /// Opens the view for use in a launch. In checked mode every access is recorded.
        ///
        /// # Safety
        ///
        /// The requirements of `from_raw_parts`.
        #[cfg(not(target_arch = "nvptx64"))]
        #[doc(hidden)]
        pub unsafe fn open(&mut self, checked: bool) {
            self.size = self.len();
            self.fast_len = if checked { 0 } else { self.size };
        }
    };
}

mod atomic;
mod read;
mod shared;
#[cfg(not(target_arch = "nvptx64"))]
mod slow_path;
mod vector;
mod write;

pub use atomic::{AtomicElement, AtomicInteger};
pub use read::View;
pub use shared::{AnyBytes, SharedView};
pub use write::ViewMut;

/// Traps in a debug build if an index is out of bounds; a release build for the device does not
/// check.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn check_on_device(index: usize, len: usize) {
    if cfg!(debug_assertions) && index >= len {
        crate::trap();
    }
}
