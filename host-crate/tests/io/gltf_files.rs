//! glTF: nodes and accessors of files from elsewhere, labels, and Khronos' validator.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use ferrovox::io::{MeshWriteOptions, read_mesh, read_mesh_bytes, write_labelled_mesh, write_mesh};
use ferrovox::mesh::{LabelledMesh, TriangleMesh, Triangles};
use test_cases::report_skip;

use crate::helpers::folder;
use crate::mesh_exchange::{error, tetrahedron};

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
    // A mirror turns triangles inside out, unless their corners are exchanged.
    let mirrored = GLTF.replace("[2,2,2]", "[2,2,-2]");
    let found = read_mesh_bytes("a.glb", &gltf(&mirrored)).unwrap();
    assert_eq!(found.triangles, Triangles::U32(vec![[0, 2, 1]]));
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

/// Returns a tetrahedron with a wall between two labels.
fn labelled_mesh() -> LabelledMesh {
    LabelledMesh {
        mesh: TriangleMesh {
            normals: None,
            ..tetrahedron([0.0; 3])
        },
        labels: vec![3, 17],
        sides: vec![[2, 0], [1, 0], [1, 2], [1, 0]],
    }
}

#[test]
fn labels_of_gltf_are_extras_of_primitives() {
    let mesh = labelled_mesh();
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

/// Khronos' validator, in the folder of Node packages that `FERROVOX_NODE_MODULES` names, has no
/// remarks on written files, not even hints.
#[test]
fn written_gltf_is_valid() {
    let Some(modules) = std::env::var_os("FERROVOX_NODE_MODULES") else {
        report_skip(format_args!(
            "FERROVOX_NODE_MODULES does not name a folder of Node packages with gltf-validator"
        ));
        return;
    };
    let folder = folder();
    let options = MeshWriteOptions::default();
    let mut paths = Vec::new();
    let mut path = |name: &str| {
        let path = folder.path().join(name);
        paths.push(path.clone());
        path
    };
    write_mesh(path("normals.glb"), &tetrahedron([0.0; 3]), &options).unwrap();
    let distant = TriangleMesh {
        normals: None,
        ..tetrahedron([1e6, -2e6, 3e6])
    };
    write_mesh(path("distant.glb"), &distant, &options).unwrap();
    write_mesh(path("empty.glb"), &TriangleMesh::default(), &options).unwrap();
    write_labelled_mesh(path("labels.glb"), &labelled_mesh(), &options).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/io/oracles/validate_gltf.js");
    let mut validator = Command::new("node");
    validator.arg(script).args(&paths).env("NODE_PATH", modules);
    let output = validator.stdin(Stdio::null()).output().expect("node runs");
    let issues = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{issues}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(issues.matches(": 0 issues\n").count(), 4, "{issues}");
}
