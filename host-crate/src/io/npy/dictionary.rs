//! The header's text: a Python dictionary of strings, booleans and tuples of integers.

use std::fmt;

/// A value of the dictionary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// `'<f4'`
    Text(String),
    /// `True`, `False`
    Bool(bool),
    /// `(3, 4, 5)`
    Tuple(Vec<u64>),
    /// A list, as structured arrays have it: its text, not understood further.
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

/// Parses `{'key': value, …}`. The error names what was expected where.
pub(super) fn parse(text: &str) -> Result<Vec<(String, Value)>, String> {
    let mut parser = Parser { rest: text };
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

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    /// Takes `symbol` if it comes next, white space aside.
    fn accept(&mut self, symbol: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, symbol: char) -> Result<(), String> {
        if self.accept(symbol) {
            Ok(())
        } else {
            Err(self.wrong(&format!("{symbol:?}")))
        }
    }

    fn wrong(&self, expected: &str) -> String {
        let found: String = self.rest.chars().take(20).collect();
        format!("{expected} expected where {found:?} stands")
    }

    /// The next `count` bytes, which end between characters.
    fn take(&mut self, count: usize) -> String {
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        taken.to_owned()
    }

    fn string(&mut self) -> Result<String, String> {
        let quote = if self.accept('\'') {
            '\''
        } else if self.accept('"') {
            '"'
        } else {
            return Err(self.wrong("a string"));
        };
        let end = self
            .rest
            .find(quote)
            .ok_or_else(|| self.wrong("the end of a string"))?;
        let text = self.take(end);
        self.expect(quote)?;
        Ok(text)
    }

    fn value(&mut self) -> Result<Value, String> {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next() {
            Some('\'' | '"') => self.string().map(Value::Text),
            Some('(') => self.tuple().map(Value::Tuple),
            Some('[') => self.list().map(Value::List),
            _ => self.boolean().map(Value::Bool),
        }
    }

    fn boolean(&mut self) -> Result<bool, String> {
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(self.wrong("a string, a tuple, True or False"))
    }

    fn tuple(&mut self) -> Result<Vec<u64>, String> {
        self.expect('(')?;
        let mut sizes = Vec::new();
        while !self.accept(')') {
            self.rest = self.rest.trim_start();
            let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            let size = self.rest[..digits].parse();
            sizes.push(size.map_err(|_| self.wrong("a size"))?);
            self.rest = &self.rest[digits..];
            // Python 2 wrote long integers with an L.
            self.accept('L');
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(sizes)
    }

    /// A list, to its matching bracket. (Brackets within strings are not distinguished: the text
    /// only serves a message.)
    fn list(&mut self) -> Result<String, String> {
        let mut depth = 0_usize;
        for (index, symbol) in self.rest.char_indices() {
            match symbol {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(self.take(index + 1));
            }
        }
        Err(self.wrong("the end of a list"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries_as_numpy_writes_them() {
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
    fn what_is_expected_is_said() {
        for (text, expected) in [
            ("", "'{' expected where \"\" stands"),
            ("{'a' 1}", "':' expected where \"1}\" stands"),
            (
                "{'a': 1}",
                "a string, a tuple, True or False expected where \"1}\" stands",
            ),
            ("{'a': (1, -2)}", "a size expected where \"-2)}\" stands"),
            (
                "{'a': (99999999999999999999,)}",
                "a size expected where \"99999999999999999999\" stands",
            ),
            (
                "{'a': 'b",
                "the end of a string expected where \"b\" stands",
            ),
            (
                "{'a': [[1]",
                "the end of a list expected where \"[[1]\" stands",
            ),
            ("{'a': True 'b'", "'}' expected where \"'b'\" stands"),
        ] {
            assert_eq!(parse(text).unwrap_err(), expected, "{text}");
        }
    }
}
