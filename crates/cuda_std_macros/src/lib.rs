//! The attribute macros of `cuda_std`: [`macro@kernel`], [`macro@inline_closures`],
//! [`macro@instrument`], [`macro@address_space`], [`macro@gpu_only`] and
//! [`macro@externally_visible`].
//!
//! Use them through `cuda_std`, which re-exports them and defines the items to which their
//! expansions refer.

mod address_space;
mod kernel;
mod target;

use proc_macro::TokenStream;

/// Turns an `unsafe fn` into a GPU kernel: a PTX entry point on the device and a typed launch on
/// the CPU.
///
/// # Signature
///
/// - The function is `unsafe` (the absence of races between its threads cannot be proven), returns
///   nothing, and is not `async`, `const` or a method.
/// - A parameter is a `View<X>`, `ViewMut<X>`, `&[X]`, `&mut [X]`, a `Copy` value (a number, a raw
///   pointer, a `#[repr(C)]` struct, an array), or a reference to one. Views and slices become two
///   parameters of the entry point, pointer and length, so that LLVM knows that the pointer is
///   global. A reference becomes one pointer, and a view of one element in `Args`.
/// - `extern "C"` is allowed and has no effect.
/// - Type parameters need a list of types: `#[kernel(T = [u8, f32])]`. Each combination has an
///   entry point, named `NAME_u8`, `NAME_f32`. The listed types implement `KernelType`. Const
///   parameters need a list of numbers or bools: `#[kernel(N = [3, 5])]`, with entry points
///   `NAME_3`, `NAME_5`.
/// - `#[kernel(fused)]` declares that the body consists mainly of fused multiply-adds. It affects
///   the CPU build only: a library with debug assertions then compiles this kernel for AVX2 too,
///   whereas other kernels are compiled for the baseline only, where a fused multiply-add is a
///   function call.
/// - `#[kernel(baseline)]` declares that AVX2 makes the body no faster on the CPU. It is then
///   compiled once instead of twice in libraries without debug assertions, too.
///
/// # Expansion
///
/// On both targets the macro generates a unit struct with the kernel's name and the body as
/// `NAME::body`; on the device also the entry point; on the CPU also `impl Kernel for NAME`, whose
/// `Args` is the tuple of the parameters. A launch takes that tuple, so missing or mistyped
/// arguments are compile errors. (Where the struct is imported, no variable can have the kernel's
/// name.)
///
/// A kernel with the name of its file (`gemm` in `gemm.rs`) has the type `gemm_kernel`, and `gemm`
/// is a constant of that type, so that `use gemm::gemm` and `mod gemm` can coexist.
///
/// On the CPU, closures that the kernel passes to functions or assigns to new variables are
/// `#[inline(always)]`: a launch may
/// use a version of the body that is compiled for more instructions than the program, and only
/// inlined code benefits. For the same reason functions called by a kernel should be
/// `#[inline(always)]`, and those that pass on closures [`macro@inline_closures`].
///
/// In the body, the unqualified macros `print!`, `println!`, `eprint!`, `eprintln!`, `assert!`,
/// `assert_eq!` and `assert_ne!` are those of `cuda_std`; see its module `io`. (In functions that
/// the kernel calls they are whatever is in scope.)
///
/// A generic kernel lists the types and values it is compiled for: `#[kernel(T = [u8, f32])]`. A
/// list that many kernels share can be defined once, as a macro that passes its input to
/// `cuda_std::kernel_for_types!`, and is then named: `#[kernel(T = sample_types!)]`.
///
/// If a kernel accesses memory other than through views (slices, references, pointers,
/// `shared_array!`, shared statics), the body is compiled once more for checked mode. That version
/// records every access by `*`, by index, and by a field behind either.
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

/// Makes the closures that a function passes to other functions, and those that it assigns to new
/// variables, `#[inline(always)]` on the CPU, as [`macro@kernel`] does for kernels. For functions
/// that kernels call.
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

/// Instruments a function that kernels call and that accesses memory through raw pointers,
/// references or slices, so that checked mode tracks the accesses, as in kernels. It has no effect
/// on the device.
///
/// In fast mode each access of such a function costs one read of a global variable.
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

/// Places a `static` in one of the device's address spaces: `shared`, `constant` or `global`.
///
/// - `shared`: one copy per block, uninitialised on the device (the initialiser is checked and then
///   dropped). On the CPU the static dereferences to the current block's copy, so it cannot be used
///   outside a launch. Access the value through the static's name (`TILE[i]`, `TILE.as_mut_ptr()`);
///   a raw borrow of the static itself (`&raw mut TILE`) is not the block's copy on the CPU.
/// - `constant`: read-only in kernels and written by the host by name. The symbol is the unmangled
///   name of the static, which must therefore be unique among the crates that make up one PTX file.
///   On the CPU the static dereferences to the value that the host set.
/// - `global`: an ordinary static; the attribute has no effect.
///
/// `local` is an error: local memory consists of local variables.
#[proc_macro_attribute]
pub fn address_space(space: TokenStream, item: TokenStream) -> TokenStream {
    finish(address_space::expand(space.into(), item.into()))
}

/// Restricts a function to the device: on the CPU it has the same signature and panics when called.
#[proc_macro_attribute]
pub fn gpu_only(options: TokenStream, item: TokenStream) -> TokenStream {
    finish(target::gpu_only(options.into(), item.into()))
}

/// Keeps a `#[no_mangle]` function in the PTX even if no kernel calls it, for linking with other
/// PTX.
#[proc_macro_attribute]
pub fn externally_visible(options: TokenStream, item: TokenStream) -> TokenStream {
    finish(target::externally_visible(options.into(), item.into()))
}

/// Returns the module defined by the file of the attribute: `gemm` for `gemm.rs` and `gemm/mod.rs`.
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
