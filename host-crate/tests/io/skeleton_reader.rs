//! The SWC reader: handwritten, damaged, generated and written files.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ferrovox::grid::Geometry;
use ferrovox::io::{
    FileProblem, SwcField, SwcProblem, read_skeleton, read_skeleton_bytes, write_skeleton,
    write_skeletons,
};
use ferrovox::skeleton::{Edge, Node, NodeKind, Skeleton};
use nalgebra::Point3;
use proptest::prelude::*;

use crate::helpers::folder;

fn read(text: &str) -> Skeleton {
    let skeleton = read_skeleton_bytes("a.swc", text.as_bytes()).unwrap();
    skeleton.validate().unwrap();
    skeleton
}

fn problem(text: &str) -> SwcProblem {
    let error = read_skeleton_bytes("a.swc", text.as_bytes()).unwrap_err();
    assert!(
        error.to_string().starts_with("a.swc: damaged SWC file: "),
        "{error}"
    );
    match error.problem {
        FileProblem::Swc(problem) => problem,
        other => panic!("{other}"),
    }
}

#[test]
fn roots_forks_and_endpoints_become_nodes() {
    // A root with one child, a fork with two, and an inner point whose parent comes later.
    let text = "# head\n4 3 0 -4 3 1 2\r\n\n 1\t1 0 0 0 2 -1 # root\n2 3 0 0 3 1.5 5\n3 3 0 4 3 1 2 8 9\n5 3 0 0 1 1.75 1";
    let skeleton = read(text);
    let kinds: Vec<_> = skeleton.nodes.iter().map(|node| node.kind).collect();
    let (end, junction) = (NodeKind::End, NodeKind::Junction);
    assert_eq!(kinds, [end, junction, end, end]);
    let radii: Vec<_> = skeleton.nodes.iter().map(|node| node.radius).collect();
    assert_eq!(radii, [2.0, 1.5, 1.0, 1.0]);
    let ends: Vec<_> = skeleton.edges.iter().map(|edge| edge.nodes).collect();
    assert_eq!(ends, [[0, 1], [1, 2], [1, 3]]);
    let points = [[0.0; 3], [0.0, 0.0, 1.0], [0.0, 0.0, 3.0]].map(Point3::from);
    assert_eq!(skeleton.edges[0].points, points);
    assert_eq!(skeleton.edges[0].radii, [2.0, 1.75, 1.5]);
    // Children are in the order of the file.
    assert_eq!(skeleton.nodes[2].position, Point3::new(0.0, -4.0, 3.0));
    assert_eq!(skeleton.geometry, Geometry::default());
    assert_eq!(skeleton.length(), 11.0);
}

#[test]
fn forests_isolated_points_and_inner_roots_are_read() {
    let skeleton = read("0 1 0 0 0 1 -1\n7 0 1 0 0 1 0\n3 0 -1 0 0 1 0\n9 1 5 5 5 -1 -1\n");
    let of = |node: &Node| (node.kind, node.component, node.radius);
    let nodes: Vec<_> = skeleton.nodes.iter().map(of).collect();
    let (end, junction) = (NodeKind::End, NodeKind::Junction);
    // A negative radius means unknown.
    assert_eq!(
        nodes,
        [
            (junction, 0, 1.0),
            (end, 0, 1.0),
            (end, 0, 1.0),
            (end, 1, 0.0)
        ]
    );
    assert_eq!(skeleton.edges.len(), 2);
    assert_eq!(skeleton.chains().len(), 1);
    assert_eq!(read(""), Skeleton::default());
    assert_eq!(read("# 1 0 0 0 0 1 -1\n"), Skeleton::default());
}

