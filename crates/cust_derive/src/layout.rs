//! Check for a fixed memory layout.

use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Meta, Result, Token};

const INTEGERS: [&str; 12] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
];

/// Rejects types whose layout is not guaranteed.
///
/// # Errors
/// A message with the remedy, at the type's name.
pub(crate) fn check(input: &DeriveInput) -> Result<()> {
    let representations = representations(&input.attrs)?;
    let fixed = representations.iter().any(|one| {
        one == "C"
            || one == "transparent"
            || (matches!(input.data, Data::Enum(_)) && INTEGERS.contains(&one.as_str()))
    });
    let remedy = match &input.data {
        _ if fixed => return Ok(()),
        Data::Struct(data) if data.fields.is_empty() => return Ok(()),
        Data::Struct(_) | Data::Union(_) => "add `#[repr(C)]`",
        Data::Enum(_) => "add `#[repr(u32)]` or another integer type, or `#[repr(C)]`",
    };
    Err(syn::Error::new(
        input.ident.span(),
        format!(
            "`{}` has no fixed layout, so host and kernel may lay out its fields differently: {remedy}",
            input.ident
        ),
    ))
}

/// Returns the `repr` hints without arguments: `C`, `align`, `u8`.
fn representations(attributes: &[Attribute]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("repr")) {
        let list = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
        found.extend(
            list.iter()
                .filter_map(|one| one.path().get_ident())
                .map(ToString::to_string),
        );
    }
    Ok(found)
}
