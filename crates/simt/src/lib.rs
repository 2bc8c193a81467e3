//! A SIMT executor for the CPU: it runs a kernel, written for a GPU, once per thread of a grid,
//! with the barriers, warp operations and block-shared memory that the kernel expects; fast, or
//! with every access judged.
//!
//! ```
//! use simt::{LaunchShape, Mode, current, launch, sync};
//! use std::sync::atomic::{AtomicU32, Ordering};
//!
//! let input: Vec<u32> = (0..1000).collect();
//! let even = AtomicU32::new(0);
//! // 4 blocks of 256 threads; each block counts its even elements together.
//! launch("count_even", LaunchShape::new(4, 256), Mode::Fast, || {
//!     let index = (current::block_idx().x * current::block_dim().x + current::thread_idx().x) as usize;
//!     let is_even = input.get(index).is_some_and(|value| value % 2 == 0);
//!     let count = sync::barrier_reduce(sync::Reduce::Count, u32::from(is_even));
//!     if current::thread_rank() == 0 {
//!         even.fetch_add(count, Ordering::Relaxed);
//!     }
//! })?;
//! assert_eq!(even.into_inner(), 500);
//! # Ok::<(), simt::LaunchError>(())
//! ```
//!
//! | on a GPU | current_thread |
//! | --- | --- |
//! | grid, blocks | blocks taken in ascending order by the threads of a rayon pool |
//! | the threads of a block | a loop on one CPU thread; one that must wait keeps its stack, a fiber |
//! | `threadIdx`, `blockIdx`, … | [`current`] |
//! | `__syncthreads`, `__syncwarp`, named barriers, shuffles, votes | [`sync`] |
//! | a kernel's barriers, known to who compiles it | [`steps`] |
//! | `__shared__` memory | [`memory::shared_static`], [`memory::dynamic_shared`] |
//! | compute-sanitizer's memcheck, racecheck, initcheck, synccheck | [`Mode::Checked`] |
//!
//! # How a block runs
//!
//! Its threads run one after another in a plain loop, which runs on a fiber. A thread that must
//! wait suspends that fiber and keeps it; another fiber goes on with the loop at the next thread.
//! So nothing has to be declared: a kernel that never waits is a loop, and one that does pays for
//! the threads that wait. A block of one thread waits for nobody and needs no fiber at all. A
//! kernel that comes with its body in [`steps`] waits at barriers without a fiber of its own.
//! Fibers have 64 KiB of stack (256 KiB where the crate is built with debug assertions) above a
//! guard page, and are kept by each CPU thread for the next block and the next launch.
//!
//! In fast mode CPU threads take blocks in ascending order, a few at a time, and each runs those it
//! took in that order. So the first block that has not finished is always being run, and a kernel
//! may wait for earlier blocks, as the look-back of a single-pass scan does, if it calls
//! [`sync::yield_thread`] while it waits. In checked mode blocks come in any order: such a kernel
//! must draw its place from an atomic counter when it starts, as it must on a device.
//!
//! # What checked mode finds
//!
//! [`Mode::Checked`] runs blocks one at a time, and resumes and starts the threads of a block in an
//! order drawn from its seed. It goes on after a finding, and returns all of them as a [`Report`],
//! each with its kernel, block, thread, source line and [`FindingKind`]:
//! - an index outside a view (in fast mode too);
//! - threads of a block that wait at different barriers, that is, at different source lines;
//! - a thread that has left the kernel while others of its block wait at a barrier;
//! - a lane that calls a warp operation whose mask does not name it (in fast mode too), and a mask
//!   that names lanes that have left;
//! - a named barrier for a number of threads that is wrong or differs, and lanes of one warp at
//!   different ones (in fast mode too);
//! - two threads that touch the same bytes, at least one writing and at least one not atomically,
//!   with nothing that orders them; where the memory is a parameter's, its name and the element;
//! - a read of shared memory that no thread of the block wrote;
//! - a use of what an asynchronous copy writes, before the thread that began it has waited for it;
//! - bytes that were written just behind an array of shared memory.
//!
//! What orders two accesses of one block is a barrier of the block, [`sync::warp_sync`] of lanes of
//! one warp, or a named barrier: who waits there ([`sync::named_barrier`]) is ordered after all who
//! came, and who only arrives ([`sync::named_barrier_arrive`]) after nobody. This goes on
//! transitively. [`sync::warp_exchange`] makes lanes meet but orders no memory, as `shfl.sync` and
//! `vote.sync` do not. Nothing orders accesses of two blocks. A race is found whether or not the
//! order that was drawn makes it go wrong; the seed matters for kernels whose control flow depends
//! on the order.
//!
//! In either mode a panic and a deadlock are errors that name their threads. Checked mode also
//! calls it a deadlock if all that remains of a block does nothing but [`sync::yield_thread`], a
//! million times over, and ends a thread that makes too many steps: see [`Limits`].
//!
//! It sees the accesses that are noted: by views, and by code that is instrumented, as `cuda_std`'s
//! attributes `kernel` and `watched` do it. Arrays that it saw nothing of, or not everything, it
//! names: see [`untracked_memory()`].
//!
//! # Faults
//!
//! On Unix systems a stack that is full, and an access past the end of shared memory (a page
//! without access follows each array), end the process with a line that names kernel, block and
//! thread, in either mode. Of any other access to memory that is not there such a line is written
//! before whoever handled the signal until then goes on. For that a launch installs a handler of
//! `SIGSEGV` and `SIGBUS`, once in a process.
//!
//! # What it cannot find
//!
//! - Accesses that nobody notes: in functions that are not instrumented, and in other crates. If a
//!   kernel passes a pointer or slice to one, that is said; a function that finds its memory by
//!   other ways goes unnoticed, unless it writes a shared array.
//! - Whether what a reference points to is the thread's own: what was not borrowed from a pointer
//!   that the kernel has, nor is a parameter's or shared, is taken for that.
//! - Ordering through atomics. A kernel that publishes plain data to another block or warp by an
//!   atomic flag is right on a device (with release and acquire) and is reported current_thread as a race;
//!   let it carry the data in atomics as well.
//! - Races in code that the run did not kind. It judges the accesses that were made.
//! - Fences that are too weak: the CPU's memory order is not that of a GPU.
//!
//! # What a kernel must not do
//!
//! Use rayon inside a kernel: a CPU thread that waits there takes up other work, on the kernel's
//! small stack. Spin without [`sync::yield_thread`]: the thread it waits for may never get its
//! turn. Keep a lock or a borrow of a cell over a barrier that other threads of the block want as
//! well.
//!
//! # What it costs
//!
//! `cargo bench -p ferrovox-simt` measures it. On one core of a 2023 server (a virtual machine with
//! other work on it), in nanoseconds: 1.5 for a block of one thread; 4 for a thread that does not
//! wait; 14 to 16 for each thread and barrier, 25 for each lane and warp operation, with the stacks
//! of 256 threads in use, and 65 once for a thread that waits at all; 150 for a launch. In checked
//! mode 50 for each thread and barrier, 30 for each tracked access.

mod arena;
mod blocked;
mod checked;
pub mod coroutine;
mod coroutine_functions;
pub mod current;
mod error;
mod executor;
mod fault;
mod fiber;
mod finding;
mod launch;
mod launcher;
mod limits;
pub mod memory;
mod parameter;
mod shape;
pub mod sync;
mod untracked;
mod watchdog;

pub use blocked::BlockedThread;
pub use error::{LaunchError, MAX_FINDINGS, Report};
pub use finding::{Access, Finding, FindingKind, MemoryLocation, Site};
pub use launcher::{Mode, launch, launch_kernel, launch_kernel_with};
pub use limits::Limits;
pub use parameter::{Parameter, ParameterKind};
pub use shape::{Dim3, LaunchShape, MAX_BLOCK_THREADS, MAX_BLOCK_Z, MAX_DYNAMIC_SHARED_BYTES};
pub use untracked::{TrackingGap, UntrackedMemory, untracked_memory};
