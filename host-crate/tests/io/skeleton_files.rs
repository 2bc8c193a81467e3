//! Written skeleton and vector field files, checked with minimal readers of the formats.

use std::fs;

use ferrovox::grid::Geometry;
use ferrovox::io::{
    FileProblem, SkeletonWriteReport, write_field, write_skeleton, write_skeletons,
};
use ferrovox::skeleton::{Edge, Node, NodeKind, Skeleton};
use nalgebra::Point3;

use crate::helpers::folder;
use crate::npy_by_python;

/// Returns a ring of 12 segments with a tail of 3 segments, whose end is the widest node, and an
/// isolated node. Voxels of 2 x 2 x 2 with origin (10, 0, 0).
fn ring_with_tail() -> Skeleton {
    let on_ring = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / 12.0;
        Point3::new(4.0 * angle.cos(), 4.0 * angle.sin(), 1.0)
    };
    let node = |kind, position, radius, component| Node {
        kind,
        position,
        eigenvalues: Some([-3.0, -2.0, -1.0]).filter(|_| kind == NodeKind::Attracting),
        radius,
        component,
    };
    let (fork, end) = (on_ring(0), Point3::new(7.0, 0.0, 1.0));
    let ring: Vec<_> = (0..12).map(on_ring).chain([fork]).collect();
    let tail: Vec<_> = (4..8).map(|x| Point3::new(x as f64, 0.0, 1.0)).collect();
    Skeleton {
        nodes: vec![
            node(NodeKind::Saddle { index: 1 }, fork, 0.0, 0),
            node(NodeKind::Attracting, end, 9.0, 0),
            node(NodeKind::Attracting, Point3::new(0.5, 1.0, 20.0), 2.0, 1),
        ],
        edges: vec![
            Edge {
                nodes: [0, 0],
                radii: vec![1.5; ring.len()],
                points: ring,
                section_areas: Vec::new(),
                level: 0,
            },
            Edge {
                nodes: [1, 0],
                radii: vec![9.0, 4.0, 3.0, 1.5],
                points: tail.into_iter().rev().collect(),
                section_areas: Vec::new(),
                level: 1,
            },
        ],
        geometry: Geometry::from_spacing([2.0; 3], [10.0, 0.0, 0.0]).unwrap(),
    }
}

fn written(name: &str, skeleton: &Skeleton) -> (String, SkeletonWriteReport) {
    let folder = folder();
    let path = folder.path().join(name);
    let written = write_skeleton(&path, skeleton).unwrap();
    (fs::read_to_string(&path).unwrap(), written)
}

fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect()
}

#[test]
fn swc_is_a_tree_that_lacks_the_last_step_of_the_ring() {
    let skeleton = ring_with_tail();
    let (text, written) = written("a.swc", &skeleton);
    assert_eq!(written.cut_cycles, 1);
    let rows: Vec<Vec<f64>> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(numbers)
        .collect();
    // Every node is one point: 12 of the ring, 3 more of the tail, 1 isolated.
    assert_eq!(rows.len(), 16);
    let mut length = 0.0;
    for (number, row) in rows.iter().enumerate() {
        assert_eq!(row.len(), 7);
        assert_eq!(row[0] as usize, number + 1);
        let parent = row[6] as i64;
        assert!(
            parent == -1 || (1..=number as i64).contains(&parent),
            "{row:?}"
        );
        if parent > 0 {
            let parent = &rows[parent as usize - 1];
            length += (2..5)
                .map(|k| (row[k] - parent[k]).powi(2))
                .sum::<f64>()
                .sqrt();
        }
    }
    let step = 2.0 * 8.0 * (std::f64::consts::PI / 12.0).sin();
    assert!((skeleton.length() - step - length).abs() < 1e-9);
    // The root is the widest node, the end of the tail, six times as wide as the ring.
    assert_eq!(rows[0], [1.0, 1.0, 24.0, 0.0, 2.0, 9.0, -1.0]);
    assert_eq!(rows.iter().filter(|row| row[6] == -1.0).count(), 2);
    // The cut ring continues the tail: there is no fork.
    assert_eq!(rows.iter().filter(|row| row[1] == 5.0).count(), 0);
    // The ring is cut next to its node, so that it adds one leaf.
    let ends: Vec<_> = rows
        .iter()
        .filter(|row| row[1] == 6.0 && row[6] != -1.0)
        .collect();
    let [end] = ends[..] else { panic!("{ends:?}") };
    let last = 10.0 + 8.0 * (std::f64::consts::TAU / 12.0).cos();
    assert!((end[2] - last).abs() < 1e-9, "{end:?}");
    // Radii of nodes without one are taken from the edge.
    assert!(rows.iter().all(|row| row[5] > 0.0));
}

