//! Report of one run of a benchmark.

use crate::{COLUMNS, Common, Record, date::utc_label, host::Host, table};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Failure to write the files of a report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The label contains characters other than letters, digits, `-`, `_` and `.`.
    #[error("invalid label {0:?}; use only letters, digits, - _ and .")]
    Label(String),
    /// The operating system reported an error.
    #[error("cannot write {}: {error}", .path.display())]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
}

/// Records of one run; each is printed when it is added, and all are written at the end.
pub struct Report {
    subject: &'static str,
    started: SystemTime,
    json: bool,
    out_dir: Option<PathBuf>,
    label: Option<String>,
    /// Bandwidth of a large copy on each device, in 10⁹ bytes per second.
    copies: BTreeMap<String, f64>,
    records: Vec<Record>,
}

/// Contents of the JSON file.
#[derive(Serialize)]
struct File<'a> {
    subject: &'a str,
    started_utc: String,
    arguments: Vec<String>,
    host: Host,
    records: &'a [Record],
}

impl Report {
    /// Creates a report without records.
    pub fn new(subject: &'static str, common: &Common) -> Self {
        Self {
            subject,
            started: SystemTime::now(),
            json: common.json,
            out_dir: common.out_dir.clone(),
            label: common.label.clone(),
            copies: BTreeMap::new(),
            records: Vec::new(),
        }
    }

    /// Adds the record of a large copy, the reference for other records of the same device.
    pub fn add_copy(&mut self, record: Record) {
        if let Some(bandwidth) = record.gb_per_s {
            self.copies.insert(record.device.clone(), bandwidth);
        }
        self.add(record);
    }

    /// Adds a record and prints it. Sets its fraction of the copy bandwidth, if both bandwidths are
    /// known.
    pub fn add(&mut self, mut record: Record) {
        record.subject = self.subject.to_owned();
        if let (Some(bandwidth), Some(copy)) = (record.gb_per_s, self.copies.get(&record.device)) {
            record.fraction_of_copy = Some(bandwidth / copy);
        }
        if self.records.is_empty() {
            self.print(&table::header());
        }
        self.print(&table::line(&record));
        if self.json {
            println!("{}", record.to_json());
        }
        self.records.push(record);
    }

    /// Returns all records added so far.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Prints text on standard output, or on standard error if the records go to standard output as
    /// JSON.
    pub fn print(&self, text: &str) {
        if self.json {
            eprintln!("{text}");
        } else {
            println!("{text}");
        }
    }

    /// Writes `SUBJECT-LABEL.csv` and `SUBJECT-LABEL.json` if an output directory was given, and
    /// returns their paths. Each file is replaced atomically.
    ///
    /// # Errors
    /// [`ReportError`] if the label is invalid or a file cannot be written.
    pub fn finish(&self) -> Result<Vec<PathBuf>, ReportError> {
        let Some(directory) = &self.out_dir else {
            return Ok(Vec::new());
        };
        let started = utc_label(self.started);
        let label = self.label.as_deref().unwrap_or(&started);
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if label.is_empty() || !label.chars().all(plain) {
            return Err(ReportError::Label(label.to_owned()));
        }
        let file = File {
            subject: self.subject,
            started_utc: started.clone(),
            arguments: std::env::args().skip(1).collect(),
            host: Host::current(),
            records: &self.records,
        };
        let json = serde_json::to_string_pretty(&file).expect("strings and numbers are JSON");
        let table = to_csv(&self.records);
        let mut paths = Vec::new();
        for (extension, text) in [("csv", table), ("json", json + "\n")] {
            let path = directory.join(format!("{}-{label}.{extension}", self.subject));
            write_atomically(directory, &path, &text).map_err(|error| ReportError::Write {
                path: path.clone(),
                error,
            })?;
            self.print(&format!("written: {}", path.display()));
            paths.push(path);
        }
        Ok(paths)
    }
}

/// Formats the records as CSV, with a header row.
fn to_csv(records: &[Record]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.write_record(COLUMNS).and_then(|()| {
        records
            .iter()
            .try_for_each(|record| writer.write_record(record.cells()))
    });
    written.expect("all rows have the same number of cells");
    let bytes = writer
        .into_inner()
        .expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("cells are text")
}

/// Writes a temporary file in the same directory and renames it, so that the previous file is
/// replaced atomically.
fn write_atomically(directory: &Path, path: &Path, text: &str) -> io::Result<()> {
    std::fs::create_dir_all(directory)?;
    let mut file = new_file(directory)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Creates a temporary file that other users can read, subject to the umask.
fn new_file(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::full;

    fn report(directory: &Path, label: &str) -> Report {
        let common = Common {
            out_dir: Some(directory.to_owned()),
            label: Some(label.to_owned()),
            ..Common::default()
        };
        Report::new("mesh", &common)
    }

    #[test]
    fn bandwidth_is_compared_with_the_copy_of_the_same_device() {
        let folder = tempfile::tempdir().unwrap();
        let mut report = report(folder.path(), "a");
        let record = |device: &str, gb_per_s| Record {
            device: device.into(),
            gb_per_s: Some(gb_per_s),
            ..Record::default()
        };
        report.add_copy(record("cuda:0", 4000.0));
        report.add_copy(record("cpu", 10.0));
        report.add(record("cuda:0", 3000.0));
        report.add(record("cpu", 3.0));
        report.add(record("cuda:1", 3000.0));
        let fractions: Vec<_> = report
            .records()
            .iter()
            .map(|r| r.fraction_of_copy)
            .collect();
        assert_eq!(
            fractions,
            [Some(1.0), Some(1.0), Some(0.75), Some(0.3), None]
        );
    }

    #[test]
    fn files_hold_the_records() {
        let folder = tempfile::tempdir().unwrap();
        let mut report = report(folder.path(), "run-1");
        report.add(full());
        report.add(Record::absent("mesh", "warp", "no module"));
        let paths = report.finish().unwrap();
        let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap()).collect();
        assert_eq!(names, ["mesh-run-1.csv", "mesh-run-1.json"]);
        let json = std::fs::read_to_string(&paths[1]).unwrap();
        let file: serde_json::Value = serde_json::from_str(&json).unwrap();
        let records: Vec<Record> = serde_json::from_value(file["records"].clone()).unwrap();
        assert_eq!(records, report.records());
        let csv = std::fs::read_to_string(&paths[0]).unwrap();
        assert!(csv.starts_with("subject,system,device,"), "{csv}");
        assert!(csv.ends_with(",no module\n"), "{csv}");
    }

    #[test]
    fn a_label_cannot_contain_a_path() {
        let folder = tempfile::tempdir().unwrap();
        for label in ["../up", "a/b", ""] {
            let error = report(folder.path(), label).finish().unwrap_err();
            assert!(matches!(error, ReportError::Label(_)), "{error}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_error_names_the_file_that_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "kept").unwrap();
        let error = report(&file, "a").finish().unwrap_err();
        assert!(error.to_string().contains("mesh-a.csv"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
    }
}
