//! Instrumentation of a body: records every access by `*`, by index, and by a field behind either,
//! for checked mode.
//!
//! The macro has no type information. An access is rewritten in place to an expression that takes
//! its address and denotes the same place: `a[i] + *p` becomes `(*read(&raw const a[i])) +
//! (*read(&raw const *p))`, and `*p = x` becomes `*write(&raw mut *p) = x`. The memory to which the
//! address refers is determined when the kernel runs; accesses to a thread's own stack are ignored.
//!
//! Expressions whose meaning could change are left alone: method receivers, except for methods of
//! numbers; borrowed places; bindings by `ref`; nested items; arguments of other macros.

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

/// Instruments a kernel's body. Returns `None` if all of its memory accesses appear to go through
/// views.
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

/// Expands `#[instrument]` on a function that kernels call.
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
    // The original body is compiled too, so that the macro accepts only valid functions.
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

/// Returns the lints of the compiler and clippy that instrumented code may violate.
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
