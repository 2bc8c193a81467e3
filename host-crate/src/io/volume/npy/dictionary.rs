//! The header's text: a Python dictionary of strings, booleans and tuples of integers.

use std::fmt;

/// Value of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// String, such as `'<f4'`.
    Text(String),
    /// `True` or `False`.
    Bool(bool),
    /// Tuple of integers, such as `(3, 4, 5)`.
    Tuple(Vec<u64>),
    /// Text of a list, as structured arrays have it; not parsed further.
    List(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Tuple(sizes) => write!(f, "{sizes:?}"),
            Self::List(text) => f.write_str(text),
        }
    }
}

/// Parses `{'key': value, …}`. The error states what was expected and what was found.
pub(super) fn parse(text: &str) -> Result<Vec<(String, Value)>, String> {
    let mut parser = Parser { remaining: text };
    let mut entries = Vec::new();
    parser.expect('{')?;
    while !parser.accept('}') {
        let key = parser.string()?;
        parser.expect(':')?;
        entries.push((key, parser.value()?));
        if !parser.accept(',') {
            parser.expect('}')?;
            break;
        }
    }
    Ok(entries)
}

/// Recursive-descent parser over the remaining text.
struct Parser<'a> {
    remaining: &'a str,
}

impl Parser<'_> {
    /// Skips white space and then `symbol`. Returns `false` if another symbol comes next.
    fn accept(&mut self, symbol: char) -> bool {
        self.remaining = self.remaining.trim_start();
        match self.remaining.strip_prefix(symbol) {
            Some(remaining) => {
                self.remaining = remaining;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, symbol: char) -> Result<(), String> {
        if self.accept(symbol) {
            Ok(())
        } else {
            Err(self.error(&format!("{symbol:?}")))
        }
    }

    fn error(&self, expected: &str) -> String {
        let found: String = self.remaining.chars().take(20).collect();
        format!("expected {expected}, found {found:?}")
    }

    /// Removes and returns the next `count` bytes, which must end at a character boundary.
    fn take(&mut self, count: usize) -> String {
        let (taken, remaining) = self.remaining.split_at(count);
        self.remaining = remaining;
        taken.to_owned()
    }

    fn string(&mut self) -> Result<String, String> {
        let quote = if self.accept('\'') {
            '\''
        } else if self.accept('"') {
            '"'
        } else {
            return Err(self.error("a string"));
        };
        let end = self
            .remaining
            .find(quote)
            .ok_or_else(|| self.error("the end of a string"))?;
        let text = self.take(end);
        self.expect(quote)?;
        Ok(text)
    }

    fn value(&mut self) -> Result<Value, String> {
        self.remaining = self.remaining.trim_start();
        match self.remaining.chars().next() {
            Some('\'' | '"') => self.string().map(Value::Text),
            Some('(') => self.tuple().map(Value::Tuple),
            Some('[') => self.list().map(Value::List),
            _ => self.boolean().map(Value::Bool),
        }
    }

    fn boolean(&mut self) -> Result<bool, String> {
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(remaining) = self.remaining.strip_prefix(word) {
                self.remaining = remaining;
                return Ok(value);
            }
        }
        Err(self.error("a string, a tuple, True or False"))
    }

    fn tuple(&mut self) -> Result<Vec<u64>, String> {
        self.expect('(')?;
        let mut sizes = Vec::new();
        while !self.accept(')') {
            self.remaining = self.remaining.trim_start();
            let digits = self
                .remaining
                .bytes()
                .take_while(u8::is_ascii_digit)
                .count();
            let size = self.remaining[..digits].parse();
            sizes.push(size.map_err(|_| self.error("a size"))?);
            self.remaining = &self.remaining[digits..];
            // Python 2 wrote long integers with an L.
            self.accept('L');
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(sizes)
    }

    /// Returns the text of a list up to its matching bracket. Brackets within strings are not
    /// distinguished: the text only appears in a message.
    fn list(&mut self) -> Result<String, String> {
        let mut depth = 0_usize;
        for (index, symbol) in self.remaining.char_indices() {
            match symbol {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(self.take(index + 1));
            }
        }
        Err(self.error("the end of a list"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numpy_dictionaries_are_parsed() {
        let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4L), }   \n";
        let expected = [
            ("descr".to_owned(), Value::Text("<f4".to_owned())),
            ("fortran_order".to_owned(), Value::Bool(false)),
            ("shape".to_owned(), Value::Tuple(vec![3, 4])),
        ];
        assert_eq!(parse(text).unwrap(), expected);
        assert_eq!(parse("{}").unwrap(), []);
        let record = parse("{\"descr\":[('a','<f4'),('b','<i2',(3,))],'shape':()}").unwrap();
        assert_eq!(record[0].1.to_string(), "[('a','<f4'),('b','<i2',(3,))]");
        assert_eq!(record[1].1, Value::Tuple(vec![]));
    }

    #[test]
    fn errors_state_the_expected_and_the_found_text() {
        for (text, expected) in [
            ("", "expected '{', found \"\""),
            ("{'a' 1}", "expected ':', found \"1}\""),
            (
                "{'a': 1}",
                "expected a string, a tuple, True or False, found \"1}\"",
            ),
            ("{'a': (1, -2)}", "expected a size, found \"-2)}\""),
            (
                "{'a': (99999999999999999999,)}",
                "expected a size, found \"99999999999999999999\"",
            ),
            ("{'a': 'b", "expected the end of a string, found \"b\""),
            ("{'a': [[1]", "expected the end of a list, found \"[[1]\""),
            ("{'a': True 'b'", "expected '}', found \"'b'\""),
        ] {
            assert_eq!(parse(text).unwrap_err(), expected, "{text}");
        }
    }
}
