//! Tokens of LLVM assembly, with the character classes of LLVM's lexer (`LLLexer`).

use std::borrow::Cow;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `@name`, `@"quoted name"` or `@7`: a function or global variable.
    Global,
    /// `%name`, `$comdat`, `!metadata`, `#attributes`: names that never refer to globals.
    Other,
    /// `"…"`, including the part of `c"…"` after the `c`.
    String,
    /// Keywords, types, numbers, labels: a sequence of `[-a-zA-Z$._0-9]`.
    Word,
    /// Spaces, line ends and comments.
    Blank,
    /// Any other single character.
    Punctuation,
}

/// A token: its kind and its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
}

impl<'a> Token<'a> {
    /// Returns the name that a [`Kind::Global`] token refers to: without sigil and quotes, escapes
    /// resolved.
    pub fn global_name(&self) -> Cow<'a, str> {
        unquote(&self.text[1..])
    }
}

/// Removes quotes and resolves LLVM's `\xx` escapes; invalid UTF-8 is replaced, because it does not
/// occur in Rust symbols.
pub(crate) fn unquote(text: &str) -> Cow<'_, str> {
    let Some(inner) = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    else {
        return Cow::Borrowed(text);
    };
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let bytes = inner.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = bytes
            .get(at + 1..at + 3)
            .and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match (bytes[at], escape) {
            (b'\\', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

/// Returns `name` as written after a sigil: quoted if necessary.
pub(crate) fn quote(name: &str) -> Cow<'_, str> {
    let plain =
        !name.is_empty() && !name.as_bytes()[0].is_ascii_digit() && name.bytes().all(is_name_byte);
    if plain {
        return Cow::Borrowed(name);
    }
    let mut out = String::from("\"");
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => out.push_str(&format!("\\{byte:02X}")),
            _ => out.push(byte as char),
        }
    }
    out.push('"');
    Cow::Owned(out)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_')
}

/// Splits IR text into tokens, whose concatenated texts equal the input.
pub(crate) struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str) -> Self {
        Tokens { rest: text }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.rest.as_bytes();
        let first = *bytes.first()?;
        let run = |from: usize, in_run: fn(u8) -> bool| {
            from + bytes[from..]
                .iter()
                .position(|&byte| !in_run(byte))
                .unwrap_or(bytes.len() - from)
        };
        // length of a string that starts at `from`; an unclosed string ends with the text
        let string = |from: usize| {
            bytes[from + 1..]
                .iter()
                .position(|&byte| byte == b'"')
                .map_or(bytes.len(), |at| from + at + 2)
        };
        let (kind, length) = match first {
            b'@' | b'%' | b'$' | b'!' | b'#' => {
                let kind = if first == b'@' {
                    Kind::Global
                } else {
                    Kind::Other
                };
                match bytes.get(1) {
                    // `!"text"` is a metadata string: the string is a separate token
                    Some(b'"') if first != b'!' && first != b'#' => (kind, string(1)),
                    Some(&byte) if is_name_byte(byte) || (first == b'!' && byte == b'\\') => {
                        (kind, run(1, |byte| is_name_byte(byte) || byte == b'\\'))
                    }
                    _ => (Kind::Punctuation, 1),
                }
            }
            b'"' => (Kind::String, string(0)),
            b';' => (Kind::Blank, run(0, |byte| byte != b'\n')),
            _ if first.is_ascii_whitespace() => {
                (Kind::Blank, run(0, |byte| byte.is_ascii_whitespace()))
            }
            _ if is_name_byte(first) => (Kind::Word, run(0, is_name_byte)),
            _ => (
                Kind::Punctuation,
                self.rest.chars().next().map_or(1, char::len_utf8),
            ),
        };
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(Token { kind, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globals(text: &str) -> Vec<String> {
        let tokens: Vec<_> = Tokens::new(text).collect();
        assert_eq!(
            tokens.iter().map(|token| token.text).collect::<String>(),
            text,
            "tokens must rebuild the text"
        );
        tokens
            .iter()
            .filter(|token| token.kind == Kind::Global)
            .map(|token| token.global_name().into_owned())
            .collect()
    }

    #[test]
    fn a_prefix_is_a_different_name() {
        assert_eq!(
            globals("load i32, ptr @TILE.1, align 4, ptr @TILE"),
            ["TILE.1", "TILE"]
        );
        assert_eq!(globals("@a-b$c_d9(@7)"), ["a-b$c_d9", "7"]);
    }

    #[test]
    fn quoted_names_can_contain_spaces_and_escapes() {
        assert_eq!(
            globals(r#"ptr @"my tile \22x\22", ptr @"my tile""#),
            [r#"my tile "x""#, "my tile"]
        );
        assert_eq!(quote(r#"my tile "x""#), r#""my tile \22x\22""#);
        assert_eq!(unquote(&quote(r#"a\b"#)), r#"a\b"#);
        assert_eq!(quote("plain.name"), "plain.name");
        assert_eq!(quote("9lives"), "\"9lives\"");
    }

    #[test]
    fn strings_comments_and_metadata_contain_no_globals() {
        let text = "@S = constant [9 x i8] c\"ptr @TILE\", !dbg !3 ; ptr @TILE\n!3 = !{!\"@TILE\", !\"\", i32 1}\n!foo\\20bar = !{}";
        assert_eq!(globals(text), ["S"]);
    }

    #[test]
    fn unclosed_strings_and_other_text_are_tokenized() {
        assert_eq!(globals("@\"open"), ["\"open"]);
        assert_eq!(globals("é @x é"), ["x"]);
    }
}
