//! Optimisation of barrier-free loops in a coroutine: they work on local copies of the numbers and
//! views that they use, and long loops yield periodically.
//!
//! The rewriting preserves each thread's computation. Only values that are syntactically known to
//! be `Copy` are copied: parameters that are views or primitive numbers, and variables initialised
//! with a cast, a literal, a thread index, a `shared_view!`, or arithmetic on these. Loops for
//! which this cannot be determined remain unchanged.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, ExprPath, ExprWhile, FieldValue, Local, Pat, PatIdent, Stmt, Type,
    parse_quote,
};

use super::KernelItem;
use super::parameter::Kind;
use super::variable_uses::{Names, VariableUses, is_shared};

/// Number of iterations of a grid-stride loop before a thread yields to the next one. Neighbouring
/// threads read neighbouring elements, so yielding early lets them use the same cache lines.
const ITERATIONS_PER_STEP: u32 = 8;

/// Primitive number types.
const NUMBERS: [&str; 14] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32",
    "f64",
];

/// Rewrites the loops of the body, and replaces parameters by the expressions in `passed` where
/// possible. Returns, for each parameter, whether it was replaced everywhere.
pub fn rewrite(block: &mut Block, kernel: &KernelItem, passed: &[TokenStream]) -> Vec<bool> {
    let mut names = Names::default();
    names.visit_block(block);
    let mut in_place = vec![false; passed.len()];
    if names.has_macros || names.has_references {
        return in_place;
    }
    let mut uses = VariableUses::default();
    uses.visit_block(block);
    let mut rewriter = LoopRewriter {
        names: names.bound,
        borrowed: uses.borrowed,
        ..LoopRewriter::default()
    };
    let inputs = kernel.parameters.iter().zip(&kernel.function.sig.inputs);
    for (position, (parameter, input)) in inputs.enumerate() {
        let syn::FnArg::Typed(typed) = input else {
            continue;
        };
        let Pat::Ident(pattern) = &*typed.pat else {
            continue;
        };
        let is_copy = match &parameter.kind {
            Kind::View(_) | Kind::ViewMut(_) | Kind::Slice(_) => true,
            Kind::Value(ty) => is_number(ty),
            _ => false,
        };
        let is_bound_again = rewriter.names.contains_key(&pattern.ident);
        if is_copy && pattern.mutability.is_none() && !is_bound_again {
            rewriter.record_variable(pattern, matches!(parameter.kind, Kind::Value(_)), false);
            in_place[position] = !rewriter.borrowed.contains(&pattern.ident);
            if in_place[position] {
                let passed = &passed[position];
                let substitution = parse_quote!((unsafe { #passed }));
                rewriter
                    .substitutions
                    .insert(pattern.ident.clone(), substitution);
            }
        }
    }
    rewriter.rewrite_block(block);
    SubstituteNames(&rewriter.substitutions).visit_block_mut(block);
    in_place
}

/// Substitutes expressions for names.
struct SubstituteNames<'a>(&'a BTreeMap<Ident, Expr>);

impl VisitMut for SubstituteNames<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if let Expr::Path(path) = expression
            && let Some(substitution) = path.path.get_ident().and_then(|name| self.0.get(name))
        {
            *expression = substitution.clone();
            return;
        }
        visit_mut::visit_expr_mut(self, expression);
    }

    fn visit_field_value_mut(&mut self, field: &mut FieldValue) {
        // `S { x }` is `S { x: x }`
        field.colon_token.get_or_insert_default();
        visit_mut::visit_field_value_mut(self, field);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if NUMBERS.iter().any(|name| path.path.is_ident(name)))
}

/// A variable that is known to be `Copy`.
#[derive(Clone, Copy)]
struct Variable {
    is_mutable: bool,
    is_number: bool,
    /// `true` if the value depends on the number of threads of the grid.
    depends_on_grid: bool,
}

#[derive(Default)]
struct LoopRewriter {
    names: BTreeMap<Ident, usize>,
    /// Variables to which pointers may exist.
    borrowed: BTreeSet<Ident>,
    /// Expressions that replace parameters.
    substitutions: BTreeMap<Ident, Expr>,
    variables: BTreeMap<Ident, Variable>,
}

impl LoopRewriter {
    fn record_variable(&mut self, pattern: &PatIdent, is_number: bool, depends_on_grid: bool) {
        let variable = Variable {
            is_mutable: pattern.mutability.is_some(),
            is_number,
            depends_on_grid,
        };
        self.variables.insert(pattern.ident.clone(), variable);
    }

