//! What a kernel's signature may not have, and its type parameters.

use syn::spanned::Spanned;
use syn::{GenericParam, Ident, ItemFn, ReturnType, Type};

use super::options::TypeLists;

/// Entry points that one kernel may have; past this a list is more likely a mistake than a wish.
const MOST_ENTRIES: usize = 64;

/// One type parameter of a kernel and the types that entry points are built for.
pub struct TypeParameter {
    pub name: Ident,
    /// The listed types, each with the name that it adds to the entry point's.
    pub types: Vec<(Type, String)>,
}

/// Refuses what cannot be a kernel, saying why.
pub fn check(function: &ItemFn) -> syn::Result<()> {
    let signature = &function.sig;
    let refuse = |span: proc_macro2::Span, why: &str| Err(syn::Error::new(span, why));
    if !matches!(signature.safety, syn::Safety::Unsafe(_)) {
        return refuse(
            signature.fn_token.span,
            "a kernel must be `unsafe fn`: its threads run at once, and the compiler cannot prove that they do not write over each other",
        );
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        return refuse(
            ty.span(),
            "a kernel returns nothing: write the result through a ViewMut parameter",
        );
    }
    if let Some(token) = &signature.asyncness {
        return refuse(token.span, "a kernel cannot be async");
    }
    if let Some(token) = &signature.constness {
        return refuse(token.span, "a kernel cannot be const");
    }
    // Rust-CUDA's kernels may say "C", which then means nothing.
    if let Some(abi) = &signature.abi
        && !matches!(&abi.name, Some(name) if name.value() == "C")
    {
        return refuse(
            abi.span(),
            "#[kernel] chooses the ABI: remove the `extern` from the function",
        );
    }
    if let Some(variadic) = &signature.variadic {
        return refuse(variadic.span(), "a kernel cannot be variadic");
    }
    Ok(())
}

/// The type parameters of `function` with their lists; each must have one, and each list a parameter.
pub fn type_parameters(function: &ItemFn, lists: &TypeLists) -> syn::Result<Vec<TypeParameter>> {
    let mut found = Vec::new();
    for parameter in &function.sig.generics.params {
        let name = match parameter {
            GenericParam::Type(parameter) => &parameter.ident,
            GenericParam::Lifetime(_) => continue,
            GenericParam::Const(parameter) => {
                return Err(syn::Error::new(
                    parameter.span(),
                    "a kernel cannot have const parameters: write one kernel per value and share an inlined function",
                ));
            }
        };
        let Some(list) = lists.of(name) else {
            return Err(syn::Error::new(
                name.span(),
                format!(
                    "the kernel is generic over `{name}`: list the types to build it for, as in #[kernel({name} = [u8, f32])]"
                ),
            ));
        };
        let types = list
            .types
            .iter()
            .map(|ty| Ok((ty.clone(), entry_suffix(ty)?)))
            .collect::<syn::Result<Vec<_>>>()?;
        found.push(TypeParameter {
            name: name.clone(),
            types,
        });
    }
    for list in &lists.lists {
        if !found
            .iter()
            .any(|parameter| parameter.name == list.parameter)
        {
            return Err(syn::Error::new(
                list.parameter.span(),
                format!(
                    "the kernel `{}` has no type parameter `{}`",
                    function.sig.ident, list.parameter
                ),
            ));
        }
    }
    let entries: usize = found
        .iter()
        .map(|parameter| parameter.types.len())
        .product();
    if entries > MOST_ENTRIES {
        return Err(syn::Error::new(
            function.sig.ident.span(),
            format!(
                "{entries} entry points for one kernel; the limit is {MOST_ENTRIES}: list fewer types"
            ),
        ));
    }
    Ok(found)
}

/// The part of an entry point's name that stands for `ty`: the last segment of its path. It must be what `KernelType::NAME` says;
/// the expansion asserts it.
fn entry_suffix(ty: &Type) -> syn::Result<String> {
    let segment = match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    match segment {
        Some(segment) if segment.arguments.is_empty() => Ok(segment.ident.to_string()),
        _ => Err(syn::Error::new(
            ty.span(),
            "a listed type is a plain name, because it becomes a part of the entry point's name: give a longer type an alias-free newtype",
        )),
    }
}
