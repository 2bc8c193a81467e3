//! Expansion for both targets: the unit struct with the kernel's name, with the body as an
//! associated function.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, GenericParam};

use super::KernelItem;
use super::parameter::Kind;
use crate::target::keeps_symbol_name;

pub fn expand(kernel: &KernelItem) -> TokenStream {
    let function = &kernel.function;
    let signature = &function.sig;
    let (visibility, name, block) = (&function.vis, &kernel.type_name, &function.block);
    let value = kernel_constant(kernel);
    let documentation = function.attrs.iter().filter(|a| a.path().is_ident("doc"));
    let arguments = arguments_line(kernel);
    let conditions = conditions(&function.attrs);
    let other_attributes: Vec<_> = function
        .attrs
        .iter()
        .filter(|a| !a.path().is_ident("doc") && !is_condition(a) && !keeps_symbol_name(a))
        .filter(|a| !a.path().is_ident("inline"))
        .collect();
    let copy_checks = copy_checks(kernel);
    let name_checks = name_checks(kernel);

    let instrumented = kernel.instrumented.as_ref().map(|instrumented| {
        let allowed = super::instrument::allowed();
        let lifetimes: Vec<_> = signature.generics.lifetimes().collect();
        let generics = (!lifetimes.is_empty()).then(|| quote!(<#(#lifetimes),*>));
        let inputs = &signature.inputs;
        quote! {
            /// The instrumented body, for checked mode.
            ///
            /// # Safety
            ///
            /// The requirements of `body`.
            #(#other_attributes)*
            #allowed
            #[allow(clippy::missing_safety_doc, clippy::too_many_arguments, dead_code)]
            #[cfg(not(target_arch = "nvptx64"))]
            #[doc(hidden)]
            unsafe fn __instrumented_body #generics (#inputs) {
                unsafe #instrumented
            }
        }
    });
    let lifetimes: Vec<_> = signature.generics.lifetimes().collect();
    let body_generics = (!lifetimes.is_empty()).then(|| quote!(<#(#lifetimes),*>));
    let inputs = &signature.inputs;
    let names: Vec<_> = kernel.generic.iter().map(|it| &it.name).collect();
    let declared: Vec<_> = kernel.generic.iter().map(|it| it.declaration()).collect();
    let types = kernel.generic.iter().filter(|it| it.value_type.is_none());
    let type_names: Vec<_> = types.map(|it| &it.name).collect();
    let parameters: Vec<_> = signature
        .generics
        .params
        .iter()
        .filter(|p| !matches!(p, GenericParam::Lifetime(_)))
        .collect();
    let where_clause = &signature.generics.where_clause;

    let definition = if kernel.generic.is_empty() {
        quote! {
            #[derive(Clone, Copy, Debug, Default)]
            #visibility struct #name;
        }
    } else {
        quote! {
            #visibility struct #name<#(#declared),*>(
                ::core::marker::PhantomData<fn() -> (#(#type_names,)*)>,
            );
        }
    };
    let (impl_generics, type_arguments, constructor) = if kernel.generic.is_empty() {
        (quote!(), quote!(), quote!())
    } else {
        let constructor = quote! {
            #(#conditions)*
            #[automatically_derived]
            #[allow(clippy::new_without_default)]
            impl<#(#declared),*> #name<#(#names),*> {
                /// Creates the kernel as a value, for launches that take one.
                #visibility const fn new() -> Self {
                    Self(::core::marker::PhantomData)
                }
            }
            #(#conditions)*
            #[automatically_derived]
            impl<#(#declared),*> ::core::clone::Clone for #name<#(#names),*> {
                fn clone(&self) -> Self {
                    *self
                }
            }
            #(#conditions)*
            #[automatically_derived]
            impl<#(#declared),*> ::core::marker::Copy for #name<#(#names),*> {}
        };
        (
            quote!(<#(#parameters),*>),
            quote!(<#(#names),*>),
            constructor,
        )
    };

    quote! {
        #(#conditions)*
        #(#documentation)*
        #[doc = ""]
        #[doc = #arguments]
        #[allow(non_camel_case_types)]
        #definition
        #constructor
        #value

        #(#conditions)*
        impl #impl_generics #name #type_arguments #where_clause {
            /// Runs the kernel's body for the current thread of a launch.
            ///
            /// # Safety
            ///
            /// The requirements of a launch of the kernel: all memory that the arguments refer to
            /// is valid, and threads do not access the same memory without synchronisation.
            #(#other_attributes)*
            #[inline(always)]
            #[allow(clippy::missing_safety_doc, clippy::too_many_arguments, dead_code)]
            #visibility unsafe fn body #body_generics (#inputs) {
                #copy_checks
                #block
            }
            #instrumented
        }
        #name_checks
    }
}

