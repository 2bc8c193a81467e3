//! The lint's result.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::rules::{FindingKind, LintRules};

/// How many kernels a message names.
const SHOWN_KERNELS: usize = 3;

/// One thing found, as often as it occurs on one source line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// The instruction, the function called, or the size.
    pub what: String,
    /// How many instructions.
    pub count: usize,
    /// `src/scan.rs:40`, where the compiler recorded it.
    pub source: Option<String>,
    /// The function it stands in, when that is not the kernel itself.
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
            write!(f, " in {function}, which it calls")?;
        }
        Ok(())
    }
}

/// What was found in one kernel and the functions it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelLint {
    /// The entry point.
    pub kernel: String,
    /// Waits and arrivals at the block's barriers, the named ones too, counted in the text.
    pub barriers: usize,
    /// Sorted by kind.
    pub findings: Vec<Finding>,
}

impl KernelLint {
    /// Instructions with a finding of this kind.
    pub fn count(&self, kind: FindingKind) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.kind == kind)
            .map(|finding| finding.count)
            .sum()
    }
}

/// What was found in one PTX file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LintReport {
    /// One entry per kernel, also for those without findings, in the file's order.
    pub kernels: Vec<KernelLint>,
}

impl LintReport {
    /// Kernel by name.
    pub fn kernel(&self, name: &str) -> Option<&KernelLint> {
        self.kernels.iter().find(|kernel| kernel.kernel == name)
    }

    /// One line per finding that `rules` makes an error, with the kernels it is in and what to do;
    /// empty when the file is clean. Code that many kernels share gives one line, not one for each.
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
            format!("{kernels}: {finding}. To do: {}", finding.kind.advice())
        };
        grouped.into_iter().map(line).collect()
    }
}

impl fmt::Display for LintReport {
    /// A table: one line per kernel, then its findings.
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
