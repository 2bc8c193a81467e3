//! One measurement, as it is printed, written and read back.

use crate::Spread;
use serde::{Deserialize, Serialize};

/// One measurement: what was measured, where, how long it took, what came of it. What does not
/// apply is left out.
///
/// As JSON it is one object on a line; as CSV it is a row under [`COLUMNS`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// What the bench is about: `mesh`, `scan`.
    pub subject: String,
    /// Whose program: `ferrovox`, `cub`, `warp`, …
    pub system: String,
    /// Where: `cpu`, `cuda:0`, several joined by `+`.
    pub device: String,
    /// What was timed: `extract`, `scan`, `copy`, `download`, `host to host`, a stage.
    pub measure: String,
    /// The system's method.
    pub method: String,
    /// The element type, `u8`, `u32`, `f32`.
    #[serde(rename = "type")]
    pub element: String,
    /// The field that the volume holds.
    pub field: String,
    /// The size in the subject's own notation: `512^3`, `2^28`.
    pub size: String,
    /// How many elements.
    pub elements: u64,
    /// The median of the runs in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<f64>,
    /// The shortest run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_ms: Option<f64>,
    /// The longest run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_ms: Option<f64>,
    /// How many runs, not counting those to warm up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<usize>,
    /// The bytes that must be read and written at least: of a mesh the volume once and the mesh
    /// once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// These bytes by the median, in 10⁹ bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gb_per_s: Option<f64>,
    /// This bandwidth as a fraction of that of a large copy on the same device in the same run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fraction_of_copy: Option<f64>,
    /// Vertices of the mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertices: Option<u64>,
    /// Triangles of the mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triangles: Option<u64>,
    /// Device memory at the same time at most, input and output included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
    /// Device memory beyond input and output at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scratch_bytes: Option<u64>,
    /// Versions, threads, and whatever else a reader must know.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Why there is no figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
}

/// The names of all of a record's fields, in order: the columns of a CSV file.
pub const COLUMNS: [&str; 22] = [
    "subject",
    "system",
    "device",
    "measure",
    "method",
    "type",
    "field",
    "size",
    "elements",
    "median_ms",
    "min_ms",
    "max_ms",
    "runs",
    "bytes",
    "gb_per_s",
    "fraction_of_copy",
    "vertices",
    "triangles",
    "peak_bytes",
    "scratch_bytes",
    "note",
    "absent",
];

impl Record {
    /// With the times, and the bandwidth if the bytes are known.
    pub fn timed(mut self, spread: Spread) -> Self {
        self.median_ms = Some(spread.median_ms);
        self.min_ms = Some(spread.min_ms);
        self.max_ms = Some(spread.max_ms);
        self.runs = Some(spread.runs);
        self.with_bandwidth()
    }

    /// With the bandwidth, if time and bytes are known.
    pub fn with_bandwidth(mut self) -> Self {
        if let (Some(bytes), Some(ms)) = (self.bytes, self.median_ms)
            && ms > 0.0
        {
            self.gb_per_s = Some(bytes as f64 / ms / 1e6);
        }
        self
    }

    /// A record that says why there is no figure.
    pub fn absent(subject: &str, system: &str, reason: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            system: system.into(),
            absent: Some(reason.into()),
            ..Self::default()
        }
    }

    /// As one line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers are JSON")
    }

    /// From a line of JSON.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub fn from_json(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// As the cells of a row under [`COLUMNS`].
    pub fn cells(&self) -> Vec<String> {
        let value = serde_json::to_value(self).expect("strings and numbers are JSON");
        let cell = |column: &&str| match value.get(*column) {
            None => String::new(),
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        COLUMNS.iter().map(cell).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record in which nothing is left out.
    pub fn full() -> Record {
        Record {
            subject: "mesh".into(),
            system: "ferrovox".into(),
            device: "cuda:0".into(),
            measure: "extract".into(),
            method: "fused".into(),
            element: "f32".into(),
            field: "gyroid, 6 periods".into(),
            size: "512^3".into(),
            elements: 1 << 27,
            bytes: Some(500_000_000),
            fraction_of_copy: Some(0.25),
            vertices: Some(7_620_000),
            triangles: Some(15_200_000),
            peak_bytes: Some(1 << 40),
            scratch_bytes: Some(1 << 20),
            note: "a \"note\", with a comma".into(),
            absent: Some("two\nlines".into()),
            ..Record::default()
        }
        .timed(Spread {
            median_ms: 0.1 + 0.2,
            min_ms: 0.125,
            max_ms: 17.0,
            runs: 9,
        })
    }

    #[test]
    fn a_record_that_is_written_is_read_back() {
        for record in [
            full(),
            Record::default(),
            Record::absent("scan", "cub", "no nvcc"),
        ] {
            let line = record.to_json();
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(Record::from_json(&line).unwrap(), record);
        }
    }

    #[test]
    fn the_columns_are_all_fields() {
        let value = serde_json::to_value(full()).unwrap();
        let fields: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(fields.len(), COLUMNS.len());
        for field in fields {
            assert!(COLUMNS.contains(&field.as_str()), "{field}");
        }
    }

    #[test]
    fn a_field_that_nobody_knows_is_an_error() {
        let error = Record::from_json(r#"{"subject":"mesh","mean_ms":3}"#).unwrap_err();
        assert!(error.to_string().contains("mean_ms"), "{error}");
    }

    #[test]
    fn bandwidth_is_bytes_by_the_median() {
        let record = full();
        assert_eq!(record.gb_per_s, Some(500_000_000.0 / (0.1 + 0.2) / 1e6));
        let untimed = Record {
            bytes: Some(5),
            ..Record::default()
        };
        assert_eq!(untimed.with_bandwidth().gb_per_s, None);
    }
}
