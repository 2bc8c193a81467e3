//! What the PTX must look like before any device sees it.

use super::EMBEDDED;
use cuda_builder::lint::{FindingKind, LintReport, lint};

/// The lint's report on each PTX that was built.
fn reports() -> impl Iterator<Item = (&'static str, LintReport)> {
    let built = EMBEDDED.iter().filter(|ptx| !ptx.text.is_empty());
    built.map(|ptx| (ptx.name, lint(ptx.text)))
}

/// Slices and raw pointers are kernel parameters, so their accesses must name global memory; shared and constant arrays name theirs.
#[test]
fn plain_accesses_name_their_memory() {
    // Its spilled variables are on the stack, which PTX addresses generically.
    let on_the_stack = |kernel: &str, what: &str| kernel == "accurate_functions" && is(what, "st");
    for (arch, report) in reports() {
        for kernel in &report.kernels {
            let accesses = kernel.findings.iter().filter(|finding| {
                use FindingKind::{GenericAccess, GenericAccessInLoop};
                matches!(finding.kind, GenericAccess | GenericAccessInLoop)
            });
            for access in accesses {
                assert!(
                    is_atomic(&access.what) || on_the_stack(&kernel.kernel, &access.what),
                    "{arch}, {}: {access}",
                    kernel.kernel
                );
            }
        }
    }
}

/// Whether an opcode is `st`, say, with whatever qualifiers.
fn is(opcode: &str, base: &str) -> bool {
    opcode.split('.').next() == Some(base)
}

/// The published atomics take any pointer, so theirs are generic instructions; they name their memory order.
fn is_atomic(opcode: &str) -> bool {
    let orders = ["relaxed", "acquire", "release", "acq_rel"];
    opcode.split('.').any(|part| orders.contains(&part))
}

/// A compiler that copies a barrier into both arms of a branch (rust-lang/rust#137086) lets threads of one warp wait at
/// different instructions, which `bar.sync` forbids.
#[test]
fn every_barrier_is_there_once() {
    let of_the_source = [
        ("block_sum", 2),
        ("count_even", 3),
        ("float_sums", 2),
        ("histogram_by_blocks", 2),
        ("ranks", 1),
        ("reverse_blocks", 1),
        ("scan_blocks", 2),
        ("smooth_blocks", 1),
        ("sum_in_one_launch", 1),
        ("transpose", 1),
    ];
    for (arch, report) in reports() {
        let in_ptx: Vec<(&str, usize)> = report
            .kernels
            .iter()
            .filter(|kernel| kernel.barriers > 0)
            .map(|kernel| (kernel.kernel.as_str(), kernel.barriers))
            .collect();
        assert_eq!(in_ptx, of_the_source, "{arch}");
    }
}

#[test]
fn products_and_sums_stay_apart() {
    for ptx in EMBEDDED.iter().filter(|ptx| !ptx.text.is_empty()) {
        let body = |kernel: &str| {
            let start = ptx.text.find(&format!(".entry {kernel}("));
            let text = &ptx.text[start.unwrap_or_else(|| panic!("{}: no {kernel}", ptx.name))..];
            text.split("\n}").next().unwrap_or(text)
        };
        let saxpy = body("saxpy");
        assert!(
            saxpy.contains("mul.rn.f32") && !saxpy.contains("fma"),
            "{}: {saxpy}",
            ptx.name
        );
        // Where a kernel asks for one, it is one.
        assert!(body("exact_functions").contains("fma.rn.f32"));
    }
}
