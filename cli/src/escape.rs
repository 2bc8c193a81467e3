//! Escaping of text from files and file names for the terminal.

use std::fmt::Write;

/// Escapes control characters and bidirectional control characters, which could change the terminal
/// or the meaning of the output, in Rust's notation (`\u{1b}`, `\n`).
pub fn escape(text: &str) -> String {
    escape_except(text, |_| false)
}

/// Escapes a text of several lines like [`escape`], except for line ends.
pub fn escape_lines(text: &str) -> String {
    escape_except(text, |character| character == '\n')
}

/// Escapes a JSON document in JSON's notation: `\u001b`.
pub fn escape_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_harmful(character) && character != '\n' {
            // All harmful characters have at most four digits.
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

fn escape_except(text: &str, is_kept: impl Fn(char) -> bool) -> String {
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
    fn terminal_control_characters_are_escaped() {
        assert_eq!(escape("Größe 3 µm, 高さ.nii"), "Größe 3 µm, 高さ.nii");
        assert_eq!(
            escape("a\u{1b}[2Jb\nc\u{9b}d\u{7f}\u{202e}"),
            "a\\u{1b}[2Jb\\nc\\u{9b}d\\u{7f}\\u{202e}"
        );
        assert_eq!(escape_lines("a\nb\r\u{7}"), "a\nb\\r\\u{7}");
        let json = escape_json("{\n\"a\": \"\u{9b}\u{7f}ü\"\n}");
        assert_eq!(json, "{\n\"a\": \"\\u009b\\u007fü\"\n}");
        let value: serde_json::Value = serde_json::from_str(&json).expect("the text is JSON");
        assert_eq!(value["a"], "\u{9b}\u{7f}ü");
    }
}
