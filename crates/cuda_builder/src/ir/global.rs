//! Parser for the definition of a global variable, which is rebuilt in another address space.

use super::token::{Kind, Token, Tokens, unquote};

/// Relevant parts of `@name = … global TYPE INITIALISER, section "…", align N`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GlobalLine<'a> {
    /// `true` for `internal` or `private` linkage.
    pub local: bool,
    /// `true` for a declaration without definition.
    pub external: bool,
    /// `true` for `constant` (an immutable static), `false` for `global`.
    pub immutable: bool,
    /// Type of the value, as written.
    pub value_type: &'a str,
    /// Initial value, as written; empty if there is none.
    pub initialiser: &'a str,
    /// Name in `section "…"`.
    pub section: Option<String>,
    /// Alignment in `align N`, in bytes.
    pub align: Option<&'a str>,
}

impl<'a> GlobalLine<'a> {
    /// Parses the line of a global variable; returns `None` for an alias or any other line.
    pub fn parse(line: &'a str) -> Option<Self> {
        let tokens = positions(line);
        let keyword = tokens.iter().position(|(_, token)| {
            token.kind == Kind::Word && matches!(token.text, "global" | "constant")
        })?;
        let before: Vec<&str> = tokens[..keyword]
            .iter()
            .map(|(_, token)| token.text)
            .collect();
        if before.iter().any(|word| matches!(*word, "alias" | "ifunc")) {
            return None;
        }
        let external = before
            .iter()
            .any(|word| matches!(*word, "external" | "extern_weak"));

        let type_start = keyword + 1;
        let type_end = type_end_index(&tokens, type_start)?;
        // the initializer ends at the first comma outside brackets, or with the line
        let comma = comma_index(&tokens, type_end);
        let span = |from: usize, to: usize| {
            if from >= to {
                return "";
            }
            let (start, (last, token)) = (tokens[from].0, tokens[to - 1]);
            &line[start..last + token.text.len()]
        };
        let mut section = None;
        let mut align = None;
        for pair in tokens[comma..].windows(2) {
            match (pair[0].1.text, pair[1].1) {
                ("section", value) if value.kind == Kind::String => {
                    section = Some(unquote(value.text).into_owned())
                }
                ("align", value) => align = Some(value.text),
                _ => {}
            }
        }
        Some(GlobalLine {
            local: before
                .iter()
                .any(|word| matches!(*word, "internal" | "private")),
            external,
            immutable: tokens[keyword].1.text == "constant",
            value_type: span(type_start, type_end),
            initialiser: if external { "" } else { span(type_end, comma) },
            section,
            align,
        })
    }
}

fn positions(line: &str) -> Vec<(usize, Token<'_>)> {
    let mut at = 0;
    Tokens::new(line)
        .map(|token| {
            at += token.text.len();
            (at - token.text.len(), token)
        })
        .filter(|(_, token)| token.kind != Kind::Blank)
        .collect()
}

/// Returns the index after the type that starts at `start`: a bracketed aggregate, one word, or
/// `ptr addrspace(n)`.
fn type_end_index(tokens: &[(usize, Token)], start: usize) -> Option<usize> {
    let mut end = start;
    let mut depth = 0usize;
    loop {
        let text = tokens.get(end)?.1.text;
        match text {
            "[" | "{" | "<" | "(" => depth += 1,
            "]" | "}" | ">" | ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        end += 1;
        let qualified = tokens
            .get(end)
            .is_some_and(|(_, next)| next.text == "addrspace");
        if depth == 0 && !qualified && text != "addrspace" {
            return Some(end);
        }
    }
}

fn comma_index(tokens: &[(usize, Token)], start: usize) -> usize {
    let mut depth = 0i32;
    for (index, (_, token)) in tokens.iter().enumerate().skip(start) {
        match token.text {
            "[" | "{" | "<" | "(" => depth += 1,
            "]" | "}" | ">" | ")" => depth -= 1,
            "," if depth == 0 => return index,
            _ => {}
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn array_with_section_is_parsed() {
        let line = GlobalLine::parse(
            r#"@TILE = internal unnamed_addr global [1024 x i8] undef, section ".nvptx.shared", align 4, !dbg !7"#,
        )
        .unwrap();
        assert!(line.local && !line.external && !line.immutable);
        assert_eq!(
            (line.value_type, line.initialiser),
            ("[1024 x i8]", "undef")
        );
        assert_eq!(
            (line.section.as_deref(), line.align),
            (Some(".nvptx.shared"), Some("4"))
        );
    }

    #[test]
    fn nested_initializer_with_commas_and_strings_is_parsed() {
        let line = GlobalLine::parse(
            r#"@T = constant <{ ptr, [4 x i8] }> <{ ptr @"a, section b", [4 x i8] c"\01,\22\00" }>, section ".nvptx.constant", align 8"#,
        )
        .unwrap();
        assert!(line.immutable && !line.local);
        assert_eq!(line.value_type, "<{ ptr, [4 x i8] }>");
        assert_eq!(
            line.initialiser,
            r#"<{ ptr @"a, section b", [4 x i8] c"\01,\22\00" }>"#
        );
        assert_eq!(line.section.as_deref(), Some(".nvptx.constant"));
    }

    #[test]
    fn declarations_aliases_and_pointers_are_parsed() {
        let line = GlobalLine::parse("@D = external local_unnamed_addr global [0 x i8]").unwrap();
        assert!(line.external);
        assert_eq!(
            (line.value_type, line.initialiser, line.align),
            ("[0 x i8]", "", None)
        );
        assert_eq!(GlobalLine::parse("@A = alias i32, ptr @B"), None);
        let line = GlobalLine::parse("@P = global ptr addrspace(1) null, align 8").unwrap();
        assert_eq!(
            (line.value_type, line.initialiser),
            ("ptr addrspace(1)", "null")
        );
        let line = GlobalLine::parse("@P = global ptr @constant, align 8").unwrap();
        assert_eq!((line.value_type, line.initialiser), ("ptr", "@constant"));
    }
}
