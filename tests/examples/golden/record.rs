//! What the cases gave.

use anyhow::{Context, Result};
use ferrovox::device::Device;
use ferrovox_tests::golden::{Bits, Hashes, of_file};
use std::{collections::BTreeSet, fs, path::Path, time::Instant};

/// Collects the hashes of one device's cases.
pub struct Record {
    device: String,
    kind: String,
    case: String,
    start: Instant,
    done: Done,
}

/// What was collected.
pub struct Done {
    /// The hashes, by case and output.
    pub hashes: Hashes,
    /// Cases that ran, as they are called in the file.
    pub ran: BTreeSet<String>,
    /// Cases that failed, and why; outputs that differ between devices.
    pub failures: Vec<String>,
}

/// The kind of a device: those of one kind give the same bits in everything.
pub fn kind_of(device: &Device) -> String {
    match device.limits().capability {
        Some(capability) => format!("cuda-{}.{}", capability.major, capability.minor),
        None => "cpu".to_owned(),
    }
}

impl Record {
    /// For cases on `device`, beside those of other devices.
    pub fn new(device: &Device, hashes: Hashes) -> Self {
        Self {
            device: device.id(),
            kind: kind_of(device),
            case: String::new(),
            start: Instant::now(),
            done: Done {
                hashes,
                ran: BTreeSet::new(),
                failures: Vec::new(),
            },
        }
    }

    /// The device's name on a command line.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// What follows is of this case; with `by_kind` its outputs are compared with those of this
    /// kind of device only.
    pub fn begin(&mut self, case: &str, by_kind: bool) {
        self.case = if by_kind {
            format!("{case}@{}", self.kind)
        } else {
            case.to_owned()
        };
        self.start = Instant::now();
        self.done.ran.insert(self.case.clone());
    }

    /// Says how long the case took, and why it failed if it did.
    pub fn end(&mut self, outcome: Result<()>) {
        let seconds = self.start.elapsed().as_secs_f64();
        eprintln!("{:<36} {:<8} {seconds:6.2} s", self.case, self.device);
        if let Err(error) = outcome {
            self.fail(format!("{error:#}"));
        }
    }

    fn fail(&mut self, what: String) {
        let (case, device) = (&self.case, &self.device);
        self.done
            .failures
            .push(format!("{case} on {device}: {what}"));
    }

    /// Adds the hash of an output.
    pub fn hash(&mut self, output: &str, hash: String) {
        if let Some(other) = self.done.hashes.get(&self.case, output)
            && other != hash
        {
            self.fail(format!("{output} is not the same as on the device before"));
            return;
        }
        self.done.hashes.insert(&self.case, output, hash);
    }

    /// Adds the hash of what `add` adds.
    pub fn bits(&mut self, output: &str, add: impl FnOnce(&mut Bits)) {
        let mut bits = Bits::default();
        add(&mut bits);
        self.hash(output, bits.finish());
    }

    /// Adds every file of a folder, and of the folders in it.
    pub fn files(&mut self, folder: &Path) -> Result<()> {
        self.files_in(folder, "")
    }

    fn files_in(&mut self, folder: &Path, prefix: &str) -> Result<()> {
        let entries =
            fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.files_in(&entry.path(), &format!("{name}/"))?;
                continue;
            }
            let hash = of_file(&entry.path()).with_context(|| format!("cannot hash {name}"))?;
            self.hash(&name, hash);
        }
        Ok(())
    }

    /// All of it.
    pub fn finish(self) -> Done {
        self.done
    }
}
