//! Replacement of volatile loads from local variables.
//!
//! Libraries for CPUs raise floating-point exceptions by a computation whose result is read back
//! from a variable with `read_volatile` (most functions of `libm` do so). GPUs have no
//! floating-point exceptions, and local variables are invisible to other threads and devices.
//! Because LLVM preserves volatile loads, each of them would require a stack frame. Therefore
//! volatile loads from local variables become ordinary loads, and the optimizer removes them with
//! the variable. Loads through other pointers are unchanged.

use std::borrow::Cow;
use std::collections::HashSet;

use super::token::{Kind, Token, Tokens};

/// Replaces volatile loads whose address is a local variable by ordinary ones in `text`, the text
/// of a function.
pub(super) fn remove_volatile_local_loads(text: &str) -> Cow<'_, str> {
    if !text.contains(" load volatile ") {
        return Cow::Borrowed(text);
    }
    let variables = local_variables(text);
    let mut out = String::with_capacity(text.len());
    let mut tokens = Tokens::new(text).peekable();
    while let Some(token) = tokens.next() {
        out.push_str(token.text);
        if (token.kind, token.text) != (Kind::Word, "load") {
            continue;
        }
        // from the keyword to the address, which is the first name
        let mut words: Vec<Token> = Vec::new();
        while let Some(next) = tokens.next_if(|next| !next.text.contains('\n')) {
            words.push(next);
            if matches!(next.kind, Kind::Other | Kind::Global) {
                break;
            }
        }
        let is_volatile = words.get(1).is_some_and(|word| word.text == "volatile");
        let address = words.last().map_or("", |last| last.text);
        let skipped = if is_volatile && variables.contains(address) {
            2
        } else {
            0
        };
        out.extend(words.iter().skip(skipped).map(|word| word.text));
    }
    Cow::Owned(out)
}

/// Returns the names of a function's local variables: `%name = alloca …`.
fn local_variables(text: &str) -> HashSet<&str> {
    let words: Vec<Token> = Tokens::new(text)
        .filter(|token| token.kind != Kind::Blank)
        .collect();
    words
        .windows(3)
        .filter(|three| three[1].text == "=" && three[2].text == "alloca")
        .map(|three| three[0].text)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volatile_loads_from_local_variables_become_ordinary() {
        let function = "define double @f(ptr %0) {\n  %1 = alloca [8 x i8], align 8\n  store double 1.0, ptr %1, align 8\n  \
                        %2 = load volatile double, ptr %1, align 8, !dbg !3\n  ret double %2\n}";
        assert_eq!(
            remove_volatile_local_loads(function),
            function.replace("load volatile", "load")
        );
    }

    #[test]
    fn other_loads_are_unchanged() {
        let function = "define double @f(ptr %0) {\n  %1 = alloca [8 x i8], align 8\n  %11 = load volatile double, ptr %0, align 8\n  \
                        %2 = load volatile ptr, ptr @volatile, align 8\n  %3 = load ptr, ptr %1, align 8\n  \
                        store volatile ptr %3, ptr %1\n  %4 = load volatile i8, ptr getelementptr (i8, ptr @x, i64 1)\n}";
        assert_eq!(remove_volatile_local_loads(function), function);
    }
}
