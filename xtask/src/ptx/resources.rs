//! `resources.json`: what each kernel takes of a GPU, for the occupancy calculator on machines that
//! have none.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cuda_builder::lint::{FindingKind, LintReport};
use cuda_builder::{NvvmArch, Ptxas, ResourceTable};
use serde::{Deserialize, Serialize};

/// The file's name.
pub const FILE: &str = "resources.json";

/// The file's content.
#[derive(Default, Serialize, Deserialize)]
pub struct Recorded {
    /// Which assembler the figures are from.
    ptxas: String,
    /// By architecture (`sm_70`), then by kernel.
    arches: BTreeMap<String, ResourceTable>,
    /// Machine code, by architecture.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    machine_code: BTreeMap<String, MachineCode>,
}

/// A file with machine code.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineCode {
    /// The architecture of the PTX that it was assembled from.
    pub from: String,
    /// The hash of that, decompressed.
    pub sha256: String,
    /// Bytes, and how many they are when compressed.
    pub bytes: u64,
    pub compressed_bytes: u64,
}

impl Recorded {
    /// Reads the file; an absent one is empty.
    pub fn read(path: &Path) -> Result<Self> {
        if !path.is_file() {
            return Ok(Recorded::default());
        }
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| {
            format!(
                "{} is damaged; delete it and run `cargo xtask ptx`",
                path.display()
            )
        })
    }

    /// The assembler's version.
    pub fn ptxas(&self) -> &str {
        &self.ptxas
    }

    /// What is recorded of an architecture's kernels.
    pub fn figures(&self, arch: NvvmArch) -> Option<&ResourceTable> {
        self.arches.get(&arch.sm())
    }

    /// Replaces one architecture's figures.
    pub fn set(&mut self, arch: NvvmArch, ptxas: &Ptxas, kernels: ResourceTable) {
        self.ptxas.clone_from(&ptxas.version);
        self.arches.insert(arch.sm(), kernels);
    }

    /// Replaces one architecture's machine code.
    pub fn set_machine_code(&mut self, arch: NvvmArch, code: MachineCode) {
        self.machine_code.insert(arch.sm(), code);
    }

    /// What is recorded of an architecture's machine code.
    pub fn machine_code(&self, arch: NvvmArch) -> Option<&MachineCode> {
        self.machine_code.get(&arch.sm())
    }

    /// Writes the file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// A table of figures and lint counts, one line per kernel.
pub fn table(kernels: &ResourceTable, lint: &LintReport) -> String {
    let width = kernels
        .keys()
        .map(String::len)
        .max()
        .unwrap_or(0)
        .max("kernel".len());
    let mut out = format!(
        "  {:width$}  registers  shared B  stack B  spill B  barriers  generic  in loops  depot  panics\n",
        "kernel"
    );
    if kernels.is_empty() {
        out.push_str("  (no kernels)\n");
    }
    for (name, figures) in kernels {
        let found = lint.kernel(name);
        let count = |kind| found.map_or(0, |found| found.count(kind));
        let looped = count(FindingKind::GenericAccessInLoop);
        let _ = writeln!(
            out,
            "  {name:width$}  {:9}  {:8}  {:7}  {:7}  {:8}  {:7}  {looped:8}  {:5}  {:6}",
            figures.registers,
            figures.static_shared_bytes,
            figures.stack_bytes,
            figures.spill_bytes(),
            found.map_or(0, |found| found.barriers),
            count(FindingKind::GenericAccess) + looped,
            count(FindingKind::LocalDepot),
            count(FindingKind::PanicCall) + count(FindingKind::Trap),
        );
    }
    out
}
