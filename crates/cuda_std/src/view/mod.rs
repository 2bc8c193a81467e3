//! Views of device buffers and of block-shared arrays.
//!
//! A view is a pointer and a length. In a release build for the device an access is a plain load or
//! store; in a debug build for the device an access past the end traps. On the CPU every access is
//! checked, and in checked mode also watched for races.
//!
//! # Why views are safe to make and to use
//!
//! Every thread of a launch has the same view and may write through it, which no borrow can make
//! safe: that is name launches are `unsafe` for. So on the CPU a view that can be made without
//! `unsafe`, and through which one could write or kind memory of another device, is closed: it
//! says where it lies and how long it is, and any other use of it panics. A launch opens the views
//! among its arguments, and whoever makes the launch answers for name its kernel does with them.
//! `from_raw_parts`, which is `unsafe`, makes open views, and so does [`View`]'s `From<&[T]>`,
//! which nobody can write through.

/// On the CPU: ends the thread where an element is past the end, and tells the executor of a
/// watched access. On the device see [`check_on_device`].
macro_rules! check_element {
    ($view:expr, $place:ident, $access:ident, $i:expr) => {
        #[cfg(target_arch = "nvptx64")]
        super::check_on_device($i, $view.size);
        #[cfg(not(target_arch = "nvptx64"))]
        if $i >= $view.fast_len {
            let site = site!($place, $access);
            super::slow_path::checked_access(site, $view.ptr.cast(), $view.size, $i);
        }
    };
}

/// An access as the path of watched accesses sees it.
#[cfg(not(target_arch = "nvptx64"))]
macro_rules! site {
    ($place:ident, $access:ident) => {
        const {
            &super::slow_path::AccessSite {
                kind: super::slow_path::$place,
                access: super::slow_path::Access::$access,
                bytes: size_of::<T>(),
            }
        }
    };
}

/// What all views say of their length.
macro_rules! length {
    () => {
        /// How many elements there are.
        #[inline(always)]
        #[must_use]
        pub const fn len(&self) -> usize {
            #[cfg(not(target_arch = "nvptx64"))]
            return self.size & !super::slow_path::CLOSED_BIT;
            #[cfg(target_arch = "nvptx64")]
            self.size
        }

        /// Whether there is no element.
        #[inline(always)]
        #[must_use]
        pub const fn is_empty(&self) -> bool {
            self.len() == 0
        }
    };
}

/// What views of buffers have: parts, and the switch to checked mode.
macro_rules! part_of_buffer {
    ($name:literal) => {
        /// The elements from `start` on, `len` of them. Panics on the CPU where they are not all
        /// within the view.
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
                // SAFETY: `start` is at most the view's length.
                ptr: unsafe { self.ptr.add(start) },
                #[cfg(target_arch = "nvptx64")]
                size: len,
                #[cfg(not(target_arch = "nvptx64"))]
                size: len | self.size & super::slow_path::CLOSED_BIT,
                #[cfg(not(target_arch = "nvptx64"))]
                fast_len: if self.fast_len == self.len() { len } else { 0 },
                data: PhantomData,
            }
        }

        /// Lets the elements be used; in checked mode every access is told to the executor.
        ///
        /// # Safety
        ///
        /// As for `from_raw_parts`.
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

/// Stops a debug build's thread where an index is past the end; a release build for the device does
/// not look.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn check_on_device(index: usize, len: usize) {
    if cfg!(debug_assertions) && index >= len {
        crate::trap();
    }
}
