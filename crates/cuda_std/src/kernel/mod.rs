//! Kernels as types: argument lists, entry point names, and launches on the CPU.
//!
//! `#[kernel]` implements [`Kernel`] for a unit struct with the kernel's name. A launch takes the
//! kernel as a type parameter and its arguments as [`Kernel::Args`], so missing or mistyped
//! arguments are compile errors.
//!
//! # Structs as arguments
//!
//! A parameter that is not a view or slice is passed to the device as its bytes. Declare structs
//! `#[repr(C)]`, because host and device compiler may lay out other structs differently, and do not
//! put views into them: a view has different fields on the device.
//!
//! # Compile errors
//!
//! A parameter that is not `Copy`:
//!
//! ```compile_fail,E0277
//! # use cuda_std::prelude::*;
//! #[kernel]
//! pub unsafe fn print(text: String) {}
//! ```
//!
//! A launch with a missing argument:
//!
//! ```compile_fail,E0308
//! # use cuda_std::prelude::*;
//! #[kernel]
//! pub unsafe fn fill(value: f32, out: ViewMut<f32>) {}
//! # let shape = simt::LaunchShape { grid: 1.into(), block: 1.into(), dynamic_shared_bytes: 0 };
//! unsafe { cuda_std::launch_on_cpu::<fill>(shape, simt::Mode::Fast, (1.0,)) };
//! ```
//!
//! A launch with a type for which the kernel is not built:
//!
//! ```compile_fail,E0080
//! # use cuda_std::prelude::*;
//! #[kernel(T = [u8, f32])]
//! pub unsafe fn copy<T: Copy>(from: View<T>, to: ViewMut<T>) {}
//! <copy<u16> as cuda_std::Kernel>::entry();
//! ```

#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
pub mod coroutine;
#[cfg(all(not(target_arch = "nvptx64"), feature = "cpu"))]
mod coroutine_functions;
#[cfg(not(target_arch = "nvptx64"))]
mod instruction_set;
#[cfg(not(target_arch = "nvptx64"))]
mod launch;
mod names;
#[cfg(all(not(target_arch = "nvptx64"), not(feature = "cpu")))]
mod no_bodies;
#[cfg(not(target_arch = "nvptx64"))]
mod packed;
#[cfg(not(target_arch = "nvptx64"))]
mod parameter_descriptions;
#[cfg(all(not(target_arch = "nvptx64"), feature = "cpu"))]
mod runner;

#[cfg(not(target_arch = "nvptx64"))]
pub use instruction_set::InstructionSet;
#[doc(hidden)]
#[cfg(not(target_arch = "nvptx64"))]
pub use launch::InstrumentedKernel;
#[cfg(not(target_arch = "nvptx64"))]
pub use launch::{EntryName, Kernel, launch_on_cpu};
pub use names::KernelType;
#[doc(hidden)]
pub use names::{assert_parameter_is_copy, assert_type_name};
#[doc(hidden)]
#[cfg(not(target_arch = "nvptx64"))]
pub use names::{generic_entry, position};
#[doc(hidden)]
#[cfg(all(not(target_arch = "nvptx64"), not(feature = "cpu")))]
pub use no_bodies::{instrumented_runner, runner};
#[cfg(not(target_arch = "nvptx64"))]
pub use packed::PackedArgs;
#[doc(hidden)]
#[cfg(not(target_arch = "nvptx64"))]
pub use parameter_descriptions::ParameterDescriptions;
#[doc(hidden)]
#[cfg(all(not(target_arch = "nvptx64"), feature = "cpu"))]
pub use runner::{instrumented_runner, runner};

/// Applies `#[kernel]` with a list of types: the last step of `#[kernel(T = list!)]`.
///
/// A macro that defines a list passes its own input on behind the list:
///
/// ```
/// use cuda_std::prelude::*;
///
/// /// The types of samples.
/// macro_rules! sample_types {
///     ($($kernel:tt)*) => { cuda_std::kernel_for_types! { [u8, f32] $($kernel)* } };
/// }
///
/// #[kernel(T = sample_types!)]
/// pub unsafe fn widen<T: KernelType + Into<f64>>(samples: View<T>, wide: ViewMut<f64>) {
///     let i = thread::index_1d() as usize;
///     if i < samples.len() {
///         wide.write(i, samples.read(i).into());
///     }
/// }
/// # use cuda_std::{Kernel, KernelType};
/// # fn main() {
/// assert_eq!(widen::<u8>::entry(), "widen_u8");
/// assert_eq!(widen::<f32>::entry(), "widen_f32");
/// # }
/// ```
#[macro_export]
macro_rules! kernel_for_types {
    ([$($types:tt)*] [$parameter:ident] [$($options:tt)*] $($item:tt)*) => {
        #[$crate::kernel($parameter = [$($types)*], $($options)*)]
        $($item)*
    };
}
