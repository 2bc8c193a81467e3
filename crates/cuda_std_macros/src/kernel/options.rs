//! The options of the attribute: the lists of types and values to build a generic kernel for.

use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, Lit, Token, Type, bracketed, token};

/// `T = [u8, f32], N = [3, 5]`.
#[derive(Default)]
pub struct Lists {
    pub lists: Vec<List>,
}

/// `T = [u8, f32]`.
pub struct List {
    pub parameter: Ident,
    pub choices: Vec<Choice>,
}

/// What is listed.
#[derive(Clone)]
pub enum Choice {
    Type(Box<Type>),
    /// A literal, for a const parameter.
    Value(Lit),
}

/// What the attribute may say.
const FORM: &str = "#[kernel] takes a list for each generic parameter, as in #[kernel(T = [u8, f32], N = [3, 5])], and nothing else";

impl Lists {
    pub fn of(&self, parameter: &Ident) -> Option<&List> {
        self.lists.iter().find(|list| list.parameter == *parameter)
    }
}

impl Parse for Lists {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let lists: Vec<List> = Punctuated::<List, Token![,]>::parse_terminated(input)?
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

impl Parse for List {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if !input.peek(Ident::peek_any) {
            return Err(input.error(FORM));
        }
        let parameter = Ident::parse_any(input)?;
        if !input.peek(Token![=]) {
            return Err(syn::Error::new(
                parameter.span(),
                format!("`{parameter}` is no option: {FORM}"),
            ));
        }
        input.parse::<Token![=]>()?;
        if !input.peek(token::Bracket) {
            return Err(input.error(format!(
                "what `{parameter}` is built for stands in brackets: {parameter} = [...]"
            )));
        }
        let content;
        bracketed!(content in input);
        let choices: Vec<Choice> = Punctuated::<Choice, Token![,]>::parse_terminated(&content)?
            .into_iter()
            .collect();
        if choices.is_empty() {
            return Err(syn::Error::new(
                parameter.span(),
                format!(
                    "`{parameter}` has an empty list: name at least one type or value to build the kernel for"
                ),
            ));
        }
        Ok(Self { parameter, choices })
    }
}

impl Parse for Choice {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if input.peek(Lit) {
            return Ok(Self::Value(input.parse()?));
        }
        Ok(Self::Type(Box::new(input.parse()?)))
    }
}
