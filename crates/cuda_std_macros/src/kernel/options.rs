//! The options of the attribute: the lists of types to build a generic kernel for.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, Token, Type, bracketed};

/// `T = [u8, f32], I = [u32, u64]`.
#[derive(Default)]
pub struct TypeLists {
    pub lists: Vec<TypeList>,
}

/// `T = [u8, f32]`.
pub struct TypeList {
    pub parameter: Ident,
    pub types: Vec<Type>,
}

impl TypeLists {
    pub fn of(&self, parameter: &Ident) -> Option<&TypeList> {
        self.lists.iter().find(|list| list.parameter == *parameter)
    }
}

impl Parse for TypeLists {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let lists: Vec<TypeList> = Punctuated::<TypeList, Token![,]>::parse_terminated(input)?
            .into_iter()
            .collect();
        for (position, list) in lists.iter().enumerate() {
            if lists[..position]
                .iter()
                .any(|earlier| earlier.parameter == list.parameter)
            {
                return Err(syn::Error::new(
                    list.parameter.span(),
                    format!("`{}` is listed twice", list.parameter),
                ));
            }
        }
        Ok(Self { lists })
    }
}

impl Parse for TypeList {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let parameter: Ident = input.parse()?;
        input.parse::<Token![=]>()?;
        let content;
        bracketed!(content in input);
        let types: Vec<Type> = Punctuated::<Type, Token![,]>::parse_terminated(&content)?
            .into_iter()
            .collect();
        if types.is_empty() {
            return Err(syn::Error::new(
                parameter.span(),
                format!(
                    "`{parameter}` has an empty list: name at least one type to build the kernel for"
                ),
            ));
        }
        Ok(Self { parameter, types })
    }
}
