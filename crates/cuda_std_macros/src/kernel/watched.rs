//! The instrumented version of a body: it tells checked mode of every access by `*`, by index, and by a field behind them.
//!
//! Types are not known here. So an access is rewritten in place, with an expression that takes its address and means the same place:
//! `a[i] + *p` becomes `(*read(&raw const a[i])) + (*read(&raw const *p))`, and `*p = x` becomes `*write(&raw mut *p) = x`. What the address is
//! of is found out when the kernel runs: what lies on a thread's own stack is not looked at.
//!
//! Left alone is what could mean something else if it were rewritten: what methods are called on, but for those of numbers; what is borrowed; what patterns
//! bind by `ref`; nested items; other macros' arguments.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, ExprConst, FnArg, Item, ItemFn, Local, Macro, Member, Pat,
    PointerMutability, Stmt, Token, Type, UnOp, parse_quote, parse_quote_spanned,
};

/// How a body is told from one whose accesses all go through views.
const SOURCES: [&str; 7] = [
    "static",
    "shared_array",
    "dynamic_shared_mem",
    "as_ptr",
    "as_mut_ptr",
    "as_slice",
    "as_mut_slice",
];

/// Methods of numbers and `MaybeUninit`, which take them by value.
const OF_NUMBERS: [&str; 64] = [
    "abs",
    "acos",
    "asin",
    "assume_init",
    "atan",
    "atan2",
    "cbrt",
    "ceil",
    "clamp",
    "clone",
    "copysign",
    "cos",
    "cosh",
    "count_ones",
    "count_zeros",
    "exp",
    "exp2",
    "floor",
    "fract",
    "hypot",
    "is_finite",
    "is_infinite",
    "is_nan",
    "leading_zeros",
    "ln",
    "log10",
    "log2",
    "max",
    "min",
    "mul_add",
    "powf",
    "powi",
    "pow",
    "recip",
    "rem_euclid",
    "reverse_bits",
    "rotate_left",
    "rotate_right",
    "round",
    "saturating_add",
    "saturating_mul",
    "saturating_sub",
    "signum",
    "sin",
    "sin_cos",
    "sinh",
    "sqrt",
    "swap_bytes",
    "tan",
    "tanh",
    "to_bits",
    "to_be_bytes",
    "to_le_bytes",
    "trailing_ones",
    "trailing_zeros",
    "trunc",
    "wrapping_add",
    "wrapping_mul",
    "wrapping_neg",
    "wrapping_shl",
    "wrapping_shr",
    "wrapping_sub",
    "abs_diff",
    "is_power_of_two",
];

/// Methods of raw pointers whose value is one too.
const OF_POINTERS: [&str; 13] = [
    "add",
    "sub",
    "offset",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_offset",
    "byte_add",
    "cast",
    "cast_mut",
    "cast_const",
    "as_ptr",
    "as_mut_ptr",
    "get",
];

/// Other methods of pointers and slices that use no element, or whose use is told.
const HARMLESS: [&str; 10] = [
    "addr",
    "is_empty",
    "is_null",
    "len",
    "offset_from",
    "read",
    "read_volatile",
    "write",
    "write_volatile",
    "align_offset",
];

/// Functions that only pass on what they are given, and those whose accesses are told.
const PASSING_ON: [&str; 8] = [
    "Some",
    "Ok",
    "View",
    "ViewMut",
    "SharedView",
    "size_of_val",
    "drop",
    "black_box",
];

/// Macros whose arguments are expressions that are only looked at.
const LOOKING: [&str; 10] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "print",
    "println",
    "eprint",
    "eprintln",
];

/// What is known of names in a body.
#[derive(Default)]
pub struct Names {
    /// Of raw pointers.
    pub pointers: HashSet<String>,
    /// Of references to one value, which a field's access follows.
    pub references: HashSet<String>,
    /// Of slices.
    pub slices: HashSet<String>,
    /// Of closures of the body.
    closures: HashSet<String>,
}

impl Names {
    /// A parameter of this type.
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

