//! Syntactic analysis of the variables that code binds and uses.

use proc_macro2::Ident;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprPath, PatIdent};

/// Returns `true` if the macro of this name creates a view or an array of shared memory.
pub fn is_shared(name: &Ident) -> bool {
    name == "shared_view" || name == "shared_array"
}

/// Returns the name of the barrier that a call may refer to, by the last path segment and the
/// number of arguments.
pub fn barrier_name(call: &syn::ExprCall) -> Option<String> {
    let Expr::Path(ExprPath { path, .. }) = &*call.func else {
        return None;
    };
    let name = path.segments.last()?.ident.to_string();
    match (name.as_str(), call.args.len()) {
        ("sync_threads", 0)
        | ("sync_threads_count" | "sync_threads_and" | "sync_threads_or", 1) => Some(name),
        _ => None,
    }
}

/// Number of bindings of each name, and the presence of macros (which may use or bind any name) and
/// of patterns that bind references.
#[derive(Default)]
pub struct Names {
    pub bound: BTreeMap<Ident, usize>,
    pub has_macros: bool,
    pub has_references: bool,
}

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        *self.bound.entry(pattern.ident.clone()).or_default() += 1;
        self.has_references |= pattern.by_ref.is_some();
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let last = call.path.segments.last();
        self.has_macros |= !last.is_some_and(|last| is_shared(&last.ident));
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Variables used by a piece of code, and its control flow.
#[derive(Default)]
pub struct VariableUses {
    pub names: BTreeSet<Ident>,
    /// Variables that it may assign to.
    pub changed: BTreeSet<Ident>,
    /// Variables to which it takes references.
    pub borrowed: BTreeSet<Ident>,
    pub has_barrier: bool,
    pub reads_grid_dim: bool,
    /// `true` if control may leave the code other than at its end (`return`, `?`, labelled jumps),
    /// so that copies could not be written back.
    pub jumps: bool,
    /// `true` if it contains a `break`.
    pub leaves: bool,
    /// `true` if it contains constructs that may do anything with a variable: closures, macros,
    /// items, patterns that bind references.
    pub is_opaque: bool,
}

impl VariableUses {
    pub fn is_contained(&self) -> bool {
        !self.jumps && !self.is_opaque
    }

    fn name(expression: &Expr) -> Option<&Ident> {
        match expression {
            Expr::Path(path) => path.path.get_ident(),
            Expr::Paren(inner) => Self::name(&inner.expr),
            Expr::Field(inner) => Self::name(&inner.base),
            Expr::Index(inner) => Self::name(&inner.expr),
            _ => None,
        }
    }
}

impl<'ast> Visit<'ast> for VariableUses {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Path(path) => self.names.extend(path.path.get_ident().cloned()),
            Expr::Assign(one) => match Self::name(&one.left) {
                Some(name) => {
                    self.changed.insert(name.clone());
                }
                None => {
                    self.is_opaque |= matches!(
                        &*one.left,
                        Expr::Tuple(_) | Expr::Array(_) | Expr::Struct(_) | Expr::Call(_)
                    )
                }
            },
            Expr::Binary(one) if is_assignment(&one.op) => {
                self.changed.extend(Self::name(&one.left).cloned());
            }
            Expr::Reference(one) => self.borrowed.extend(Self::name(&one.expr).cloned()),
            Expr::RawAddr(one) => self.borrowed.extend(Self::name(&one.expr).cloned()),
            // A method may take its receiver by `&mut`.
            Expr::MethodCall(one) => self.changed.extend(Self::name(&one.receiver).cloned()),
            Expr::Call(call) => {
                self.has_barrier |= barrier_name(call).is_some();
                if let Expr::Path(path) = &*call.func {
                    let last = path.path.segments.last();
                    self.reads_grid_dim |=
                        last.is_some_and(|last| last.ident.to_string().starts_with("grid_dim"));
                }
            }
            Expr::Return(_) | Expr::Try(_) => self.jumps = true,
            Expr::Break(one) => {
                self.jumps |= one.label.is_some() || one.expr.is_some();
                self.leaves = true;
            }
            Expr::Continue(one) => self.jumps |= one.label.is_some(),
            Expr::Closure(_) | Expr::Macro(_) | Expr::Async(_) | Expr::Verbatim(_) => {
                self.is_opaque = true
            }
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.is_opaque |= pattern.by_ref.is_some();
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_macro(&mut self, _: &'ast syn::Macro) {
        self.is_opaque = true;
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {
        self.is_opaque = true;
    }
}

fn is_assignment(op: &BinOp) -> bool {
    let text = op.to_token_stream().to_string();
    text.ends_with('=') && !["==", "<=", ">=", "!="].contains(&text.as_str())
}
