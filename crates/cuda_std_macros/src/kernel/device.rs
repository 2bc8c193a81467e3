//! The PTX entry points.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Type;

use super::KernelItem;
use super::body::conditions;
use super::parameter::{Kind, with_lifetime};

pub fn expand(kernel: &KernelItem) -> TokenStream {
    combinations(kernel)
        .iter()
        .map(|combination| entry(kernel, combination))
        .collect()
}

/// Every choice of one listed type per type parameter; one empty choice for a kernel that is not generic.
pub fn combinations(kernel: &KernelItem) -> Vec<Vec<&(Type, String)>> {
    let mut chosen: Vec<Vec<&(Type, String)>> = vec![Vec::new()];
    for parameter in &kernel.types {
        chosen = chosen
            .iter()
            .flat_map(|prefix| {
                parameter.types.iter().map(|ty| {
                    let mut longer = prefix.clone();
                    longer.push(ty);
                    longer
                })
            })
            .collect();
    }
    chosen
}

/// One entry point, in a scope of its own where the type parameters are aliases of the chosen types.
fn entry(kernel: &KernelItem, combination: &[&(Type, String)]) -> TokenStream {
    let (name, type_name) = (&kernel.function.sig.ident, &kernel.type_name);
    let suffix: String = combination
        .iter()
        .map(|(_, text)| format!("_{text}"))
        .collect();
    let entry_name = format_ident!("{}{}", name, suffix, span = name.span());
    let aliases = kernel
        .types
        .iter()
        .zip(combination)
        .map(|(parameter, (ty, _))| {
            let alias = &parameter.name;
            quote!(#[allow(dead_code)] type #alias = #ty;)
        });
    let type_names: Vec<_> = kernel.types.iter().map(|t| &t.name).collect();
    let turbofish = (!type_names.is_empty()).then(|| quote!(::<#(#type_names),*>));

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
                // SAFETY: the host passes what the kernel's contract asks for.
                unsafe { #type_name #turbofish ::body(#(#passed),*) }
            }
        };
    }
}
