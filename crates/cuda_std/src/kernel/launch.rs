//! The `Kernel` trait, and launches on the CPU executor.

use super::{InstructionSet, PackedArgs, ParameterDescriptions};
use simt::coroutine::CoroutineFunctions;
use simt::{LaunchError, LaunchShape, Mode, Parameter};
use std::borrow::Cow;

/// Name of an entry point; owned for generic kernels, whose names are composed at run time.
pub type EntryName = Cow<'static, str>;

/// A kernel as a type. `#[kernel]` implements it.
pub trait Kernel: 'static {
    /// Arguments in order: `View<'a, X>` for a parameter `View<X>` or `&[X]`, `ViewMut<'a, X>` for
    /// `ViewMut<X>` or `&mut [X]`, a view of one element for `&X` and `&mut X`, and the declared
    /// type for all others.
    type Args<'a>;

    /// Name of the kernel, without its generic arguments.
    const NAME: &'static str;

    /// Returns the name of the PTX entry point: [`NAME`](Self::NAME), followed by the arguments of
    /// a generic kernel.
    fn entry() -> EntryName;

    /// Runs the kernel's body for the executor's current thread. `#[inline(always)]`, because it is
    /// compiled for several [`InstructionSet`]s.
    ///
    /// # Safety
    ///
    /// The requirements of a launch, see [`launch_on_cpu`].
    unsafe fn run_thread(args: &Self::Args<'_>);

    /// Returns [`run_thread`](Self::run_thread) as a function of a pointer to the arguments,
    /// compiled for `instructions` in the crate that defines the kernel.
    #[doc(hidden)]
    fn runner(instructions: InstructionSet) -> unsafe fn(*const ());

    /// Returns the coroutine version of the body for blocks of several threads, if the kernel has
    /// barriers.
    #[doc(hidden)]
    fn coroutine(_instructions: InstructionSet) -> Option<CoroutineFunctions> {
        None
    }

    /// Appends the entry point's parameters, in order, for a CUDA launch.
    fn pack(args: &Self::Args<'_>, into: &mut PackedArgs);

    /// Opens the views among the arguments for use in a launch. In checked mode they record every
    /// access.
    ///
    /// # Safety
    ///
    /// The requirements of a launch, see [`launch_on_cpu`].
    unsafe fn open_views(args: &mut Self::Args<'_>, checked: bool);

    /// Describes the parameters that refer to memory: their names and address ranges.
    #[doc(hidden)]
    fn describe(_args: &Self::Args<'_>, _into: &mut ParameterDescriptions) {}

    /// Returns the function that runs one thread in checked mode, if it differs from that of fast
    /// mode.
    #[doc(hidden)]
    fn instrumented_runner() -> Option<unsafe fn(*const ())> {
        None
    }
}

/// A kernel with an instrumented body for checked mode. `#[kernel]` implements it if there is
/// anything to instrument.
#[doc(hidden)]
pub trait InstrumentedKernel: Kernel {
    /// Runs one thread of the instrumented body, which records accesses that do not go through
    /// views.
    ///
    /// # Safety
    ///
    /// The requirements of [`Kernel::run_thread`].
    unsafe fn run_thread_instrumented(args: &Self::Args<'_>);
}

#[doc(hidden)]
/// A kernel whose body is also available as a coroutine.
///
/// # Safety
///
/// The future awaits only [`suspend`](simt::coroutine::suspend), and only after
/// [`arrive`](simt::coroutine::arrive) or [`yield_step`](simt::coroutine::yield_step) returned
/// `true`.
pub unsafe trait CoroutineKernel: Kernel {
    /// Returns the body as a future for the executor's current thread.
    ///
    /// # Safety
    ///
    /// The requirements of [`Kernel::run_thread`]; moreover, only the executor polls it.
    unsafe fn coroutine_body<'a>(args: &'a Self::Args<'a>) -> impl Future<Output = ()> + 'a;
}

/// Runs kernel `K` on the CPU, once per thread of `shape`: with blocks in parallel on all cores, or
/// in checked mode one at a time with every access through a view recorded.
///
/// # Safety
///
/// 1. All memory that `args` refers to is valid for the kernel's reads and writes until this
///    returns.
/// 2. Threads do not write memory that other threads of the launch use without synchronisation.
///    Checked mode reports violations among the accesses that it tracks: those through views, and
///    those by `*` and index in kernels and `#[instrument]` functions.
/// 3. Views of and pointers to a block's shared memory are not used after the block.
/// 4. No thread waits in an initialiser of a `thread_local!` variable, nor in other code that
///    relies on the order of calls on its stack: see [`simt::launch`].
/// 5. The requirements in the kernel's own documentation.
///
/// # Errors
///
/// [`LaunchError`] for an invalid launch configuration, a panic, a deadlock, or, in checked mode,
/// findings.
pub unsafe fn launch_on_cpu<K: Kernel>(
    shape: LaunchShape,
    mode: Mode,
    args: K::Args<'_>,
) -> Result<(), LaunchError> {
    // SAFETY: guaranteed by the caller; the selected instruction set is supported.
    unsafe { launch::<K>(InstructionSet::for_mode(mode), shape, mode, args) }
}

/// Launches the version of kernel `K` for `instructions`. Otherwise like [`launch_on_cpu`].
///
/// # Safety
///
/// The requirements of [`launch_on_cpu`], and the processor supports the instructions.
pub(super) unsafe fn launch<K: Kernel>(
    instructions: InstructionSet,
    shape: LaunchShape,
    mode: Mode,
    mut args: K::Args<'_>,
) -> Result<(), LaunchError> {
    let checked = matches!(mode, Mode::Checked { .. });
    // SAFETY: guaranteed by the caller.
    unsafe { K::open_views(&mut args, checked) };
    let mut described = ParameterDescriptions::default();
    if checked {
        K::describe(&args, &mut described);
    }
    let launch = ErasedLaunch {
        run: K::runner(instructions),
        coroutine: K::coroutine(instructions),
        args: (&raw const args).cast(),
    };
    launch.run(&K::entry(), shape, mode, described.parameters())
}

/// A launch of erased kernel type, so that the executor's loops are compiled once for all kernels.
struct ErasedLaunch {
    /// Runs the kernel for the executor's current thread.
    run: unsafe fn(*const ()),
    coroutine: Option<CoroutineFunctions>,
    /// Arguments of `run`; they outlive the launch.
    args: *const (),
}

// SAFETY: `run` only copies out of the arguments (every kernel parameter is `Copy`), and the caller
// guarantees that all threads may use the memory to which they refer.
unsafe impl Sync for ErasedLaunch {}

impl ErasedLaunch {
    fn run(
        &self,
        entry: &str,
        shape: LaunchShape,
        mode: Mode,
        parameters: &[Parameter],
    ) -> Result<(), LaunchError> {
        let body = || self.run_thread();
        // SAFETY: the caller of `launch` guarantees that a block's memory is not used after the
        // block; this covers the body and the coroutine.
        unsafe {
            match self.coroutine {
                Some(coroutine) => simt::coroutine::launch_kernel_as_coroutine(
                    entry, shape, mode, parameters, body, coroutine, self.args,
                ),
                None => simt::launch_kernel_with(entry, shape, mode, parameters, body),
            }
        }
    }

    #[inline(always)]
    fn run_thread(&self) {
        // SAFETY: `launch` paired the function with its arguments, and its caller guarantees the
        // rest.
        unsafe { (self.run)(self.args) }
    }
}
