//! The PTX in the repository matches the kernels in the repository.

use cuda_builder::source_hash;
use ferrovox::device::{recorded_resources, shipped_ptx};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{collections::BTreeSet, fs, path::PathBuf};

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn shipped(arch: &str) -> &'static str {
    shipped_ptx(arch).expect("it ships")
}

fn entries(ptx: &str) -> BTreeSet<&str> {
    ptx.lines()
        .filter_map(|line| line.strip_prefix(".visible .entry "))
        .map(|rest| rest.trim_end_matches('('))
        .collect()
}

/// Fails if kernels change without new PTX, without needing a device toolchain.
#[test]
fn ptx_matches_the_sources() {
    let crate_root = repository().join("kernels-crate");
    if !crate_root.exists() {
        test_cases::report_skip(format_args!("the sources are not beside this program"));
        return;
    }
    let hash = source_hash(&crate_root).expect("the sources can be read");
    for arch in ["sm_70", "sm_90"] {
        let ptx = shipped(arch);
        let recorded = ptx
            .lines()
            .find_map(|line| line.strip_prefix("// sources: sha256 "));
        assert_eq!(
            recorded,
            Some(&*hash),
            "{arch}: stale PTX; run `cargo xtask ptx`"
        );
    }
}

/// Fails if PTX changes without new machine code.
#[test]
fn machine_code_matches_the_ptx() {
    if !repository().join("host-crate").exists() {
        test_cases::report_skip(format_args!("the sources are not beside this program"));
        return;
    }
    let folder = repository().join("host-crate/ptx");
    let text = fs::read_to_string(folder.join("resources.json")).expect("it is there");
    let resources: Value = serde_json::from_str(&text).expect("JSON");
    let recorded = resources["machine_code"].as_object().expect("a list");
    let arches: Vec<&str> = recorded.keys().map(String::as_str).collect();
    assert_eq!(arches, ["sm_100", "sm_120", "sm_80", "sm_90"]);
    let mut all = 0;
    for (arch, code) in recorded {
        let ptx = shipped(code["from"].as_str().expect("an architecture"));
        let hash = format!("{:x}", Sha256::digest(ptx));
        assert_eq!(
            code["sha256"], *hash,
            "{arch}: of other PTX; run `cargo xtask ptx`"
        );
        let file = fs::read(folder.join(format!("ferrovox_{arch}.cubin.zst"))).expect("code");
        assert_eq!(code["compressed_bytes"], file.len(), "{arch}");
        all += file.len();
    }
    assert!(all < 8 << 20, "{all} bytes of machine code");
}

#[test]
fn every_kernel_has_recorded_resources_and_none_spills() {
    let recorded = recorded_resources();
    for arch in ["sm_70", "sm_90"] {
        let ptx = shipped(arch);
        let kernels = &recorded[arch];
        let names: BTreeSet<&str> = kernels.keys().map(String::as_str).collect();
        assert_eq!(names, entries(ptx), "{arch}");
        for (name, resources) in kernels {
            assert_eq!(resources.spill_bytes(), 0, "{arch} {name}");
            assert_eq!(resources.stack_bytes, 0, "{arch} {name}");
            assert!((1..=255).contains(&resources.registers), "{arch} {name}");
        }
    }
}

/// LLVM or rustc may copy a barrier into both arms of a branch; then threads would wait for each
/// other at different barriers.
#[test]
fn no_barrier_was_duplicated() {
    for arch in ["sm_70", "sm_90"] {
        let ptx = shipped(arch);
        // two of `block::exclusive`; of the single-pass scan, one for the tile numbers, one for the
        // first tile, three per round, three for the last tile in registers, and, for a tile that
        // is read twice, those two, one for its prefix, and one at the end; of the warp-specialised
        // scan, one for the tile numbers, one per round, one at the end, and those four
        for (kernel, barriers) in [
            ("scan_segment_sums", 2),
            ("reduce_segments_u8", 2),
            ("scan_segments_u8_u32", 2),
            ("scan_sum_checked_u8_u32", 1 + 4),
            ("scan_sum_u32", 1 + 1 + 3 + 3 + 4),
            ("scan_min_u64", 1 + 1 + 1 + 4),
            ("scan_sum_u64", 1 + 1 + 1 + 4),
            ("scan_small", 2),
        ] {
            let start = ptx
                .find(&format!(".entry {kernel}("))
                .expect("a shipped kernel");
            let body = &ptx[start..start + ptx[start..].find("\n}").expect("an end")];
            let found = body.matches("bar.sync").count();
            assert_eq!(found, barriers, "{arch} {kernel}");
        }
    }
}
