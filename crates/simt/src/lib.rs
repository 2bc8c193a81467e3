//! A SIMT executor for the CPU. It runs a GPU kernel once per thread of a grid, with block
//! barriers, warp operations and shared memory, either in fast mode or in checked mode, which
//! reports data races and other violations of the programming model.
//!
//! ```
//! use simt::{LaunchShape, Mode, current, launch, sync};
//! use std::sync::atomic::{AtomicU32, Ordering};
//!
//! let input: Vec<u32> = (0..1000).collect();
//! let even = AtomicU32::new(0);
//! // 4 blocks of 256 threads; each block counts its even elements together.
//! let body = || {
//!     let first = current::block_idx().x * current::block_dim().x;
//!     let index = (first + current::thread_idx().x) as usize;
//!     let is_even = input.get(index).is_some_and(|value| value % 2 == 0);
//!     let count = sync::barrier_reduce(sync::Reduce::Count, u32::from(is_even));
//!     if current::thread_rank() == 0 {
//!         even.fetch_add(count, Ordering::Relaxed);
//!     }
//! };
//! // SAFETY: the threads wait only in `body`, not in an initialiser of a thread-local variable.
//! unsafe { launch("count_even", LaunchShape::new(4, 256), Mode::Fast, body)? };
//! assert_eq!(even.into_inner(), 500);
//! # Ok::<(), simt::LaunchError>(())
//! ```
//!
//! | GPU | this crate |
//! | --- | --- |
//! | grid, blocks | blocks, scheduled in ascending order on the threads of a rayon pool |
//! | threads of a block | iterations of a loop on one CPU thread, each on a fiber if it waits |
//! | `threadIdx`, `blockIdx`, … | [`current`] |
//! | `__syncthreads`, `__syncwarp`, named barriers, shuffles, votes | [`sync`] |
//! | kernel bodies compiled as stackless coroutines | [`coroutine`] |
//! | `__shared__` memory | [`memory::shared_static`], [`memory::dynamic_shared`] |
//! | compute-sanitizer's memcheck, racecheck, initcheck, synccheck | [`Mode::Checked`] |
//!
//! # Execution of a block
//!
//! The threads of a block run sequentially in a loop, and the loop runs on a fiber. A thread that
//! has to wait suspends its fiber and keeps it; another fiber continues the loop with the next
//! thread. Kernels declare nothing: a kernel that never waits is a plain loop, and one that waits
//! pays only for its waiting threads. Blocks of one thread never wait and need no fiber. A kernel
//! whose body is also available as a [`coroutine`] waits at barriers without a fiber. Fibers have a
//! stack of 64 KiB (256 KiB with debug assertions) above a guard page. Each CPU thread keeps its
//! fibers for later blocks and launches.
//!
//! In fast mode CPU threads claim chunks of blocks in ascending order and run each chunk in that
//! order, so the first unfinished block is always running. A kernel may therefore wait for earlier
//! blocks, as the look-back of a single-pass scan does, provided that it calls
//! [`sync::yield_thread`] while it waits. Checked mode runs blocks in any order: such a kernel must
//! draw its block number from an atomic counter, as it must on a GPU.
//!
//! # Findings of checked mode
//!
//! [`Mode::Checked`] runs blocks one at a time and starts and resumes the threads of a block in a
//! random order that depends on the seed only. It continues after a finding and returns all of them
//! as a [`Report`]. Each finding names the kernel, block, thread and source line, and is one of the
//! [`FindingKind`]s:
//!
//! - an out-of-bounds index into a view (in fast mode too);
//! - barrier divergence: threads of a block that wait at different barriers, that is, at different
//!   source lines;
//! - a thread that exited the kernel while other threads of its block wait at a barrier;
//! - a lane that calls a warp operation whose mask does not contain it (in fast mode too), and a
//!   mask that contains exited lanes;
//! - a named barrier with an invalid or inconsistent thread count, and lanes of one warp at
//!   different named barriers (in fast mode too);
//! - a race: two unordered accesses to the same bytes, at least one of them a write and at least
//!   one of them not atomic. If the memory belongs to a parameter, the finding names the parameter
//!   and the element;
//! - a read of shared memory that no thread of the block has written;
//! - an access that conflicts with an asynchronous copy for which the copying thread has not
//!   waited;
//! - bytes written just past the end of a shared array.
//!
//! Two accesses of one block are ordered by a block barrier, by [`sync::warp_sync`] (lanes of one
//! warp), or by a named barrier: threads that wait there ([`sync::named_barrier`]) are ordered
//! after all threads that arrived, while threads that only arrive ([`sync::named_barrier_arrive`])
//! are ordered after none. The relation is transitive. [`sync::warp_exchange`] synchronises lanes
//! but does not order memory, just like `shfl.sync` and `vote.sync`. Accesses of different blocks
//! are never ordered. Races are found by happens-before, whether or not the schedule of this run
//! exposes them; the seed matters only for kernels whose control flow depends on the schedule.
//!
//! In both modes a panic and a deadlock are errors that name the threads involved. A failure ends
//! the threads of its block by unwinding them. A thread that catches this unwinding is unwound
//! further when it drops the payload; if it keeps every payload and goes on, or waits for ever in a
//! destructor, the process is aborted with a message. Checked mode
//! also reports a deadlock if the remaining threads of a block do nothing but call
//! [`sync::yield_thread`] a million times, and it ends a thread that exceeds its step limit: see
//! [`Limits`].
//!
//! Checked mode tracks the accesses of views and of instrumented code (`cuda_std`'s attributes
//! `#[kernel]` and `#[instrument]`). It names memory that it could not track, or not completely:
//! see [`untracked_memory()`].
//!
//! # Faults
//!
//! On Unix systems a stack overflow, and an access past the end of shared memory (each array is
//! followed by a guard page), end the process in either mode with a line that names kernel, block
//! and thread. For any other invalid access such a line is printed before the previous signal
//! handler runs. The first launch of a process installs a handler for `SIGSEGV` and `SIGBUS` for
//! this purpose.
//!
//! # Limitations
//!
//! - Accesses in uninstrumented functions and in other crates are invisible. If a kernel passes a
//!   pointer or slice to one, the report mentions it; other accesses by such functions are not
//!   detected unless they write a shared array.
//! - A reference is assumed to point to the thread's own memory unless it was borrowed from a
//!   kernel pointer, a parameter or shared memory.
//! - Ordering through atomics is not modelled. A kernel that publishes plain data to another block
//!   or warp by an atomic flag is correct on a GPU (with release and acquire) but is reported as a
//!   race here; make the data atomic as well.
//! - Only executed accesses are checked, so races in code that the run did not reach are not found.
//! - Fences that are too weak are not found: the CPU's memory model differs from the GPU's.
//!
//! # Restrictions on kernels
//!
//! Do not use rayon inside a kernel: a CPU thread that waits in rayon picks up other work on the
//! kernel's small stack. Do not spin without [`sync::yield_thread`]: the awaited thread may never
//! be scheduled. Do not wait in an initialiser of a `thread_local!` variable: it is undefined
//! behaviour (see [`launch()`]). Do not hold a lock or a `RefCell` borrow across a barrier if other
//! threads of the block need it too.
//!
//! # Cost
//!
//! Nanoseconds on one core of a 2023 server (`cargo bench -p ferrovox-simt`):
//!
//! | operation | ns |
//! | --- | --- |
//! | block of one thread | 1.5 |
//! | thread that does not wait | 4 |
//! | thread and barrier, with the stacks of 256 threads in use | 14 to 16 |
//! | lane and warp operation | 25 |
//! | first wait of a thread | 65 |
//! | launch | 150 |
//! | checked mode: thread and barrier | 50 |
//! | checked mode: tracked access | 30 |

mod arena;
mod blocked;
mod cancel;
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
pub use cancel::with_cancel_flag;
pub use error::{LaunchError, MAX_FINDINGS, Report};
pub use finding::{Access, Finding, FindingKind, MemoryLocation, Site};
pub use launcher::{Mode, launch, launch_kernel, launch_kernel_with};
pub use limits::Limits;
pub use parameter::{Parameter, ParameterKind};
pub use shape::{Dim3, LaunchShape, MAX_BLOCK_THREADS, MAX_BLOCK_Z, MAX_DYNAMIC_SHARED_BYTES};
pub use untracked::{TrackingGap, UntrackedMemory, untracked_memory};
