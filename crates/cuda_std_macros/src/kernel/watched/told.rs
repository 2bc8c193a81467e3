//! What takes the place of accesses, borrows and calls.

use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Block, Expr, Stmt, parse_quote, parse_quote_spanned};

use super::known::Instrument;
use super::syntax::{
    HARMLESS, OF_POINTERS, bare, bare_mut, is_constant, is_place, is_plain, name_of,
};

#[derive(Clone, Copy)]
pub(super) enum Use {
    Read,
    Write,
    Update,
}

impl Instrument {
    /// Visits what is within a place, but not the place itself.
    pub(super) fn visit_within(&mut self, expression: &mut Expr, is_read: bool) {
        match bare_mut(expression) {
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
        let before = std::mem::replace(&mut self.looked_at, false);
        self.visit_expr_mut(expression);
        self.looked_at = before;
    }

    pub(super) fn visit_looked_at(&mut self, expression: &mut Expr) {
        let before = std::mem::replace(&mut self.looked_at, true);
        self.visit_expr_mut(expression);
        self.looked_at = before;
    }

    /// Has the use of a place told.
    pub(super) fn tell(&mut self, place: &mut Expr, used: Use) {
        let by_pointer = self.is_behind_pointer(place);
        // An expression of names alone may be evaluated twice, and so moved from where it is.
        let is_plain = is_plain(place) && !by_pointer && !self.looked_at;
        self.visit_within(place, matches!(used, Use::Read));
        self.found += 1;
        // reports name the source's own line
        let at = place.span();
        let function = Ident::new(
            match (used, by_pointer) {
                (Use::Read, true) => "read_pointer",
                (Use::Read, false) => "read",
                (Use::Write, true) => "write_pointer",
                (Use::Write, false) => "write",
                (Use::Update, true) => "update_pointer",
                (Use::Update, false) => "update",
            },
            at,
        );
        let function = quote_spanned!(at=> ::cuda_std::watch::#function);
        *place = match used {
            Use::Read if is_plain => parse_quote_spanned!(at=> ({
                let __place = &raw const #place;
                unsafe {
                    #function(__place);
                }
                #place
            })),
            Use::Read => parse_quote_spanned!(at=> (*match &raw const #place {
                __place =>
                {
                    unsafe {
                        &*#function(__place)
                    }
                }
            })),
            Use::Write | Use::Update => parse_quote_spanned!(at=> (*match &raw mut #place {
                __place =>
                {
                    unsafe {
                        &mut *#function(__place)
                    }
                }
            })),
        };
    }

    /// A place that is borrowed: if it is behind a pointer, that is told.
    pub(super) fn borrow(&mut self, place: &mut Expr, is_mut: bool) {
        let is_lent = self.is_watched(place) && self.is_behind_pointer(place);
        self.visit_within(place, false);
        if is_lent {
            self.found += 1;
            *place = if is_mut {
                parse_quote!((*match &raw mut #place {
                    __place =>
                    {
                        unsafe {
                            &mut *::cuda_std::watch::lend(__place)
                        }
                    }
                }))
            } else {
                parse_quote!((*match &raw const #place {
                    __place =>
                    {
                        unsafe {
                            &*::cuda_std::watch::lend(__place)
                        }
                    }
                }))
            };
        }
    }

    /// What a function is given: where that is memory of the kernel's, it is told. `notes` are to
    /// be executed before the call.
    pub(super) fn given(&mut self, value: &mut Expr, notes: &mut Vec<Stmt>) {
        let at = value.span();
        let is_pointer = self.is_pointer(value);
        if let (Expr::Path(_), Some(_)) = (bare(value), name_of(value)) {
            // What a name means is not moved: it may be a unique reference.
            if is_pointer {
                notes.push(parse_quote_spanned!(at=> {
                    use ::cuda_std::watch::{ProbeOther as _, ProbePointer as _};
                    (&unsafe { ::cuda_std::watch::Probe::new(&raw const #value) }).before_passing();
                }));
            } else if !is_constant(value) && self.is_of_memory(value) {
                notes.push(
                    parse_quote_spanned!(at=> ::cuda_std::watch::passed(&raw const *#value);),
                );
            }
            return;
        }
        let is_memory = matches!(
            bare(value),
            Expr::Reference(reference) if self.is_of_memory(&reference.expr)
        );
        self.visit_value(value);
        if is_pointer {
            *value = parse_quote_spanned!(at=> (match #value {
                __place => {
                    use ::cuda_std::watch::{ProbeOther as _, ProbePointer as _};
                    (&unsafe { ::cuda_std::watch::Probe::new(&raw const __place) }).before_passing();
                    __place
                }
            }));
        } else if is_memory {
            *value = parse_quote_spanned!(at=> (match #value {
                __place => {
                    ::cuda_std::watch::passed(&raw const *__place);
                    __place
                }
            }));
        } else {
            return;
        }
        self.found += 1;
    }

    /// The call, after what is noted before it. (In a tuple, and not in a block, since temporary
    /// values live on.)
    pub(super) fn after(&mut self, notes: Vec<Stmt>, call: &mut Expr) {
        if !notes.is_empty() {
            self.found += 1;
            *call = parse_quote!(({ #(#notes)* }, #call).1);
        }
    }

    /// What a method is called on, if that is a slice or pointer which it may use.
    pub(super) fn receiver(&mut self, receiver: &Expr, method: &str, notes: &mut Vec<Stmt>) {
        let within = match bare(receiver) {
            Expr::Index(index) if matches!(bare(&index.index), Expr::Range(_)) => &index.expr,
            _ => receiver,
        };
        let is_harmless = OF_POINTERS.contains(&method) || HARMLESS.contains(&method);
        if !is_harmless && matches!(bare(within), Expr::Path(_)) {
            let references = &self.names.references;
            if !name_of(within).is_some_and(|name| references.contains(&name)) {
                self.given(&mut within.clone(), notes);
            }
        }
    }

    pub(super) fn note_static(&mut self, place: &Expr) {
        match bare(place) {
            Expr::Unary(unary) => self.note_static(&unary.expr),
            Expr::Index(index) => self.note_static(&index.expr),
            Expr::Field(field) => self.note_static(&field.base),
            Expr::Path(_) => self.writes_static |= is_constant(place),
            _ => {}
        }
    }

    /// The left side of an assignment.
    pub(super) fn assigned(&mut self, place: &mut Expr, used: Use) {
        self.note_static(place);
        if self.is_watched(place) {
            self.tell(place, used);
        } else if is_place(place) {
            self.visit_within(place, false);
        }
    }

    /// A turn of a loop is a step.
    pub(super) fn count_turns(&mut self, body: &mut Block, at: Span) {
        body.stmts
            .insert(0, parse_quote_spanned!(at=> ::cuda_std::watch::step();));
    }
}
