//! Convergent inline assembly.
//!
//! A warp shuffle or vote written as `asm!` must be executed by all named lanes together; LLVM must
//! not duplicate it into the arms of a branch or make it control-dependent on another condition.
//! Intrinsics are declared `convergent`, but rustc emits calls of `asm!` without this attribute
//! (clang adds it to every one for CUDA). It is added here to each call of assembly with side
//! effects; `pure` assembly depends only on its operands and may be moved.

use std::borrow::Cow;

use super::token::{Kind, Tokens};

/// Adds `convergent` after the arguments of every call of side-effecting assembly in `text`.
pub(super) fn mark_assembly(text: &str) -> Cow<'_, str> {
    if !text.contains(" asm sideeffect ") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 256);
    let mut state = State::Outside;
    for token in Tokens::new(text) {
        out.push_str(token.text);
        state = match (state, token.kind, token.text) {
            (state, Kind::Blank, _) => state,
            (State::Outside, Kind::Word, "asm") => State::Keywords { sideeffect: false },
            (State::Keywords { .. }, Kind::Word, "sideeffect") => {
                State::Keywords { sideeffect: true }
            }
            (State::Keywords { sideeffect: true }, Kind::Punctuation, "(") => {
                State::Arguments { depth: 1 }
            }
            // template, constraints and the comma between them; other keywords
            (State::Keywords { sideeffect }, Kind::String | Kind::Word, _) => {
                State::Keywords { sideeffect }
            }
            (State::Keywords { sideeffect }, Kind::Punctuation, ",") => {
                State::Keywords { sideeffect }
            }
            (State::Arguments { depth }, Kind::Punctuation, "(") => {
                State::Arguments { depth: depth + 1 }
            }
            (State::Arguments { depth: 1 }, Kind::Punctuation, ")") => {
                out.push_str(" convergent");
                State::Outside
            }
            (State::Arguments { depth }, Kind::Punctuation, ")") => {
                State::Arguments { depth: depth - 1 }
            }
            (State::Arguments { depth }, ..) => State::Arguments { depth },
            _ => State::Outside,
        };
    }
    Cow::Owned(out)
}

/// Position in a call of assembly.
#[derive(Clone, Copy)]
enum State {
    Outside,
    /// Between `asm` and the opening parenthesis.
    Keywords {
        sideeffect: bool,
    },
    Arguments {
        depth: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assembly_with_side_effects_becomes_convergent() {
        let call = r#"  %1 = call i32 asm sideeffect "shfl.sync.idx.b32 $0, $1, (0);", "=r,r,~{memory}"(i32 %0, ptr getelementptr (i8, ptr @x, i64 4)), !dbg !4, !srcloc !5"#;
        let marked = mark_assembly(call).into_owned();
        assert!(marked.contains("i64 4)) convergent, !dbg !4"), "{marked}");
        let grouped = r#"call void asm sideeffect alignstack "bar.sync 0;", ""() #7, !dbg !4"#;
        assert!(mark_assembly(grouped).ends_with(r#""() convergent #7, !dbg !4"#));
    }

    #[test]
    fn pure_assembly_and_other_text_are_unchanged() {
        let pure = r#"  %1 = call float asm "rsqrt.approx.f32 $0, $1;", "=f,f"(float %0), !dbg !4"#;
        let string = r#"@S = constant [40 x i8] c"call void asm sideeffect \22x\22, \22\22()    ""#;
        for text in [pure, string] {
            assert_eq!(mark_assembly(text), text);
        }
        let both = format!("{pure}\n  call void asm sideeffect \"x;\", \"\"(), !dbg !4");
        assert_eq!(mark_assembly(&both).matches("convergent").count(), 1);
    }
}
