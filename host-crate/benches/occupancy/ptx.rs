//! A kernel's PTX in figures: what its instructions are.

use ferrovox::{device::shipped_ptx, occupancy::ComputeCapability};

/// The architectures that ship, oldest first.
const SHIPPED: [(ComputeCapability, &str); 2] = [
    (ComputeCapability::new(7, 0), "sm_70"),
    (ComputeCapability::new(9, 0), "sm_90"),
];

/// Kinds of instructions, and how they begin.
const KINDS: [(&str, &[&str]); 9] = [
    (
        "reads of global memory",
        &["ld.global", "ldu.global", "cp.async"],
    ),
    ("writes to global memory", &["st.global"]),
    ("shared memory", &["ld.shared", "st.shared"]),
    ("stack", &["ld.local", "st.local"]),
    ("atomics", &["atom.", "red."]),
    ("barriers", &["bar.", "barrier."]),
    ("within a warp", &["shfl.", "vote.", "match.", "redux."]),
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

/// How many instructions a kernel has, and of which kinds; nothing for a kernel that does not ship.
pub fn figures(kernel: &str, capability: ComputeCapability) -> Vec<(&'static str, usize)> {
    let runs = |(shipped, _): &&(ComputeCapability, &str)| *shipped <= capability;
    let (_, arch) = SHIPPED.iter().rev().find(runs).unwrap_or(&SHIPPED[0]);
    let ptx = shipped_ptx(arch).expect("the library's own file");
    let Some(start) = ptx.find(&format!(".entry {kernel}(")) else {
        return Vec::new();
    };
    let body = &ptx[start..];
    let body = &body[..body.find("\n}").unwrap_or(body.len())];
    of_text(body)
}

/// The same of the text of one kernel.
pub fn of_text(body: &str) -> Vec<(&'static str, usize)> {
    let instructions: Vec<&str> = body
        .lines()
        .map(str::trim)
        .filter(|line| line.ends_with(';') && !line.starts_with(['.', '/']))
        // a predicate before it
        .map(|line| {
            line.strip_prefix('@')
                .and_then(|rest| rest.split_once(' '))
                .map_or(line, |(_, rest)| rest.trim())
        })
        .collect();
    let count = |starts: &[&str]| {
        let is = |line: &&&str| starts.iter().any(|start| line.starts_with(start));
        instructions.iter().filter(is).count()
    };
    let kinds = KINDS.iter().map(|(name, starts)| (*name, count(starts)));
    [("instructions", instructions.len())]
        .into_iter()
        .chain(kinds)
        .collect()
}
