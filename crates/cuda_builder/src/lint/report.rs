//! Results of the lint.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::rules::{FindingKind, LintRules};

/// Number of kernels named in a message.
const SHOWN_KERNELS: usize = 3;

/// A finding, with all its occurrences on one source line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// Kind of the finding.
    pub kind: FindingKind,
    /// Instruction, called function, or size.
    pub what: String,
    /// Number of instructions.
    pub count: usize,
    /// Source line such as `src/scan.rs:40`, if the compiler recorded it.
    pub source: Option<String>,
    /// Function that contains the finding, if it is not the kernel itself.
    pub function: Option<String>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.what)?;
        if self.count > 1 {
            write!(f, " ({} times)", self.count)?;
        }
        if let Some(source) = &self.source {
            write!(f, " at {source}")?;
        }
        if let Some(function) = &self.function {
            write!(f, " in the called function {function}")?;
        }
        Ok(())
    }
}

/// Findings in one kernel and the functions that it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelLint {
    /// Entry point of the kernel.
    pub kernel: String,
    /// Number of barrier instructions for the block in the text, including named barriers.
    pub barriers: usize,
    /// Findings, sorted by kind.
    pub findings: Vec<Finding>,
}

impl KernelLint {
    /// Returns the number of instructions with a finding of this kind.
    pub fn count(&self, kind: FindingKind) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.kind == kind)
            .map(|finding| finding.count)
            .sum()
    }
}

/// Findings in one PTX file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LintReport {
    /// Results for all kernels, in the order of the file, including those without findings.
    pub kernels: Vec<KernelLint>,
}

impl LintReport {
    /// Returns the results for a kernel.
    pub fn kernel(&self, name: &str) -> Option<&KernelLint> {
        self.kernels.iter().find(|kernel| kernel.kernel == name)
    }

    /// Returns one line per finding that `rules` denies, with its kernels and the remedy; empty if
    /// there are no errors. A finding in a function shared by several kernels results in a single
    /// line.
    pub fn errors(&self, rules: &LintRules) -> Vec<String> {
        let mut grouped: BTreeMap<&Finding, Vec<&str>> = BTreeMap::new();
        for kernel in &self.kernels {
            let denied = kernel
                .findings
                .iter()
                .filter(|finding| rules.denies(&kernel.kernel, finding.kind));
            denied.for_each(|finding| grouped.entry(finding).or_default().push(&kernel.kernel));
        }
        let line = |(finding, kernels): (&Finding, Vec<&str>)| {
            let names = kernels
                .iter()
                .take(SHOWN_KERNELS)
                .copied()
                .collect::<Vec<_>>()
                .join(", ");
            let more = kernels.len().saturating_sub(SHOWN_KERNELS);
            let kernels = match (kernels.len(), more) {
                (1, _) => format!("kernel {names}"),
                (_, 0) => format!("kernels {names}"),
                _ => format!("kernels {names} and {more} more"),
            };
            format!("{kernels}: {finding}. Remedy: {}", finding.kind.remedy())
        };
        grouped.into_iter().map(line).collect()
    }
}

impl fmt::Display for LintReport {
    /// Formats a table with one line per kernel, followed by its findings.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self
            .kernels
            .iter()
            .map(|kernel| kernel.kernel.len())
            .max()
            .unwrap_or(0)
            .max("kernel".len());
        writeln!(
            f,
            "{:width$}  barriers  generic  in loops  depot  panics",
            "kernel"
        )?;
        for kernel in &self.kernels {
            use FindingKind::{GenericAccess, GenericAccessInLoop, LocalDepot, PanicCall, Trap};
            let looped = kernel.count(GenericAccessInLoop);
            let generic = kernel.count(GenericAccess) + looped;
            let panics = kernel.count(PanicCall) + kernel.count(Trap);
            let depot = kernel.count(LocalDepot);
            writeln!(
                f,
                "{:width$}  {:8}  {generic:7}  {looped:8}  {depot:5}  {panics:6}",
                kernel.kernel, kernel.barriers
            )?;
            for finding in &kernel.findings {
                writeln!(f, "{:width$}    {finding}", "")?;
            }
        }
        Ok(())
    }
}
