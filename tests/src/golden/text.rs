//! Printed output of a command without the parts that vary between runs.

use serde_json::Value;
use std::fmt::Write;

/// Fields that depend on the machine or on time.
const VARYING_FIELDS: [&str; 9] = [
    "device",
    "device_name",
    "devices",
    "milliseconds",
    "peak_bytes",
    "peak_device_bytes",
    "memory",
    "stages",
    "timings",
];

/// Returns a JSON object as lines `path = value` in alphabetical order, without timings, memory
/// figures and device names.
///
/// # Errors
/// If the text is not JSON.
pub fn plain_json(text: &str) -> Result<String, serde_json::Error> {
    let mut lines = Vec::new();
    flatten("", &serde_json::from_str(text)?, &mut lines);
    lines.sort();
    Ok(lines.concat())
}

fn flatten(path: &str, value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let kept = fields
                .iter()
                .filter(|(name, _)| !VARYING_FIELDS.contains(&name.as_str()));
            for (name, value) in kept {
                flatten(&format!("{path}.{name}"), value, lines);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                flatten(&format!("{path}[{index:06}]"), value, lines);
            }
        }
        value => {
            let mut line = path.to_owned();
            // writing to a String cannot fail
            let _ = writeln!(line, " = {value}");
            lines.push(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varying_fields_are_removed() {
        let text = r#"{"b": [1, {"milliseconds": 3.5, "x": null}], "timings": {"read": 1}, "a": "word", "device": "cpu"}"#;
        let plain = plain_json(text).unwrap();
        assert_eq!(
            plain,
            ".a = \"word\"\n.b[000000] = 1\n.b[000001].x = null\n"
        );
        assert!(plain_json("{").is_err());
    }
}