#[test]
fn long_comments_are_skipped_and_long_lines_rejected() {
    let point = "1 0 0 0 0 1 -1\n";
    for length in [4000, 4095, 4096, 4097, 8192, 9000] {
        let comment = format!("#{}\n{point}", " 2".repeat(length).split_off(length));
        assert_eq!(read(&comment).nodes.len(), 1, "{length}");
        let behind = format!("1 0 0 0 0 1 -1 #{}\n2{}", "3 ".repeat(length), &point[1..]);
        assert_eq!(read(&behind).nodes.len(), 2, "{length}");
    }
    let long = format!("{point}2 0 0 0 0 1 1{}\n", " 0".repeat(3000));
    assert_eq!(problem(&long), SwcProblem::LongLine { line: 2 });
    // A comment that is not UTF-8.
    assert!(read_skeleton_bytes("a.swc", b"# \xe9\n1 0 0 0 0 1 -1 # \xff\n").is_ok());
}

#[test]
fn damaged_swc_is_reported_with_its_line() {
    let text = "1 0 0 0 0 1 -1\n\n2 0 1 2\n";
    assert_eq!(problem(text), SwcProblem::TooFewWords { line: 3, found: 4 });
    let cases = [
        ("1.0 0 0 0 0 1 -1", SwcField::Number, "1.0"),
        ("-1 0 0 0 0 1 -1", SwcField::Number, "-1"),
        (
            "9223372036854775808 0 0 0 0 1 -1",
            SwcField::Number,
            "9223372036854775808",
        ),
        ("1 soma 0 0 0 1 -1", SwcField::Type, "soma"),
        ("1 0 nan 0 0 1 -1", SwcField::X, "nan"),
        ("1 0 0 1e400 0 1 -1", SwcField::Y, "1e400"),
        ("1 0 0 0 1,5 1 -1", SwcField::Z, "1,5"),
        ("1 0 0 0 0 -inf -1", SwcField::Radius, "-inf"),
        ("1 0 0 0 0 1 -2", SwcField::Parent, "-2"),
        ("1 0 0 0 0 1 none", SwcField::Parent, "none"),
    ];
    for (line, expected, word) in cases {
        match problem(line) {
            SwcProblem::NotANumber {
                line: 1,
                field,
                text,
                ..
            } => {
                assert_eq!((field, text.as_str()), (expected, word));
            }
            other => panic!("{line}: {other}"),
        }
    }
    let twice = "5 0 0 0 0 1 -1\n6 0 0 0 0 1 5\n5 0 0 0 0 1 -1\n";
    let expected = SwcProblem::Duplicate {
        number: 5,
        first: 1,
        second: 3,
    };
    assert_eq!(problem(twice), expected);
    let expected = SwcProblem::MissingParent {
        number: 2,
        line: 2,
        parent: 3,
    };
    assert_eq!(problem("1 0 0 0 0 1 -1\n2 0 0 0 0 1 3\n"), expected);
    let itself = SwcProblem::Cycle { number: 4, line: 1 };
    assert_eq!(problem("4 0 0 0 0 1 4\n"), itself);
    // A tail leads into the cycle 3 -> 4 -> 5 -> 3, whose first line is that of point 5.
    let text = "1 0 0 0 0 1 -1\n2 0 0 0 0 1 3\n5 0 0 0 0 1 3\n3 0 0 0 0 1 4\n4 0 0 0 0 1 5\n";
    let error = problem(text);
    assert_eq!(error, SwcProblem::Cycle { number: 5, line: 3 });
    assert!(error.to_string().contains("point 5 in line 3"), "{error}");
}

#[test]
fn other_extensions_are_rejected() {
    let error = read_skeleton_bytes("a.json", b"{}")
        .unwrap_err()
        .to_string();
    assert!(error.contains("skeletons are read from .swc"), "{error}");
    let folder = folder();
    let missing = read_skeleton(folder.path().join("a.swc")).unwrap_err();
    assert!(matches!(missing.problem, FileProblem::NotFound));
}

#[test]
fn labels_become_trees_of_one_graph() {
    let folder = folder();
    let path = folder.path().join("a.swc");
    let one = read("1 0 0 0 0 1 -1\n2 0 1 0 0 1 1\n");
    write_skeletons(&path, &[(7, &one), (9, &one)]).unwrap();
    let both = read_skeleton(&path).unwrap();
    assert_eq!((both.nodes.len(), both.components().count), (4, 2));
}

/// Point of a file: number, position, radius, number of the parent.
type Line = (i64, [f64; 3], f64, i64);

