//! Detection of findings in PTX.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{Finding, KernelLint, LintReport};
use super::rules::FindingKind;
use crate::ir::HEAP;
use crate::ptx::{Instruction, PtxFunction, PtxModule};

/// State spaces of memory instructions; without one, the access is generic and the GPU determines
/// the space at run time.
const SPACES: [&str; 5] = ["global", "shared", "const", "param", "local"];

/// Lints PTX text. Findings have source lines if the text has line directives.
///
/// ```
/// let ptx = ".visible .entry k()\n{\n\tld.b32 %r1, [%rd1];\n\tret;\n}\n";
/// let report = cuda_builder::lint::lint(ptx);
/// assert_eq!(report.kernels[0].count(cuda_builder::lint::FindingKind::GenericAccess), 1);
/// ```
pub fn lint(ptx: &str) -> LintReport {
    let module = PtxModule::parse(ptx);
    LintReport {
        kernels: module
            .entries()
            .map(|entry| lint_kernel(&module, entry))
            .collect(),
    }
}

fn lint_kernel(module: &PtxModule, entry: &PtxFunction) -> KernelLint {
    let mut kernel = KernelLint {
        kernel: entry.name.clone(),
        ..KernelLint::default()
    };
    for function in reachable(module, entry) {
        let caller = (function.name != entry.name).then(|| function.name.clone());
        kernel.barriers += function
            .instructions
            .iter()
            .filter(|instruction| is_barrier(instruction))
            .count();
        let mut counts: BTreeMap<(FindingKind, String, Option<String>), usize> = BTreeMap::new();
        let in_loop = function.in_loop();
        for (instruction, &looped) in function.instructions.iter().zip(&in_loop) {
            let found = if is_generic_access(instruction) {
                let kind = if looped {
                    FindingKind::GenericAccessInLoop
                } else {
                    FindingKind::GenericAccess
                };
                Some((kind, instruction.opcode.clone()))
            } else if instruction.opcode == "trap" {
                Some((FindingKind::Trap, "trap".to_owned()))
            } else if instruction.base() == "atom" && instruction.operands.contains(HEAP) {
                Some((FindingKind::Allocation, HEAP.to_owned()))
            } else {
                None
            };
            if let Some((kind, what)) = found {
                *counts
                    .entry((kind, what, source_text(instruction)))
                    .or_default() += 1;
            }
        }
        for (instruction, callee) in function
            .callees()
            .filter(|(_, callee)| callee.contains("panic"))
        {
            *counts
                .entry((
                    FindingKind::PanicCall,
                    callee.to_owned(),
                    source_text(instruction),
                ))
                .or_default() += 1;
        }
        if function.local_depot > 0 {
            // the stack frame has no line of its own; report the first access to it
            let access = function
                .instructions
                .iter()
                .find(|instruction| instruction.has("local"));
            let what = format!("{} bytes of stack", function.local_depot);
            counts.insert(
                (FindingKind::LocalDepot, what, access.and_then(source_text)),
                1,
            );
        }
        let findings = counts
            .into_iter()
            .map(|((kind, what, source), count)| Finding {
                kind,
                what,
                count,
                source,
                function: caller.clone(),
            });
        kernel.findings.extend(findings);
    }
    kernel.findings.sort();
    kernel
}

fn source_text(instruction: &Instruction) -> Option<String> {
    instruction.user_source().map(ToString::to_string)
}

/// Returns the kernel and every function that it calls, directly or indirectly. Panic functions are
/// not included: their call is the finding.
fn reachable<'a>(module: &'a PtxModule, entry: &'a PtxFunction) -> Vec<&'a PtxFunction> {
    let mut seen = BTreeSet::from([entry.name.as_str()]);
    let mut found = vec![entry];
    let mut next = 0;
    while next < found.len() {
        for (_, callee) in found[next].callees() {
            if !callee.contains("panic") && seen.insert(callee) {
                found.extend(module.function(callee));
            }
        }
        next += 1;
    }
    found
}

fn is_barrier(instruction: &Instruction) -> bool {
    // `bar.warp.sync` is for a warp, `barrier.cluster.arrive` for a cluster, not for the block
    matches!(instruction.base(), "bar" | "barrier")
        && !instruction.has("warp")
        && !instruction.has("cluster")
        && ["sync", "red", "arrive"]
            .iter()
            .any(|what| instruction.has(what))
}

fn is_generic_access(instruction: &Instruction) -> bool {
    let accesses = matches!(instruction.base(), "ld" | "st" | "atom" | "red");
    accesses
        && !instruction
            .opcode
            .split(['.', ':'])
            .any(|part| SPACES.contains(&part))
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
