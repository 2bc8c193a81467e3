//! What can go wrong with a launch.

use crate::Dim3;
use crate::report::{Report, Waiting, describe_waiting};

/// Why a launch did not complete. Every message names the kernel, and where there is one the block, thread and source line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The grid or block cannot be launched.
    #[error("cannot launch kernel `{kernel}`: {problem}")]
    Shape {
        /// Name of the kernel.
        kernel: String,
        /// What is wrong with the shape, with the numbers and the remedy.
        problem: String,
    },
    /// The kernel broke a rule of the programming model.
    #[error("{0}")]
    Findings(Report),
    /// The kernel's body panicked.
    #[error("kernel `{kernel}` panicked in block {block}, thread {thread}: {message}")]
    KernelPanicked {
        /// Name of the kernel.
        kernel: String,
        /// Block of the thread that panicked.
        block: Dim3,
        /// Thread that panicked, within its block.
        thread: Dim3,
        /// The panic's message.
        message: String,
    },
    /// Every thread of a block that has not left waits, and none can go on.
    #[error("kernel `{kernel}` is deadlocked in block {block}: {}", describe_waiting(.waiting))]
    Deadlock {
        /// Name of the kernel.
        kernel: String,
        /// Block that cannot go on.
        block: Dim3,
        /// Who waits where.
        waiting: Vec<Waiting>,
    },
    /// A kernel's body tried to launch another kernel.
    #[error(
        "kernel `{kernel}` cannot be launched from inside a running kernel; launch it from the host after this one returns"
    )]
    Nested {
        /// Name of the kernel that was to be launched.
        kernel: String,
    },
    /// The launch was made while its thread unwinds from a panic, for example from a destructor.
    #[error("kernel `{kernel}` cannot be launched while its thread unwinds from a panic")]
    Unwinding {
        /// Name of the kernel that was to be launched.
        kernel: String,
    },
    /// The system gave no more memory for the stacks on which waiting threads are kept.
    #[error(
        "no stack for another waiting thread of kernel `{kernel}`: {source}; launch smaller blocks, or raise the system's limit on memory mappings (vm.max_map_count)"
    )]
    Stack {
        /// Name of the kernel.
        kernel: String,
        /// What the system said.
        source: std::io::Error,
    },
}
