//! Generation of the PTX entry points.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::KernelItem;
use super::body::conditions;
use super::parameter::{Kind, with_lifetime};
use super::signature::Instantiation;

pub fn expand(kernel: &KernelItem) -> TokenStream {
    combinations(kernel)
        .iter()
        .map(|combination| entry(kernel, combination))
        .collect()
}

/// Returns every combination of one listed type or value per generic parameter; a single empty
/// combination for a kernel that is not generic.
pub fn combinations(kernel: &KernelItem) -> Vec<Vec<&Instantiation>> {
    let mut combinations: Vec<Vec<&Instantiation>> = vec![Vec::new()];
    for parameter in &kernel.generic {
        combinations = combinations
            .iter()
            .flat_map(|prefix| {
                parameter.choices.iter().map(|instantiation| {
                    let mut longer = prefix.clone();
                    longer.push(instantiation);
                    longer
                })
            })
            .collect();
    }
    combinations
}

/// Generates one entry point, in a scope in which the generic parameters are aliases of the
/// combination.
fn entry(kernel: &KernelItem, combination: &[&Instantiation]) -> TokenStream {
    let (name, type_name) = (&kernel.function.sig.ident, &kernel.type_name);
    let suffix: String = combination
        .iter()
        .map(|instantiation| format!("_{}", instantiation.suffix))
        .collect();
    let entry_name = format_ident!("{}{}", name, suffix, span = name.span());
    let aliases = kernel
        .generic
        .iter()
        .zip(combination)
        .map(|(parameter, instantiation)| {
            let (alias, argument) = (&parameter.name, &instantiation.argument);
            match &parameter.value_type {
                Some(ty) => quote!(#[allow(dead_code)] const #alias: #ty = #argument;),
                None => quote!(#[allow(dead_code)] type #alias = #argument;),
            }
        });
    let names: Vec<_> = kernel.generic.iter().map(|it| &it.name).collect();
    let turbofish = (!names.is_empty()).then(|| quote!(::<#(#names),*>));

    let mut declared = Vec::new();
    let mut passed = Vec::new();
    for (index, parameter) in kernel.parameters.iter().enumerate() {
        let value = format_ident!("argument_{index}");
        let length = format_ident!("length_{index}");
        let ty = with_lifetime(parameter.kind.ty(), "'_");
        match parameter.kind.element() {
            Some((_, writable)) => {
                let pointer = if writable {
                    quote!(*mut #ty)
                } else {
                    quote!(*const #ty)
                };
                declared.push(quote!(#value: #pointer, #length: usize));
            }
            None => {
                declared.push(match &parameter.kind {
                    Kind::Ref(_) => quote!(#value: *const #ty),
                    Kind::RefMut(_) => quote!(#value: *mut #ty),
                    Kind::Value(_) => quote!(#value: #ty),
                    _ => unreachable!("views and slices have elements"),
                });
            }
        }
        passed.push(match &parameter.kind {
            Kind::View(_) => quote!(::cuda_std::View::from_raw_parts(#value, #length)),
            Kind::ViewMut(_) => quote!(::cuda_std::ViewMut::from_raw_parts(#value, #length)),
            Kind::Slice(_) => quote!(::core::slice::from_raw_parts(#value, #length)),
            Kind::SliceMut(_) => quote!(::core::slice::from_raw_parts_mut(#value, #length)),
            Kind::Ref(_) => quote!(&*#value),
            Kind::RefMut(_) => quote!(&mut *#value),
            Kind::Value(_) => quote!(#value),
        });
    }
    let conditions = conditions(&kernel.function.attrs);
    quote! {
        #(#conditions)*
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            #(#aliases)*
            #[unsafe(no_mangle)]
            #[allow(improper_ctypes_definitions, clippy::too_many_arguments)]
            unsafe extern "ptx-kernel" fn #entry_name(#(#declared),*) {
                // SAFETY: the host satisfies the kernel's safety requirements.
                unsafe { #type_name #turbofish ::body(#(#passed),*) }
            }
        };
    }
}
