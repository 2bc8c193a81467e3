//! Device library for kernels that run on the GPU and on the CPU.
//!
//! The API follows Rust-CUDA's `cuda_std`; `docs/kernels/from-rust-cuda.md` lists which items work
//! unchanged, which need an edit and which are missing, each with a test. It is an independent
//! implementation: on the device it uses rustc's own NVPTX backend, and on the CPU the SIMT
//! executor `simt`, so that one source runs on both.
//!
//! | purpose | items |
//! | --- | --- |
//! | thread indices, block barriers, named barriers, fences | [`thread`] |
//! | shuffles, votes and reductions of a warp | [`warp`] |
//! | shared memory of a block | [`shared`], [`SharedView`] |
//! | constant memory | [`constant`] |
//! | device buffers, with bounds checks on the CPU and in debug builds | [`View`], [`ViewMut`] |
//! | scoped atomics | [`atomic`] |
//! | bit operations, strided access to views | [`bits`], [`cursor`] |
//! | `sqrt`, `sin`, … without `std` | [`GpuFloat`], [`FloatExt`] |
//! | printing, and assertions with messages | [`io`] |
//! | directed rounding, CUDA's intrinsics | [`intrinsics`] |
//! | vectors and matrices; 16-bit floats | [`glam`]; [`f16`](struct@f16), [`bf16`] |
//! | memory for `alloc` on the device | [`heap`] |
//! | launching a kernel | [`kernel`](mod@kernel) |
//!
//! # A kernel
//!
//! ```
//! use cuda_std::prelude::*;
//!
//! /// `y = factor * x`.
//! #[kernel]
//! pub unsafe fn scale(x: View<f32>, factor: f32, y: ViewMut<f32>) {
//!     let i = thread::index_1d() as usize;
//!     if i < x.len() {
//!         y.write(i, factor * x.read(i));
//!     }
//! }
//!
//! let x = [1.0, 2.0, 3.0];
//! let mut y = [0.0; 3];
//! let shape = simt::LaunchShape { grid: 1.into(), block: 32.into(), dynamic_shared_bytes: 0 };
//! // SAFETY: each thread writes one element of `y`, and `y` is not used elsewhere meanwhile.
//! unsafe {
//!     cuda_std::launch_on_cpu::<scale>(
//!         shape,
//!         simt::Mode::Checked { seed: 1 },
//!         (View::from(&x[..]), 2.0, ViewMut::from(&mut y[..])),
//!     )
//! }
//! .unwrap();
//! assert_eq!(y, [2.0, 4.0, 6.0]);
//! ```
//!
//! # `alloc`
//!
//! `Vec`, `Box`, `String` and the rest of `alloc` work in kernels: on the CPU as usual, on the
//! device from a heap that the host provides for each launch (see [`heap`]). A preallocated buffer
//! is faster; the builder's lint lists the kernels that allocate.
//!
//! # Features
//!
//! | feature | effect |
//! | --- | --- |
//! | `cpu` (default) | the bodies of kernels on the CPU; without it, kernels only run on a GPU |
//! | `half` (default) | the types `f16` and `bf16`, and the crate `half` |
//! | `glam-all` | glam's types with other components than `f32` and `u32` |
//! | `vek` | the module `vek`, whose vectors Rust-CUDA's `cuda_std` 0.2 provides |
//! | `panic-messages` | the device prints the message of a panic before it traps |
//! | `panic-handler`, `allocator` (on by default) | device panic handler, allocator |

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(stdarch_nvptx, asm_experimental_arch, link_llvm_intrinsics)
)]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features))]

#[doc(hidden)]
pub extern crate alloc;
// The macros' expansions refer to `::cuda_std`, in this crate's own tests too.
extern crate self as cuda_std;

pub mod async_copy;
pub mod atomic;
pub mod bits;
pub mod cfg;
pub mod constant;
pub mod cursor;
pub mod float;
#[cfg(feature = "half")]
mod half_floats;
pub mod heap;
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
pub mod instrument;
pub mod intrinsics;
pub mod io;
pub mod kernel;
pub mod mem;
pub mod misc;
#[cfg(all(target_arch = "nvptx64", feature = "panic-handler"))]
mod panic_handler;
pub mod ptr;
pub mod shared;
pub mod thread;
#[cfg(target_arch = "nvptx64")]
mod trap;
mod view;
pub mod warp;

pub use cuda_std_macros::{
    address_space, externally_visible, gpu_only, inline_closures, instrument, kernel,
};
pub use float::{FloatExt, GpuFloat};
pub use glam;
#[cfg(feature = "half")]
pub use half;
#[cfg(feature = "half")]
pub use half::{bf16, f16};
pub use kernel::KernelType;
#[cfg(not(target_arch = "nvptx64"))]
pub use kernel::{Kernel, PackedArgs, launch_on_cpu};
#[cfg(not(target_arch = "nvptx64"))]
pub use std::{assert, assert_eq, assert_ne};
#[cfg(target_arch = "nvptx64")]
use trap::trap;
#[cfg(feature = "vek")]
pub use vek;
pub use view::{AnyBytes, AtomicElement, AtomicInteger, SharedView, View, ViewMut};

/// Items that every kernel file needs: `use cuda_std::prelude::*;`.
pub mod prelude {
    pub use alloc::borrow::ToOwned;
    pub use alloc::boxed::Box;
    pub use alloc::format;
    pub use alloc::rc::Rc;
    pub use alloc::string::{String, ToString};
    pub use alloc::vec::Vec;

    #[cfg(feature = "half")]
    pub use crate::f16;
    pub use crate::kernel;
    pub use crate::thread;
    pub use crate::thread::IndexVector as _;
    // On the CPU `std`'s prelude has its own versions; kernels use these on both targets.
    pub use crate::{FloatExt, GpuFloat, SharedView, View, ViewMut};
    #[cfg(target_arch = "nvptx64")]
    pub use crate::{eprint, eprintln, print, println};
}
