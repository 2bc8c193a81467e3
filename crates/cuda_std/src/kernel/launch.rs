//! The `Kernel` trait and launches on the CPU executor.

use super::{InstructionSet, PackedArgs, ParameterDescriptions};
use simt::coroutine::CoroutineFunctions;
use simt::{LaunchError, LaunchShape, Mode, Parameter};
use std::borrow::Cow;

/// The name of an entry point; owned where a generic kernel's is put together.
pub type EntryName = Cow<'static, str>;

/// A kernel, as its launchers see it. `#[kernel]` implements it.
pub trait Kernel: 'static {
    /// The arguments in order: `View<'a, X>` for a parameter `View<X>` or `&[X]`, `ViewMut<'a, X>`
    /// for `ViewMut<X>` or `&mut [X]`, a view of one element for `&X` and `&mut X`, anything else
    /// as the kernel declares it.
    type Args<'a>;

    /// The kernel's own name, without the types that it is built for.
    const NAME: &'static str;

    /// The name of the PTX entry point: [`NAME`](Self::NAME), followed by the types of a generic
    /// kernel.
    fn entry() -> EntryName;

    /// Runs the kernel's body for the executor's current thread. `#[inline(always)]`: launches
    /// compile it for several sets of [`InstructionSet`].
    ///
    /// # Safety
    ///
    /// As for a launch, see [`launch_on_cpu`].
    unsafe fn run_thread(args: &Self::Args<'_>);

    /// [`run_thread`](Self::run_thread) with the arguments that a pointer points to, compiled for
    /// `instructions`, in the crate that defines the kernel.
    #[doc(hidden)]
    fn runner(instructions: InstructionSet) -> unsafe fn(*const ());

    /// The same in steps, where the kernel has barriers, for blocks of several threads.
    #[doc(hidden)]
    fn coroutine(_instructions: InstructionSet) -> Option<CoroutineFunctions> {
        None
    }

    /// Appends the entry point's parameters, in order, for a CUDA launch.
    fn pack(args: &Self::Args<'_>, into: &mut PackedArgs);

    /// Lets the views among the arguments be used; in checked mode every access is told to the
    /// executor.
    ///
    /// # Safety
    ///
    /// As for a launch, see [`launch_on_cpu`].
    unsafe fn open_views(args: &mut Self::Args<'_>, checked: bool);

    /// Says where the parameters' memory lies and what they are called.
    #[doc(hidden)]
    fn describe(_args: &Self::Args<'_>, _into: &mut ParameterDescriptions) {}

    /// The function that runs one thread in checked mode, where it is not that of fast mode.
    #[doc(hidden)]
    fn instrumented_runner() -> Option<unsafe fn(*const ())> {
        None
    }
}

/// Runs kernel `K` on the CPU: once per thread of `shape`, blocks spread over the cores, or in
/// checked mode one at a time with every view access watched.
///
/// # Safety
///
/// 1. What `args` points to is valid for the kernel's reads and writes until this returns.
/// 2. The kernel's threads do not write what other threads of the launch use without
///    synchronisation. Checked mode reports a launch that does, as far as it sees the accesses:
///    those through views, and in kernels and `#[instrument]` functions by `*` and index.
/// 3. What the kernel gets of a block's shared memory, views and pointers, is not used after the
///    block.
/// 4. Whatever else the kernel's own documentation asks for.
///
/// # Errors
///
/// A shape that no device would take, a thread that panicked, a deadlock, or, in checked mode, the
/// findings.
pub unsafe fn launch_on_cpu<K: Kernel>(
    shape: LaunchShape,
    mode: Mode,
    args: K::Args<'_>,
) -> Result<(), LaunchError> {
    // SAFETY: the caller's promise; what is chosen is there.
    unsafe { launch::<K>(InstructionSet::for_mode(mode), shape, mode, args) }
}

/// [`launch_on_cpu`] of the version for `instructions`.
///
/// # Safety
///
/// As there, and the machine has the instructions.
pub(super) unsafe fn launch<K: Kernel>(
    instructions: InstructionSet,
    shape: LaunchShape,
    mode: Mode,
    mut args: K::Args<'_>,
) -> Result<(), LaunchError> {
    let checked = matches!(mode, Mode::Checked { .. });
    // SAFETY: the caller's promise.
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

/// A launch without its kernel's type, so that the executor's loops are compiled once, and not for
/// each kernel.
struct ErasedLaunch {
    /// Runs the kernel for the executor's current thread.
    run: unsafe fn(*const ()),
    coroutine: Option<CoroutineFunctions>,
    /// What `run` asks for; lives as long as the launch.
    args: *const (),
}

// SAFETY: `run` only copies out of the arguments (every kernel parameter is `Copy`), and the
// launcher promised that the kernel may use what they point to from all its threads.
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
        // SAFETY: `launch`'s caller promised that nothing of a block's memory is used after the
        // block. Of the steps the same is true as of the body.
        unsafe {
            match self.coroutine {
                Some(steps) => simt::coroutine::launch_kernel_as_coroutine(
                    entry, shape, mode, parameters, body, steps, self.args,
                ),
                None => simt::launch_kernel_with(entry, shape, mode, parameters, body),
            }
        }
    }

    #[inline(always)]
    fn run_thread(&self) {
        // SAFETY: `launch` made the two for each other, and its caller promised the rest.
        unsafe { (self.run)(self.args) }
    }
}
