//! Views of device buffers and of block-shared arrays.
//!
//! A view is a pointer and a length. In a release build for the device an access is a plain load or store; in a debug build for the
//! device an access past the end traps. On the CPU every access is checked, and in checked mode also watched for races.

/// On the CPU: ends the thread where an element is past the end, and tells the executor of a watched access. On the device see
/// [`check_on_device`].
macro_rules! check_element {
    ($view:expr, $place:ident, $access:ident, $i:expr) => {
        #[cfg(target_arch = "nvptx64")]
        super::check_on_device($i, $view.len);
        #[cfg(not(target_arch = "nvptx64"))]
        if $i >= $view.fast_len {
            use super::cold::{Access, checked_access, $place};
            let base = $view.ptr.cast();
            checked_access($place, Access::$access, base, size_of::<T>(), $i, $view.len);
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
            self.len
        }

        /// Whether there is no element.
        #[inline(always)]
        #[must_use]
        pub const fn is_empty(&self) -> bool {
            self.len == 0
        }
    };
}

/// What views of buffers have: parts, and the switch to checked mode.
macro_rules! part_of_buffer {
    ($name:literal) => {
        /// The elements from `start` on, `len` of them. Panics on the CPU where they are not all within the view.
        #[inline(always)]
        #[track_caller]
        #[must_use]
        pub fn slice(&self, start: usize, len: usize) -> Self {
            #[cfg(target_arch = "nvptx64")]
            super::check_on_device(start + len, self.len + 1);
            #[cfg(not(target_arch = "nvptx64"))]
            assert!(
                start <= self.len && len <= self.len - start,
                concat!("elements {}..{}+{} of a ", $name, " of {}"),
                start,
                start,
                len,
                self.len
            );
            Self {
                // SAFETY: `start` is at most the view's length.
                ptr: unsafe { self.ptr.add(start) },
                len,
                #[cfg(not(target_arch = "nvptx64"))]
                fast_len: if self.fast_len == self.len { len } else { 0 },
                data: PhantomData,
            }
        }

        /// Makes every access go to the executor's checked mode.
        #[cfg(not(target_arch = "nvptx64"))]
        #[doc(hidden)]
        pub fn set_checked(&mut self) {
            self.fast_len = 0;
        }
    };
}

mod atomic;
#[cfg(not(target_arch = "nvptx64"))]
mod cold;
mod read;
mod shared;
mod vector;
mod write;

pub use atomic::{AtomicElement, AtomicInteger};
pub use read::View;
pub use shared::SharedView;
pub use write::ViewMut;

/// Stops a debug build's thread where an index is past the end; a release build for the device does not look.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn check_on_device(index: usize, len: usize) {
    if cfg!(debug_assertions) && index >= len {
        crate::trap();
    }
}