/// Returns the lines of some trees, in any order, with numbers that are not ascending.
fn forest() -> impl Strategy<Value = Vec<Line>> {
    let real = prop_oneof![-1e3..1e3_f64, Just(-0.0), Just(1e-310), Just(-1.7e308)];
    let point = (
        [real.clone(), real.clone(), real],
        0.0..1e9_f64,
        any::<u64>(),
        0..9_u8,
    );
    (
        prop::collection::vec(point, 0..60),
        1..1000_i64,
        any::<u64>(),
    )
        .prop_map(|(points, step, turn)| {
            let number = |place: usize| (place as i64 * step) ^ (turn & 0xffff) as i64;
            let line = |(place, (at, radius, which, root)): (usize, ([f64; 3], f64, u64, u8))| {
                let parent = match place {
                    0 => -1,
                    _ if root == 0 => -1,
                    // Some chains and some forks.
                    _ if root < 6 => number(place - 1),
                    _ => number((which % place as u64) as usize),
                };
                let key = which.rotate_left((turn % 64) as u32);
                (key, (number(place), at, radius, parent))
            };
            let mut lines: Vec<_> = points.into_iter().enumerate().map(line).collect();
            lines.sort_by_key(|&(key, (number, ..))| (key, number));
            lines.into_iter().map(|(_, line)| line).collect()
        })
}

fn text(lines: &[Line]) -> String {
    let mut text = String::from("# made\n");
    for (number, [x, y, z], radius, parent) in lines {
        let _ = writeln!(text, "{number} 2 {x} {y} {z} {radius} {parent}");
    }
    text
}

/// Segment between two points with their radii, by the bits of the numbers; -0 is 0.
type Step = [u64; 8];

fn step(from: (&[f64; 3], f64), to: (&[f64; 3], f64)) -> Step {
    let [a, b, c] = *from.0;
    let [d, e, f] = *to.0;
    [a, b, c, from.1, d, e, f, to.1].map(|number| (number + 0.0).to_bits())
}

/// Counts each segment of a skeleton, directed away from a root.
fn steps(skeleton: &Skeleton) -> BTreeMap<Step, usize> {
    let mut steps = BTreeMap::new();
    for edge in &skeleton.edges {
        for at in 1..edge.points.len() {
            let [from, to] = [at - 1, at].map(|at| (edge.points[at].coords.into(), edge.radii[at]));
            *steps
                .entry(step((&from.0, from.1), (&to.0, to.1)))
                .or_insert(0) += 1;
        }
    }
    steps
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn the_graph_has_the_steps_and_trees_of_the_file(lines in forest()) {
        let skeleton = read(&text(&lines));
        let by_number: BTreeMap<i64, &Line> = lines.iter().map(|line| (line.0, line)).collect();
        let mut expected = BTreeMap::new();
        let mut children = BTreeMap::<i64, usize>::new();
        for (_, position, radius, parent) in &lines {
            if let Some((_, from, wide, _)) = by_number.get(parent) {
                *expected.entry(step((from, *wide), (position, *radius))).or_insert(0) += 1;
                *children.entry(*parent).or_default() += 1;
            }
        }
        prop_assert_eq!(steps(&skeleton), expected);
        let roots = lines.iter().filter(|line| line.3 == -1).count();
        let nodes = lines.iter().filter(|line| line.3 == -1 || children.get(&line.0) != Some(&1));
        prop_assert_eq!(skeleton.nodes.len(), nodes.count());
        prop_assert_eq!(skeleton.components().count, roots);
        prop_assert_eq!(skeleton.cycles(), 0);
        // No node has degree 2, so edges are as long as possible.
        for (node, degree) in skeleton.degrees().into_iter().enumerate() {
            let kind = if degree < 2 { NodeKind::End } else { NodeKind::Junction };
            prop_assert_eq!(skeleton.nodes[node].kind, kind);
        }
    }

    #[test]
    fn one_wrong_line_is_an_error(lines in forest(), which in any::<prop::sample::Index>(), what in 0..4) {
        prop_assume!(!lines.is_empty());
        let mut lines = lines;
        let at = which.index(lines.len());
        let number = lines[at].0;
        let is_right = |problem: &SwcProblem| match what {
            0 => matches!(problem, SwcProblem::MissingParent { .. }),
            1 => matches!(problem, SwcProblem::Cycle { .. }),
            2 => matches!(problem, SwcProblem::Duplicate { .. }),
            _ => matches!(problem, SwcProblem::NotANumber { field: SwcField::Y, .. }),
        };
        match what {
            0 => lines[at].3 = i64::MAX,
            // The root of a tree becomes the child of one of its points.
            1 => {
                let mut root = number;
                while let Some(line) = lines.iter().find(|line| line.0 == root && line.3 != -1) {
                    root = line.3;
                }
                let root = lines.iter().position(|line| line.0 == root).unwrap();
                lines[root].3 = number;
            }
            2 => lines.push(lines[at]),
            _ => lines[at].1[1] = f64::NAN,
        }
        let problem = problem(&text(&lines));
        prop_assert!(is_right(&problem), "{}", problem);
    }
}

