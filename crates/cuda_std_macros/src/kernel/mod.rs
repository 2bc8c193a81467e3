//! The attribute `#[kernel]`: generates a PTX entry point and a typed CPU launch from an `unsafe
//! fn`.

mod body;
mod closures;
mod coroutine;
mod device;
mod features;
mod host;
pub mod instrument;
mod loops;
mod named_list;
mod options;
mod parameter;
mod print_macros;
mod signature;
#[cfg(test)]
mod tests;
mod variable_uses;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Block, FnArg, Ident, ItemFn};

use options::{InstructionSets, KernelOptions};
use parameter::Parameter;
use signature::GenericParameter;

/// A parsed and checked kernel, the input of the three expansions.
struct KernelItem {
    function: ItemFn,
    /// Name of the type that represents the kernel.
    type_name: Ident,
    parameters: Vec<Parameter>,
    /// Instrumented body for checked mode, if it differs from the original.
    instrumented: Option<Block>,
    /// Instruction sets for which the body is compiled on the CPU.
    instruction_sets: InstructionSets,
    /// Type and const parameters with their instantiations; empty for a kernel that is not generic.
    generic: Vec<GenericParameter>,
}

/// Expands `#[kernel]`. `module` is the module defined by the source file, if known.
pub fn expand(
    options: TokenStream,
    item: TokenStream,
    module: Option<&str>,
) -> syn::Result<TokenStream> {
    if let Some(expansion) = named_list::expand(&options, &item) {
        return Ok(expansion);
    }
    let lists: KernelOptions = syn::parse2(options)?;
    let mut function: ItemFn = syn::parse2(features::enable_on_cpu(item))?;
    signature::check(&function)?;
    closures::inline(&mut function.block);
    print_macros::qualify(&mut function.block);
    let generic = signature::generic_parameters(&function, &lists)?;
    let parameters = function
        .sig
        .inputs
        .iter()
        .map(Parameter::classify)
        .collect::<syn::Result<Vec<_>>>()?;
    // A type and a module with the same name cannot both be imported, whereas a function can;
    // Rust-CUDA's kernels are functions.
    let name = &function.sig.ident;
    let type_name = if generic.is_empty() && module.is_some_and(|module| *name == module) {
        format_ident!("{name}_kernel")
    } else {
        name.clone()
    };
    let instrumented = instrumented_body(&function, &parameters);
    let kernel = KernelItem {
        instrumented,
        instruction_sets: lists.instruction_sets,
        function,
        type_name,
        parameters,
        generic,
    };
    let body = body::expand(&kernel);
    let device = device::expand(&kernel);
    let host = host::expand(&kernel);
    Ok(quote!(#body #device #host))
}

/// Returns the instrumented body if there is anything to instrument.
fn instrumented_body(function: &ItemFn, parameters: &[Parameter]) -> Option<Block> {
    let mut names = instrument::Names::default();
    for (parameter, input) in parameters.iter().zip(&function.sig.inputs) {
        if let (FnArg::Typed(typed), false) = (input, parameter.is_view()) {
            names.add(&parameter.name, &typed.ty);
        }
    }
    instrument::instrument(&function.block, names)
}

/// Expands `#[inline_closures]` on a function that kernels call.
pub fn inline_closures(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    syn::parse2::<syn::parse::Nothing>(options)?;
    let mut function: ItemFn = syn::parse2(item)?;
    closures::inline(&mut function.block);
    Ok(quote!(#function))
}
