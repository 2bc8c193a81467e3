//! Expansion for the CPU: `impl Kernel`, with the argument tuple, the packing of arguments for a
//! CUDA launch and the function for one thread.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{GenericParam, Index};

use super::body::conditions;
use super::coroutine;
use super::device::combinations;
use super::instrument::is_pointer;
use super::parameter::{Kind, Parameter, with_lifetime};
use super::{KernelItem, options::InstructionSets};

pub fn expand(kernel: &KernelItem) -> TokenStream {
    let signature = &kernel.function.sig;
    let name = &kernel.type_name;
    let name_text = signature.ident.to_string();
    let conditions = conditions(&kernel.function.attrs);

    let mut types = Vec::new();
    let mut passed = Vec::new();
    let mut packed = Vec::new();
    let mut opened = Vec::new();
    let mut described = Vec::new();
    for (position, parameter) in kernel.parameters.iter().enumerate() {
        let field = Index::from(position);
        let mut is_one = false;
        // the type may refer to the kernel's lifetimes; here there is only one
        let ty = with_lifetime(parameter.kind.ty(), "'arguments");
        let is_view = match &parameter.kind {
            Kind::View(_) => {
                types.push(quote!(::cuda_std::View<'arguments, #ty>));
                passed.push(quote!(__arguments.#field));
                true
            }
            Kind::ViewMut(_) => {
                types.push(quote!(::cuda_std::ViewMut<'arguments, #ty>));
                passed.push(quote!(__arguments.#field));
                true
            }
            Kind::Slice(_) => {
                types.push(quote!(::cuda_std::View<'arguments, #ty>));
                passed.push(quote!(__arguments.#field.as_slice()));
                true
            }
            Kind::SliceMut(_) => {
                types.push(quote!(::cuda_std::ViewMut<'arguments, #ty>));
                passed.push(quote!(__arguments.#field.as_mut_slice()));
                true
            }
            Kind::Ref(_) => {
                types.push(quote!(::cuda_std::View<'arguments, #ty>));
                passed.push(quote!(&__arguments.#field.as_slice()[0]));
                is_one = true;
                true
            }
            Kind::RefMut(_) => {
                types.push(quote!(::cuda_std::ViewMut<'arguments, #ty>));
                passed.push(quote!(&mut __arguments.#field.as_mut_slice()[0]));
                is_one = true;
                true
            }
            Kind::Value(_) => {
                types.push(quote!(#ty));
                passed.push(quote!(__arguments.#field));
                packed.push(quote!(into.push(arguments.#field);));
                false
            }
        };
        if is_view {
            let push = if is_one {
                quote!(push_reference)
            } else {
                quote!(push_view)
            };
            packed.push(quote! {
                into.#push(arguments.#field.as_ptr(), arguments.#field.len());
            });
            opened.push(quote!(arguments.#field.open(checked);));
        }
        described.extend(description(parameter, position));
    }

    let (impl_generics, type_arguments, where_clause) = generics(kernel);
    let entry = entry_name(kernel, &name_text);
    // A crate built with debug assertions, unless it is itself under test, compiles its bodies for
    // one instruction set, which halves the build time. On the baseline a fused multiply-add is a
    // function call, so bodies with many of them are compiled for AVX2 regardless.
    let (always, by_profile) = match kernel.instruction_sets {
        InstructionSets::ByProfile => (false, true),
        InstructionSets::Fused => (true, true),
        InstructionSets::Baseline => (false, false),
    };
    let compiled_for_avx2 = quote! {
        {
            #always
                || #by_profile
                    && (::core::cfg!(any(test, not(debug_assertions)))
                        || ::core::option_env!("FERROVOX_DEBUG_AVX2").is_some())
        }
    };
    let runner = dispatch_by_instantiation(
        kernel,
        &quote!(::cuda_std::kernel::runner),
        &[compiled_for_avx2],
        &quote!(unsafe fn(*const ())),
    );
    let coroutine_body = coroutine::body(kernel, &passed);
    let coroutine_functions = coroutine_body.as_ref().map(|_| {
        let dispatch = dispatch_by_instantiation(
            kernel,
            &quote!(::cuda_std::kernel::coroutine::coroutine_functions),
            &[],
            &quote!(::core::option::Option<::cuda_std::kernel::coroutine::CoroutineFunctions>),
        );
        quote! {
            #[inline(never)]
            fn coroutine(
                instructions: ::cuda_std::kernel::InstructionSet,
            ) -> ::core::option::Option<::cuda_std::kernel::coroutine::CoroutineFunctions> {
                #dispatch
            }
        }
    });
    let coroutine = coroutine_body.map(|coroutine_body| {
        quote! {
            #(#conditions)*
            #[cfg(not(target_arch = "nvptx64"))]
            #[automatically_derived]
            unsafe impl #impl_generics ::cuda_std::kernel::coroutine::CoroutineKernel for #name #type_arguments #where_clause {
                #[inline(always)]
                #[allow(warnings, clippy::all, clippy::pedantic)]
                unsafe fn coroutine_body<'arguments>(
                    __arguments: &'arguments Self::Args<'arguments>,
                ) -> impl ::core::future::Future<Output = ()> + 'arguments {
                    ::cuda_std::kernel::coroutine::identity_future(
                        #[inline(always)]
                        async move {
                            #coroutine_body
                        },
                    )
                }
            }
        }
    });
    let (instrumented, instrumented_kernel) = match &kernel.instrumented {
        None => (quote!(), quote!()),
        Some(_) => (
            quote! {
                fn instrumented_runner() -> ::core::option::Option<unsafe fn(*const ())> {
                    ::core::option::Option::Some(::cuda_std::kernel::instrumented_runner::<Self>())
                }
            },
            quote! {
                #(#conditions)*
                #[cfg(not(target_arch = "nvptx64"))]
                #[automatically_derived]
                impl #impl_generics ::cuda_std::kernel::InstrumentedKernel for #name #type_arguments #where_clause {
                    #[allow(unused_variables)]
                    unsafe fn run_thread_instrumented(__arguments: &Self::Args<'_>) {
                        // SAFETY: the caller guarantees the requirements of the kernel.
                        unsafe { Self::__instrumented_body(#(#passed),*) }
                    }
                }
            },
        ),
    };
    quote! {
        #instrumented_kernel
        #(#conditions)*
        #[cfg(not(target_arch = "nvptx64"))]
        #[automatically_derived]
        impl #impl_generics ::cuda_std::kernel::Kernel for #name #type_arguments #where_clause {
            type Args<'arguments> = (#(#types,)*);

            const NAME: &'static str = #name_text;

            fn entry() -> ::cuda_std::kernel::EntryName {
                #entry
            }

            #[inline(always)]
            #[allow(unused_variables)]
            unsafe fn run_thread(__arguments: &Self::Args<'_>) {
                // SAFETY: the caller guarantees the requirements of the kernel.
                unsafe { Self::body(#(#passed),*) }
            }

            #[inline(never)]
            fn runner(instructions: ::cuda_std::kernel::InstructionSet) -> unsafe fn(*const ()) {
                #runner
            }

            #coroutine_functions

            #[allow(unused_variables)]
            fn pack(arguments: &Self::Args<'_>, into: &mut ::cuda_std::kernel::PackedArgs) {
                #(#packed)*
            }

            #[allow(unused_unsafe, unused_variables)]
            unsafe fn open_views(arguments: &mut Self::Args<'_>, checked: bool) {
                // SAFETY: the caller guarantees the requirements of the kernel.
                unsafe { #(#opened)* }
            }

            #[allow(unused_variables)]
            fn describe(arguments: &Self::Args<'_>, into: &mut ::cuda_std::kernel::ParameterDescriptions) {
                #(#described)*
            }

            #instrumented
        }

        #coroutine
    }
}

/// Generates the description of a parameter's name and memory for checked mode's reports.
fn description(parameter: &Parameter, position: usize) -> Option<TokenStream> {
    let (field, number) = (Index::from(position), position as u32 + 1);
    let name = parameter.name.to_string();
    match &parameter.kind {
        Kind::View(_) | Kind::ViewMut(_) => Some(quote! {
            into.view(#name, #number, arguments.#field.as_ptr(), arguments.#field.len());
        }),
        Kind::Slice(_) | Kind::SliceMut(_) | Kind::Ref(_) | Kind::RefMut(_) => Some(quote! {
            into.slice(#name, #number, arguments.#field.as_ptr(), arguments.#field.len());
        }),
        Kind::Value(ty) if is_pointer(ty) => Some(quote! {
            into.pointer(#name, #number, arguments.#field);
        }),
        Kind::Value(_) => None,
    }
}

/// Returns the kernel's generic parameters and arguments, and its bounds extended by `KernelType`
/// for every type parameter.
fn generics(kernel: &KernelItem) -> (TokenStream, TokenStream, TokenStream) {
    if kernel.generic.is_empty() {
        return (quote!(), quote!(), quote!());
    }
    let generics = &kernel.function.sig.generics;
    let parameters = generics
        .params
        .iter()
        .filter(|p| !matches!(p, GenericParam::Lifetime(_)));
    let names: Vec<_> = kernel.generic.iter().map(|it| &it.name).collect();
    let types = kernel.generic.iter().filter(|it| it.value_type.is_none());
    let types = types.map(|it| &it.name);
    let written = generics
        .where_clause
        .iter()
        .flat_map(|clause| clause.predicates.iter());
    (
        quote!(<#(#parameters),*>),
        quote!(<#(#names),*>),
        quote!(where #(#types: ::cuda_std::kernel::KernelType,)* #(#written),*),
    )
}

/// Generates the expression for the entry point's name. For a generic kernel it fails to compile
/// with a type or value that is not listed.
fn entry_name(kernel: &KernelItem, name_text: &str) -> TokenStream {
    if kernel.generic.is_empty() {
        return quote!(::cuda_std::kernel::EntryName::Borrowed(#name_text));
    }
    let suffixes = kernel.generic.iter().map(|it| it.suffix());
    let position = position(kernel);
    let refusal = format!(
        "the kernel `{name_text}` is not built for this type or value: add it to the list in its #[kernel(...)]"
    );
    quote! {
        const { ::core::assert!(#position.is_some(), #refusal) };
        ::cuda_std::kernel::generic_entry(
            #name_text,
            &[#(#suffixes),*],
        )
    }
}

/// Generates the expression `constructor::<Self>(instructions)`. It is called in non-generic
/// functions; a generic one would be compiled, together with the kernel's body, in every crate that
/// launches the kernel.
fn dispatch_by_instantiation(
    kernel: &KernelItem,
    constructor: &TokenStream,
    constants: &[TokenStream],
    result: &TokenStream,
) -> TokenStream {
    if kernel.generic.is_empty() {
        return quote!(#constructor::<Self, #(#constants),*>(instructions));
    }
    let name = &kernel.type_name;
    let combinations = combinations(kernel);
    let numbers: Vec<_> = (0..combinations.len())
        .map(|number| format_ident!("instantiate_{number}"))
        .collect();
    let types = combinations.iter().map(|combination| {
        let types = combination
            .iter()
            .map(|instantiation| &instantiation.argument);
        quote!(#(#types),*)
    });
    let position = position(kernel);
    let constants = quote!(#(#constants),*);
    quote! {
        #(
            #[inline(never)]
            fn #numbers(instructions: ::cuda_std::kernel::InstructionSet) -> #result {
                #constructor::<#name<#types>, #constants>(instructions)
            }
        )*
        let constructors: &[fn(::cuda_std::kernel::InstructionSet) -> #result] = &[#(#numbers),*];
        let position = const {
            match #position {
                Some(position) => position,
                // `entry` reports the error
                None => 0,
            }
        };
        constructors[position](instructions)
    }
}

/// Generates the expression for the index of the kernel's types and values among the listed
/// combinations, or `None`.
fn position(kernel: &KernelItem) -> TokenStream {
    let own = kernel.generic.iter().map(|it| it.suffix());
    let listed = combinations(kernel).into_iter().map(|combination| {
        let suffixes = combination
            .iter()
            .map(|instantiation| &instantiation.suffix);
        quote!(&[#(#suffixes),*])
    });
    quote! {
        ::cuda_std::kernel::position(
            &[#(#own),*],
            &[#(#listed),*],
        )
    }
}