    /// Rewrites the loops of a block that may contain barriers.
    fn rewrite_block(&mut self, block: &mut Block) {
        for statement in &mut block.stmts {
            match statement {
                Stmt::Local(local) => self.record_local(local),
                Stmt::Expr(expression, _) => self.visit_statement(expression),
                _ => {}
            }
        }
    }

    /// Records a variable if its type is known and its name is unique.
    fn record_local(&mut self, local: &Local) {
        let Some(init) = &local.init else { return };
        let (pattern, is_typed) = match &local.pat {
            Pat::Ident(pattern) => (pattern, false),
            Pat::Type(typed) => match &*typed.pat {
                Pat::Ident(pattern) => (pattern, is_number(&typed.ty)),
                _ => return,
            },
            _ => return,
        };
        let is_plain = pattern.by_ref.is_none() && pattern.subpat.is_none();
        if !is_plain || self.names.get(&pattern.ident) != Some(&1) || init.diverge.is_some() {
            return;
        }
        let is_view = matches!(&*init.expr, Expr::Macro(call)
            if call.mac.path.segments.last().is_some_and(|last| is_shared(&last.ident)));
        let is_number = is_typed || self.is_number(&init.expr);
        if is_number || (is_view && pattern.mutability.is_none()) {
            let depends_on_grid = self.depends_on_grid(&init.expr);
            self.record_variable(pattern, is_number, depends_on_grid);
        }
    }

