//! Inlining of the closures in a kernel's body.

use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprCall, ExprMethodCall, Local, parse_quote};

/// Marks every closure that is passed to a function, as in `rows.for_each_run(|run| ...)`, or that
/// initialises a variable, as `#[inline(always)]` on the CPU.
///
/// Bodies are compiled for several instruction sets on the CPU, and only inlined code is compiled
/// for them. A closure is called from each version, so the compiler would otherwise keep a longer
/// one out of line.
pub fn inline(body: &mut Block) {
    Inline.visit_block_mut(body);
}

struct Inline;

impl Inline {
    fn argument(argument: &mut Expr) {
        if let Expr::Closure(closure) = argument
            && !closure.attrs.iter().any(|a| a.path().is_ident("inline"))
        {
            closure
                .attrs
                .push(parse_quote!(#[cfg_attr(not(target_arch = "nvptx64"), inline(always))]));
        }
    }
}

impl VisitMut for Inline {
    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        call.args.iter_mut().for_each(Self::argument);
        visit_mut::visit_expr_call_mut(self, call);
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        visit_mut::visit_local_mut(self, local);
        if let Some(init) = &mut local.init
            && let Expr::Closure(_) = &*init.expr
        {
            Self::argument(&mut init.expr);
            // attributes are allowed on elements of tuples, but not on initial values
            let closure = &init.expr;
            *init.expr = parse_quote!((#closure,).0);
        }
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        call.args.iter_mut().for_each(Self::argument);
        visit_mut::visit_expr_method_call_mut(self, call);
    }
}
