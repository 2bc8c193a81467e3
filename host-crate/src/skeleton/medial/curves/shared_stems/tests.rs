use super::*;
use crate::{
    grid::{Geometry, Metric},
    skeleton::medial::{
        paths::{
            segment_voxels::{in_voxels, nearest},
            shortest_paths::Measured,
        },
        progress::Steps,
        voxels::{
            boundary_faces::Shell, distance_transform::squares, frame::Frame, object::Object,
            runs::Run,
        },
    },
};

/// Curves in a solid block, where all ways have one class; what becomes of them.
fn parted(nodes: &[[f64; 3]], edges: &[([usize; 2], &[[f64; 3]])]) -> Draft {
    let run = |row: u32| Run {
        start: 0,
        end: 40,
        y: row % 40,
        z: row / 40,
        label: 1,
    };
    let runs: Vec<Run> = (0..1600).map(run).collect();
    let (metric, _) = Metric::of(&Geometry::default());
    let steps = &Steps::none();
    let object = &Object::new(&runs, &Frame::plain(&runs), steps).unwrap();
    let squares = squares(object, &metric, steps).unwrap();
    let Measured { squares, prices } = &Measured::of(object, &metric, squares);
    let known = Known {
        object,
        metric: &metric,
        squares,
        shell: &Shell::new(object, &metric),
        prices,
        steps,
    };
    let mut draft = Draft {
        nodes: nodes.iter().map(|&at| nearest(at)).collect(),
        edges: Vec::new(),
    };
    for &(ends, inner) in edges {
        let mut points = vec![draft.nodes[ends[0]]];
        points.extend(inner.iter().map(|&at| nearest(at)));
        points.push(draft.nodes[ends[1]]);
        draft.edges.push(DraftEdge {
            nodes: ends,
            points,
            voxels: Vec::new(),
        });
    }
    part(&known, &Cocycle::zero(), &mut draft).unwrap();
    assert!(self_overlap::all(&known, &draft).is_empty());
    draft
}

#[test]
fn curves_at_a_small_angle_part_farther_on() {
    let nodes = [
        [5.0, 20.0, 20.0],
        [30.0, 20.0, 20.0],
        [30.0, 30.0, 20.0],
        [5.0, 5.0, 20.0],
    ];
    let along = [[15.0, 20.0, 20.0]];
    let beside = [[15.0, 20.1, 20.0], [18.0, 20.2, 20.0]];
    let draft = parted(
        &nodes,
        &[([0, 1], &along), ([0, 2], &beside), ([0, 3], &[])],
    );
    // the stem and the third curve are one
    assert_eq!((draft.nodes.len(), draft.edges.len()), (4, 3));
    let degrees = draft.degrees();
    let junction = degrees.iter().position(|&degree| degree == 3).unwrap();
    let [x, y, _] = in_voxels(draft.nodes[junction]);
    assert!(
        (17.0..20.0).contains(&x) && (y - 20.0).abs() < 0.3,
        "{x} {y}"
    );
}

#[test]
fn a_curve_on_another_goes() {
    let nodes = [[5.0, 20.0, 20.0], [30.0, 20.0, 20.0], [12.0, 20.1, 20.0]];
    let draft = parted(&nodes, &[([0, 1], &[]), ([0, 2], &[])]);
    assert_eq!((draft.nodes.len(), draft.edges.len()), (2, 1));
}

#[test]
fn a_fold_is_cut_off() {
    let nodes = [[5.0, 20.0, 20.0], [30.0, 20.0, 20.0]];
    let fold = [[15.0, 20.0, 20.0], [15.0, 24.0, 20.0], [15.05, 20.0, 20.0]];
    let draft = parted(&nodes, &[([0, 1], &fold)]);
    assert_eq!(draft.edges.len(), 1);
    assert!(
        draft.edges[0]
            .points
            .iter()
            .all(|at| in_voxels(*at)[1] < 20.5)
    );
}

#[test]
fn curves_that_cross_meet_and_lead_round_for_nothing_once() {
    // two curves between nodes that a short edge joins, which cross farther on
    let nodes = [
        [5.0, 20.0, 20.0],
        [5.0, 22.0, 20.0],
        [35.0, 26.0, 20.0],
        [35.0, 16.0, 20.0],
    ];
    let edges: [([usize; 2], &[[f64; 3]]); 3] = [([0, 1], &[]), ([0, 2], &[]), ([1, 3], &[])];
    let draft = parted(&nodes, &edges);
    let ends = draft
        .degrees()
        .iter()
        .filter(|&&degree| degree == 1)
        .count();
    assert_eq!(draft.edges.len() + 1, draft.nodes.len());
    assert!(ends >= 2, "{ends}");
}