#[test]
fn obj_has_points_and_lines() {
    let (text, written) = written("a.obj", &ring_with_tail());
    assert_eq!(written.cut_cycles, 0);
    let of = |key: &str| -> Vec<Vec<f64>> {
        text.lines()
            .filter_map(|line| line.strip_prefix(key)?.strip_prefix(' '))
            .map(numbers)
            .collect()
    };
    assert_eq!(of("v").len(), 16);
    assert_eq!(of("v")[1], [24.0, 0.0, 2.0]);
    let lines = of("l");
    assert_eq!([lines[0].len(), lines[1].len()], [13, 4]);
    assert_eq!((lines[0][0], lines[0][12]), (1.0, 1.0));
    assert_eq!((lines[1][0], lines[1][3]), (2.0, 1.0));
    assert_eq!(of("p"), [[3.0]]);
    assert!(text.contains("g level0\n") && text.contains("g level1\n"));
}

/// Returns the numbers of the array `name`; `at` selects one of several such arrays.
fn array(text: &str, name: &str, at: usize) -> Vec<f64> {
    let start = text.match_indices(&format!("Name=\"{name}\"")).nth(at);
    let rest = &text[start.unwrap_or_else(|| panic!("no {name}")).0..];
    let content = &rest[rest.find('>').unwrap() + 1..rest.find('<').unwrap()];
    numbers(content)
}

#[test]
fn vtp_has_as_many_of_everything_as_it_says() {
    let (text, _) = written("a.vtp", &ring_with_tail());
    for (name, count) in [("Points", 16), ("Verts", 1), ("Lines", 2), ("Polys", 0)] {
        assert!(
            text.contains(&format!("NumberOf{name}=\"{count}\"")),
            "{text}"
        );
    }
    assert_eq!(array(&text, "points", 0).len(), 48);
    assert_eq!(array(&text, "radius", 0)[..3], [1.5, 9.0, 2.0]);
    assert_eq!(array(&text, "level", 0).len(), 16);
    assert_eq!(array(&text, "level", 1), [0.0, 0.0, 1.0]);
    assert_eq!(array(&text, "component", 0), [1.0, 0.0, 0.0]);
    assert_eq!(array(&text, "connectivity", 0), [2.0]);
    assert_eq!(array(&text, "connectivity", 1).len(), 17);
    assert_eq!(array(&text, "offsets", 1), [13.0, 17.0]);
    let opened = text.matches("<DataArray").count();
    assert_eq!(opened, text.matches("</DataArray>").count());
    // An empty skeleton gives a valid file.
    let (nothing, _) = written("a.vtp", &Skeleton::default());
    assert!(nothing.contains("NumberOfPoints=\"0\""));
}

#[test]
fn json_has_everything() {
    let skeleton = ring_with_tail();
    let (text, _) = written("a.json", &skeleton);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!([&json["components"], &json["cycles"]], [2, 1]);
    assert_eq!(json["affine"][0], serde_json::json!([2.0, 0.0, 0.0, 10.0]));
    assert_eq!(json["nodes"][0]["kind"], "saddle1");
    assert_eq!(json["nodes"][0]["eigenvalues"], serde_json::Value::Null);
    assert_eq!(
        json["nodes"][1]["position"],
        serde_json::json!([24.0, 0.0, 2.0])
    );
    assert_eq!(
        json["nodes"][1]["voxel"],
        serde_json::json!([7.0, 0.0, 1.0])
    );
    let degrees: Vec<_> = (0..3)
        .map(|node| json["nodes"][node]["degree"].clone())
        .collect();
    assert_eq!(degrees, [3, 1, 0]);
    assert_eq!(json["edges"][1]["nodes"], serde_json::json!([1, 0]));
    let length = json["edges"][1]["length"].as_f64().unwrap();
    assert!((length - 6.0).abs() < 1e-12);
    for (number, edge) in skeleton.edges.iter().enumerate() {
        let read = &json["edges"][number];
        assert_eq!(read["level"], edge.level);
        assert_eq!(read["radii"], serde_json::json!(edge.radii));
        let points = read["points"].as_array().unwrap();
        let world = skeleton.edge_in_world(number);
        assert_eq!(points.len(), world.len());
        for (read, point) in points.iter().zip(world) {
            let coordinates: Vec<f64> = serde_json::from_value(read.clone()).unwrap();
            assert_eq!(coordinates, point.coords.as_slice());
        }
    }
}

