//! Options of `#[kernel]`: the types and values for which a generic kernel is built, and the
//! instruction sets for which its body is compiled on the CPU.

use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, Lit, Token, Type, bracketed, token};

/// Parsed options, such as `T = [u8, f32], N = [3, 5], fused`.
#[derive(Default)]
pub struct KernelOptions {
    pub lists: Vec<GenericList>,
    /// Instruction sets for which the body is compiled on the CPU.
    pub instruction_sets: InstructionSets,
}

/// Instruction sets for which a body is compiled on the CPU.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum InstructionSets {
    /// The baseline, and AVX2 unless the crate has debug assertions.
    #[default]
    ByProfile,
    /// The baseline and AVX2, because the body consists mainly of fused multiply-adds.
    Fused,
    /// Only the baseline, because AVX2 makes the body no faster.
    Baseline,
}

/// One option.
enum KernelOption {
    GenericList(GenericList),
    InstructionSets(Ident, InstructionSets),
}

/// The list of a generic parameter, such as `T = [u8, f32]`.
pub struct GenericList {
    pub parameter: Ident,
    pub choices: Vec<Choice>,
}

/// A listed type or value.
#[derive(Clone)]
pub enum Choice {
    Type(Box<Type>),
    /// A literal, for a const parameter.
    Value(Lit),
}

/// Description of the valid options, for error messages.
const FORM: &str = "#[kernel] takes a list for each generic parameter, as in #[kernel(T = [u8, f32], N = [3, 5])], and the option `fused` or `baseline`";

impl KernelOptions {
    pub fn list_for(&self, parameter: &Ident) -> Option<&GenericList> {
        self.lists.iter().find(|list| list.parameter == *parameter)
    }
}

impl Parse for KernelOptions {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut lists = Vec::<GenericList>::new();
        let mut chosen = None::<(Ident, InstructionSets)>;
        for option in Punctuated::<KernelOption, Token![,]>::parse_terminated(input)? {
            match option {
                KernelOption::GenericList(list) => lists.push(list),
                KernelOption::InstructionSets(name, sets) => {
                    if let Some((earlier, _)) = chosen {
                        let problem = if earlier == name {
                            format!("`{name}` is given twice")
                        } else {
                            format!("`{earlier}` and `{name}` exclude each other")
                        };
                        return Err(syn::Error::new(name.span(), problem));
                    }
                    chosen = Some((name, sets));
                }
            }
        }
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
        Ok(Self {
            lists,
            instruction_sets: chosen.map_or_else(Default::default, |(_, sets)| sets),
        })
    }
}

impl Parse for KernelOption {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let ahead = input.fork();
        let name = ahead.call(Ident::parse_any);
        for (option, sets) in [
            ("fused", InstructionSets::Fused),
            ("baseline", InstructionSets::Baseline),
        ] {
            if name.as_ref().is_ok_and(|name| name == option) && !ahead.peek(Token![=]) {
                return Ok(Self::InstructionSets(Ident::parse_any(input)?, sets));
            }
        }
        Ok(Self::GenericList(input.parse()?))
    }
}

impl Parse for GenericList {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if !input.peek(Ident::peek_any) {
            return Err(input.error(FORM));
        }
        let parameter = Ident::parse_any(input)?;
        if !input.peek(Token![=]) {
            return Err(syn::Error::new(
                parameter.span(),
                format!("unknown option `{parameter}`: {FORM}"),
            ));
        }
        input.parse::<Token![=]>()?;
        if !input.peek(token::Bracket) {
            return Err(input.error(format!(
                "write the list for `{parameter}` in brackets: {parameter} = [...]"
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
                    "the list for `{parameter}` is empty; list at least one type or value for which to build the kernel"
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