    /// Returns `true` if the expression is syntactically a number.
    fn is_number(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Cast(cast) => is_number(&cast.ty),
            Expr::Lit(literal) => {
                matches!(literal.lit, syn::Lit::Int(_) | syn::Lit::Float(_))
            }
            Expr::Paren(inner) => self.is_number(&inner.expr),
            Expr::Path(ExprPath { path, .. }) => path.get_ident().is_some_and(|name| {
                self.variables
                    .get(name)
                    .is_some_and(|variable| variable.is_number)
            }),
            Expr::Binary(both) => {
                use BinOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
                let is_arithmetic = matches!(
                    both.op,
                    Add(_)
                        | Sub(_)
                        | Mul(_)
                        | Div(_)
                        | Rem(_)
                        | BitAnd(_)
                        | BitOr(_)
                        | BitXor(_)
                        | Shl(_)
                        | Shr(_)
                );
                let is_number = |side: &Expr| self.is_number(side) || is_constant(side);
                is_arithmetic
                    && is_number(&both.left)
                    && is_number(&both.right)
                    && (self.is_number(&both.left) || self.is_number(&both.right))
            }
            Expr::Call(call) => thread_index_function(call).is_some(),
            _ => false,
        }
    }

    /// Returns `true` if the expression depends on the number of threads of the grid.
    fn depends_on_grid(&self, expression: &Expr) -> bool {
        let mut uses = VariableUses::default();
        uses.visit_expr(expression);
        uses.reads_grid_dim
            || uses.names.iter().any(|name| {
                self.variables
                    .get(name)
                    .is_some_and(|variable| variable.depends_on_grid)
            })
    }

    fn visit_statement(&mut self, expression: &mut Expr) {
        let mut uses = VariableUses::default();
        uses.visit_expr(expression);
        if uses.has_barrier {
            self.visit_nested(expression);
        } else if matches!(
            expression,
            Expr::While(_) | Expr::ForLoop(_) | Expr::Loop(_)
        ) && uses.is_contained()
        {
            self.rewrite_loop(expression, &uses);
        }
    }

    /// Visits the blocks of an expression that contains barriers.
    fn visit_nested(&mut self, expression: &mut Expr) {
        match expression {
            Expr::While(one) => self.rewrite_block(&mut one.body),
            Expr::ForLoop(one) => self.rewrite_block(&mut one.body),
            Expr::Loop(one) => self.rewrite_block(&mut one.body),
            Expr::Block(one) => self.rewrite_block(&mut one.block),
            Expr::Unsafe(one) => self.rewrite_block(&mut one.block),
            Expr::If(one) => {
                self.rewrite_block(&mut one.then_branch);
                if let Some((_, otherwise)) = &mut one.else_branch {
                    self.visit_nested(otherwise);
                }
            }
            Expr::Match(one) => one
                .arms
                .iter_mut()
                .for_each(|arm| self.visit_nested(&mut arm.body)),
            _ => {}
        }
    }

    /// Makes a loop work on copies, and a grid-stride loop yield periodically.
    fn rewrite_loop(&self, expression: &mut Expr, uses: &VariableUses) {
        let used = uses.names.iter().filter_map(|name| {
            let variable = self.variables.get(name)?;
            (!self.borrowed.contains(name)).then_some((name, *variable))
        });
        let (changed, read): (Vec<_>, Vec<_>) =
            used.partition(|(name, variable)| variable.is_mutable && uses.changed.contains(*name));
        let changed: Vec<&Ident> = changed.into_iter().map(|(name, _)| name).collect();
        let read: Vec<&Ident> = read.into_iter().map(|(name, _)| name).collect();
        if changed.is_empty() && read.is_empty() {
            return;
        }
        // These names are substituted by the parameter's expression.
        let copies: BTreeMap<Ident, Expr> = read
            .iter()
            .filter(|name| self.substitutions.contains_key(**name))
            .map(|name| {
                let copy = format_ident!("__copy_of_{name}");
                ((*name).clone(), parse_quote!(#copy))
            })
            .collect();
        let loop_condition = match expression {
            Expr::While(one) if self.is_grid_stride_loop(one) && !uses.leaves => {
                Some(one.cond.clone())
            }
            _ => None,
        };
        SubstituteNames(&copies).visit_expr_mut(expression);
        let names: Vec<Expr> = read
            .iter()
            .map(|name| {
                copies
                    .get(*name)
                    .cloned()
                    .unwrap_or_else(|| parse_quote!(#name))
            })
            .collect();
        let on_copies = |work: TokenStream| {
            let copies = quote!(#(let #names = #read;)* #(let mut #changed = #changed;)*);
            if changed.is_empty() {
                quote!({ #copies #work })
            } else {
                quote!((#(#changed,)*) = { #copies #work (#(#changed,)*) })
            }
        };
        *expression = match (loop_condition, &*expression) {
            (Some(loop_condition), Expr::While(one)) => {
                let (label, condition, body) = (&one.label, &one.cond, &one.body.stmts);
                let step = on_copies(quote! {
                    let mut __left = #ITERATIONS_PER_STEP;
                    #label while __left > 0 && (#condition) {
                        __left -= 1;
                        #(#body)*
                    }
                });
                parse_quote! {
                    while #loop_condition {
                        #step;
                        if unsafe { ::cuda_std::kernel::coroutine::yield_step() } {
                            unsafe { ::cuda_std::kernel::coroutine::suspend() }.await;
                        }
                    }
                }
            }
            _ => {
                let work = on_copies(quote!(#expression));
                if changed.is_empty() {
                    parse_quote!(#work)
                } else {
                    parse_quote!({ #work; })
                }
            }
        };
    }

    /// Returns `true` if the loop advances by the number of threads of the grid, and its condition
    /// may be evaluated twice.
    fn is_grid_stride_loop(&self, one: &ExprWhile) -> bool {
        let is_pure = is_pure(&one.cond);
        let is_grid_stride_loop = one.body.stmts.iter().any(|statement| match statement {
            Stmt::Expr(Expr::Binary(both), _) => {
                matches!(both.op, BinOp::AddAssign(_)) && self.depends_on_grid(&both.right)
            }
            _ => false,
        });
        is_pure && is_grid_stride_loop
    }
}

/// Returns `true` if the expression only compares and computes.
fn is_pure(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Paren(inner) => is_pure(&inner.expr),
        Expr::Cast(inner) => is_pure(&inner.expr),
        Expr::Binary(both) => is_pure(&both.left) && is_pure(&both.right),
        Expr::MethodCall(call) => {
            call.method == "len" && call.args.is_empty() && is_pure(&call.receiver)
        }
        _ => false,
    }
}

/// Returns `true` if the expression is an upper-case name.
fn is_constant(expression: &Expr) -> bool {
    let Expr::Path(ExprPath { path, .. }) = expression else {
        return false;
    };
    path.get_ident().is_some_and(|name| {
        let name = name.to_string();
        name.len() > 1 && !name.contains(char::is_lowercase)
    })
}

/// Returns the name of the called function of `thread` if it returns a number.
fn thread_index_function(call: &syn::ExprCall) -> Option<String> {
    let Expr::Path(ExprPath { path, .. }) = &*call.func else {
        return None;
    };
    let mut backwards = path.segments.iter().rev();
    let name = backwards.next()?.ident.to_string();
    let is_of_thread = backwards.next()?.ident == "thread" && call.args.is_empty();
    let is_component = ["thread_idx_", "block_idx_", "block_dim_", "grid_dim_"]
        .iter()
        .any(|start| {
            name.strip_prefix(start)
                .is_some_and(|axis| ["x", "y", "z"].contains(&axis))
        });
    (is_of_thread && (is_component || name == "index_1d" || name == "index")).then_some(name)
}
