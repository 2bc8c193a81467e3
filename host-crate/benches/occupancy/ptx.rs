//! A kernel's PTX in figures: what its instructions are.

use ferrovox::occupancy::ComputeCapability;
use std::io::Read;

/// The PTX that ships, by capability, oldest first, compressed.
const SHIPPED: [(ComputeCapability, &[u8]); 2] = [
    (
        ComputeCapability::new(7, 0),
        include_bytes!("../../ptx/ferrovox_sm_70.ptx.zst"),
    ),
    (
        ComputeCapability::new(9, 0),
        include_bytes!("../../ptx/ferrovox_sm_90.ptx.zst"),
    ),
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
    let runs = |(shipped, _): &&(ComputeCapability, &[u8])| *shipped <= capability;
    let (_, compressed) = SHIPPED.iter().rev().find(runs).unwrap_or(&SHIPPED[0]);
    let ptx = decompress(compressed);
    let Some(start) = ptx.find(&format!(".entry {kernel}(")) else {
        return Vec::new();
    };
    let body = &ptx[start..];
    let body = &body[..body.find("\n}").unwrap_or(body.len())];
    of_text(body)
}

fn decompress(mut compressed: &[u8]) -> String {
    let mut text = String::new();
    ruzstd::decoding::StreamingDecoder::new(&mut compressed)
        .expect("the repository's own file")
        .read_to_string(&mut text)
        .expect("text");
    text
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
