//! OFF, VTP, glTF and 3MF: what is written is read back, here and by other programs.

use std::fs;
use std::path::Path;

use ferrovox::io::{
    MeshSpace, MeshWriteOptions, read_mesh, read_mesh_bytes, write_labelled_mesh, write_mesh,
};
use ferrovox::mesh::{LabelledMesh, TriangleMesh, Triangles};

use crate::helpers::folder;
use crate::python;
use crate::zip::zip;

const NAMES: [&str; 4] = ["a.off", "a.vtp", "a.glb", "a.3mf"];

/// Returns a tetrahedron of volume 4 with outward triangles.
fn tetrahedron(origin: [f64; 3]) -> TriangleMesh {
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

fn error(name: &str, bytes: &[u8]) -> String {
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

/// Returns a glTF file with this document and a binary chunk of one triangle and its indices.
fn gltf(document: &str) -> Vec<u8> {
    let mut binary = Vec::new();
    for number in [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
        binary.extend(number.to_le_bytes());
    }
    binary.extend([0_u8, 1, 2, 9]);
    let mut document = document.as_bytes().to_vec();
    document.resize(document.len().next_multiple_of(4), b' ');
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend((28 + document.len() as u32 + binary.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &document), (b"BIN\0", &binary)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

const GLTF: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
    "nodes":[{"children":[1],"translation":[1,0,0]},{"mesh":0,"scale":[2,2,2]}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
    "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3},
        {"bufferView":1,"componentType":5121,"type":"SCALAR","count":3}],
    "bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":4}],
    "buffers":[{"byteLength":40}]}"#;

#[test]
fn nodes_of_gltf_place_their_meshes() {
    let mesh = read_mesh_bytes("a.glb", &gltf(GLTF)).unwrap();
    // (x, y, z) in metres with y up is (x, -z, y) with z up.
    assert_eq!(
        mesh.vertices,
        [
            [1000.0, 0.0, 0.0],
            [3000.0, 0.0, 0.0],
            [1000.0, 0.0, 2000.0]
        ]
    );
    let indices = "5121,\"type\":\"SCALAR\",\"count\":3";
    for (from, to, part) in [
        ("\"nodes\":[0]", "\"nodes\":[7]", "element 7"),
        ("\"mesh\":0", "\"children\":[0]", "several parents"),
        ("\"count\":3},", "\"count\":4},", "exceeds"),
        (
            "\"byteOffset\":36,\"byteLength\":4",
            "\"byteOffset\":37,\"byteLength\":3",
            "refers to vertex 9",
        ),
        (indices, "5125,\"type\":\"SCALAR\",\"count\":3", "exceeds"),
        ("\"byteOffset\":36", "\"byteOffset\":99999999999", "exceeds"),
        ("\"buffer\":0", "\"buffer\":1", "several buffers"),
        ("\"bufferView\":0,", "\"sparse\":{},", "sparse"),
        (
            "\"scene\":0",
            "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]",
            "KHR_draco_mesh_compression",
        ),
        ("{\"asset\"", "{\"asset", "invalid"),
    ] {
        let changed = GLTF.replacen(from, to, 1);
        assert_ne!(changed, GLTF);
        let error = error("a.glb", &gltf(&changed));
        assert!(error.contains(part), "{from}: {error}");
    }
    error("a.glb", &gltf(&"[".repeat(1 << 20)));
    // Copies of a mesh may exceed the file, but not without limit.
    let nodes = "{\"mesh\":0},".repeat(1 << 10);
    let roots: Vec<String> = (0..1 << 10).map(|node| node.to_string()).collect();
    let primitive = "{\"attributes\":{\"POSITION\":0},\"indices\":1},";
    let many = GLTF
        .replace("{\"children\":[1],\"translation\":[1,0,0]},", &nodes)
        .replace("\"nodes\":[0]", &format!("\"nodes\":[{}]", roots.join(",")))
        .replace(
            "\"primitives\":[",
            &format!("\"primitives\":[{}", primitive.repeat(1000)),
        );
    assert!(error("a.glb", &gltf(&many)).contains("copies"));
}

/// Returns a 3MF archive of stored entries.
fn three_mf(model: &str) -> Vec<u8> {
    let relationships = "<Relationships><Relationship Target=\"/3D/3dmodel.model\" \
        Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>";
    let entries = [("_rels/.rels", relationships), ("3D/3dmodel.model", model)];
    zip(&entries.map(|(name, content)| (name, content.as_bytes().to_vec())))
}

const MODEL: &str = "<model unit=\"inch\"><resources><object id=\"1\"><mesh><vertices>\
    <vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" z=\"0\"/>\
    </vertices><triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/></triangles></mesh></object>\
    <object id=\"2\"><components><component objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 0 0 5\"/>\
    </components></object></resources><build><item objectid=\"1\"/>\
    <item objectid=\"2\" transform=\"2 0 0 0 1 0 0 0 1 3 0 0\"/></build></model>";

#[test]
fn items_of_3mf_place_their_objects() {
    let mesh = read_mesh_bytes("a.3mf", &three_mf(MODEL)).unwrap();
    let inches = |vector: [f64; 3]| vector.map(|x| (25.4 * x) as f32);
    let expected = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [3.0, 0.0, 5.0],
        [5.0, 0.0, 5.0],
        [3.0, 1.0, 5.0],
    ];
    assert_eq!(mesh.vertices, expected.map(inches));
    for (from, to, part) in [
        ("unit=\"inch\"", "unit=\"mile\"", "mile"),
        ("v3=\"2\"", "v3=\"3\"", "vertex 3 of 3"),
        ("v3=\"2\"", "v3=\"-1\"", "three vertices"),
        ("y=\"1\"", "y=\"one\"", "three coordinates"),
        (
            "component objectid=\"1\"",
            "component objectid=\"2\"",
            "deep",
        ),
        (
            "component objectid=\"1\"",
            "component objectid=\"9\"",
            "object 9",
        ),
        (
            "<item objectid=\"1\"",
            "<item p:path=\"/../../etc/passwd\" objectid=\"1\"",
            "no entry",
        ),
        ("2 0 0 0 1 0", "2 0 0", "a transform"),
    ] {
        let changed = MODEL.replacen(from, to, 1);
        assert_ne!(changed, MODEL);
        let error = error("a.3mf", &three_mf(&changed));
        assert!(error.contains(part), "{from}: {error}");
    }
    // Every object has two copies of the one before.
    let double: String = (3..60)
        .map(|id| {
            let component = format!("<component objectid=\"{}\"/>", id - 1);
            let components = component.repeat(2);
            format!("<object id=\"{id}\"><components>{components}</components></object>")
        })
        .collect();
    let many = MODEL
        .replace("</resources>", &format!("{double}</resources>"))
        .replace("<item objectid=\"1\"", "<item objectid=\"59\"");
    assert!(error("a.3mf", &three_mf(&many)).contains("3MF"));
}

/// A wall between two labels, and the labels of its triangles.
#[test]
fn labels_of_gltf_are_extras_of_primitives() {
    let mesh = LabelledMesh {
        mesh: TriangleMesh {
            normals: None,
            ..tetrahedron([0.0; 3])
        },
        labels: vec![3, 17],
        sides: vec![[2, 0], [1, 0], [1, 2], [1, 0]],
    };
    let folder = folder();
    let path = folder.path().join("walls.glb");
    write_labelled_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
    let bytes = fs::read(&path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let document = String::from_utf8_lossy(&bytes[20..20 + length]).into_owned();
    for labels in [
        "{\"label_inside\":3,\"label_outside\":0}",
        "{\"label_inside\":3,\"label_outside\":17}",
        "{\"label_inside\":17,\"label_outside\":0}",
    ] {
        assert_eq!(document.matches(labels).count(), 1, "{document}");
    }
    let read = read_mesh(&path).unwrap();
    assert_eq!(read.vertices, mesh.mesh.vertices);
    let expected = Triangles::U32(vec![[0, 1, 3], [2, 0, 3], [1, 2, 3], [0, 2, 1]]);
    assert_eq!(read.triangles, expected);
}

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
