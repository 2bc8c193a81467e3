//! `ferrovox mesh --topology`.

use crate::{samples::nifti, support::Folder};
use serde_json::{Value, json};

/// Writes a volume with two samples above the isovalue at opposite corners of a cell, large enough
/// for the trilinear interpolant to connect them.
fn opposite_corners() -> Folder {
    let folder = Folder::new();
    let mut samples = vec![-1.0; 4 * 4 * 4];
    (samples[1 + 4 * (1 + 4)], samples[2 + 4 * (2 + 4 * 2)]) = (7.0, 7.0);
    folder.file("corners.nii", nifti(&samples, [4; 3]));
    folder
}

const CELLS: [&str; 4] = [
    "ambiguous_cells",
    "tunnel_tests",
    "tunnels",
    "inner_vertices",
];

#[test]
fn trilinear_topology_connects_opposite_corners_and_counts_the_tunnel() {
    let folder = opposite_corners();
    for method in ["fused", "staged"] {
        let report = folder
            .run(&format!(
                "mesh corners.nii --iso 0 --topology trilinear --method {method} --device cpu --json"
            ))
            .ok()
            .json();
        assert_eq!(report["topology"], "trilinear");
        assert_eq!(
            CELLS.map(|count| report[count].as_u64()),
            [0, 1, 1, 6].map(Some),
            "{method}"
        );
        assert_eq!(
            (&report["components"], &report["euler"]),
            (&json!(1), &json!(2))
        );
        assert_eq!(
            (&report["closed"], &report["manifold"]),
            (&json!(true), &json!(true))
        );
    }
}

#[test]
fn separated_topology_is_the_default_and_counts_no_cells() {
    let folder = opposite_corners();
    let default = folder.run("mesh corners.nii --iso 0 --json").ok().json();
    let named = folder
        .run("mesh corners.nii --iso 0 --topology separated --json")
        .ok()
        .json();
    for report in [default, named] {
        assert_eq!(report["topology"], "separated");
        for count in CELLS {
            assert_eq!(report.get(count), Some(&Value::Null), "{count}");
        }
        assert_eq!(
            (&report["components"], &report["euler"]),
            (&json!(2), &json!(4))
        );
    }
}

#[test]
fn readable_report_counts_the_ambiguous_cells() {
    let folder = opposite_corners();
    let line = |rule: &str| {
        let run = folder
            .run(&format!(
                "mesh corners.nii --iso 0 -o out.ply --topology {rule}"
            ))
            .ok();
        let found = run.stdout.lines().find(|line| line.starts_with("cells "));
        found.map(str::to_owned)
    };
    let cells = line("trilinear").expect("a line for the cells");
    assert_eq!(
        cells.trim_start_matches("cells").trim(),
        "0 ambiguous; tunnels looked for in 1, found in 1; 6 inner vertices"
    );
    assert_eq!(line("separated"), None);
}
