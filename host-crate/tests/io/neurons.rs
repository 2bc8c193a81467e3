//! The five neuron meshes of the Python package navis: all of them are open.

use crate::python;
use ferrovox::{
    io::read_mesh,
    mesh::{self, TriangleMesh, Triangles},
    monitor::Monitor,
    nalgebra::Vector3,
    pipeline::{
        Level, VolumeSource,
        skeleton::{self, ObjectSource, SkeletonJob},
        voxelize::{self, InsideRule, VoxelizeJob},
    },
    voxelize::VoxelizeParams,
};
use std::fs;
use test_cases::report_skip;

/// Returns the volume below the triangles, seen from the mean of the vertices: that of the solid as
/// far as the holes are small.
fn enclosed_volume(mesh: &TriangleMesh) -> f64 {
    let vertices: Vec<Vector3<f64>> = mesh
        .vertices
        .iter()
        .map(|vertex| Vector3::from(vertex.map(f64::from)))
        .collect();
    let mean = vertices.iter().sum::<Vector3<f64>>() / vertices.len() as f64;
    let Triangles::U32(triangles) = &mesh.triangles else {
        panic!("wide indices");
    };
    let corners = |triangle: &[u32; 3]| triangle.map(|index| vertices[index as usize] - mean);
    let volumes = triangles.iter().map(corners);
    volumes.map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum()
}

#[test]
fn open_neuron_meshes_become_voxels_and_skeletons() {
    let folder = tempfile::tempdir().unwrap();
    if python::run("neurons", &["numpy"], &[folder.path()]).is_none() {
        return;
    }
    let mut paths: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    if paths.is_empty() {
        let chosen = std::env::var_os("FERROVOX_PYTHON");
        assert!(chosen.is_none(), "FERROVOX_PYTHON lacks navis");
        report_skip(format_args!("the meshes are in the Python package navis"));
        return;
    }
    assert_eq!(paths.len(), 5);
    let monitor = Monitor::new();
    for path in paths {
        let name = path.display();
        let mesh = read_mesh(&path).unwrap();
        assert!(!mesh::check(&mesh).is_closed(), "{name}");
        let output = path.with_extension("nrrd");
        let params = VoxelizeParams::with_resolution(160);
        let closed = VoxelizeJob::new(&path, params).output(&output);
        let error = voxelize::run(&closed, &monitor).unwrap_err().to_string();
        assert!(error.contains("or decide by winding numbers"), "{error}");
        let job = VoxelizeJob {
            rule: InsideRule::Winding,
            ..closed
        };
        let outcome = voxelize::run(&job, &monitor).unwrap();
        // many branches are thinner than a voxel
        assert!(outcome.voxels > 300, "{name}: {} voxels", outcome.voxels);
        let (found, expected) = (outcome.volume(), enclosed_volume(&mesh));
        assert!(
            (found / expected - 1.0).abs() < 0.15,
            "{name}: {found} {expected}"
        );
        let object = ObjectSource::Volume {
            source: Box::new(VolumeSource::new(&output)),
            level: Level::NonZero,
            inside: Default::default(),
        };
        let skeleton = skeleton::run(&SkeletonJob::new(object, Vec::new()), &monitor).unwrap();
        assert_eq!(skeleton.is_certified(), Some(true), "{name}");
        let longest = outcome.dims.into_iter().max().unwrap_or(0) as f64;
        let half = 0.5 * longest * outcome.geometry.spacing().x;
        assert!(skeleton.labels[0].skeleton.length() > half, "{name}");
    }
}
