//! Block-shared memory: fixed arrays, statics, and the launch's dynamic allocation.

mod statics;

pub use statics::{InStatic, SharedStatic};

use crate::{AnyBytes, SharedView};

/// Returns the current block's memory for a value of type `T`, identified by the address of `key`.
#[doc(hidden)]
#[inline]
#[cfg(not(target_arch = "nvptx64"))]
pub fn array_on_cpu<T>(key: &'static core::sync::atomic::AtomicU8) -> *mut T {
    simt::memory::shared_static(&raw const *key as usize, size_of::<T>(), align_of::<T>()).cast()
}

/// Returns `first`, the start of a shared array, after recording for checked mode that the kernel
/// obtained a raw pointer to it.
#[doc(hidden)]
#[inline(always)]
#[must_use]
#[track_caller]
pub fn as_pointer<T>(first: *mut T) -> *mut T {
    #[cfg(not(target_arch = "nvptx64"))]
    if simt::memory::is_any_launch_checked() {
        simt::memory::record_raw_pointer(first.addr());
    }
    first
}

/// Returns a view of the current block's array of `len` elements at `first`.
///
/// # Safety
///
/// `first` is the start of the block's array of `len` elements.
///
/// # Panics
///
/// On the CPU outside a kernel launch, because only the caller of such a launch guarantees that
/// views are not used after the block.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn view_of_array<T: AnyBytes>(first: *mut T, len: usize) -> SharedView<T> {
    #[cfg(not(target_arch = "nvptx64"))]
    assert!(
        simt::current::is_kernel_launch(),
        "shared_view! is for kernels, launched as such: this launch is one of a closure"
    );
    // SAFETY: the array has `len` elements, for which all byte patterns are valid; the launch's
    // caller guarantees that the block's memory is not used after the block.
    unsafe { SharedView::from_raw_parts(first, len) }
}

/// Declares an array in shared memory: `shared_array![T; N]` is a `*mut T` to `N` uninitialised
/// elements.
///
/// Each occurrence of `shared_array!` in the source is one array per block, however often it runs.
/// `T` must be a concrete type, since the array is a static. [`shared_view!`](crate::shared_view)
/// is an alternative with bounds checks and race detection on the CPU.
///
/// # Safety
///
/// The macro itself is safe, but using the pointer is not: an element must be written before it is
/// read, with [`sync_threads`](crate::thread::sync_threads) between a write and another thread's
/// access.
///
/// ```
/// use cuda_std::prelude::*;
/// use cuda_std::shared_array;
///
/// #[kernel]
/// pub unsafe fn reverse(data: *mut i32, n: usize) {
///     let tile = shared_array![i32; 64];
///     let i = thread::thread_idx_x() as usize;
///     unsafe {
///         if i < n {
///             *tile.add(i) = *data.add(i);
///         }
///         thread::sync_threads();
///         if i < n {
///             *data.add(i) = *tile.add(n - 1 - i);
///         }
///     }
/// }
/// ```
#[macro_export]
macro_rules! shared_array {
    ($element:ty; $len:expr) => {{
        #[inline(always)]
        fn __cuda_std_shared_array() -> *mut $element {
            $crate::shared::as_pointer($crate::__shared_array!($element; $len))
        }
        __cuda_std_shared_array()
    }};
}

/// Declares an array in shared memory as a [`SharedView`](crate::SharedView): `shared_view![T; N]`
/// has `N` uninitialised elements of a type `T` that is [`AnyBytes`](crate::AnyBytes). On the CPU
/// it panics outside a kernel.
///
/// ```
/// use cuda_std::prelude::*;
/// use cuda_std::shared_view;
///
/// #[kernel]
/// pub unsafe fn reverse(data: ViewMut<i32>) {
///     let tile = shared_view![i32; 64];
///     let i = thread::thread_idx_x() as usize;
///     if i < data.len() {
///         tile.write(i, data.read(i));
///     }
///     thread::sync_threads();
///     if i < data.len() {
///         data.write(i, tile.read(data.len() - 1 - i));
///     }
/// }
/// ```
#[macro_export]
macro_rules! shared_view {
    ($element:ty; $len:expr) => {{
        #[inline(always)]
        fn __cuda_std_shared_view() -> $crate::SharedView<$element> {
            let first: *mut $element = $crate::__shared_array!($element; $len);
            // SAFETY: the block's array has exactly this many elements.
            unsafe { $crate::shared::view_of_array(first, $len) }
        }
        __cuda_std_shared_view()
    }};
}

/// Declares the static behind both macros. Items are not hygienic, and `$len` may be a constant of
/// the kernel, hence the unusual names.
#[doc(hidden)]
#[macro_export]
#[cfg(target_arch = "nvptx64")]
macro_rules! __shared_array {
    ($element:ty; $len:expr) => {{
        #[unsafe(link_section = ".nvptx.shared")]
        static mut __CUDA_STD_SHARED: ::core::mem::MaybeUninit<[$element; $len]> =
            ::core::mem::MaybeUninit::uninit();
        (&raw mut __CUDA_STD_SHARED).cast::<$element>()
    }};
}

/// Declares the executor's array behind both macros, identified by the address of a static.
#[doc(hidden)]
#[macro_export]
#[cfg(not(target_arch = "nvptx64"))]
macro_rules! __shared_array {
    ($element:ty; $len:expr) => {{
        static __CUDA_STD_KEY: ::core::sync::atomic::AtomicU8 =
            ::core::sync::atomic::AtomicU8::new(0);
        $crate::shared::array_on_cpu::<[$element; $len]>(&__CUDA_STD_KEY).cast::<$element>()
    }};
}

/// Returns the start of the dynamic shared memory, aligned to 16 bytes, uninitialised.
///
/// All calls return the same pointer. The size is
/// [`mem::dynamic_smem_size`](crate::mem::dynamic_smem_size).
#[inline(always)]
#[must_use]
#[track_caller]
pub fn dynamic_shared_mem<T>() -> *mut T {
    const {
        assert!(
            align_of::<T>() <= 16,
            "dynamic shared memory is aligned to 16 bytes"
        );
    }
    #[cfg(target_arch = "nvptx64")]
    {
        unsafe extern "C" {
            // The linker turns this name into `.extern .shared`.
            #[link_name = "__ferrovox_dynamic_shared"]
            static mut DYNAMIC_SHARED: [u8; 0];
        }
        (&raw mut DYNAMIC_SHARED).cast()
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        as_pointer(simt::memory::dynamic_shared().0).cast()
    }
}
