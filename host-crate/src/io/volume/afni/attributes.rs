//! Attributes of a header: a type, a name, a count, and the values.

use std::collections::BTreeMap;

use super::damaged;
use crate::io::FileProblem;
use crate::io::source::Source;
use crate::memory;

/// Maximum size of a header, in bytes. Headers hold the history of their volume, too.
const MAX_BYTES: usize = 16 << 20;
/// Attributes that are used.
const NAMES: [&str; 9] = [
    "DATASET_DIMENSIONS",
    "DATASET_RANK",
    "BRICK_TYPES",
    "BRICK_FLOAT_FACS",
    "BYTEORDER_STRING",
    "IJK_TO_DICOM_REAL",
    "ORIENT_SPECIFIC",
    "ORIGIN",
    "DELTA",
];

/// Attributes by their name.
pub(super) struct Attributes(BTreeMap<&'static str, Value>);

/// Values of an attribute.
enum Value {
    Text(String),
    Numbers(Vec<f64>),
}

impl Attributes {
    /// Reads a header.
    pub fn read(source: &mut Source<'_>) -> Result<Self, FileProblem> {
        const STEP: usize = 1 << 16;
        let mut bytes = Vec::new();
        loop {
            let start = bytes.len();
            memory::try_reserve_amortized("a header", &mut bytes, STEP)?;
            bytes.resize(start + STEP, 0);
            let found = source.fill(&mut bytes[start..])?;
            bytes.truncate(start + found);
            if found < STEP {
                break;
            }
            if bytes.len() > MAX_BYTES {
                return Err(damaged(format!("it has more than {MAX_BYTES} bytes")));
            }
        }
        // Counts are those of bytes: other characters become one each.
        for byte in bytes.iter_mut().filter(|byte| !byte.is_ascii()) {
            *byte = b'?';
        }
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    fn parse(text: &str) -> Result<Self, FileProblem> {
        let mut attributes = BTreeMap::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let kind = take_field(&mut rest, "type")?;
            let name = take_field(&mut rest, "name")?;
            let count = take_field(&mut rest, "count")?;
            let count: usize = count
                .parse()
                .map_err(|_| damaged(format!("the count of {name} is {count:?}")))?;
            let known = NAMES.into_iter().find(|known| *known == name);
            let value = match kind {
                "string-attribute" => Value::Text(take_text(&mut rest, name, count)?),
                _ => take_numbers(&mut rest, name, count, known.is_some())?,
            };
            if let Some(known) = known
                && attributes.insert(known, value).is_some()
            {
                return Err(damaged(format!("{known} is given twice")));
            }
            rest = rest.trim_start();
        }
        Ok(Self(attributes))
    }

    /// Returns a text.
    pub fn text(&self, name: &str) -> Result<Option<&str>, FileProblem> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Numbers(_)) => Err(damaged(format!("{name} is not a text"))),
        }
    }

    /// Returns a list of numbers.
    pub fn numbers(&self, name: &str) -> Result<Option<&[f64]>, FileProblem> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::Numbers(numbers)) => Ok(Some(numbers)),
            Some(Value::Text(_)) => Err(damaged(format!("{name} is not a list of numbers"))),
        }
    }

    /// Returns at least `count` integers.
    pub fn integers(&self, name: &str, count: usize) -> Result<Vec<i64>, FileProblem> {
        let numbers = self.numbers(name)?.unwrap_or_default();
        if numbers.len() < count {
            return Err(damaged(format!(
                "{name} has {} numbers; it needs {count}",
                numbers.len()
            )));
        }
        let integer = |&number: &f64| match number as i64 {
            integer if integer as f64 == number => Ok(integer),
            _ => Err(damaged(format!(
                "{name} has {number}, which is not an integer"
            ))),
        };
        numbers.iter().map(integer).collect()
    }
}

/// Takes a line `name = value`.
fn take_field<'t>(rest: &mut &'t str, name: &str) -> Result<&'t str, FileProblem> {
    let text = rest.trim_start();
    let (line, after) = text.split_once('\n').unwrap_or((text, ""));
    let value = line
        .split_once('=')
        .filter(|(found, _)| found.trim() == name)
        .map(|(_, value)| value.trim());
    *rest = after;
    value.ok_or_else(|| {
        let line: String = line.chars().take(60).collect();
        damaged(format!("there is {line:?} instead of \"{name} = …\""))
    })
}

/// Takes a text of `count` bytes, which begins after an apostrophe; `~` stands for its end.
fn take_text(rest: &mut &str, name: &str, count: usize) -> Result<String, FileProblem> {
    let ends_early = || damaged(format!("the text of {name} ends early"));
    let text = rest
        .trim_start()
        .strip_prefix('\'')
        .ok_or_else(ends_early)?;
    let (value, after) = text.split_at_checked(count).ok_or_else(ends_early)?;
    *rest = after;
    Ok(value.trim_end_matches('~').to_owned())
}

/// Takes `count` numbers, and keeps them if `is_used`.
fn take_numbers(
    rest: &mut &str,
    name: &str,
    count: usize,
    is_used: bool,
) -> Result<Value, FileProblem> {
    let mut numbers = Vec::new();
    for _ in 0..count {
        let text = rest.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, after) = text.split_at(end);
        *rest = after;
        let number: f64 = word.parse().map_err(|_| {
            let word: String = word.chars().take(30).collect();
            damaged(format!("{name} has {word:?}, which is not a number"))
        })?;
        if is_used {
            memory::try_reserve_amortized("attributes", &mut numbers, 1)?;
            numbers.push(number);
        }
    }
    Ok(Value::Numbers(numbers))
}
