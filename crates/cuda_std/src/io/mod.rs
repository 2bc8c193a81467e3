//! Printing from kernels, and assertions that say what was wrong.
//!
//! [`print!`](crate::print), [`println!`](crate::println), [`eprint!`](crate::eprint) and
//! [`eprintln!`](crate::eprintln) take what those of `std` take, on both machines, and write the
//! same text.
//!
//! # On the device
//!
//! The driver keeps what is printed in a buffer (1 MiB unless the host sets its limit, and the
//! oldest text is lost where it does not suffice), and writes it to the standard output at the next
//! synchronisation, `eprint!`'s too. A call's text is formatted in [`PIECE`] bytes of the thread's
//! stack, and is one piece in the driver's buffer; where it is longer it is several, between which
//! those of other threads may come. A byte 0 ends a piece.
//!
//! Formatting is `core`'s, with calls through tables, of which the assembler does not know the
//! stack that they take: the device then reserves what the context's limit says, 1 KiB by default.
//! Text and whole numbers fit into that. **Floats do not**: set the limit to 8 KiB
//! (`CurrentContext::set_resource_limit(ResourceLimit::StackSize, 8192)` in `cust`) before a kernel
//! prints one.
//!
//! For the same reason a kernel that prints takes 255 registers, even where it does not come to
//! printing. One that does not print has not one instruction more.
//!
//! # On the CPU
//!
//! The text goes to the program's standard output or error at once. A call's text is written as
//! one, so lines of threads do not mix; a line that one thread has open_line with `print!` ends where
//! another thread prints. In checked mode each line begins with its block and thread.
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
//! # Which macros these are
//!
//! In the body of a [`kernel`](macro@crate::kernel) the names without a path are this crate's. In a
//! function that it calls `println!` is, on the device, the [prelude](crate::prelude)'s, and on the
//! CPU `std`'s; `assert!` and its like are `core`'s, which stop the device without a message. Write
//! `cuda_std::println!` and `cuda_std::assert_eq!` there. With the feature `panic-messages` of this
//! crate every panic prints its message.
//!
//! # Assertions
//!
//! [`assert!`](crate::assert), [`assert_eq!`](crate::assert_eq) and
//! [`assert_ne!`](crate::assert_ne) of this crate end the launch on the device with the driver's
//! error for assertions (`CUDA_ERROR_ASSERT`), after the driver has written file, line, block,
//! thread and the message, of which the first [`PIECE`] bytes are kept. On the CPU they are
//! `std`'s: a panic, which the launch returns as an error that names kernel, block and thread.

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

/// How many bytes of a call's text the device keeps together.
pub const PIECE: usize = 256;
