//! Volatile reads of a thread's own variables.
//!
//! Libraries for CPUs raise floating-point exceptions by computing something and reading it back
//! from a variable with `read_volatile` (`libm` does in most of its functions). A GPU has no such
//! exceptions, no other thread can see the variable, and no device is behind it. But as LLVM keeps
//! volatile reads, each of them would give its kernel a stack. So a volatile read of a local
//! variable becomes a plain one, and the optimiser drops it with the variable. Reads through a
//! pointer from elsewhere stay what they are.

use std::borrow::Cow;
use std::collections::HashSet;

use super::token::{Kind, Token, Tokens};

/// `text`, a function, with plain loads for the volatile ones whose address is that of a local
/// variable.
pub(super) fn read_plainly(text: &str) -> Cow<'_, str> {
    if !text.contains(" load volatile ") {
        return Cow::Borrowed(text);
    }
    let variables = variables(text);
    let mut out = String::with_capacity(text.len());
    let mut tokens = Tokens::new(text).peekable();
    while let Some(token) = tokens.next() {
        out.push_str(token.text);
        if (token.kind, token.text) != (Kind::Word, "load") {
            continue;
        }
        // from after the word to the address, which is the first name
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

/// The names of a function's variables: those of `%name = alloca …`.
fn variables(text: &str) -> HashSet<&str> {
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
    fn reads_of_variables_become_plain() {
        let function = "define double @f(ptr %0) {\n  %1 = alloca [8 x i8], align 8\n  store double 1.0, ptr %1, align 8\n  \
                        %2 = load volatile double, ptr %1, align 8, !dbg !3\n  ret double %2\n}";
        assert_eq!(
            read_plainly(function),
            function.replace("load volatile", "load")
        );
    }

    #[test]
    fn other_reads_stay() {
        let function = "define double @f(ptr %0) {\n  %1 = alloca [8 x i8], align 8\n  %11 = load volatile double, ptr %0, align 8\n  \
                        %2 = load volatile ptr, ptr @volatile, align 8\n  %3 = load ptr, ptr %1, align 8\n  \
                        store volatile ptr %3, ptr %1\n  %4 = load volatile i8, ptr getelementptr (i8, ptr @x, i64 1)\n}";
        assert_eq!(read_plainly(function), function);
    }
}
