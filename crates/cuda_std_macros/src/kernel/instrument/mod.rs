//! The instrumented version of a body: it tells checked mode of every access by `*`, by index, and
//! by a field behind them.
//!
//! Types are not known here. So an access is rewritten in place, with an expression that takes its
//! address and means the same place: `a[i] + *p` becomes
//! `(*read(&raw const a[i])) + (*read(&raw const *p))`, and `*p = x` becomes
//! `*write(&raw mut *p) = x`. What the address is of is found out when the kernel runs: what lies
//! on a thread's own stack is not looked at.
//!
//! Left alone is what could mean something else if it were rewritten: what methods are called on,
//! but for those of numbers; what is borrowed; what patterns bind by `ref`; nested items; other
//! macros' arguments.

mod names;
mod rewrite;
mod syntax;
mod visit;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{Block, FnArg, ItemFn, Pat, parse_quote};

use names::Instrument;
pub use names::Names;
pub use syntax::is_pointer;
use syntax::{RAW_MEMORY_MARKERS, mentions};

/// Instruments a kernel's body. `None` where there is nothing to do: it has no memory but by views,
/// as far as can be told.
pub fn instrument(body: &Block, names: Names) -> Option<Block> {
    let has_memory = !names.slices.is_empty()
        || !names.pointers.is_empty()
        || !names.references.is_empty()
        || mentions(body.to_token_stream(), &RAW_MEMORY_MARKERS);
    let mut instrumented = body.clone();
    let mut instrument = Instrument::new(names);
    instrument.visit_block_mut(&mut instrumented);
    ((has_memory || instrument.writes_static) && instrument.found > 0).then_some(instrumented)
}

/// `#[instrument]`: the same for a function that kernels call.
pub fn expand(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    syn::parse2::<syn::parse::Nothing>(options)?;
    let function: ItemFn = syn::parse2(item)?;
    let mut instrumented = function.clone();
    let mut names = Names::default();
    for input in &function.sig.inputs {
        if let FnArg::Typed(typed) = input
            && let Pat::Ident(name) = &*typed.pat
        {
            names.add(&name.ident, &typed.ty);
        }
    }
    let records = names.record_parameters();
    Instrument::new(names).visit_block_mut(&mut instrumented.block);
    instrumented.block.stmts.splice(0..0, records);
    // The body as it was written is compiled as well, so that nothing is accepted here that it
    // would not be.
    let written = &function.block;
    instrumented
        .block
        .stmts
        .insert(0, parse_quote!(if false { return #written; }));
    let allowed = allowed();
    Ok(quote! {
        #[cfg(target_arch = "nvptx64")]
        #function
        #[cfg(not(target_arch = "nvptx64"))]
        #allowed
        #instrumented
    })
}

/// What instrumented code may do that the compiler and clippy would warn of.
pub fn allowed() -> TokenStream {
    quote! {
        #[allow(
            static_mut_refs,
            unused_imports,
            unused_parens,
            unused_unsafe,
            clippy::undocumented_unsafe_blocks,
            clippy::multiple_unsafe_ops_per_block,
            clippy::borrow_deref_ref,
            clippy::deref_addrof,
            clippy::needless_borrow,
            clippy::match_single_binding,
            clippy::macro_metavars_in_unsafe,
            clippy::not_unsafe_ptr_arg_deref,
            clippy::needless_return,
            clippy::never_loop
        )]
    }
}