    /// The statements that say that a function has got these.
    fn received(&self) -> Vec<Stmt> {
        let mut all = Vec::new();
        for name in &self.pointers {
            let name = Ident::new(name, Span::call_site());
            all.push(parse_quote!(::cuda_std::watch::received(#name);));
        }
        for name in self.references.iter().chain(&self.slices) {
            let name = Ident::new(name, Span::call_site());
            all.push(parse_quote!(::cuda_std::watch::received(&raw const *#name);));
        }
        all
    }
}

/// Instruments a kernel's body. `None` where there is nothing to do: it has no memory but by views, as far as can be told.
pub fn instrument(body: &Block, names: Names) -> Option<Block> {
    let has_memory = !names.slices.is_empty()
        || !names.pointers.is_empty()
        || !names.references.is_empty()
        || mentions(body.to_token_stream(), &SOURCES);
    let mut watched = body.clone();
    let mut instrument = Instrument::new(names);
    instrument.visit_block_mut(&mut watched);
    ((has_memory || instrument.writes_static) && instrument.found > 0).then_some(watched)
}

/// `#[watched]`: the same for a function that kernels call.
pub fn expand(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    syn::parse2::<syn::parse::Nothing>(options)?;
    let function: ItemFn = syn::parse2(item)?;
    let mut watched = function.clone();
    let mut names = Names::default();
    for input in &function.sig.inputs {
        if let FnArg::Typed(typed) = input
            && let Pat::Ident(name) = &*typed.pat
        {
            names.add(&name.ident, &typed.ty);
        }
    }
    let received = names.received();
    Instrument::new(names).visit_block_mut(&mut watched.block);
    watched.block.stmts.splice(0..0, received);
    let allowed = allowed();
    Ok(quote! {
        #[cfg(target_arch = "nvptx64")]
        #function
        #[cfg(not(target_arch = "nvptx64"))]
        #allowed
        #watched
    })
}

/// What instrumented code may do that the compiler and clippy would warn of.
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
            clippy::never_loop
        )]
    }
}

fn mentions(tokens: TokenStream, words: &[&str]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => words.iter().any(|word| name == word),
        TokenTree::Group(group) => mentions(group.stream(), words),
        _ => false,
    })
}

/// Whether the type is a raw pointer.
pub fn is_pointer(ty: &Type) -> bool {
    match ty {
        Type::Ptr(_) => true,
        Type::Group(group) => is_pointer(&group.elem),
        Type::Paren(paren) => is_pointer(&paren.elem),
        _ => false,
    }
}

struct Instrument {
    names: Names,
    /// Whether the expression at hand is looked at where it is, and not moved.
    looked_at: bool,
    /// Accesses that were rewritten.
    found: usize,
    /// Whether something was written that has the name of a static.
    writes_static: bool,
}

#[derive(Clone, Copy)]
enum Use {
    Read,
    Write,
    Update,
}

fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(paren) => bare(&paren.expr),
        Expr::Group(group) => bare(&group.expr),
        other => other,
    }
}

fn bare_mut(expression: &mut Expr) -> &mut Expr {
    match expression {
        Expr::Paren(paren) => bare_mut(&mut paren.expr),
        Expr::Group(group) => bare_mut(&mut group.expr),
        other => other,
    }
}

/// A name, or a path to one.
fn name_of(expression: &Expr) -> Option<String> {
    match bare(expression) {
        Expr::Path(path) => path.path.get_ident().map(Ident::to_string),
        _ => None,
    }
}

/// Whether a path may be one of a constant or a static, of which an address cannot or should not be taken.
fn is_constant(expression: &Expr) -> bool {
    let Expr::Path(path) = bare(expression) else {
        return false;
    };
    path.path.get_ident().is_none_or(|name| {
        let name = name.to_string();
        name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
    })
}

/// Whether the expression is a place, as far as can be told.
fn is_place(expression: &Expr) -> bool {
    match bare(expression) {
        Expr::Path(_) => true,
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        Expr::Index(index) => !matches!(bare(&index.index), Expr::Range(_)),
        Expr::Field(field) => is_place(&field.base),
        _ => false,
    }
}

impl Instrument {
    fn new(names: Names) -> Self {
        Instrument {
            names,
            looked_at: false,
            found: 0,
            writes_static: false,
        }
    }

    /// Whether an access to the place is to be told of.
    fn is_watched(&self, expression: &Expr) -> bool {
        match bare(expression) {
            Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
            Expr::Index(index) => !matches!(bare(&index.index), Expr::Range(_)),
            Expr::Field(field) => {
                self.is_watched(&field.base)
                    || name_of(&field.base).is_some_and(|it| self.names.references.contains(&it))
            }
            _ => false,
        }
    }

