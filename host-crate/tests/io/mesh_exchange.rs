//! OFF, VTP, glTF and 3MF: what is written is read back, and damaged files are errors.

use std::fs;

use ferrovox::io::{MeshWriteOptions, read_mesh_bytes, write_mesh};
use ferrovox::mesh::{TriangleMesh, Triangles};

use crate::helpers::folder;

const NAMES: [&str; 4] = ["a.off", "a.vtp", "a.glb", "a.3mf"];

/// Returns a tetrahedron of volume 4 with outward triangles.
pub fn tetrahedron(origin: [f64; 3]) -> TriangleMesh {
    TriangleMesh {
        origin,
        vertices: vec![
            [0.1, 0.0, 0.0],
            [2.1, 0.0, 0.0],
            [0.1, 3.0, 0.0],
            [0.1, 0.0, 4.0],
        ],
        normals: Some(vec![[0.6, 0.8, 0.0]; 4]),
        triangles: Triangles::U32(vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
    }
}

fn written(name: &str, mesh: &TriangleMesh) -> Vec<u8> {
    let folder = folder();
    let path = folder.path().join(name);
    write_mesh(&path, mesh, &MeshWriteOptions::default()).unwrap();
    fs::read(&path).unwrap()
}

/// Returns the message of a read that must fail, which starts with the name of the file.
pub fn error(name: &str, bytes: &[u8]) -> String {
    let error = read_mesh_bytes(name, bytes).unwrap_err().to_string();
    assert!(error.starts_with(name), "{error}");
    error
}

#[test]
fn positions_normals_and_triangles_are_read_back() {
    let mesh = tetrahedron([0.0; 3]);
    for name in NAMES {
        let found = read_mesh_bytes(name, &written(name, &mesh)).unwrap();
        assert_eq!(found.vertices, mesh.vertices, "{name}");
        assert_eq!(found.triangles, mesh.triangles, "{name}");
        assert_eq!(found.origin, [0.0; 3], "{name}");
        assert_eq!(found.normals.is_some(), name != "a.3mf", "{name}");
        for normal in found.normals.into_iter().flatten() {
            for (found, expected) in normal.iter().zip([0.6, 0.8, 0.0]) {
                assert!((found - expected).abs() < 1e-6, "{name}: {normal:?}");
            }
        }
    }
}

#[test]
fn empty_meshes_are_read_back() {
    for name in NAMES {
        let found = read_mesh_bytes(name, &written(name, &TriangleMesh::default())).unwrap();
        assert_eq!(found.vertices.len(), 0, "{name}");
        assert_eq!(found.triangles.len(), 0, "{name}");
    }
}

#[test]
fn distant_positions_keep_their_digits() {
    let mesh = tetrahedron([500_000.0, 4_500_000.25, -1.0e-3]);
    for name in ["a.off", "a.vtp", "a.glb"] {
        let found = read_mesh_bytes(name, &written(name, &mesh)).unwrap();
        assert_ne!(found.origin, [0.0; 3], "{name}");
        for vertex in 0..4 {
            let expected = mesh.world_vertex(vertex).unwrap();
            let difference = found.world_vertex(vertex).unwrap() - expected;
            assert!(difference.norm() < 1e-6, "{name}: {difference}");
        }
    }
}

/// Every truncation is an error, and so is a file that states more elements than it has.
#[test]
fn damaged_files_are_errors() {
    for name in NAMES {
        let bytes = written(name, &tetrahedron([0.0; 3]));
        // The last line of OFF, and the end tags of VTP, are not needed.
        let needed = match name {
            "a.off" => bytes.len() - 3,
            "a.vtp" => bytes.len() - "\n</AppendedData></VTKFile>\n".len(),
            _ => bytes.len(),
        };
        for length in 0..needed {
            error(name, &bytes[..length]);
        }
    }
    for (name, text, part) in [
        ("a.off", "OFF\n4000000000 1 0\n0 0 0\n", "truncated"),
        (
            "a.off",
            "OFF\n1 18446744073709551615 0\n0 0 0\n",
            "truncated",
        ),
        (
            "a.off",
            "OFF\n3 1 0\n0 0 0\n0 0 0\n0 0 0\n3 0 1 3\n",
            "line 6",
        ),
        (
            "a.off",
            "OFF\n3 1 0\n0 0 0\n0 0\n0 0 0\n3 0 1 2\n",
            "line 4",
        ),
        ("a.off", "OFF BINARY\n3 1 0\n", "not supported"),
        ("a.off", "4OFF\n", "not supported"),
        ("a.off", "solid", "starts with"),
        ("a.vtp", "<VTKFile type=\"ImageData\"/>", "ImageData"),
        ("a.3mf", "PK", "no directory"),
        ("a.glb", "glTF\x01\0\0\0\x0c\0\0\0", "version 1"),
    ] {
        let error = error(name, text.as_bytes());
        assert!(error.contains(part), "{error}");
    }
    let vtp = |points: &str, offsets: &str| {
        format!(
            "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"{points}\" NumberOfPolys=\"1\">\
             <Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0\
             </DataArray></Points><Polys><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2\
             </DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">{offsets}</DataArray></Polys>\
             </Piece></PolyData></VTKFile>"
        )
    };
    let read = read_mesh_bytes("a.vtp", vtp("3", "3").as_bytes()).unwrap();
    assert_eq!(read.triangles.len(), 1);
    for (points, offsets) in [
        ("4", "3"),
        ("2", "3"),
        ("6148914691236517206", "3"),
        ("3", "4"),
        ("3", "18446744073709551615"),
        ("3", "-1"),
    ] {
        error("a.vtp", vtp(points, offsets).as_bytes());
    }
}
