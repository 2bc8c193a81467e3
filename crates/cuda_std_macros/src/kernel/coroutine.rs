//! The coroutine version of a body: the kernel's body as the body of a future that is suspended at
//! barriers.
//!
//! The state that a future keeps across suspension points is in memory, which the compiler must
//! assume is modified by stores through views. Loops without barriers therefore work on copies of
//! the numbers and views that they use ([`loops`](super::loops)).

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprAsync, ExprClosure, ExprConst, GenericParam, Item, parse_quote};

use super::KernelItem;
use super::loops;
use super::variable_uses::barrier_name;

/// Generates the statements of the coroutine. Returns `None` if the body's source contains no
/// barrier, or if the signature cannot be part of a trait; the threads of such a kernel wait on
/// stacks.
pub fn body(kernel: &KernelItem, passed: &[TokenStream]) -> Option<TokenStream> {
    let function = &kernel.function;
    let mut parameters = function.sig.generics.params.iter();
    let has_lifetimes = parameters.any(|one| matches!(one, GenericParam::Lifetime(_)));
    let is_supported = |attribute: &syn::Attribute| {
        let supported = [
            "doc",
            "allow",
            "expect",
            "cfg",
            "inline",
            "no_mangle",
            "unsafe",
        ];
        supported.iter().any(|name| attribute.path().is_ident(name))
    };
    if has_lifetimes || !function.attrs.iter().all(is_supported) {
        return None;
    }
    let mut block = function.block.clone();
    let in_place = loops::rewrite(&mut block, kernel, passed);
    let mut barriers = Barriers { found: 0 };
    barriers.visit_block_mut(&mut block);
    let inputs = function.sig.inputs.iter().zip(passed).zip(in_place);
    let copies = inputs
        .filter(|(_, in_place)| !in_place)
        .map(|((input, passed), _)| quote!(let #input = unsafe { #passed };));
    (barriers.found > 0).then(|| quote!(#(#copies)* #block))
}

/// Replaces calls of barriers by suspension points.
struct Barriers {
    found: usize,
}

impl VisitMut for Barriers {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        let Expr::Call(call) = expression else { return };
        let Some(name) = barrier_name(call) else {
            return;
        };
        let barrier = format_ident!("{name}");
        let (function, arguments) = (&call.func, &call.args);
        let coroutine = quote!(::cuda_std::kernel::coroutine);
        // The name may refer to another function.
        let is_same = quote!(#coroutine::is_barrier(&__function, &::cuda_std::thread::#barrier));
        let wait = |predicate: TokenStream| {
            quote_spanned!(call.span()=>
                if unsafe { #coroutine::arrive(#predicate) } {
                    unsafe { #coroutine::suspend() }.await;
                }
            )
        };
        let reduce = match name.as_str() {
            "sync_threads_count" => quote!(Count),
            "sync_threads_and" => quote!(And),
            _ => quote!(Or),
        };
        *expression = if arguments.is_empty() {
            let wait = wait(quote!(false));
            parse_quote!({
                let __function = #function;
                if #is_same { #wait } else { __function() }
            })
        } else {
            let wait = wait(quote!(__predicate != 0));
            parse_quote!({
                let (__function, __predicate) = (#function, #arguments);
                if #is_same {
                    #wait
                    #coroutine::outcome(#coroutine::Reduce::#reduce)
                } else {
                    __function(__predicate)
                }
            })
        };
        self.found += 1;
    }

    // Nested code, in which nothing can be awaited.
    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}
    fn visit_expr_async_mut(&mut self, _: &mut ExprAsync) {}
    fn visit_expr_const_mut(&mut self, _: &mut ExprConst) {}
    fn visit_item_mut(&mut self, _: &mut Item) {}
}