/// Defines a constant with the kernel's name, if the type has another name.
fn kernel_constant(kernel: &KernelItem) -> TokenStream {
    let (name, type_name) = (&kernel.function.sig.ident, &kernel.type_name);
    if name == type_name {
        return quote!();
    }
    let (visibility, conditions) = (&kernel.function.vis, conditions(&kernel.function.attrs));
    let documentation =
        format!("The kernel. Its type is [`{type_name}`], because a module has the kernel's name.");
    quote! {
        #(#conditions)*
        #[doc = #documentation]
        #[allow(non_upper_case_globals)]
        #visibility const #name: #type_name = #type_name;
    }
}

/// Returns the `cfg` attributes, which every generated item needs.
pub fn conditions(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|a| is_condition(a)).collect()
}

fn is_condition(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
}

/// Returns documentation of the arguments ("Arguments: `volume: View<f32>`, …"), which rustdoc
/// would not show for a unit struct.
fn arguments_line(kernel: &KernelItem) -> String {
    let arguments: Vec<String> = kernel
        .function
        .sig
        .inputs
        .iter()
        .zip(&kernel.parameters)
        .map(|(input, parameter)| {
            let ty = match input {
                syn::FnArg::Typed(typed) => {
                    let ty = &typed.ty;
                    format_tokens(&quote!(#ty).to_string())
                }
                syn::FnArg::Receiver(_) => String::new(),
            };
            format!("`{}: {ty}`", parameter.name)
        })
        .collect();
    if arguments.is_empty() {
        return "A kernel without arguments.".to_owned();
    }
    format!("A kernel. Arguments: {}.", arguments.join(", "))
}

/// Formats tokens such as `View < f32 >` in the usual style.
fn format_tokens(tokens: &str) -> String {
    [
        (" < ", "<"),
        (" <", "<"),
        (" > ", "> "),
        (" >", ">"),
        (" ,", ","),
        (" :: ", "::"),
        ("& ", "&"),
        ("* ", "*"),
        (" ;", ";"),
    ]
    .iter()
    .fold(tokens.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Generates one check per parameter that its type is `Copy`, with the span of the type.
fn copy_checks(kernel: &KernelItem) -> TokenStream {
    kernel
        .parameters
        .iter()
        .map(|parameter| match &parameter.kind {
            Kind::Value(ty) => quote_spanned!(ty.span()=>
                ::cuda_std::kernel::assert_parameter_is_copy::<#ty>();
            ),
            Kind::View(element)
            | Kind::ViewMut(element)
            | Kind::Slice(element)
            | Kind::SliceMut(element)
            | Kind::Ref(element)
            | Kind::RefMut(element) => {
                quote_spanned!(element.span()=>
                    ::cuda_std::kernel::assert_parameter_is_copy::<#element>();
                )
            }
        })
        .collect()
}

/// Generates checks that the listed type names, which form the entry point names, equal
/// `KernelType::NAME`.
fn name_checks(kernel: &KernelItem) -> TokenStream {
    let conditions = conditions(&kernel.function.attrs);
    kernel
        .generic
        .iter()
        .filter(|parameter| parameter.value_type.is_none())
        .flat_map(|parameter| &parameter.choices)
        .map(|instantiation| {
            let (ty, suffix) = (&instantiation.argument, &instantiation.suffix);
            quote! {
                #(#conditions)*
                const _: () = ::cuda_std::kernel::assert_type_name::<#ty>(#suffix);
            }
        })
        .collect()
}