#[test]
fn skel_is_in_voxels() {
    let (text, _) = written("a.skel", &ring_with_tail());
    let rows: Vec<_> = text.lines().map(numbers).collect();
    assert_eq!(rows.len(), 13 + 4 + 1);
    assert_eq!(rows[0], [4.0, 0.0, 1.0, 0.0, 1.5]);
    assert_eq!(rows[13], [7.0, 0.0, 1.0, 1.0, 9.0]);
    assert_eq!(rows[17], [0.5, 1.0, 20.0, 2.0, 2.0]);
}

/// The file of several labels equals those of single labels, with continued numbers.
#[test]
fn labels_are_told_apart() {
    let folder = folder();
    let skeleton = ring_with_tail();
    let text = |name: &str| {
        let path = folder.path().join(name);
        let written = write_skeletons(&path, &[(-3, &skeleton), (70, &skeleton)]).unwrap();
        let cut = if name.ends_with(".swc") { 2 } else { 0 };
        assert_eq!(written.cut_cycles, cut, "{name}");
        fs::read_to_string(path).unwrap()
    };
    let data = |text: &str| -> Vec<Vec<f64>> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(numbers).collect()
    };

    let swc = text("a.swc");
    let (first, second) = swc.split_once("# label 70\n").unwrap();
    assert!(first.contains("# label -3\n"));
    let alone = data(&written("b.swc", &skeleton).0);
    assert_eq!(data(first), alone);
    for (row, expected) in data(second).iter().zip(&alone) {
        assert_eq!(row[0], expected[0] + 16.0);
        let is_root = expected[6] == -1.0;
        assert_eq!(row[6], if is_root { -1.0 } else { expected[6] + 16.0 });
        assert_eq!(row[1..6], expected[1..6]);
    }

    let obj = text("a.obj");
    let (first, second) = obj.split_once("g label_70\n").unwrap();
    assert!(first.contains("g label_-3\np 3\nl 1 ") && second.starts_with("p 19\nl 17 "));
    assert_eq!(obj.matches("\ng ").count(), 2);

    let vtp = text("a.vtp");
    assert_eq!(
        array(&vtp, "label", 0),
        [-3.0, 70.0, -3.0, -3.0, 70.0, 70.0]
    );
    assert_eq!(array(&vtp, "component", 0), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(array(&vtp, "connectivity", 0), [2.0, 18.0]);
    assert_eq!(array(&vtp, "connectivity", 1)[17..20], [16.0, 19.0, 20.0]);
    assert_eq!(array(&vtp, "points", 0).len(), 96);

    let json: serde_json::Value = serde_json::from_str(&text("a.json")).unwrap();
    assert_eq!(json["format"], "ferrovox skeletons 1");
    let one = &json["labels"][1];
    assert_eq!((&one["label"], &one["cycles"]), (&70.into(), &1.into()));
    assert_eq!(one["edges"].as_array().unwrap().len(), 2);

    let rows = data(&text("a.skel"));
    assert_eq!(rows.len(), 36);
    assert_eq!([rows[17][3], rows[18][3], rows[35][3]], [2.0, 3.0, 5.0]);
}

