//! Mesh files with a local origin: `f64` positions.

use crate::helpers::folder;
use ferrovox::io::{
    FileProblem, MeshFormat, MeshWriteOptions, MeshWriter, read_mesh, read_mesh_bytes, read_points,
    write_mesh,
};
use ferrovox::mesh::{TriangleMesh, Triangles};
use std::fs;

fn distant() -> TriangleMesh {
    TriangleMesh {
        origin: [500_000.0, 4_500_000.25, -1.0e-3],
        vertices: vec![[0.0, 0.1, 1.0], [0.2, 1.0e-3, -1.0], [-0.3, 0.5, 0.25]],
        normals: None,
        triangles: Triangles::U32(vec![[0, 1, 2]]),
    }
}

#[test]
fn formats_with_f64_keep_world_positions() {
    let folder = folder();
    let mesh = distant();
    for name in ["a.ply", "a.obj"] {
        let path = folder.path().join(name);
        write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
        let found = read_mesh(&path).unwrap();
        assert_ne!(found.origin, [0.0; 3]);
        for vertex in 0..3 {
            let difference =
                found.world_vertex(vertex).unwrap() - mesh.world_vertex(vertex).unwrap();
            assert!(difference.norm() < 1e-6, "{name}: {difference}");
        }
    }
    let points = read_points(folder.path().join("a.ply")).unwrap();
    for (vertex, point) in points.iter().enumerate() {
        let expected = mesh.world_vertex(vertex).unwrap();
        assert!((expected - nalgebra::Point3::from(*point)).norm() < 1e-6);
    }
}

#[test]
fn pieces_are_the_file_of_the_whole_mesh() {
    let folder = folder();
    let mesh = distant();
    let Triangles::U32(triangles) = &mesh.triangles else {
        unreachable!()
    };
    for format in MeshFormat::ALL.iter().filter(|format| format.stores_f64()) {
        let path = |name: &str| folder.path().join(format!("{name}.{}", format.extension()));
        write_mesh(path("whole"), &mesh, &MeshWriteOptions::default()).unwrap();
        let options = MeshWriteOptions {
            normals: false,
            ..Default::default()
        };
        let mut writer = MeshWriter::create(path("pieces"), &options).unwrap();
        writer.set_origin(mesh.origin).unwrap();
        writer.append(&mesh.vertices[..1], None, triangles).unwrap();
        writer
            .append::<u32>(&mesh.vertices[1..], None, &[])
            .unwrap();
        writer.finish().unwrap();
        let read = |name| fs::read(path(name)).unwrap();
        assert_eq!(read("whole"), read("pieces"), "{format}");
    }
}

#[test]
fn stl_refuses_a_local_origin() {
    let folder = folder();
    let path = folder.path().join("a.stl");
    let mut mesh = distant();
    let error = write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap_err();
    assert!(
        matches!(error.problem, FileProblem::LocalOrigin { .. }),
        "{error}"
    );
    assert!(
        error.to_string().contains("500000 4500000.25 -0.001"),
        "{error}"
    );
    let mut writer = MeshWriter::create(&path, &MeshWriteOptions::default()).unwrap();
    assert!(writer.set_origin(mesh.origin).is_err());
    assert!(!path.exists());
    mesh.round_to_world();
    write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
}

#[test]
fn numbers_that_f32_represents_are_read_without_an_origin() {
    let text = "v 4500000 0 0.5\nv 4500001 0 0.5\nv 4500000 1 0.5\nf 1 2 3\n";
    assert_eq!(
        read_mesh_bytes("a.obj", text.as_bytes()).unwrap().origin,
        [0.0; 3]
    );
    let text = text.replace("4500001", "4500001.1");
    let mesh = read_mesh_bytes("a.obj", text.as_bytes()).unwrap();
    assert_eq!((mesh.origin[1], mesh.origin[2]), (0.0, 0.0));
    assert_eq!(mesh.origin[0] + f64::from(mesh.vertices[0][0]), 4_500_000.0);
}

/// A triangle of 0.3 in coordinates of a national grid, where `f32` has steps of 0.5.
#[test]
fn text_stl_is_read_with_all_digits() {
    let corners = [
        [500_000.1, 4_500_000.2, 7.0],
        [500_000.4, 4_500_000.2, 7.0],
        [500_000.1, 4_500_000.5, 7.0],
    ];
    let facet: String = corners
        .iter()
        .map(|[x, y, z]| format!("vertex {x} {y} {z}\n"))
        .collect();
    let facet = format!("facet normal 0 0 1\nouter loop\n{facet}endloop\nendfacet\n");
    let text = format!("solid far\n{facet}{facet}endsolid far\n");
    let mesh = read_mesh_bytes("a.stl", text.as_bytes()).unwrap();
    assert_eq!(mesh.triangles, Triangles::U32(vec![[0, 1, 2]; 2]));
    assert_eq!(mesh.vertices.len(), 3);
    for (vertex, corner) in corners.into_iter().enumerate() {
        let found = mesh.world_vertex(vertex).unwrap();
        let difference = found - nalgebra::Point3::from(corner);
        assert!(difference.norm() < 1e-6, "{found}");
    }
}

/// Near the world origin, texts of one `f32` number are one position.
#[test]
fn equal_corners_of_text_stl_are_one_vertex() {
    let text = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0.1 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
                endloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 0.10000000149 -0 0\n\
                vertex 0 1 0\nvertex 2 0 0\nendloop\nendfacet\nendsolid\n";
    let mesh = read_mesh_bytes("a.stl", text.as_bytes()).unwrap();
    assert_eq!(mesh.vertices.len(), 4);
    assert_eq!(mesh.vertices[0], [0.1, 0.0, 0.0]);
    assert_eq!(mesh.triangles, Triangles::U32(vec![[0, 1, 2], [0, 2, 3]]));
}
