//! Syntactic classification of expressions, without type information.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{BinOp, Expr, Type, UnOp};

/// Names whose presence shows that a body may access memory other than through views.
pub(super) const RAW_MEMORY_MARKERS: [&str; 7] = [
    "static",
    "shared_array",
    "dynamic_shared_mem",
    "as_ptr",
    "as_mut_ptr",
    "as_slice",
    "as_mut_slice",
];

/// Methods of numbers and `MaybeUninit` that take their receiver by value.
pub(super) const BY_VALUE_METHODS: [&str; 64] = [
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

/// Methods of raw pointers that return a raw pointer.
pub(super) const POINTER_METHODS: [&str; 13] = [
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

/// Further methods of pointers and slices that access no element, or whose access is recorded
/// elsewhere.
pub(super) const NON_ACCESSING_METHODS: [&str; 10] = [
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

/// Functions that only forward their arguments, or whose accesses are recorded elsewhere.
pub(super) const FORWARDING_FUNCTIONS: [&str; 8] = [
    "Some",
    "Ok",
    "View",
    "ViewMut",
    "SharedView",
    "size_of_val",
    "drop",
    "black_box",
];

/// Macros whose arguments are expressions that are evaluated in place.
pub(super) const INSPECTING_MACROS: [&str; 10] = [
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

pub(super) fn mentions(tokens: TokenStream, words: &[&str]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => words.iter().any(|word| name == word),
        TokenTree::Group(group) => mentions(group.stream(), words),
        _ => false,
    })
}

/// Returns `true` if the type is a raw pointer.
pub fn is_pointer(ty: &Type) -> bool {
    match ty {
        Type::Ptr(_) => true,
        Type::Group(group) => is_pointer(&group.elem),
        Type::Paren(paren) => is_pointer(&paren.elem),
        _ => false,
    }
}

pub(super) fn strip_parens(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(paren) => strip_parens(&paren.expr),
        Expr::Group(group) => strip_parens(&group.expr),
        other => other,
    }
}

pub(super) fn strip_parens_mut(expression: &mut Expr) -> &mut Expr {
    match expression {
        Expr::Paren(paren) => strip_parens_mut(&mut paren.expr),
        Expr::Group(group) => strip_parens_mut(&mut group.expr),
        other => other,
    }
}

/// Returns the name if the expression is a single identifier.
pub(super) fn simple_name(expression: &Expr) -> Option<String> {
    match strip_parens(expression) {
        Expr::Path(path) => path.path.get_ident().map(Ident::to_string),
        _ => None,
    }
}

/// Returns `true` if the path may refer to a constant or a static, whose address cannot or should
/// not be taken.
pub(super) fn is_constant(expression: &Expr) -> bool {
    let Expr::Path(path) = strip_parens(expression) else {
        return false;
    };
    path.path.get_ident().is_none_or(|name| {
        let name = name.to_string();
        name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
    })
}

/// Returns `true` if the expression appears to be a place.
pub(super) fn is_place(expression: &Expr) -> bool {
    match strip_parens(expression) {
        Expr::Path(_) => true,
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        Expr::Index(index) => !matches!(strip_parens(&index.index), Expr::Range(_)),
        Expr::Field(field) => is_place(&field.base),
        _ => false,
    }
}

/// Returns `true` if the place consists of names, `*` and fields only.
pub(super) fn is_plain(place: &Expr) -> bool {
    match strip_parens(place) {
        Expr::Path(_) => true,
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)) && is_plain(&unary.expr),
        Expr::Field(field) => is_plain(&field.base),
        _ => false,
    }
}

/// Returns `true` if the expression may be evaluated twice.
pub(super) fn is_repeatable(expression: &Expr) -> bool {
    match strip_parens(expression) {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Unary(unary) => is_repeatable(&unary.expr),
        Expr::Binary(binary) => {
            !is_assignment_operator(&binary.op)
                && is_repeatable(&binary.left)
                && is_repeatable(&binary.right)
        }
        Expr::Cast(cast) => is_repeatable(&cast.expr),
        Expr::Field(field) => is_repeatable(&field.base),
        Expr::Index(index) => is_repeatable(&index.expr) && is_repeatable(&index.index),
        _ => false,
    }
}

pub(super) fn is_assignment_operator(op: &BinOp) -> bool {
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

pub(super) fn is_comparison(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    )
}

pub(super) fn binds_by_reference(pattern: &impl ToTokens) -> bool {
    mentions(pattern.to_token_stream(), &["ref"])
}
