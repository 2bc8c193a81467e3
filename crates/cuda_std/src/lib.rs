//! What a kernel may call, on the GPU and on the CPU.
//!
//! The names are those of Rust-CUDA's `cuda_std`, as far as the table in `docs/kernels/from-rust-cuda.md`
//! says: what moves here as it is, what needs a line, and what is not there, each with the test
//! that shows it. This is a different implementation: on the device it stands on rustc's own NVPTX
//! backend, and on the CPU the same names work too, on the SIMT executor `simt`, so that one source
//! runs on both.
//!
//! | you want | look in |
//! | --- | --- |
//! | which thread am I, barriers, also of some warps, fences | [`thread`] |
//! | lanes: shuffles, votes, reductions | [`warp`] |
//! | memory of a block | [`shared`], [`SharedView`] |
//! | tables that the host fills in | [`constant`] |
//! | device buffers with bounds checks where they cost nothing | [`View`], [`ViewMut`] |
//! | atomics with a scope | [`atomic`] |
//! | the highest bit of a word, places that move on by a stride | [`bits`], [`cursor`] |
//! | `sqrt`, `sin`, … without `std` | [`GpuFloat`], [`FloatExt`] |
//! | printing, and assertions with messages | [`io`] |
//! | rounding in a direction, the device library's names | [`intrinsics`] |
//! | vectors and matrices; numbers of 16 bits | [`glam`]; [`f16`](struct@f16), [`bf16`] |
//! | what `Vec` is made of on the device | [`heap`] |
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
//! // SAFETY: each thread writes one element of `y`, and nobody else uses `y` meanwhile.
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
//! `Vec`, `Box`, `String` and the rest of `alloc` work in kernels, on the CPU as anywhere, on the
//! device from a heap that the host gives to each launch: see [`heap`]. A buffer from the host is
//! faster, and the builder's lint names every kernel that allocates.
//!
//! # Features
//!
//! | feature | brings |
//! | --- | --- |
//! | `glam-all` | glam's types of other numbers than `f32` and `u32`, for a second more in each build |
//! | `vek` | the module `vek`, whose vectors the published 0.2 has |
//! | `panic-messages` | the device prints the message of a panic before it stops |
//! | `panic-handler`, `allocator` (both on) | what `core` and `alloc` call on the device; off, for your own |

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(stdarch_nvptx, asm_experimental_arch, link_llvm_intrinsics)
)]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features))]

#[doc(hidden)]
pub extern crate alloc;
// The macros' expansions name `::cuda_std`, also in this crate's own tests.
extern crate self as cuda_std;

pub mod async_copy;
pub mod atomic;
pub mod bits;
pub mod cfg;
pub mod constant;
pub mod cursor;
pub mod float;
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
pub use half;
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

/// What a kernel file begins with: `use cuda_std::prelude::*;`.
pub mod prelude {
    pub use alloc::borrow::ToOwned;
    pub use alloc::boxed::Box;
    pub use alloc::format;
    pub use alloc::rc::Rc;
    pub use alloc::string::{String, ToString};
    pub use alloc::vec::Vec;

    pub use crate::f16;
    pub use crate::kernel;
    pub use crate::thread;
    pub use crate::thread::IndexVector as _;
    // On the CPU these are `std`'s prelude's, and in kernels those of this crate on both.
    pub use crate::{FloatExt, GpuFloat, SharedView, View, ViewMut};
    #[cfg(target_arch = "nvptx64")]
    pub use crate::{eprint, eprintln, print, println};
}