/// Returns a random graph: nodes, edges with inner points between any two of them, cycles, and
/// isolated nodes.
fn graph() -> impl Strategy<Value = Skeleton> {
    let place = || [-50.0..50.0_f64, -50.0..50.0_f64, -50.0..50.0_f64].prop_map(Point3::from);
    let node = (place(), 0.1..9.0_f64);
    let inner = prop::collection::vec((place(), 0.1..9.0_f64), 0..4);
    let edge = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        inner,
    );
    let parts = (
        prop::collection::vec(node, 1..20),
        prop::collection::vec(edge, 0..24),
    );
    parts.prop_map(|(nodes, edges)| {
        let nodes: Vec<Node> = nodes
            .into_iter()
            .map(|(position, radius)| Node {
                kind: NodeKind::Junction,
                position,
                eigenvalues: None,
                radius,
                component: 0,
            })
            .collect();
        let edge = |(from, to, inner): (prop::sample::Index, prop::sample::Index, Vec<_>)| {
            let ends = [from, to].map(|end| end.index(nodes.len()));
            let end = |end: usize| (nodes[end].position, nodes[end].radius);
            let points = [end(ends[0])]
                .into_iter()
                .chain(inner)
                .chain([end(ends[1])]);
            let (points, radii) = points.unzip();
            Edge {
                nodes: ends,
                points,
                radii,
                section_areas: Vec::new(),
                level: 0,
            }
        };
        let edges = edges.into_iter().map(edge).collect();
        Skeleton {
            nodes,
            edges,
            geometry: Geometry::default(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(skeleton in graph()) {
        // In memory where possible: files wait for the disk.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let path = folder.path().join("a.swc");
        let written = write_skeleton(&path, &skeleton).unwrap();
        let trees = read_skeleton(&path).unwrap();
        trees.validate().unwrap();
        prop_assert_eq!(written.cut_cycles, skeleton.cycles());
        prop_assert_eq!(trees.components().count, skeleton.components().count);
        // Every segment is one of the skeleton's, in one of both directions, except for those that
        // were cut.
        let mut left = steps(&skeleton);
        for (step, count) in steps(&trees) {
            let [a, b, c, r, d, e, f, s] = step;
            for _ in 0..count {
                let way = [step, [d, e, f, s, a, b, c, r]].into_iter().find(|way| left.contains_key(way));
                prop_assert!(way.is_some(), "a step that was not written");
                let way = way.unwrap();
                let many = left.get_mut(&way).unwrap();
                *many -= 1;
                if *many == 0 {
                    left.remove(&way);
                }
            }
        }
        prop_assert_eq!(left.values().sum::<usize>(), written.cut_cycles);
        // Trees are preserved except for the order of children.
        let again = folder.path().join("b.swc");
        prop_assert_eq!(write_skeleton(&again, &trees).unwrap().cut_cycles, 0);
        let second = read_skeleton(&again).unwrap();
        prop_assert_eq!(steps(&second), steps(&trees));
        prop_assert_eq!(second.nodes.len(), trees.nodes.len());
    }
}
