//! Kernels as their authors write them, with cuda_std.

use std::fs;

use crate::support::{body, builder, fixture, has_toolchain};
use cuda_builder::lint::LintRules;

#[test]
fn slices_views_and_shared_arrays_have_their_memory_spaces() {
    if !has_toolchain() {
        return;
    }
    // In place: the fixture's path dependency leads into the workspace.
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("views.ptx");
    let built = builder(&fixture("views"))
        .lint(LintRules::strict())
        .copy_to(&out)
        .build_with_report();
    let lint = built.unwrap_or_else(|error| panic!("{error}")).lint;
    let ptx = fs::read_to_string(&out).unwrap();
    let scale = body(&ptx, "scale");
    assert_eq!(scale.matches("ld.global").count(), 2, "{scale}");
    assert_eq!(scale.matches("st.global").count(), 1, "{scale}");
    let tiles = body(&ptx, "tiles");
    assert_eq!(tiles.matches("st.shared").count(), 2, "{tiles}");
    assert_eq!(tiles.matches("ld.shared").count(), 2, "{tiles}");
    assert_eq!(lint.kernel("tiles").unwrap().barriers, 1);
    for kernel in &lint.kernels {
        assert!(kernel.findings.is_empty(), "{lint}");
    }
}
