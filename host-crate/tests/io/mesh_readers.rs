//! Readers of OBJ, STL and PLY.

use std::fs;

use ferrovox::io::{MeshWriteOptions, read_mesh, read_mesh_bytes, write_mesh};
use ferrovox::mesh::{TriangleMesh, Triangles, check};

use crate::helpers::folder;

fn tetrahedron() -> TriangleMesh {
    TriangleMesh {
        origin: [0.0; 3],
        vertices: vec![
            [0.0, 0.0, 0.0],
            [1.5, 0.0, -0.0],
            [0.0, 1.0e-7, 0.0],
            [0.1, 0.2, 1.0e10],
        ],
        normals: None,
        triangles: Triangles::U32(vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    }
}

fn error(name: &str, bytes: &[u8]) -> String {
    read_mesh_bytes(name, bytes).unwrap_err().to_string()
}

#[test]
fn written_meshes_are_read_back() {
    let folder = folder();
    let mesh = tetrahedron();
    let path = folder.path().join("a.obj");
    write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
    assert_eq!(read_mesh(&path).unwrap(), mesh);
    let path = folder.path().join("a.stl");
    write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
    let read = read_mesh(&path).unwrap();
    let corners = |mesh: &TriangleMesh| -> Vec<_> {
        (0..4).map(|triangle| mesh.triangle(triangle)).collect()
    };
    assert_eq!(corners(&read), corners(&mesh));
    // Corners at equal positions become one vertex, so the mesh is closed.
    assert_eq!(read.vertices.len(), 4);
    assert!(check(&read).is_closed());
    // A binary file that starts like a text file.
    let mut bytes = fs::read(&path).unwrap();
    bytes[..6].copy_from_slice(b"solid ");
    assert_eq!(read_mesh_bytes("a.stl", &bytes).unwrap(), read);
}

/// The contents determine the format where they have a signature, otherwise the extension.
#[test]
fn contents_then_extension_determine_the_format() {
    let fbx = b"; FBX 7.7.0 project file\n";
    assert_eq!(
        error("x.fbx", fbx),
        "x.fbx: unknown extension \"fbx\"; meshes are read from .ply, .obj, .stl, .vtp, .off, .glb and .3mf"
    );
    assert!(error("x", fbx).contains("unknown extension \"\""));
    let folder = folder();
    let mesh = tetrahedron();
    for (written, named) in [
        ("a.ply", "a.stl"),
        ("a.ply", "a.obj"),
        ("a.ply", "a.dat"),
        ("a.ply", "a"),
    ] {
        let path = folder.path().join(written);
        write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(read_mesh_bytes(named, &bytes).unwrap(), mesh, "{named}");
    }
    let stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    for named in ["a.ply", "a.obj", "a.txt"] {
        let read = read_mesh_bytes(named, stl.as_bytes()).unwrap();
        assert_eq!(read.triangles.len(), 1, "{named}");
    }
    let vtk = b"# vtk DataFile Version 3.0\n";
    assert!(error("a.vtk", vtk).contains("unknown extension \"vtk\""));
    assert!(error("a.obj", vtk).contains("reading VTK meshes is not supported"));
}

#[test]
fn obj_records_of_all_kinds_are_read() {
    let text = "# a square pyramid\nmtllib a.mtl\nv 0 0 0\nv 2 0 0 1\nv 2 2 0 .1 .2 .3\n\tv 0 2 0\nvt 0 0\nvn 0 0 1\n\
                g base\nusemtl stone\nf 1/1/1 4//1 3/1 -3 # a quad\nv 1 1 -1.5e0\nf -1 -4 -5\r\nf 5 1 4\nf 5 4 3\nf 5 3 2\n";
    let mesh = read_mesh_bytes("a.obj", text.as_bytes()).unwrap();
    assert_eq!(mesh.vertices.len(), 5);
    assert_eq!(mesh.vertices[4], [1.0, 1.0, -1.5]);
    let triangles = [
        [0, 3, 2],
        [0, 2, 1],
        [4, 1, 0],
        [4, 0, 3],
        [4, 3, 2],
        [4, 2, 1],
    ];
    assert_eq!(mesh.triangles, Triangles::U32(triangles.to_vec()));
    assert_eq!(
        read_mesh_bytes("a.obj", b"").unwrap(),
        TriangleMesh::default()
    );
    // A comment that is not UTF-8.
    assert!(read_mesh_bytes("a.obj", b"# \xe9t\xe9\nv 1 2 3\n").is_ok());
}

#[test]
fn damaged_obj_is_reported_with_its_line() {
    let cases: [(&[u8], &str); 8] = [
        (
            b"v 1 2 3\nv 1 2\n",
            "line 2 reads \"v 1 2\", which is not a vertex of three numbers",
        ),
        (
            b"v 1 2 3\nf 1 1 2\n",
            "line 2 reads \"f 1 1 2\", which refers to a vertex that is not defined before it",
        ),
        (b"v 1 2 3\nf 0 1 1\n", "refers to a vertex"),
        (b"v 1 2 3\nf -2 1 1\n", "refers to a vertex"),
        (b"f 1 2\n", "fewer than three corners"),
        (b"v 1 2 3\nf 1 1 1 x\n", "refers to a vertex"),
        (b"\x89PNG\r\n", "is not UTF-8 text"),
        (
            b"<?xml version=\"1.0\"?>\n",
            "does not start with a keyword",
        ),
    ];
    for (bytes, words) in cases {
        let error = error("a.obj", bytes);
        assert!(
            error.starts_with("a.obj: damaged OBJ file: line"),
            "{error}"
        );
        assert!(error.contains(words), "{error}");
    }
    let long = "f ".to_owned() + &"1 ".repeat(40_000);
    assert!(error("a.obj", long.as_bytes()).contains("too long"));
}

#[test]
fn text_ply_is_read() {
    let header = "ply\nformat ascii 1.0\ncomment a pyramid\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
                  property uchar red\nelement edge 1\nproperty list uchar int a\nelement face 3\nproperty list uchar int vertex_indices\n\
                  property float quality\nend_header\n";
    let data = "0 0 0 1\n2 0 -0 2\n2 2 0 3\n0 2 0 4\n1.1 1 -1.5e0 5\n2 0 1\n4 0 3 2 1 .5\n3 4 1 0 1\r\n3 4 0 3 1";
    let read = |text: &str| read_mesh_bytes("a.ply", text.as_bytes());
    let mesh = read(&[header, data].concat()).unwrap();
    assert_eq!(mesh.vertices[4], [1.1, 1.0, -1.5]);
    assert_eq!((mesh.vertices.len(), mesh.normals), (5, None));
    let triangles = vec![[0, 3, 2], [0, 2, 1], [4, 1, 0], [4, 0, 3]];
    assert_eq!(mesh.triangles, Triangles::U32(triangles));
    let cases = [
        (data.replace("2 2 0 3", "2 two 0 3"), "\"two\", after"),
        (data.replace("3 4 1 0", "2 4 1"), "face 1 has 2 corners"),
        (
            data.replace("3 4 1 0", "3 4 -1 0"),
            "face 1 refers to vertex -1",
        ),
        (
            data.replace("3 4 1 0", "3 4 1.5 0"),
            "face 1 refers to vertex 1.5",
        ),
        (data.replace("3 4 1 0", "3 4 9 0"), "names vertex 9"),
        (data[..data.len() - 7].to_owned(), "the file is truncated"),
    ];
    for (data, words) in cases {
        let error = read(&[header, &data].concat()).unwrap_err().to_string();
        assert!(error.starts_with("a.ply: damaged PLY file: "), "{error}");
        assert!(error.contains(words), "{error}");
    }
    let lying = header.replace("vertex 5", "vertex 99999999999");
    let error = read(&[&lying, data].concat()).unwrap_err().to_string();
    assert!(
        error.contains("need at least 799999999991 bytes"),
        "{error}"
    );
}

/// Files of MeshLab and others store texture coordinates as a second list of each face.
#[test]
fn ply_faces_with_other_lists_are_read() {
    let header = |format: &str, lists: &str| {
        format!(
            "ply\nformat {format} 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
             element face 1\n{lists}end_header\n"
        )
    };
    let corners = "property list uchar int vertex_indices\n";
    let texture = "property list uchar float texcoord\nproperty int texnumber\n";
    let vertices = "0 0 0\n1 0 0\n0 1 0\n";
    for (lists, face) in [
        (
            format!("{corners}{texture}"),
            "3 0 1 2 6 .1 .2 .3 .4 .5 .6 7\n",
        ),
        (
            format!("{texture}{corners}"),
            "6 .1 .2 .3 .4 .5 .6 7 3 0 1 2\n",
        ),
        (format!("{corners}{texture}"), "3 0 1 2 0 7\n"),
        (
            format!("{texture}{}", corners.replace("indices", "index")),
            "1 .5 7 3 0 1 2\n",
        ),
        // Without a second list, the name does not matter.
        (corners.replace("vertex_indices", "corners"), "3 0 1 2\n"),
    ] {
        let text = header("ascii", &lists) + vertices + face;
        let mesh = read_mesh_bytes("a.ply", text.as_bytes()).unwrap();
        assert_eq!(mesh.triangles, Triangles::U32(vec![[0, 1, 2]]), "{text}");
    }
    let mut binary = header("binary_big_endian", &format!("{texture}{corners}")).into_bytes();
    for number in [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0_f32] {
        binary.extend(number.to_be_bytes());
    }
    binary.extend([2, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 7]);
    binary.extend([3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0]);
    let mesh = read_mesh_bytes("a.ply", &binary).unwrap();
    assert_eq!(mesh.triangles, Triangles::U32(vec![[2, 1, 0]]));
    for (lists, fact) in [
        (
            texture.replace("texcoord", "a") + "property list uchar int b\n",
            "its faces have the list properties a, b, none of which is vertex_indices or vertex_index",
        ),
        (
            format!("{corners}{}", corners.replace("indices", "index")),
            "both vertex_indices and vertex_index",
        ),
        (
            format!("{corners}{corners}"),
            "its element \"face\" has the property vertex_indices twice",
        ),
    ] {
        let text = header("ascii", &lists) + vertices + "3 0 1 2 3 0 1 2\n";
        assert!(error("a.ply", text.as_bytes()).contains(fact), "{lists}");
    }
}

#[test]
fn contradictory_ply_headers_are_rejected() {
    let vertex = "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
    for (lines, fact) in [
        (
            format!("format ascii 1.0\n{vertex}property float x\n"),
            "its element \"vertex\" has the property x twice",
        ),
        (
            format!("format ascii 1.0\n{vertex}{vertex}"),
            "its element \"vertex\" appears twice",
        ),
        (
            format!("format ascii 1.0\nformat binary_little_endian 1.0\n{vertex}"),
            "its \"format\" line appears twice",
        ),
    ] {
        let text = format!("ply\n{lines}end_header\n0 0 0 0\n0 0 0 0\n");
        let found = error("a.ply", text.as_bytes());
        assert!(found.contains(fact), "{found}");
    }
}

/// Some programs write the words of the text form in capitals.
#[test]
fn text_stl_in_capitals_is_read() {
    let lower = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    let expected = read_mesh_bytes("a.stl", lower.as_bytes()).unwrap();
    for text in [
        lower.to_uppercase(),
        lower.replacen("solid", "Solid", 1),
        lower.replacen("solid", "SOLID", 1),
        lower.replacen("solid a", "SOLID\r", 1),
        lower.replacen("solid a", "solid\t", 1),
    ] {
        for named in ["a.stl", "a.dat", "a"] {
            let mesh = read_mesh_bytes(named, text.as_bytes()).unwrap();
            assert_eq!(mesh, expected, "{named}: {text}");
        }
    }
    // A binary file may start like a text file; its length decides.
    let mut binary = vec![0; 84];
    binary[..6].copy_from_slice(b"SOLID ");
    assert_eq!(
        read_mesh_bytes("a.stl", &binary).unwrap(),
        TriangleMesh::default()
    );
}

#[test]
fn text_stl_is_read() {
    let text = "solid two parts\n facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 1 0\n endloop\n endfacet\n\
                endsolid two parts\nSOLID\nFACET NORMAL 0 0 -1 OUTER LOOP\nVERTEX 0 0 -0 VERTEX 0 1 0\nVERTEX 1 0 0\nENDLOOP ENDFACET\nENDSOLID";
    let mesh = read_mesh_bytes("a.stl", text.as_bytes()).unwrap();
    assert_eq!(mesh.vertices.len(), 3);
    assert_eq!(mesh.triangles, Triangles::U32(vec![[0, 1, 2], [0, 2, 1]]));
    assert_eq!(
        read_mesh_bytes("a.stl", b"solid nothing\nendsolid nothing\n").unwrap(),
        TriangleMesh::default()
    );
}

#[test]
fn damaged_stl_is_reported_with_the_problem() {
    let text = "solid\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet endsolid\n";
    let text = text.replace(" outer", "\nouter");
    let cases = [
        (text.replace("vertex 1 0 0", ""), "2 corners"),
        (text.replace("endloop", "vertex 1 1 1"), "more than three"),
        (text.replace("0 1 0", "0 one 0"), "\"one\""),
        (text.replace("endloop", "loopend"), "\"loopend\""),
        (text[..60].to_owned(), "truncated"),
    ];
    for (bytes, words) in cases {
        let error = error("a.stl", bytes.as_bytes());
        assert!(error.starts_with("a.stl: damaged STL file: "), "{error}");
        assert!(error.contains(words), "{error}");
    }
    let mut binary = vec![0; 84 + 50];
    binary[80] = 2;
    assert!(error("a.stl", &binary).contains("2 triangles need 100 bytes, but only 50"));
    assert!(error("a.stl", b"PK").contains("2 bytes"));
    assert!(error("a.stl", b"").contains("0 bytes"));
}
