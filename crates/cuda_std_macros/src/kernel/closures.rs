//! The closures of a kernel's body.

use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprCall, ExprMethodCall, Local, parse_quote};

/// Has the CPU's compiler put into the body every closure that is passed to a function there, as in `rows.for_each_run(|run| ...)`, or that
/// has a name, as in `let mut next = |at: u32| ...`.
///
/// The CPU's launches compile a body for several sets of instructions, and only what is inlined is compiled for them. A closure's
/// function is called from each version, so the compiler itself would leave one of more than a few lines out of line, once for all.
pub fn inline(body: &mut Block) {
    Inline.visit_block_mut(body);
}

struct Inline;

impl Inline {
    /// Whether it is a closure, which has the attribute now.
    fn argument(argument: &mut Expr) -> bool {
        let Expr::Closure(closure) = argument else {
            return false;
        };
        if !closure.attrs.iter().any(|a| a.path().is_ident("inline")) {
            closure
                .attrs
                .push(parse_quote!(#[cfg_attr(not(target_arch = "nvptx64"), inline(always))]));
        }
        true
    }
}

impl VisitMut for Inline {
    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        for argument in &mut call.args {
            Self::argument(argument);
        }
        visit_mut::visit_expr_call_mut(self, call);
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        for argument in &mut call.args {
            Self::argument(argument);
        }
        visit_mut::visit_expr_method_call_mut(self, call);
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        if let Some(init) = &mut local.init
            && Self::argument(&mut init.expr)
        {
            // a stable compiler takes attributes in front of a tuple's elements, and not of what a `let` has
            let closure = &init.expr;
            init.expr = parse_quote!((#closure,).0);
        }
        visit_mut::visit_local_mut(self, local);
    }
}
