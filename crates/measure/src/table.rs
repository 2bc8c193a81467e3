//! Formatting of records as lines of a table.

use crate::Record;

/// Formats the header above the [`line`]s.
pub fn header() -> String {
    format!(
        "{:<12} {:<8} {:<36} {:<10} {:<10} {:>10} {:>21} {:>8} {:>6}  {}",
        "system",
        "device",
        "operation",
        "type",
        "size",
        "median ms",
        "(min to max)",
        "GB/s",
        "copy",
        "result"
    )
}

/// Formats one record.
pub fn line(record: &Record) -> String {
    let operation = match record.method.as_str() {
        "" => record.measure.clone(),
        method => format!("{}, {method}", record.measure),
    };
    let start = format!(
        "{:<12} {:<8} {operation:<36} {:<10} {:<10}",
        record.system, record.device, record.element, record.size
    );
    if let Some(reason) = &record.absent {
        return format!(
            "{} absent: {}",
            start.trim_end(),
            collapse_whitespace(reason)
        );
    }
    let number = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    let digits = match record.median_ms {
        Some(ms) if ms < 10.0 => 4,
        _ => 2,
    };
    let range = format!(
        "({} to {})",
        number(record.min_ms, digits),
        number(record.max_ms, digits)
    );
    let line = format!(
        "{start} {:>10} {range:>21} {:>8} {:>6}  {}",
        number(record.median_ms, digits),
        number(record.gb_per_s, 1),
        number(record.fraction_of_copy, 3),
        result(record)
    );
    line.trim_end().to_owned()
}

/// Formats the result: mesh size, memory and notes.
fn result(record: &Record) -> String {
    let mut parts = Vec::new();
    if let (Some(vertices), Some(triangles)) = (record.vertices, record.triangles) {
        parts.push(format!("{vertices} vertices, {triangles} triangles"));
    } else if let Some(triangles) = record.triangles {
        parts.push(format!("{triangles} triangles"));
    }
    if let Some(scratch) = record.scratch_bytes {
        let per_element = match record.elements {
            0 => String::new(),
            elements => format!(" ({:.2} B each)", scratch as f64 / elements as f64),
        };
        parts.push(format!("scratch {}{per_element}", bytes(scratch)));
    }
    if let Some(peak) = record.peak_bytes {
        parts.push(format!("peak {}", bytes(peak)));
    }
    if !record.note.is_empty() {
        parts.push(collapse_whitespace(&record.note));
    }
    parts.join(", ")
}

/// Formats a number of bytes with a suitable unit.
fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        10_000_000..10_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.2} GB", count as f64 / 1e9),
    }
}

fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::full;

    #[test]
    fn a_line_contains_the_fields_of_the_record() {
        let mut record = full();
        record.absent = None;
        let line = line(&record);
        for part in [
            "cuda:0",
            "extract, fused",
            "512^3",
            "0.3000",
            "15200000 triangles",
            "0.250",
        ] {
            assert!(line.contains(part), "{part} is not in {line}");
        }
        assert_eq!(line.lines().count(), 1);
    }

    #[test]
    fn byte_counts_have_a_suitable_unit() {
        let shown = [0, 9_999, 10_000, 123_456_789, 8_589_934_592, 17_179_869_184].map(bytes);
        assert_eq!(
            shown,
            [
                "0 B",
                "9999 B",
                "10.0 kB",
                "123.5 MB",
                "8589.9 MB",
                "17.18 GB"
            ]
        );
    }

    #[test]
    fn a_missing_measurement_shows_its_reason() {
        let line = line(&Record::absent("scan", "cub", "there is\nno nvcc"));
        assert!(
            line.starts_with("cub") && line.ends_with("absent: there is no nvcc"),
            "{line}"
        );
    }
}