    /// Whether the value is a raw pointer, as far as can be told.
    fn is_pointer(&self, expression: &Expr) -> bool {
        match bare(expression) {
            Expr::Path(_) => {
                name_of(expression).is_some_and(|it| self.names.pointers.contains(&it))
            }
            Expr::MethodCall(call) => {
                let method = &call.method;
                let is_of_pointer = OF_POINTERS.iter().any(|name| method == name);
                // numbers have some of the names
                is_of_pointer && (call.args.is_empty() || self.is_pointer(&call.receiver))
                    || method == "add" && call.args.len() == 1
            }
            Expr::Cast(cast) => is_pointer(&cast.ty),
            Expr::RawAddr(_) => true,
            Expr::Unsafe(it) => self.ends_in_pointer(&it.block),
            Expr::Block(it) => self.ends_in_pointer(&it.block),
            Expr::Macro(call) => mentions(call.mac.path.to_token_stream(), &["shared_array"]),
            Expr::Call(call) => mentions(call.func.to_token_stream(), &["dynamic_shared_mem"]),
            _ => false,
        }
    }

    /// Whether the value is a slice of memory of the kernel's, as far as can be told.
    fn is_slice(&self, expression: &Expr) -> bool {
        match bare(expression) {
            Expr::Path(_) => name_of(expression).is_some_and(|it| self.names.slices.contains(&it)),
            Expr::Reference(reference) => match bare(&reference.expr) {
                Expr::Index(index) => {
                    matches!(bare(&index.index), Expr::Range(_)) && self.is_of_memory(&index.expr)
                }
                _ => false,
            },
            Expr::MethodCall(call) => {
                call.args.is_empty() && (call.method == "as_slice" || call.method == "as_mut_slice")
            }
            _ => false,
        }
    }

    fn ends_in_pointer(&self, block: &Block) -> bool {
        matches!(block.stmts.last(), Some(Stmt::Expr(value, None)) if self.is_pointer(value))
    }

    /// Whether the place is reached by a raw pointer.
    fn is_behind_pointer(&self, expression: &Expr) -> bool {
        match bare(expression) {
            Expr::Unary(unary) => self.is_pointer(&unary.expr),
            Expr::Index(index) => self.is_behind_pointer(&index.expr),
            Expr::Field(field) => self.is_behind_pointer(&field.base),
            _ => false,
        }
    }

