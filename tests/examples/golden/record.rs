//! Collects the hashes of the outputs of the cases.

use anyhow::{Context, Result};
use ferrovox::device::Device;
use ferrovox_tests::golden::{BitHash, Hashes, hash_file};
use std::{collections::BTreeSet, fs, path::Path, time::Instant};

/// The hashes of the cases on one device.
pub struct Record {
    device: String,
    device_type: String,
    case: String,
    start: Instant,
    outcome: Outcome,
}

/// The result of all cases.
pub struct Outcome {
    /// The hashes by case and output.
    pub hashes: Hashes,
    /// Keys of the cases that ran.
    pub ran: BTreeSet<String>,
    /// Failed cases with their errors, and outputs that differ between devices.
    pub failures: Vec<String>,
}

/// The type of a device: `cpu`, or the compute capability of a GPU. Devices of one type compute
/// identical bits.
pub fn device_type(device: &Device) -> String {
    match device.limits().capability {
        Some(capability) => format!("cuda-{}.{}", capability.major, capability.minor),
        None => "cpu".to_owned(),
    }
}

impl Record {
    /// Starts recording cases on `device`; `hashes` holds those of earlier devices.
    pub fn new(device: &Device, hashes: Hashes) -> Self {
        Self {
            device: device.id(),
            device_type: device_type(device),
            case: String::new(),
            start: Instant::now(),
            outcome: Outcome {
                hashes,
                ran: BTreeSet::new(),
                failures: Vec::new(),
            },
        }
    }

    /// The device ID, as given on a command line.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Starts a case. With `by_kind`, its outputs are compared only with those of devices of the
    /// same type.
    pub fn begin(&mut self, case: &str, by_kind: bool) {
        self.case = if by_kind {
            format!("{case}@{}", self.device_type)
        } else {
            case.to_owned()
        };
        self.start = Instant::now();
        self.outcome.ran.insert(self.case.clone());
    }

    /// Prints the time of the case, and records the failure if `result` is an error.
    pub fn end(&mut self, result: Result<()>) {
        let seconds = self.start.elapsed().as_secs_f64();
        eprintln!("{:<36} {:<8} {seconds:6.2} s", self.case, self.device);
        if let Err(error) = result {
            self.fail(format!("{error:#}"));
        }
    }

    fn fail(&mut self, reason: String) {
        let (case, device) = (&self.case, &self.device);
        self.outcome
            .failures
            .push(format!("{case} on {device}: {reason}"));
    }

    /// Adds the hash of an output.
    pub fn hash(&mut self, output: &str, hash: String) {
        if let Some(other) = self.outcome.hashes.get(&self.case, output)
            && other != hash
        {
            self.fail(format!(
                "{output} differs from the output on an earlier device"
            ));
            return;
        }
        self.outcome.hashes.insert(&self.case, output, hash);
    }

    /// Adds the hash of the bits that `add` appends.
    pub fn hash_bits(&mut self, output: &str, add: impl FnOnce(&mut BitHash)) {
        let mut bits = BitHash::default();
        add(&mut bits);
        self.hash(output, bits.finish());
    }

    /// Adds the hashes of all files of a folder, recursively.
    pub fn hash_files(&mut self, folder: &Path) -> Result<()> {
        self.hash_files_below(folder, "")
    }

    fn hash_files_below(&mut self, folder: &Path, prefix: &str) -> Result<()> {
        let entries =
            fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.hash_files_below(&entry.path(), &format!("{name}/"))?;
                continue;
            }
            let hash = hash_file(&entry.path()).with_context(|| format!("cannot hash {name}"))?;
            self.hash(&name, hash);
        }
        Ok(())
    }

    /// Returns the result.
    pub fn finish(self) -> Outcome {
        self.outcome
    }
}
