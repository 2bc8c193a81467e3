//! Kernels as types: the argument list, the entry point's name, and a launch on the CPU.
//!
//! `#[kernel]` implements [`Kernel`] for a unit struct of the kernel's name. A launch takes the kernel as a type parameter and its
//! arguments as that kernel's [`Args`](Kernel::Args), so an argument that is missing or of the wrong type does not compile.

#[cfg(not(target_arch = "nvptx64"))]
mod launch;
mod names;
#[cfg(not(target_arch = "nvptx64"))]
mod packed;

#[cfg(not(target_arch = "nvptx64"))]
pub use launch::{EntryName, Kernel, launch_on_cpu};
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use launch::checked;
#[doc(hidden)]
#[cfg(not(target_arch = "nvptx64"))]
pub use names::{generic_entry, is_listed};
pub use names::{KernelType};
#[doc(hidden)]
pub use names::{assert_parameter_is_copy, assert_type_name};
#[cfg(not(target_arch = "nvptx64"))]
pub use packed::PackedArgs;