    /// Visits what is within a place, but not the place itself.
    fn visit_within(&mut self, expression: &mut Expr, is_read: bool) {
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

    fn visit_base(&mut self, base: &mut Expr, is_read: bool) {
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

    fn visit_value(&mut self, expression: &mut Expr) {
        let before = std::mem::replace(&mut self.looked_at, false);
        self.visit_expr_mut(expression);
        self.looked_at = before;
    }

    fn visit_looked_at(&mut self, expression: &mut Expr) {
        let before = std::mem::replace(&mut self.looked_at, true);
        self.visit_expr_mut(expression);
        self.looked_at = before;
    }

    /// Has the use of a place told.
    fn tell(&mut self, place: &mut Expr, used: Use) {
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
    fn borrow(&mut self, place: &mut Expr, is_mut: bool) {
        let is_lent = self.is_watched(place) && self.is_behind_pointer(place);
        self.visit_within(place, false);
        if is_lent {
            self.found += 1;
            *place = match is_mut {
                true => parse_quote!((*match &raw mut #place {
                    __place =>
                    {
                        unsafe {
                            &mut *::cuda_std::watch::lend(__place)
                        }
                    }
                })),
                false => parse_quote!((*match &raw const #place {
                    __place =>
                    {
                        unsafe {
                            &*::cuda_std::watch::lend(__place)
                        }
                    }
                })),
            };
        }
    }

    /// Whether the memory of the place may be that of a parameter or a shared array.
    fn is_of_memory(&self, place: &Expr) -> bool {
        match bare(place) {
            Expr::Path(_) => {
                let is_known = |name: String| {
                    self.names.slices.contains(&name) || self.names.references.contains(&name)
                };
                is_constant(place) || name_of(place).is_some_and(is_known)
            }
            Expr::Unary(unary) => self.is_pointer(&unary.expr) || self.is_of_memory(&unary.expr),
            Expr::Index(index) => self.is_of_memory(&index.expr),
            Expr::Field(field) => self.is_of_memory(&field.base),
            _ => false,
        }
    }

    /// What a function is given: where that is memory of the kernel's, it is told. `notes` are to be executed before the call.
    fn given(&mut self, value: &mut Expr, notes: &mut Vec<Stmt>) {
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

    /// The call, after what is noted before it. (In a tuple, and not in a block, since temporary values live on.)
    fn after(&mut self, notes: Vec<Stmt>, call: &mut Expr) {
        if !notes.is_empty() {
            self.found += 1;
            *call = parse_quote!(({ #(#notes)* }, #call).1);
        }
    }

    /// What a method is called on, if that is a slice or pointer which it may use.
    fn receiver(&mut self, receiver: &Expr, method: &str, notes: &mut Vec<Stmt>) {
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

    fn note_static(&mut self, place: &Expr) {
        match bare(place) {
            Expr::Unary(unary) => self.note_static(&unary.expr),
            Expr::Index(index) => self.note_static(&index.expr),
            Expr::Field(field) => self.note_static(&field.base),
            Expr::Path(_) => self.writes_static |= is_constant(place),
            _ => {}
        }
    }

    /// The left side of an assignment.
    fn assigned(&mut self, place: &mut Expr, used: Use) {
        self.note_static(place);
        if self.is_watched(place) {
            self.tell(place, used);
        } else if is_place(place) {
            self.visit_within(place, false);
        }
    }

    /// A turn of a loop is a step.
    fn count_turns(&mut self, body: &mut Block, at: Span) {
        body.stmts
            .insert(0, parse_quote_spanned!(at=> ::cuda_std::watch::step();));
    }
}

/// Whether the place is made of names, `*` and fields only.
fn is_plain(place: &Expr) -> bool {
    match bare(place) {
        Expr::Path(_) => true,
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)) && is_plain(&unary.expr),
        Expr::Field(field) => is_plain(&field.base),
        _ => false,
    }
}

/// Whether the expression can be evaluated twice.
fn is_repeatable(expression: &Expr) -> bool {
    match bare(expression) {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Unary(unary) => is_repeatable(&unary.expr),
        Expr::Binary(binary) => {
            !is_assigning(&binary.op) && is_repeatable(&binary.left) && is_repeatable(&binary.right)
        }
        Expr::Cast(cast) => is_repeatable(&cast.expr),
        Expr::Field(field) => is_repeatable(&field.base),
        Expr::Index(index) => is_repeatable(&index.expr) && is_repeatable(&index.index),
        _ => false,
    }
}

fn is_assigning(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

fn is_comparing(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    )
}

fn binds_by_reference(pattern: &impl ToTokens) -> bool {
    mentions(pattern.to_token_stream(), &["ref"])
}

impl VisitMut for Instrument {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Assign(assign) => {
                self.visit_value(&mut assign.right);
                self.assigned(&mut assign.left, Use::Write);
            }
            Expr::Binary(binary) if is_assigning(&binary.op) => {
                self.visit_value(&mut binary.right);
                self.assigned(&mut binary.left, Use::Update);
            }
            Expr::Binary(binary) if is_comparing(&binary.op) => {
                self.visit_looked_at(&mut binary.left);
                self.visit_looked_at(&mut binary.right);
            }
            Expr::Binary(binary) => {
                self.visit_value(&mut binary.left);
                self.visit_value(&mut binary.right);
            }
            Expr::Reference(reference) if is_place(&reference.expr) => {
                let is_mut = reference.mutability.is_some();
                if is_mut {
                    self.note_static(&reference.expr);
                }
                self.borrow(&mut reference.expr, is_mut);
            }
            Expr::RawAddr(address) if is_place(&address.expr) => {
                if let PointerMutability::Mut(_) = address.mutability {
                    self.note_static(&address.expr);
                }
                self.visit_within(&mut address.expr, false);
            }
            Expr::Call(call) => {
                let closure = name_of(&call.func);
                let is_closure = closure.is_some_and(|name| self.names.closures.contains(&name));
                let passes_on = mentions(call.func.to_token_stream(), &PASSING_ON);
                let mut notes = Vec::new();
                for argument in &mut call.args {
                    if is_closure || passes_on {
                        self.visit_value(argument);
                    } else {
                        self.given(argument, &mut notes);
                    }
                }
                self.visit_value(&mut call.func);
                self.after(notes, expression);
            }
            Expr::MethodCall(call) => {
                let mut notes = Vec::new();
                self.receiver(&call.receiver, &call.method.to_string(), &mut notes);
                for argument in &mut call.args {
                    self.given(argument, &mut notes);
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
                                    ::cuda_std::watch::#function(__place)
                                }
                            }
                        }));
                    }
                    _ if !is_place(receiver) => self.visit_value(receiver),
                    _ if self.is_watched(receiver)
                        && OF_NUMBERS.iter().any(|name| method == *name) =>
                    {
                        self.tell(receiver, Use::Read);
                    }
                    _ if method == "write"
                        && arguments == 1
                        && self.is_watched(receiver)
                        && is_repeatable(receiver) =>
                    {
                        self.note_static(receiver);
                        self.visit_within(receiver, false);
                        self.found += 1;
                        // of what type it is shows when this is compiled
                        let at = receiver.span();
                        *expression = parse_quote_spanned!(at=> ({
                            use ::cuda_std::watch::{ProbeMaybeUninit as _, ProbeOther as _};
                            (&unsafe { ::cuda_std::watch::Probe::new(&raw const #receiver) }).before_write();
                            #call
                        }));
                    }
                    _ => self.visit_within(receiver, false),
                }
                self.after(notes, expression);
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
            }
            Expr::Repeat(repeat) => self.visit_value(&mut repeat.expr),
            Expr::ForLoop(it) => {
                let mut notes = Vec::new();
                self.given(&mut it.expr, &mut notes);
                self.after(notes, &mut it.expr);
                self.visit_block_mut(&mut it.body);
                self.count_turns(&mut it.body, it.for_token.span);
            }
            Expr::While(it) => {
                self.visit_value(&mut it.cond);
                self.visit_block_mut(&mut it.body);
                self.count_turns(&mut it.body, it.while_token.span);
            }
            Expr::Loop(it) => {
                self.visit_block_mut(&mut it.body);
                self.count_turns(&mut it.body, it.loop_token.span);
            }
            Expr::Paren(paren) => self.visit_expr_mut(&mut paren.expr),
            Expr::Group(group) => self.visit_expr_mut(&mut group.expr),
            place if self.is_watched(place) => self.tell(place, Use::Read),
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
                let before = std::mem::replace(&mut self.looked_at, false);
                visit_mut::visit_expr_mut(self, other);
                self.looked_at = before;
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
            if let Some(name) = name {
                let is_slice = self.is_slice(&init.expr);
                if let Expr::Closure(_) = bare(&init.expr) {
                    self.names.closures.insert(name.clone());
                }
                if is_typed || self.is_pointer(&init.expr) {
                    self.names.pointers.insert(name);
                } else {
                    self.names.pointers.remove(&name);
                    self.names.references.remove(&name);
                    self.names.slices.remove(&name);
                    if is_slice {
                        self.names.slices.insert(name);
                    }
                }
            }
            if binds {
                self.scrutinee(&mut init.expr, binds);
            } else {
                self.visit_value(&mut init.expr);
            }
            if let Some((_, otherwise)) = &mut init.diverge {
                self.visit_value(otherwise);
            }
        }
    }

    fn visit_macro_mut(&mut self, call: &mut Macro) {
        let name = call.path.segments.last().map(|last| last.ident.to_string());
        if !name.is_some_and(|name| LOOKING.contains(&name.as_str())) {
            return;
        }
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(mut arguments) = call.parse_body_with(parser) {
            for argument in &mut arguments {
                // `name = value` is an argument of a format
                if !matches!(argument, Expr::Assign(_)) {
                    self.visit_looked_at(argument);
                }
            }
            call.tokens = arguments.to_token_stream();
        }
    }

    // What the compiler evaluates, and what is of another function.
    fn visit_expr_const_mut(&mut self, _: &mut ExprConst) {}
    fn visit_item_mut(&mut self, _: &mut Item) {}
    fn visit_type_mut(&mut self, _: &mut Type) {}
    fn visit_generic_argument_mut(&mut self, _: &mut syn::GenericArgument) {}
    fn visit_member_mut(&mut self, _: &mut Member) {}
    fn visit_pat_mut(&mut self, _: &mut Pat) {}
}

impl Instrument {
    /// What a pattern is compared with, or bound to.
    fn scrutinee(&mut self, expression: &mut Expr, binds_by_reference: bool) {
        if !is_place(expression) {
            self.visit_value(expression);
        } else if binds_by_reference {
            self.visit_within(expression, false);
        } else {
            self.visit_looked_at(expression);
        }
    }
}
