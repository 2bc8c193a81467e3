//! Checks of a kernel's signature, and its generic parameters.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{GenericParam, Ident, ItemFn, Lit, ReturnType, Type};

use super::options::{Choice, KernelOptions};

/// Maximum number of entry points per kernel; a longer list is probably a mistake.
const MAX_ENTRIES: usize = 64;

/// A type or const parameter of a kernel and its instantiations.
pub struct GenericParameter {
    pub name: Ident,
    /// Type of a const parameter; `None` for a type parameter.
    pub value_type: Option<Type>,
    pub choices: Vec<Instantiation>,
}

/// A listed type or value.
pub struct Instantiation {
    /// Tokens of the generic argument.
    pub argument: TokenStream,
    /// Suffix of the entry point's name.
    pub suffix: String,
}

impl GenericParameter {
    /// Returns the declaration in the generics of an item, without bounds.
    pub fn declaration(&self) -> TokenStream {
        let name = &self.name;
        match &self.value_type {
            Some(ty) => quote!(const #name: #ty),
            None => quote!(#name),
        }
    }

    /// Returns the expression for the suffix of the entry point's name, where the parameter is in
    /// scope; it evaluates to an empty string for a value that is not listed.
    pub fn suffix(&self) -> TokenStream {
        let name = &self.name;
        if self.value_type.is_none() {
            return quote!(<#name as ::cuda_std::kernel::KernelType>::NAME);
        }
        let arms = self.choices.iter().map(|instantiation| {
            let (value, suffix) = (&instantiation.argument, &instantiation.suffix);
            quote!(#value => #suffix,)
        });
        quote!(match #name { #(#arms)* #[allow(unreachable_patterns)] _ => "" })
    }
}

/// Checks that the function can be a kernel.
pub fn check(function: &ItemFn) -> syn::Result<()> {
    let signature = &function.sig;
    let refuse = |span: proc_macro2::Span, why: &str| Err(syn::Error::new(span, why));
    if !matches!(signature.safety, syn::Safety::Unsafe(_)) {
        return refuse(
            signature.fn_token.span,
            "a kernel must be an `unsafe fn`, because the compiler cannot prove that its concurrent threads do not race",
        );
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        return refuse(
            ty.span(),
            "a kernel returns nothing; write the result through a ViewMut parameter",
        );
    }
    if let Some(token) = &signature.asyncness {
        return refuse(token.span, "a kernel cannot be async");
    }
    if let Some(token) = &signature.constness {
        return refuse(token.span, "a kernel cannot be const");
    }
    // Rust-CUDA's kernels may declare "C", which has no effect.
    if let Some(abi) = &signature.abi
        && !matches!(&abi.name, Some(name) if name.value() == "C")
    {
        return refuse(
            abi.span(),
            "#[kernel] chooses the ABI; remove the `extern` from the function",
        );
    }
    if let Some(variadic) = &signature.variadic {
        return refuse(variadic.span(), "a kernel cannot be variadic");
    }
    Ok(())
}

/// Returns the generic parameters of `function` with their lists. Each parameter must have a list,
/// and each list a parameter.
pub fn generic_parameters(
    function: &ItemFn,
    lists: &KernelOptions,
) -> syn::Result<Vec<GenericParameter>> {
    let mut found = Vec::new();
    for parameter in &function.sig.generics.params {
        let (name, value_type) = match parameter {
            GenericParam::Type(parameter) => (&parameter.ident, None),
            GenericParam::Lifetime(_) => continue,
            GenericParam::Const(parameter) => (&parameter.ident, Some(&parameter.ty)),
        };
        let Some(list) = lists.list_for(name) else {
            let (what, example) = match value_type {
                Some(_) => ("values", "3, 5"),
                None => ("types", "u8, f32"),
            };
            return Err(syn::Error::new(
                name.span(),
                format!(
                    "the kernel is generic over `{name}`; list the {what} for which to build it, as in #[kernel({name} = [{example}])]"
                ),
            ));
        };
        let instantiate = |choice: &Choice| match (choice, value_type) {
            (Choice::Type(ty), None) => Ok(Instantiation {
                argument: quote!(#ty),
                suffix: entry_suffix(ty)?,
            }),
            (Choice::Value(value), Some(_)) => Ok(Instantiation {
                argument: quote!(#value),
                suffix: value_suffix(value)?,
            }),
            (Choice::Type(ty), Some(_)) => Err(syn::Error::new(
                ty.span(),
                format!(
                    "`{name}` is a const parameter; list numbers or bools as literals, as in #[kernel({name} = [3, 5])]"
                ),
            )),
            (Choice::Value(value), None) => Err(syn::Error::new(
                value.span(),
                format!(
                    "`{name}` is a type parameter, and this is a value; list types, or declare it as `const {name}: usize`"
                ),
            )),
        };
        found.push(GenericParameter {
            name: name.clone(),
            value_type: value_type.cloned(),
            choices: list
                .choices
                .iter()
                .map(instantiate)
                .collect::<syn::Result<Vec<_>>>()?,
        });
    }
    for list in &lists.lists {
        if !found
            .iter()
            .any(|parameter| parameter.name == list.parameter)
        {
            let name = &list.parameter;
            return Err(syn::Error::new(
                name.span(),
                format!(
                    "the kernel `{kernel}` has no generic parameter `{name}`; declare it, as in `{kernel}<{declared}>`, or remove the list",
                    kernel = function.sig.ident,
                    declared = match list.choices.first() {
                        Some(Choice::Value(_)) => format!("const {name}: usize"),
                        _ => name.to_string(),
                    },
                ),
            ));
        }
    }
    let entries: usize = found
        .iter()
        .map(|parameter| parameter.choices.len())
        .product();
    if entries > MAX_ENTRIES {
        return Err(syn::Error::new(
            function.sig.ident.span(),
            format!(
                "{entries} entry points for one kernel exceed the limit of {MAX_ENTRIES}; list fewer types or values"
            ),
        ));
    }
    Ok(found)
}

/// Returns the part of an entry point's name for a value.
fn value_suffix(value: &Lit) -> syn::Result<String> {
    match value {
        Lit::Int(number) if !number.base10_digits().starts_with('-') => {
            Ok(number.base10_digits().to_owned())
        }
        Lit::Bool(value) => Ok(value.value.to_string()),
        other => Err(syn::Error::new(
            other.span(),
            "a listed value must be a non-negative number or a bool, because it becomes part of the entry point's name",
        )),
    }
}

/// Returns the part of an entry point's name for `ty`: the last segment of its path. It must equal
/// `KernelType::NAME`, which the expansion asserts.
fn entry_suffix(ty: &Type) -> syn::Result<String> {
    let segment = match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    match segment {
        Some(segment) if segment.arguments.is_empty() => Ok(segment.ident.to_string()),
        _ => Err(syn::Error::new(
            ty.span(),
            "a listed type must be a plain name, because it becomes part of the entry point's name; wrap a longer type in a newtype",
        )),
    }
}
