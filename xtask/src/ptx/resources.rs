//! `resources.json`: the resource usage of each kernel, for the occupancy calculator on machines
//! without a GPU.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cuda_builder::lint::{FindingKind, LintReport};
use cuda_builder::{NvvmArch, Ptxas, ResourceTable};
use serde::{Deserialize, Serialize};

/// File name.
pub const FILE: &str = "resources.json";

/// Contents of the file.
#[derive(Default, Serialize, Deserialize)]
pub struct ResourceRecord {
    /// Version of the assembler that produced the values.
    ptxas: String,
    /// Resource usage by architecture (`sm_70`) and kernel.
    arches: BTreeMap<String, ResourceTable>,
    /// Machine code files, by architecture.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    machine_code: BTreeMap<String, MachineCode>,
}

/// Description of a machine code file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineCode {
    /// Architecture of the PTX from which it was assembled.
    pub from: String,
    /// SHA-256 hash of that PTX, decompressed.
    pub sha256: String,
    /// Uncompressed and compressed size, in bytes.
    pub bytes: u64,
    pub compressed_bytes: u64,
}

impl ResourceRecord {
    /// Reads the file; a missing file is empty.
    pub fn read(path: &Path) -> Result<Self> {
        if !path.is_file() {
            return Ok(ResourceRecord::default());
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

    /// Returns the version of the assembler.
    pub fn ptxas(&self) -> &str {
        &self.ptxas
    }

    /// Returns the resource usage of an architecture's kernels.
    pub fn figures(&self, arch: NvvmArch) -> Option<&ResourceTable> {
        self.arches.get(&arch.sm())
    }

    /// Replaces the resource usage of one architecture.
    pub fn set(&mut self, arch: NvvmArch, ptxas: &Ptxas, kernels: ResourceTable) {
        self.ptxas.clone_from(&ptxas.version);
        self.arches.insert(arch.sm(), kernels);
    }

    /// Replaces the machine code of one architecture.
    pub fn set_machine_code(&mut self, arch: NvvmArch, code: MachineCode) {
        self.machine_code.insert(arch.sm(), code);
    }

    /// Removes the machine code of all other architectures.
    pub fn keep_machine_code(&mut self, archs: &[NvvmArch]) {
        self.machine_code
            .retain(|name, _| archs.iter().any(|arch| arch.sm() == *name));
    }

    /// Returns the description of an architecture's machine code.
    pub fn machine_code(&self, arch: NvvmArch) -> Option<&MachineCode> {
        self.machine_code.get(&arch.sm())
    }

    /// Writes the file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Formats resource usage and lint findings as a table, with one line per kernel.
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
