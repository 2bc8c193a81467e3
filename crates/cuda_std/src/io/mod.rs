//! Printing from kernels, and assertions with messages.
//!
//! [`print!`](crate::print), [`println!`](crate::println), [`eprint!`](crate::eprint) and
//! [`eprintln!`](crate::eprintln) accept the same arguments as those of `std` and print the same
//! text on both targets.
//!
//! # On the device
//!
//! The driver collects printed text in a buffer (1 MiB unless the host sets another limit; on
//! overflow the oldest text is lost) and writes it to standard output at the next synchronisation,
//! including that of `eprint!`. Each call formats its text in a buffer of [`TEXT_BUFFER_BYTES`]
//! bytes on the thread's stack. Text that fits is one unit in the driver's buffer; longer text is
//! split, and text of other threads may come in between. A null byte ends the text.
//!
//! Formatting uses `core`, whose indirect calls hide the stack usage from the assembler, so the
//! device reserves the context's stack limit, 1 KiB by default. This suffices for text and
//! integers. **Floats need more**: set the limit to 8 KiB
//! (`CurrentContext::set_resource_limit(ResourceLimit::StackSize, 8192)` in `cust`) before a kernel
//! prints one.
//!
//! For the same reason a kernel that can print uses 255 registers. Kernels that do not print have
//! no overhead.
//!
//! # On the CPU
//!
//! The text goes to the program's standard output or error immediately. The text of a call is
//! written as a unit, so lines of different threads do not mix; an incomplete line of one thread is
//! terminated when another thread prints. In checked mode each line starts with its block and
//! thread.
//!
//! ```
//! use cuda_std::prelude::*;
//!
//! #[kernel]
//! pub unsafe fn report(x: View<f32>) {
//!     let i = thread::index_1d() as usize;
//!     if i < x.len() && !(x.read(i) >= 0.0) {
//!         println!("element {i} is {}", x.read(i));
//!     }
//! }
//! ```
//!
//! # Name resolution
//!
//! In the body of a [`kernel`](macro@crate::kernel) the unqualified macro names refer to this
//! crate's. In a function that it calls, `println!` is the [prelude](crate::prelude)'s on the
//! device and `std`'s on the CPU, while `assert!` and its relatives are `core`'s, which trap on the
//! device without a message; write `cuda_std::println!` and `cuda_std::assert_eq!` there. With the
//! feature `panic-messages` every panic prints its message.
//!
//! # Assertions
//!
//! [`assert!`](crate::assert), [`assert_eq!`](crate::assert_eq) and
//! [`assert_ne!`](crate::assert_ne) of this crate end the launch on the device with the driver's
//! assertion error (`CUDA_ERROR_ASSERT`), after the driver has printed file, line, block, thread
//! and the first [`TEXT_BUFFER_BYTES`] bytes of the message. On the CPU they are `std`'s: a panic,
//! which the launch returns as an error that names kernel, block and thread.

#[cfg(not(target_arch = "nvptx64"))]
mod cpu;
#[cfg(target_arch = "nvptx64")]
mod device;
mod macros;

#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
pub use cpu::{print_error, print_text};
#[cfg(target_arch = "nvptx64")]
pub use device::{__assertfail, vprintf};
#[cfg(target_arch = "nvptx64")]
#[doc(hidden)]
pub use device::{assertion_failed, print_text, print_text as print_error};

/// Number of bytes of a call's text that the device prints as a unit.
pub const TEXT_BUFFER_BYTES: usize = 256;
