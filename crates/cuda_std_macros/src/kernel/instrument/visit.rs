//! Traversal of a body: determines which expressions are memory accesses.

use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Block, Expr, ExprClosure, ExprConst, Item, Local, Macro, Member, Pat, PointerMutability,
    Token, Type, parse_quote_spanned,
};

use super::names::Instrument;
use super::rewrite::AccessKind;
use super::syntax::*;

impl VisitMut for Instrument {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Assign(assign) => {
                self.visit_value(&mut assign.right);
                self.rewrite_assigned(&mut assign.left, AccessKind::Write);
            }
            Expr::Binary(binary) if is_assignment_operator(&binary.op) => {
                self.visit_value(&mut binary.right);
                self.rewrite_assigned(&mut binary.left, AccessKind::Update);
            }
            Expr::Binary(binary) if is_comparison(&binary.op) => {
                self.visit_in_place(&mut binary.left);
                self.visit_in_place(&mut binary.right);
            }
            Expr::Binary(binary) => {
                self.visit_value(&mut binary.left);
                self.visit_value(&mut binary.right);
            }
            Expr::Reference(reference) if is_place(&reference.expr) => {
                let is_mut = reference.mutability.is_some();
                if is_mut {
                    self.record_static_write(&reference.expr);
                }
                self.rewrite_borrow(&mut reference.expr, is_mut);
            }
            Expr::RawAddr(address) if is_place(&address.expr) => {
                if let PointerMutability::Mut(_) = address.mutability {
                    self.record_static_write(&address.expr);
                }
                self.visit_within(&mut address.expr, false);
            }
            Expr::Call(call) => {
                let closure = simple_name(&call.func);
                let is_closure = closure.is_some_and(|name| self.names.closures.contains(&name));
                let passes_on = mentions(call.func.to_token_stream(), &FORWARDING_FUNCTIONS);
                let mut records = Vec::new();
                for argument in &mut call.args {
                    if is_closure || passes_on {
                        self.visit_value(argument);
                    } else {
                        self.rewrite_argument(argument, &mut records);
                    }
                }
                self.visit_value(&mut call.func);
                self.prepend_records(records, expression);
            }
            Expr::MethodCall(call) => {
                let mut records = Vec::new();
                self.receiver(&call.receiver, &call.method.to_string(), &mut records);
                for argument in &mut call.args {
                    self.rewrite_argument(argument, &mut records);
                }
                let (method, arguments) = (call.method.to_string(), call.args.len());
                let on_pointer = match (method.as_str(), arguments) {
                    ("read" | "read_volatile", 0) => Some(quote!(read_pointer)),
                    ("write" | "write_volatile", 1) => Some(quote!(write_pointer)),
                    _ => None,
                };
                let receiver = &mut *call.receiver;
                match on_pointer {
                    Some(function) if self.is_pointer(receiver) => {
                        if !is_place(receiver) {
                            self.visit_value(receiver);
                        }
                        self.found += 1;
                        let at = receiver.span();
                        *receiver = parse_quote_spanned!(at=> (match #receiver {
                            __place =>
                            {
                                unsafe {
                                    ::cuda_std::instrument::#function(__place)
                                }
                            }
                        }));
                    }
                    _ if !is_place(receiver) => self.visit_value(receiver),
                    _ if self.is_tracked(receiver)
                        && BY_VALUE_METHODS.iter().any(|name| method == *name) =>
                    {
                        self.rewrite_access(receiver, AccessKind::Read);
                    }
                    _ if method == "write"
                        && arguments == 1
                        && self.is_tracked(receiver)
                        && is_repeatable(receiver) =>
                    {
                        self.record_static_write(receiver);
                        self.visit_within(receiver, false);
                        self.found += 1;
                        // the type is only known when this is compiled
                        let at = receiver.span();
                        *expression = parse_quote_spanned!(at=> ({
                            use ::cuda_std::instrument::{ProbeMaybeUninit as _, ProbeOther as _};
                            (&unsafe { ::cuda_std::instrument::Probe::new(&raw const #receiver) }).before_write();
                            #call
                        }));
                    }
                    _ => self.visit_within(receiver, false),
                }
                self.prepend_records(records, expression);
            }
            Expr::Match(it) => {
                let binds = it.arms.iter().any(|arm| binds_by_reference(&arm.pat));
                self.scrutinee(&mut it.expr, binds);
                for arm in &mut it.arms {
                    self.visit_arm_mut(arm);
                }
            }
            Expr::Let(it) => {
                let binds = binds_by_reference(&it.pat);
                self.scrutinee(&mut it.expr, binds);
                self.names.forget(it.pat.to_token_stream());
            }
            Expr::Repeat(repeat) => self.visit_value(&mut repeat.expr),
            Expr::ForLoop(it) => {
                let mut records = Vec::new();
                self.rewrite_argument(&mut it.expr, &mut records);
                self.prepend_records(records, &mut it.expr);
                let names = self.names.clone();
                self.names.forget(it.pat.to_token_stream());
                self.visit_block_mut(&mut it.body);
                self.names = names;
                self.record_iterations(&mut it.body, it.for_token.span);
            }
            Expr::While(it) => {
                self.visit_value(&mut it.cond);
                self.visit_block_mut(&mut it.body);
                self.record_iterations(&mut it.body, it.while_token.span);
            }
            Expr::Loop(it) => {
                self.visit_block_mut(&mut it.body);
                self.record_iterations(&mut it.body, it.loop_token.span);
            }
            Expr::Paren(paren) => self.visit_expr_mut(&mut paren.expr),
            Expr::Group(group) => self.visit_expr_mut(&mut group.expr),
            place if self.is_tracked(place) => self.rewrite_access(place, AccessKind::Read),
            Expr::Field(field) if is_place(&field.base) => {
                self.visit_within(&mut field.base, false);
            }
            Expr::Index(index) => {
                self.visit_value(&mut index.index);
                if is_place(&index.expr) {
                    self.visit_within(&mut index.expr, false);
                } else {
                    self.visit_value(&mut index.expr);
                }
            }
            other => {
                let before = std::mem::replace(&mut self.in_place, false);
                visit_mut::visit_expr_mut(self, other);
                self.in_place = before;
            }
        }
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        let binds = binds_by_reference(&local.pat);
        if let Some(init) = &mut local.init {
            let (name, is_typed) = match &local.pat {
                Pat::Ident(name) => (Some(name.ident.to_string()), false),
                Pat::Type(typed) => match &*typed.pat {
                    Pat::Ident(name) => (Some(name.ident.to_string()), is_pointer(&typed.ty)),
                    _ => (None, false),
                },
                _ => (None, false),
            };
            let is_closure = matches!(strip_parens(&init.expr), Expr::Closure(_));
            let is_of_pointer = is_typed || self.is_pointer(&init.expr);
            let is_slice = self.is_slice(&init.expr);
            if binds {
                self.scrutinee(&mut init.expr, binds);
            } else {
                self.visit_value(&mut init.expr);
            }
            if let Some((_, otherwise)) = &mut init.diverge {
                self.visit_value(otherwise);
            }
            self.names.forget(local.pat.to_token_stream());
            if let Some(name) = name {
                let meaning = match (is_closure, is_of_pointer, is_slice) {
                    (true, ..) => Some(&mut self.names.closures),
                    (_, true, _) => Some(&mut self.names.pointers),
                    (.., true) => Some(&mut self.names.slices),
                    _ => None,
                };
                meaning.map(|names| names.insert(name));
            }
        } else {
            self.names.forget(local.pat.to_token_stream());
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        let names = self.names.clone();
        visit_mut::visit_block_mut(self, block);
        self.names = names;
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        let names = self.names.clone();
        self.names.forget(arm.pat.to_token_stream());
        visit_mut::visit_arm_mut(self, arm);
        self.names = names;
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        let names = self.names.clone();
        self.names.forget(closure.inputs.to_token_stream());
        self.visit_value(&mut closure.body);
        self.names = names;
    }

    fn visit_macro_mut(&mut self, call: &mut Macro) {
        let name = call.path.segments.last().map(|last| last.ident.to_string());
        if !name.is_some_and(|name| INSPECTING_MACROS.contains(&name.as_str())) {
            return;
        }
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(mut arguments) = call.parse_body_with(parser) {
            for argument in &mut arguments {
                // `name = value` is a format argument
                if !matches!(argument, Expr::Assign(_)) {
                    self.visit_in_place(argument);
                }
            }
            call.tokens = arguments.to_token_stream();
        }
    }

    // Code evaluated at compile time, and code of other functions.
    fn visit_expr_const_mut(&mut self, _: &mut ExprConst) {}
    fn visit_item_mut(&mut self, _: &mut Item) {}
    fn visit_type_mut(&mut self, _: &mut Type) {}
    fn visit_generic_argument_mut(&mut self, _: &mut syn::GenericArgument) {}
    fn visit_member_mut(&mut self, _: &mut Member) {}
    fn visit_pat_mut(&mut self, _: &mut Pat) {}
}

impl Instrument {
    /// Visits the scrutinee of a pattern.
    fn scrutinee(&mut self, expression: &mut Expr, binds_by_reference: bool) {
        if !is_place(expression) {
            self.visit_value(expression);
        } else if binds_by_reference {
            self.visit_within(expression, false);
        } else {
            self.visit_in_place(expression);
        }
    }
}
