//! Syntactic classification of the names in a body, and of expressions that use them.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Block, Expr, Stmt, Type, UnOp, parse_quote};

use super::syntax::{
    POINTER_METHODS, is_constant, is_pointer, mentions, simple_name, strip_parens,
};

/// Names in a body, by kind.
#[derive(Clone, Default)]
pub struct Names {
    /// Raw pointers.
    pub pointers: HashSet<String>,
    /// References to one value, which field accesses dereference.
    pub references: HashSet<String>,
    /// Slices.
    pub slices: HashSet<String>,
    /// Closures defined in the body.
    pub(super) closures: HashSet<String>,
}

impl Names {
    /// Adds a parameter of this type.
    pub fn add(&mut self, name: &Ident, ty: &Type) {
        match ty {
            Type::Group(group) => self.add(name, &group.elem),
            Type::Paren(paren) => self.add(name, &paren.elem),
            Type::Reference(reference) => {
                let names = match &*reference.elem {
                    Type::Slice(_) => &mut self.slices,
                    _ => &mut self.references,
                };
                names.insert(name.to_string());
            }
            Type::Ptr(_) => {
                self.pointers.insert(name.to_string());
            }
            _ => {}
        }
    }

    /// Removes the names that the pattern rebinds.
    pub(super) fn forget(&mut self, pattern: TokenStream) {
        for token in pattern {
            match token {
                TokenTree::Ident(name) => self.forget_name(&name.to_string()),
                TokenTree::Group(group) => self.forget(group.stream()),
                _ => {}
            }
        }
    }

    fn forget_name(&mut self, name: &str) {
        for names in [
            &mut self.pointers,
            &mut self.references,
            &mut self.slices,
            &mut self.closures,
        ] {
            names.remove(name);
        }
    }

    /// Generates the statements that record the received parameters.
    pub(super) fn record_parameters(&self) -> Vec<Stmt> {
        let mut all = Vec::new();
        for name in &self.pointers {
            let name = Ident::new(name, Span::call_site());
            all.push(parse_quote!(::cuda_std::instrument::argument_received(#name);));
        }
        for name in self.references.iter().chain(&self.slices) {
            let name = Ident::new(name, Span::call_site());
            all.push(parse_quote!(::cuda_std::instrument::argument_received(&raw const *#name);));
        }
        all
    }
}

/// Visitor that instruments a body.
pub(super) struct Instrument {
    pub(super) names: Names,
    /// `true` if the current expression is used in place and not moved.
    pub(super) in_place: bool,
    /// Number of rewritten accesses.
    pub(super) found: usize,
    /// `true` if a place whose name looks like a static is written.
    pub(super) writes_static: bool,
}

impl Instrument {
    pub(super) fn new(names: Names) -> Self {
        Instrument {
            names,
            in_place: false,
            found: 0,
            writes_static: false,
        }
    }

    /// Returns `true` if accesses to the place are to be recorded.
    pub(super) fn is_tracked(&self, expression: &Expr) -> bool {
        match strip_parens(expression) {
            Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
            Expr::Index(index) => !matches!(strip_parens(&index.index), Expr::Range(_)),
            Expr::Field(field) => {
                self.is_tracked(&field.base)
                    || simple_name(&field.base)
                        .is_some_and(|it| self.names.references.contains(&it))
            }
            _ => false,
        }
    }

    /// Returns `true` if the value appears to be a raw pointer.
    pub(super) fn is_pointer(&self, expression: &Expr) -> bool {
        match strip_parens(expression) {
            Expr::Path(_) => {
                simple_name(expression).is_some_and(|it| self.names.pointers.contains(&it))
            }
            Expr::MethodCall(call) => {
                let method = &call.method;
                let is_of_pointer = POINTER_METHODS.iter().any(|name| method == name);
                // numbers have methods with some of these names
                is_of_pointer && (call.args.is_empty() || self.is_pointer(&call.receiver))
                    || method == "add" && call.args.len() == 1
            }
            Expr::Cast(cast) => is_pointer(&cast.ty),
            Expr::RawAddr(_) => true,
            Expr::Unsafe(it) => self.block_yields_pointer(&it.block),
            Expr::Block(it) => self.block_yields_pointer(&it.block),
            Expr::Macro(call) => mentions(call.mac.path.to_token_stream(), &["shared_array"]),
            Expr::Call(call) => mentions(call.func.to_token_stream(), &["dynamic_shared_mem"]),
            _ => false,
        }
    }

    /// Returns `true` if the value appears to be a slice of kernel memory.
    pub(super) fn is_slice(&self, expression: &Expr) -> bool {
        match strip_parens(expression) {
            Expr::Path(_) => {
                simple_name(expression).is_some_and(|it| self.names.slices.contains(&it))
            }
            Expr::Reference(reference) => match strip_parens(&reference.expr) {
                Expr::Index(index) => {
                    matches!(strip_parens(&index.index), Expr::Range(_))
                        && self.is_kernel_memory(&index.expr)
                }
                _ => false,
            },
            Expr::MethodCall(call) => {
                call.args.is_empty() && (call.method == "as_slice" || call.method == "as_mut_slice")
            }
            Expr::Unsafe(it) => {
                matches!(it.block.stmts.last(), Some(Stmt::Expr(value, None)) if self.is_slice(value))
            }
            _ => false,
        }
    }

    pub(super) fn block_yields_pointer(&self, block: &Block) -> bool {
        matches!(block.stmts.last(), Some(Stmt::Expr(value, None)) if self.is_pointer(value))
    }

    /// Returns `true` if the place is reached through a raw pointer.
    pub(super) fn is_behind_pointer(&self, expression: &Expr) -> bool {
        match strip_parens(expression) {
            Expr::Unary(unary) => self.is_pointer(&unary.expr),
            Expr::Index(index) => self.is_behind_pointer(&index.expr),
            Expr::Field(field) => self.is_behind_pointer(&field.base),
            _ => false,
        }
    }

    /// Returns `true` if the place may belong to a parameter or a shared array.
    pub(super) fn is_kernel_memory(&self, place: &Expr) -> bool {
        match strip_parens(place) {
            Expr::Path(_) => {
                let is_known = |name: String| {
                    self.names.slices.contains(&name) || self.names.references.contains(&name)
                };
                is_constant(place) || simple_name(place).is_some_and(is_known)
            }
            Expr::Unary(unary) => {
                self.is_pointer(&unary.expr) || self.is_kernel_memory(&unary.expr)
            }
            Expr::Index(index) => self.is_kernel_memory(&index.expr),
            Expr::Field(field) => self.is_kernel_memory(&field.base),
            _ => false,
        }
    }
}
