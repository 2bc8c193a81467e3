//! Instruction counts from the PTX of a kernel.

use ferrovox::{device::shipped_ptx, occupancy::ComputeCapability};

/// Architectures with shipped PTX, oldest first.
const SHIPPED: [(ComputeCapability, &str); 2] = [
    (ComputeCapability::new(7, 0), "sm_70"),
    (ComputeCapability::new(9, 0), "sm_90"),
];

/// Instruction categories and the prefixes of their mnemonics.
const KINDS: [(&str, &[&str]); 9] = [
    ("global loads", &["ld.global", "ldu.global", "cp.async"]),
    ("global stores", &["st.global"]),
    ("shared memory", &["ld.shared", "st.shared"]),
    ("stack", &["ld.local", "st.local"]),
    ("atomics", &["atom.", "red."]),
    ("barriers", &["bar.", "barrier."]),
    ("warp-level", &["shfl.", "vote.", "match.", "redux."]),
    ("branches", &["bra", "brx"]),
    (
        "f64",
        &[
            "add.f64",
            "add.rn.f64",
            "sub.f64",
            "sub.rn.f64",
            "mul.f64",
            "mul.rn.f64",
            "fma.rn.f64",
            "div.rn.f64",
            "sqrt.rn.f64",
        ],
    ),
];

/// Counts the instructions of a kernel by category; returns an empty list for a kernel without
/// shipped PTX.
pub fn instruction_counts(
    kernel: &str,
    capability: ComputeCapability,
) -> Vec<(&'static str, usize)> {
    let is_compatible = |(shipped, _): &&(ComputeCapability, &str)| *shipped <= capability;
    let (_, arch) = SHIPPED
        .iter()
        .rev()
        .find(is_compatible)
        .unwrap_or(&SHIPPED[0]);
    let ptx = shipped_ptx(arch).expect("the library's PTX is readable");
    let Some(start) = ptx.find(&format!(".entry {kernel}(")) else {
        return Vec::new();
    };
    let body = &ptx[start..];
    let body = &body[..body.find("\n}").unwrap_or(body.len())];
    count_instructions(body)
}

/// Counts the instructions in the PTX body of one kernel.
pub fn count_instructions(body: &str) -> Vec<(&'static str, usize)> {
    let instructions: Vec<&str> = body
        .lines()
        .map(str::trim)
        .filter(|line| line.ends_with(';') && !line.starts_with(['.', '/']))
        // strip a predicate
        .map(|line| {
            line.strip_prefix('@')
                .and_then(|rest| rest.split_once(' '))
                .map_or(line, |(_, rest)| rest.trim())
        })
        .collect();
    let count = |starts: &[&str]| {
        let matches = |line: &&&str| starts.iter().any(|start| line.starts_with(start));
        instructions.iter().filter(matches).count()
    };
    let kinds = KINDS.iter().map(|(name, starts)| (*name, count(starts)));
    [("instructions", instructions.len())]
        .into_iter()
        .chain(kinds)
        .collect()
}
