//! The attribute macros of `cuda_std`: [`macro@kernel`], [`macro@inline_closures`],
//! [`macro@instrument`], [`macro@address_space`], [`macro@gpu_only`] and
//! [`macro@externally_visible`].
//!
//! AccessKind them through `cuda_std`, which re-exports them and holds the items that their
//! expansions name.

mod address_space;
mod kernel;
mod target;

use proc_macro::TokenStream;

/// Makes a GPU kernel of an `unsafe fn`: a PTX entry point on the device, a typed launch on the
/// CPU.
///
/// # What a kernel may look like
///
/// - It is `unsafe` (nothing can prove that its threads do not write over each other), returns
///   nothing, and is neither `async`, `const` nor a method.
/// - A parameter is a `View<X>`, `ViewMut<X>`, `&[X]`, `&mut [X]`, or a `Copy` value (a number, a
///   raw pointer, a `#[repr(C)]` struct, an array), or a reference to one. Views and slices reach
///   the entry point as two parameters, pointer and length, so that LLVM knows that the pointer is
///   a global one; a reference is one pointer, and in `Args` a view of one element.
/// - It may say `extern "C"`, which changes nothing.
/// - Type parameters need a list of the types to build entry points for:
///   `#[kernel(T = [u8, f32])]`. Each combination gets one, named `NAME_u8`, `NAME_f32`; a listed
///   type implements `KernelType`. Const parameters need one of numbers or bools:
///   `#[kernel(N = [3, 5])]`, with entry points `NAME_3`, `NAME_5`.
/// - `#[kernel(fused)]` says that the body computes mostly with fused multiply-adds. It changes the
///   build for the CPU alone: a library with debug assertions has this kernel for AVX2 too, and
///   others for every processor only, on which a fused multiply-add is a call.
///
/// # What it expands to
///
/// On both targets a unit struct of the kernel's name with the body as `NAME::body`. On the device
/// also the entry point. On the CPU also `impl Kernel for NAME`, whose `Args` is the tuple of the
/// parameters; a launch takes that tuple, so a missing or wrong argument is a compile error. (Where
/// the struct is imported, no variable can have the kernel's name.)
///
/// A kernel whose file has its name (`gemm` in `gemm.rs`) has a type `gemm_kernel`, and `gemm` is a
/// constant of it: so `use gemm::gemm` can stand beside `mod gemm`.
///
/// On the CPU closures that the kernel passes to functions are `#[inline(always)]`: a launch there
/// may take a version of the body for more instructions than the program is compiled for, which
/// only what is inlined can use. For the same reason the functions that a kernel calls are to be
/// `#[inline(always)]`, and those that pass closures on [`macro@inline_closures`].
///
/// `print!`, `println!`, `eprint!`, `eprintln!`, `assert!`, `assert_eq!` and `assert_ne!`, written
/// so, are in the body those of `cuda_std`, see its module `io`. (In functions that the kernel
/// calls they are whatever is in scope.)
///
/// Where a kernel has memory by other ways than views (slices, references, pointers,
/// `shared_array!`, statics in shared memory) its body is compiled once more for checked mode,
/// which is told there of every access by `*`, by index and by a field behind them.
///
/// ```ignore
/// #[kernel]
/// pub unsafe fn scale(x: View<f32>, factor: f32, y: ViewMut<f32>) {
///     let i = thread::index_1d() as usize;
///     if i < x.len() {
///         y.write(i, factor * x.read(i));
///     }
/// }
/// ```
#[proc_macro_attribute]
pub fn kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    let module = module_of_the_file();
    finish(kernel::expand(
        options.into(),
        item.into(),
        module.as_deref(),
    ))
}

/// For a function that a kernel calls: closures that it passes to other functions are
/// `#[inline(always)]` on the CPU, as [`macro@kernel`] makes those of a kernel.
///
/// ```ignore
/// #[inline_closures]
/// #[inline(always)]
/// fn clear(rows: Rows, to: ViewMut<f32>) {
///     rows.for_each(|i| to.write(i, 0.0));
/// }
/// ```
#[proc_macro_attribute]
pub fn inline_closures(options: TokenStream, item: TokenStream) -> TokenStream {
    finish(kernel::inline_closures(options.into(), item.into()))
}

/// For a function that a kernel calls, and that reads or writes memory by raw pointers, references
/// or slices: tells the CPU's checked mode of it, as [`macro@kernel`] does for kernels. On the
/// device it changes nothing.
///
/// In fast mode each access of such a function costs one look at a variable of the program.
///
/// ```ignore
/// #[instrument]
/// unsafe fn sum(tile: *const f32, count: usize) -> f32 {
///     let mut sum = 0.0;
///     for i in 0..count {
///         sum += *tile.add(i);
///     }
///     sum
/// }
/// ```
#[proc_macro_attribute]
pub fn instrument(options: TokenStream, item: TokenStream) -> TokenStream {
    finish(kernel::instrument::expand(options.into(), item.into()))
}

/// Puts a `static` into one of the device's memories: `shared`, `constant` or `global`.
///
/// - `shared`: one copy per block, uninitialised on the device (the initialiser is checked and then
///   dropped). On the CPU the static dereferences to the current block's copy, so outside a launch
///   it cannot be used. Reach the value through the static's name (`TILE[i]`, `TILE.as_mut_ptr()`);
///   a raw borrow of the static itself (`&raw mut TILE`) is not the block's copy on the CPU.
/// - `constant`: read-only in kernels, written by the host by name. The name is the static's own,
///   unmangled, so it must be unique among the crates that constructor up one PTX file. On the CPU the
///   static dereferences to the value that the host set.
/// - `global`: an ordinary static; the attribute says so and changes nothing.
///
/// `local` is refused: a thread's local memory is its variables.
#[proc_macro_attribute]
pub fn address_space(space: TokenStream, item: TokenStream) -> TokenStream {
    finish(address_space::expand(space.into(), item.into()))
}

/// Keeps a function for the device: on the CPU it has the same signature and panics when called.
#[proc_macro_attribute]
pub fn gpu_only(options: TokenStream, item: TokenStream) -> TokenStream {
    finish(target::gpu_only(options.into(), item.into()))
}

/// Keeps a `#[no_mangle]` function in the PTX though no kernel calls it, for linking with other
/// PTX.
#[proc_macro_attribute]
pub fn externally_visible(options: TokenStream, item: TokenStream) -> TokenStream {
    finish(target::externally_visible(options.into(), item.into()))
}

/// The module that the file of the attribute makes: `gemm` for `gemm.rs` and `gemm/mod.rs`.
fn module_of_the_file() -> Option<String> {
    let file = proc_macro::Span::call_site().local_file()?;
    let stem = file.file_stem()?;
    let name = if stem == "mod" {
        file.parent()?.file_name()?
    } else {
        stem
    };
    Some(name.to_str()?.to_owned())
}

fn finish(expansion: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expansion
        .unwrap_or_else(|error| error.into_compile_error())
        .into()
}
