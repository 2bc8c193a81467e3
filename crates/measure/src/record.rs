//! Record of one measurement, with its JSON and CSV representation.

use crate::Spread;
use serde::{Deserialize, Serialize};

/// One measurement: its subject, device, time and result. Fields that do not apply are omitted.
///
/// A record is one line of JSON, or one CSV row under [`COLUMNS`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// Subject of the benchmark: `mesh`, `scan`.
    pub subject: String,
    /// System that was measured: `ferrovox`, `cub`, `warp`, …
    pub system: String,
    /// Device: `cpu`, `cuda:0`; several are joined by `+`.
    pub device: String,
    /// Operation that was timed: `extract`, `scan`, `copy`, `download`, `host to host`, or a stage.
    pub measure: String,
    /// Method, by the system's own name.
    pub method: String,
    /// Element type: `u8`, `u32`, `f32`.
    #[serde(rename = "type")]
    pub element: String,
    /// Scalar field in the volume.
    pub field: String,
    /// Size in the notation of the subject: `512^3`, `2^28`.
    pub size: String,
    /// Number of elements.
    pub elements: u64,
    /// Median time per run, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<f64>,
    /// Shortest run, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_ms: Option<f64>,
    /// Longest run, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_ms: Option<f64>,
    /// Number of measured runs, without warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<usize>,
    /// Minimum memory traffic in bytes: input read once plus output written once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Bandwidth in 10⁹ bytes per second: `bytes` divided by the median time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gb_per_s: Option<f64>,
    /// Bandwidth as a fraction of a large copy's on the same device in the same run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fraction_of_copy: Option<f64>,
    /// Number of vertices of the mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertices: Option<u64>,
    /// Number of triangles of the mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triangles: Option<u64>,
    /// Peak device memory in bytes, including input and output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
    /// Peak device memory in bytes, excluding input and output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scratch_bytes: Option<u64>,
    /// Versions, thread counts and other remarks.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Reason why the measurement is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
}

/// Names of all fields, in order; the columns of a CSV file.
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
    /// Adds the times, and the bandwidth if the number of bytes is known.
    pub fn with_times(mut self, spread: Spread) -> Self {
        self.median_ms = Some(spread.median_ms);
        self.min_ms = Some(spread.min_ms);
        self.max_ms = Some(spread.max_ms);
        self.runs = Some(spread.runs);
        self.with_bandwidth()
    }

    /// Computes the bandwidth, if time and bytes are known.
    pub fn with_bandwidth(mut self) -> Self {
        if let (Some(bytes), Some(ms)) = (self.bytes, self.median_ms)
            && ms > 0.0
        {
            self.gb_per_s = Some(bytes as f64 / ms / 1e6);
        }
        self
    }

    /// Creates a record of a missing measurement and its reason.
    pub fn absent(subject: &str, system: &str, reason: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            system: system.into(),
            absent: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Formats the record as one line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers are JSON")
    }

    /// Parses one line of JSON.
    ///
    /// # Errors
    /// The syntax error, or the name of an unknown field.
    pub fn from_json(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// Formats the record as the cells of a CSV row under [`COLUMNS`].
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

    /// Creates a record with all fields set.
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
        .with_times(Spread {
            median_ms: 0.1 + 0.2,
            min_ms: 0.125,
            max_ms: 17.0,
            runs: 9,
        })
    }

    #[test]
    fn records_survive_a_json_round_trip() {
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
    fn columns_cover_all_fields() {
        let value = serde_json::to_value(full()).unwrap();
        let fields: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(fields.len(), COLUMNS.len());
        for field in fields {
            assert!(COLUMNS.contains(&field.as_str()), "{field}");
        }
    }

    #[test]
    fn an_unknown_field_is_an_error() {
        let error = Record::from_json(r#"{"subject":"mesh","mean_ms":3}"#).unwrap_err();
        assert!(error.to_string().contains("mean_ms"), "{error}");
    }

    #[test]
    fn bandwidth_is_bytes_divided_by_the_median() {
        let record = full();
        assert_eq!(record.gb_per_s, Some(500_000_000.0 / (0.1 + 0.2) / 1e6));
        let untimed = Record {
            bytes: Some(5),
            ..Record::default()
        };
        assert_eq!(untimed.with_bandwidth().gb_per_s, None);
    }
}