#[test]
fn what_cannot_be_written_leaves_what_was_there() {
    let folder = folder();
    let path = folder.path().join("a.swc");
    fs::write(&path, "before").unwrap();
    let mut bad = ring_with_tail();
    bad.edges[0].points[3].x = f64::NAN;
    let error = write_skeleton(&path, &bad).unwrap_err();
    assert!(error.to_string().contains("edge 0"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "before");
    let error = write_skeleton(folder.path().join("a.xyz"), &ring_with_tail()).unwrap_err();
    assert!(error.to_string().contains(".swc"), "{error}");
}

#[test]
fn a_field_is_an_array_of_four_axes() {
    let folder = folder();
    let path = folder.path().join("field.npy");
    let vectors = (0..24).map(|number| [number as f32, 0.5, -1.0]);
    write_field(&path, [4, 3, 2], vectors.clone()).unwrap();
    let bytes = fs::read(&path).unwrap();
    if let Some((shape, numbers)) = npy_by_python::read(&path) {
        assert_eq!(shape, [2, 3, 4, 3]);
        let expected = vectors.clone().flatten().map(f64::from);
        assert_eq!(numbers, expected.collect::<Vec<f64>>());
    }
    // Too few and too many vectors leave an existing file unchanged.
    for count in [0, 23, 25, 24_000] {
        let other = vectors.clone().cycle().take(count);
        let error = write_field(&path, [4, 3, 2], other).unwrap_err();
        assert!(
            matches!(error.problem, FileProblem::FieldLength { .. }),
            "{error}"
        );
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    write_field(&path, [0, 3, 2], []).unwrap();
    assert!(write_field(folder.path().join("field.nrrd"), [0; 3], []).is_err());
}

/// A ball with a dendrite: the centre has the type of cell bodies.
#[test]
fn swc_roots_of_cell_bodies_have_type_1() {
    let points: Vec<_> = (0..=30)
        .map(|x| Point3::new(f64::from(x), 0.0, 0.0))
        .collect();
    let radii: Vec<f64> = (0..=30).map(|x| f64::from(10 - x).max(1.0)).collect();
    let node = |position, radius| Node {
        kind: NodeKind::End,
        position,
        eigenvalues: None,
        radius,
        component: 0,
    };
    let cell = Skeleton {
        nodes: vec![node(points[0], 10.0), node(points[30], 1.0)],
        edges: vec![Edge {
            nodes: [0, 1],
            points,
            radii,
            section_areas: Vec::new(),
            level: 0,
        }],
        geometry: Geometry::default(),
    };
    let (text, _) = written("a.swc", &cell);
    assert!(text.contains("\n1 1 0 0 0 10 -1\n"), "{text}");
    let ends = text
        .lines()
        .filter(|line| line.split(' ').nth(1) == Some("6"));
    assert_eq!(ends.count(), 1);
}

#[test]
fn tables_have_a_row_per_branch_and_per_node() {
    let skeleton = ring_with_tail();
    let (text, _) = written("a.csv", &skeleton);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row.len() == 13), "{text}");
    assert_eq!(rows[0][..3], ["branch", "component", "kind"]);
    assert_eq!(rows[1][2..5], ["junction-junction", "0", "0"]);
    // a ring has no tortuosity, and branches without sections no area
    assert_eq!([rows[1][7], rows[1][11], rows[1][12]], ["", "", ""]);
    assert_eq!(rows[2][2..8], ["end-junction", "0", "1", "6", "6", "1"]);
    assert_eq!(rows[2][9..11], ["1.5", "9"]);
    let (text, _) = written("a.nodes.csv", &skeleton);
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows[0], "node,component,kind,degree,x,y,z,radius");
    assert_eq!(rows[2], "1,0,attracting,1,24,0,2,9");
    assert_eq!(rows.len(), 4);
    let folder = folder();
    let path = folder.path().join("a.csv");
    write_skeletons(&path, &[(-3, &skeleton), (70, &skeleton)]).unwrap();
    let text = fs::read_to_string(path).unwrap();
    assert!(text.starts_with("label,branch,") && text.contains("\n70,1,0,end-junction,"));
}

#[test]
fn graphml_has_all_nodes_and_edges() {
    let (text, _) = written("a.graphml", &ring_with_tail());
    assert_eq!(text.matches("<node id=").count(), 3);
    assert_eq!(text.matches("<edge ").count(), 2);
    assert!(text.contains("<edge source=\"n1\" target=\"n0\">"));
    assert!(text.contains("<data key=\"points\">24 0 2;22 0 2;20 0 2;18 0 2</data>"));
    assert_eq!(
        text.matches("<data").count(),
        text.matches("</data>").count()
    );
    let keys = text.matches("<key ").count();
    assert_eq!(text.matches("attr.type=").count(), keys);
}
