//! Text of files and file names on its way to a terminal.

use std::fmt::Write;

/// The text without what could change the terminal or the sense of what is printed: control
/// characters, and those that turn the direction of writing, in the notation of Rust (`\u{1b}`,
/// `\n`).
pub fn escape(text: &str) -> String {
    escape_but(text, |_| false)
}

/// The same of a text of several lines.
pub fn escape_lines(text: &str) -> String {
    escape_but(text, |character| character == '\n')
}

/// The same of a JSON document: `\u001b`.
pub fn escape_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match is_harmful(character) && character != '\n' {
            // all of them have four digits at most
            true => {
                let _ = write!(escaped, "\\u{:04x}", u32::from(character));
            }
            false => escaped.push(character),
        }
    }
    escaped
}

fn escape_but(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_harmful(character) && !is_kept(character) {
            escaped.extend(character.escape_default())
        } else {
            escaped.push(character)
        }
    }
    escaped
}

fn is_harmful(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(escape("Größe 3 µm, 高さ.nii"), "Größe 3 µm, 高さ.nii");
        assert_eq!(
            escape("a\u{1b}[2Jb\nc\u{9b}d\u{7f}\u{202e}"),
            "a\\u{1b}[2Jb\\nc\\u{9b}d\\u{7f}\\u{202e}"
        );
        assert_eq!(escape_lines("a\nb\r\u{7}"), "a\nb\\r\\u{7}");
        let json = escape_json("{\n\"a\": \"\u{9b}\u{7f}ü\"\n}");
        assert_eq!(json, "{\n\"a\": \"\\u009b\\u007fü\"\n}");
        let value: serde_json::Value = serde_json::from_str(&json).expect("it stays JSON");
        assert_eq!(value["a"], "\u{9b}\u{7f}ü");
    }
}
