//! Builds are reproducible: the same sources produce the same bytes in any directory.

use std::fs;
use std::path::Path;

use crate::support::{builder, copy_fixtures, has_toolchain};

fn ptx_in(directory: &Path, lines: bool) -> String {
    copy_fixtures(directory);
    // A target directory inside the checkout, as for users.
    let out = directory.join("out.ptx");
    builder(&directory.join("raw"))
        .generate_line_info(lines)
        .copy_to(&out)
        .build()
        .unwrap_or_else(|error| panic!("{error}"));
    fs::read_to_string(out).unwrap()
}

#[test]
fn two_checkouts_produce_the_same_bytes() {
    if !has_toolchain() {
        return;
    }
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let deeper = other.path().join("a longer path/with spaces");
    for lines in [false, true] {
        let (first, second) = (ptx_in(one.path(), lines), ptx_in(&deeper, lines));
        assert_eq!(first, second, "lines: {lines}");
        for place in [one.path(), other.path()] {
            assert!(
                !first.contains(&*place.to_string_lossy()),
                "the path is in the PTX:\n{first}"
            );
        }
        assert!(
            !first.contains("_RNv"),
            "mangled names hold hashes:\n{first}"
        );
    }
}

#[test]
fn a_second_build_does_not_modify_the_file() {
    if !has_toolchain() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let first = ptx_in(directory.path(), false);
    let changed = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    let out = directory.path().join("out.ptx");
    let before = changed(&out);
    builder(&directory.path().join("raw"))
        .copy_to(&out)
        .build()
        .unwrap();
    assert_eq!(changed(&out), before);
    assert_eq!(fs::read_to_string(&out).unwrap(), first);
    assert!(first.contains(&cuda_builder::source_hash(directory.path().join("raw")).unwrap()));
}
