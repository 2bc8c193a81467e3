//! Rewriting of accesses, borrows and calls.

use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Block, Expr, Stmt, parse_quote, parse_quote_spanned};

use super::names::Instrument;
use super::syntax::{
    NON_ACCESSING_METHODS, POINTER_METHODS, is_constant, is_place, is_plain, simple_name,
    strip_parens, strip_parens_mut,
};

#[derive(Clone, Copy)]
pub(super) enum AccessKind {
    Read,
    Write,
    Update,
}

impl Instrument {
    /// Visits the subexpressions of a place, but not the place itself.
    pub(super) fn visit_within(&mut self, expression: &mut Expr, is_read: bool) {
        match strip_parens_mut(expression) {
            Expr::Unary(unary) => self.visit_base(&mut unary.expr, false),
            Expr::Index(index) => {
                self.visit_value(&mut index.index);
                self.visit_base(&mut index.expr, is_read);
            }
            Expr::Field(field) => self.visit_base(&mut field.base, is_read),
            Expr::Path(_) => {}
            other => self.visit_value(other),
        }
    }

    pub(super) fn visit_base(&mut self, base: &mut Expr, is_read: bool) {
        if is_place(base) {
            self.visit_within(base, is_read);
            if is_read && is_constant(base) {
                let constant = base.clone();
                *base = parse_quote!((*&#constant));
            }
        } else {
            self.visit_value(base);
            if is_read {
                let value = base.clone();
                *base = parse_quote!((*&#value));
            }
        }
    }

    pub(super) fn visit_value(&mut self, expression: &mut Expr) {
        let before = std::mem::replace(&mut self.in_place, false);
        self.visit_expr_mut(expression);
        self.in_place = before;
    }

    pub(super) fn visit_in_place(&mut self, expression: &mut Expr) {
        let before = std::mem::replace(&mut self.in_place, true);
        self.visit_expr_mut(expression);
        self.in_place = before;
    }

    /// Rewrites an access so that it is recorded.
    pub(super) fn rewrite_access(&mut self, place: &mut Expr, used: AccessKind) {
        let by_pointer = self.is_behind_pointer(place);
        // A place that consists of names may be evaluated twice, so its value can be moved.
        let is_plain = is_plain(place) && !by_pointer && !self.in_place;
        self.visit_within(place, matches!(used, AccessKind::Read));
        self.found += 1;
        // the span of the source line, for reports
        let at = place.span();
        let function = Ident::new(
            match (used, by_pointer) {
                (AccessKind::Read, true) => "read_pointer",
                (AccessKind::Read, false) => "read",
                (AccessKind::Write, true) => "write_pointer",
                (AccessKind::Write, false) => "write",
                (AccessKind::Update, true) => "update_pointer",
                (AccessKind::Update, false) => "update",
            },
            at,
        );
        let function = quote_spanned!(at=> ::cuda_std::instrument::#function);
        *place = match used {
            AccessKind::Read if is_plain => parse_quote_spanned!(at=> ({
                let __place = &raw const #place;
                unsafe {
                    #function(__place);
                }
                #place
            })),
            AccessKind::Read => parse_quote_spanned!(at=> (*match &raw const #place {
                __place =>
                {
                    unsafe {
                        &*#function(__place)
                    }
                }
            })),
            AccessKind::Write | AccessKind::Update => {
                parse_quote_spanned!(at=> (*match &raw mut #place {
                    __place =>
                    {
                        unsafe {
                            &mut *#function(__place)
                        }
                    }
                }))
            }
        };
    }

    /// Rewrites a borrow; a borrow from a raw pointer is recorded.
    pub(super) fn rewrite_borrow(&mut self, place: &mut Expr, is_mut: bool) {
        let is_lent = self.is_tracked(place) && self.is_behind_pointer(place);
        self.visit_within(place, false);
        if is_lent {
            self.found += 1;
            *place = if is_mut {
                parse_quote!((*match &raw mut #place {
                    __place =>
                    {
                        unsafe {
                            &mut *::cuda_std::instrument::borrow(__place)
                        }
                    }
                }))
            } else {
                parse_quote!((*match &raw const #place {
                    __place =>
                    {
                        unsafe {
                            &*::cuda_std::instrument::borrow(__place)
                        }
                    }
                }))
            };
        }
    }

    /// Rewrites a function argument; kernel memory is recorded as passed. Statements to be executed
    /// before the call are appended to `records`.
    pub(super) fn rewrite_argument(&mut self, value: &mut Expr, records: &mut Vec<Stmt>) {
        let at = value.span();
        let is_pointer = self.is_pointer(value);
        if let (Expr::Path(_), Some(_)) = (strip_parens(value), simple_name(value)) {
            // The value of a name is not moved, since it may be a unique reference.
            if is_pointer {
                records.push(parse_quote_spanned!(at=> {
                    use ::cuda_std::instrument::{ProbeOther as _, ProbePointer as _};
                    (&unsafe { ::cuda_std::instrument::Probe::new(&raw const #value) }).before_passing();
                }));
            } else if !is_constant(value) && self.is_kernel_memory(value) {
                records.push(
                    parse_quote_spanned!(at=> ::cuda_std::instrument::argument_passed(&raw const *#value);),
                );
            }
            return;
        }
        let is_memory = matches!(
            strip_parens(value),
            Expr::Reference(reference) if self.is_kernel_memory(&reference.expr)
        );
        self.visit_value(value);
        if is_pointer {
            *value = parse_quote_spanned!(at=> (match #value {
                __place => {
                    use ::cuda_std::instrument::{ProbeOther as _, ProbePointer as _};
                    (&unsafe { ::cuda_std::instrument::Probe::new(&raw const __place) }).before_passing();
                    __place
                }
            }));
        } else if is_memory {
            *value = parse_quote_spanned!(at=> (match #value {
                __place => {
                    ::cuda_std::instrument::argument_passed(&raw const *__place);
                    __place
                }
            }));
        } else {
            return;
        }
        self.found += 1;
    }

    /// Makes the call execute `records` first. (In a tuple instead of a block, so that temporaries
    /// live on.)
    pub(super) fn prepend_records(&mut self, records: Vec<Stmt>, call: &mut Expr) {
        if !records.is_empty() {
            self.found += 1;
            *call = parse_quote!(({ #(#records)* }, #call).1);
        }
    }

    /// Records the receiver of a method call if it is a slice or pointer that the method may
    /// access.
    pub(super) fn receiver(&mut self, receiver: &Expr, method: &str, records: &mut Vec<Stmt>) {
        let within = match strip_parens(receiver) {
            Expr::Index(index) if matches!(strip_parens(&index.index), Expr::Range(_)) => {
                &index.expr
            }
            _ => receiver,
        };
        let is_harmless =
            POINTER_METHODS.contains(&method) || NON_ACCESSING_METHODS.contains(&method);
        if !is_harmless && matches!(strip_parens(within), Expr::Path(_)) {
            let references = &self.names.references;
            if !simple_name(within).is_some_and(|name| references.contains(&name)) {
                self.rewrite_argument(&mut within.clone(), records);
            }
        }
    }

    pub(super) fn record_static_write(&mut self, place: &Expr) {
        match strip_parens(place) {
            Expr::Unary(unary) => self.record_static_write(&unary.expr),
            Expr::Index(index) => self.record_static_write(&index.expr),
            Expr::Field(field) => self.record_static_write(&field.base),
            Expr::Path(_) => self.writes_static |= is_constant(place),
            _ => {}
        }
    }

    /// Rewrites the left-hand side of an assignment.
    pub(super) fn rewrite_assigned(&mut self, place: &mut Expr, used: AccessKind) {
        self.record_static_write(place);
        if self.is_tracked(place) {
            self.rewrite_access(place, used);
        } else if is_place(place) {
            self.visit_within(place, false);
        }
    }

    /// Records a step at the start of a loop body.
    pub(super) fn record_iterations(&mut self, body: &mut Block, at: Span) {
        body.stmts.insert(
            0,
            parse_quote_spanned!(at=> ::cuda_std::instrument::loop_iteration();),
        );
    }
}
