//! Meshes that trimesh, VTK and lib3mf read and write.

use std::path::Path;

use ferrovox::io::{MeshSpace, MeshWriteOptions, read_mesh, write_mesh};
use ferrovox::mesh::TriangleMesh;

use crate::helpers::folder;
use crate::mesh_exchange::tetrahedron;
use crate::python;

/// Numbers of a mesh: vertices, triangles, bounds, area and volume.
fn figures(mesh: &TriangleMesh) -> Vec<f64> {
    let vertices: Vec<[f64; 3]> = (0..mesh.vertices.len())
        .map(|vertex| mesh.world_vertex(vertex).unwrap().into())
        .collect();
    let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for vertex in &vertices {
        for axis in 0..3 {
            bounds[0][axis] = bounds[0][axis].min(vertex[axis]);
            bounds[1][axis] = bounds[1][axis].max(vertex[axis]);
        }
    }
    let (mut area, mut volume) = (0.0, 0.0);
    for corners in mesh.triangles.iter() {
        let [a, b, c] = corners.map(|corner| nalgebra::Vector3::from(vertices[corner as usize]));
        area += 0.5 * (b - a).cross(&(c - a)).norm();
        volume += a.dot(&b.cross(&c)) / 6.0;
    }
    let counts = [vertices.len() as f64, mesh.triangles.len() as f64];
    let bounds = bounds.as_flattened();
    [&counts[..], bounds, &[area, volume]].concat()
}

fn assert_near(path: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{path}");
    for (found, expected) in found.iter().zip(expected) {
        let tolerance = 2e-5 * (1.0 + expected.abs());
        assert!(
            (found - expected).abs() < tolerance,
            "{path}: {found} {expected}"
        );
    }
}

/// trimesh, VTK and lib3mf read the files that are written here, and the first two write files that
/// are read here.
#[test]
fn meshes_equal_those_of_trimesh_and_vtk() {
    let folder = folder();
    let mesh = tetrahedron([0.0; 3]);
    let distant = tetrahedron([1000.0, -2000.0, 3000.25]);
    for (name, space) in [("a", MeshSpace::Ras), ("lps", MeshSpace::Lps)] {
        for extension in ["ply", "obj", "stl", "vtp", "off", "glb", "3mf"] {
            let options = MeshWriteOptions {
                space: Some(space),
                ..MeshWriteOptions::default()
            };
            let path = |name: &str| folder.path().join(format!("{name}.{extension}"));
            write_mesh(path(name), &mesh, &options).unwrap();
            if !["stl", "3mf"].contains(&extension) && space == MeshSpace::Ras {
                write_mesh(path("distant"), &distant, &options).unwrap();
            }
        }
    }
    let packages = ["numpy", "trimesh", "vtk", "networkx", "lxml", "lib3mf"];
    let Some(output) = python::run("meshes", &packages, &[folder.path()]) else {
        return;
    };
    let mut count = 0;
    for line in output.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [kind, path, ref numbers @ ..] = words[..] else {
            panic!("{line}")
        };
        let numbers: Vec<f64> = numbers.iter().map(|it| it.parse().unwrap()).collect();
        count += 1;
        if kind == "written" {
            let mut found = figures(&read_mesh(path).unwrap());
            let mut numbers = numbers;
            if path.contains("glb") {
                // trimesh writes f32 metres.
                found.truncate(8);
                numbers.truncate(8);
            }
            assert_near(path, &found, &numbers);
            continue;
        }
        let ours = read_mesh(Path::new(folder.path()).join(path)).unwrap();
        let mut expected = figures(&ours);
        // A local origin has moved the volume's reference point only within rounding.
        if path.ends_with("stl") {
            expected[0] = numbers[0];
        }
        if path.ends_with("glb") {
            // Metres with y up.
            let [x0, y0, z0, x1, y1, z1] = expected[2..8] else {
                panic!("{path}")
            };
            let metres = [x0, z0, -y1, x1, z1, -y0].map(|x| 1e-3 * x);
            expected[2..8].copy_from_slice(&metres);
            expected[8] *= 1e-6;
            expected[9] *= 1e-9;
        }
        assert_near(path, &numbers, &expected);
    }
    assert!(count >= 37, "{count}");
}
