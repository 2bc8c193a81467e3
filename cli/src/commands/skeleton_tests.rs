//! Reports of `ferrovox skeleton` for synthetic outcomes.

use super::{
    skeleton_json::json,
    skeleton_method::method,
    skeleton_report::{SkeletonRun, readable},
};
use crate::args::{Cli, Command, SkeletonArgs};
use clap::Parser;
use ferrovox::{
    device::Device,
    grid::Geometry,
    monitor::StageTime,
    pipeline::{
        Timings,
        skeleton::{Checks, LabelOutcome, LocatedViolation, SkeletonOutcome},
    },
    skeleton::{
        Edge, Node, NodeKind, Skeleton,
        medial::{ComponentReport, Dust, UncoveredProtrusion, Violation},
        potential_field::{Certificate, ClassCounts},
    },
};
use nalgebra::Point3;
use serde_json::{Value, json as value};
use std::time::Duration;

fn args(line: &str) -> SkeletonArgs {
    let words = ["ferrovox", "skeleton"].into_iter();
    match Cli::parse_from(words.chain(line.split_whitespace())).command {
        Command::Skeleton(args) => *args,
        _ => panic!("another command"),
    }
}

/// Creates a skeleton of a loop with one node, and an isolated node.
fn skeleton() -> Skeleton {
    let node = |kind, component| Node {
        kind,
        position: Point3::origin(),
        eigenvalues: None,
        radius: 1.0,
        component,
    };
    let ring = Edge {
        nodes: [0, 0],
        points: vec![
            Point3::origin(),
            Point3::new(3.0, 0.0, 0.0),
            Point3::origin(),
        ],
        radii: vec![1.0; 3],
        section_areas: Vec::new(),
        level: 0,
    };
    Skeleton {
        nodes: vec![node(NodeKind::Attracting, 0), node(NodeKind::End, 1)],
        edges: vec![ring],
        ..Skeleton::default()
    }
}

fn outcome(labels: Vec<LabelOutcome>) -> SkeletonOutcome {
    let time = |stage, ms| StageTime {
        stage,
        time: Duration::from_millis(ms),
    };
    SkeletonOutcome {
        labels,
        dims: [10, 5, 2],
        geometry: Geometry::default(),
        iso: None,
        devices: Vec::new(),
        cut_cycles: 1,
        written: vec!["a.swc".into(), "a.vtp".into()],
        warnings: Vec::new(),
        timings: Timings {
            stages: vec![time("read", 1), time("skeleton", 2)],
            total: Duration::from_micros(3500),
        },
        stages: vec![StageTime {
            stage: "field",
            time: Duration::from_micros(1500),
        }],
    }
}

/// Creates an outcome of the potential-field method with a saddle missing in one component.
fn potential_field_outcome() -> SkeletonOutcome {
    let certificates = vec![
        Certificate {
            attracting: 4,
            saddles_index1: 4,
            ..Certificate::default()
        },
        Certificate {
            attracting: 2,
            euler_solid: 1,
            ..Certificate::default()
        },
    ];
    let labels = vec![LabelOutcome {
        label: 1,
        skeleton: skeleton(),
        pruned: 2,
        joined: 0,
        checks: Checks::PotentialField {
            certificates,
            bridges: 1,
            counts: ClassCounts {
                exterior: 90,
                surface: 6,
                boundary: 3,
                interior: 1,
            },
            variant: ferrovox::skeleton::potential_field::FieldVariant::Tuned,
        },
    }];
    SkeletonOutcome {
        iso: Some(5.0),
        ..outcome(labels)
    }
}

fn component(voxels: u64, violations: Vec<Violation>) -> ComponentReport {
    ComponentReport {
        first_voxel: [1, 2, 3],
        voxels,
        tunnels: 1,
        filled_tunnels: 3,
        cavities: 0,
        cycle_rank: 1,
        is_centred: true,
        uncovered: Some(UncoveredProtrusion {
            significance: 0.75,
            length: 5.0,
            width: 4.0,
            position: Point3::new(1.0, 2.0, 0.5),
        }),
        violations,
    }
}

/// Creates an outcome of the medial method with two labels; two components of the second have
/// violations.
fn medial_outcome() -> SkeletonOutcome {
    let label = |label, reports: &[ComponentReport]| {
        let reports = reports.to_vec();
        let violations = reports.iter().enumerate();
        let violations = violations.flat_map(|(component, report)| {
            let violations = report.violations.iter().cloned();
            violations.map(move |violation| LocatedViolation {
                label,
                component,
                violation,
                position: Point3::new(0.5, 2.0, -3.25),
            })
        });
        LabelOutcome {
            label,
            skeleton: skeleton(),
            pruned: 0,
            joined: 0,
            checks: Checks::Medial {
                violations: violations.collect(),
                components: reports.clone(),
                dust: Dust {
                    components: 1,
                    voxels: 5,
                },
            },
        }
    };
    let overlap = || Violation::SelfOverlap {
        edge: 0,
        position: Point3::origin(),
    };
    let uncovered = Violation::Uncovered {
        voxels: 8,
        position: Point3::origin(),
    };
    let good = component(40, Vec::new());
    outcome(vec![
        label(3, std::slice::from_ref(&good)),
        label(
            70,
            &[
                component(30, vec![overlap(), uncovered, overlap()]),
                good,
                component(20, vec![overlap()]),
            ],
        ),
    ])
}

/// Returns the JSON report and the text report of a command line.
fn reports(line: &str, outcome: &SkeletonOutcome) -> (Value, String) {
    let args = args(line);
    let run = SkeletonRun {
        args: &args,
        method: &method(&args).unwrap(),
        devices: &[Device::cpu()],
        outcome,
    };
    (serde_json::to_value(json(&run)).unwrap(), readable(&run))
}

#[test]
fn potential_field_reports_are_complete() {
    let line = "a.nii --iso 5 --method potential-field --significance 0.1 --exponent 4 -o a.swc -o a.vtp --prune 3";
    let (json, text) = reports(line, &potential_field_outcome());
    for (field, value) in [
        ("outputs", value!(["a.swc", "a.vtp"])),
        ("method", value!("potential-field")),
        ("hierarchy", value!("curvature")),
        ("divergence", value!(0.2)),
        ("significance", value!(0.1)),
        ("exponent", value!(4.0)),
        ("certified", Value::Null),
        ("components", value!(2)),
        ("bridges", value!(1)),
        ("cycles", value!(1)),
        ("nodes", value!(2)),
        ("edges", value!(1)),
        ("length", value!(6.0)),
        ("cut_cycles", value!(1)),
        ("prune_criterion", value!("length")),
        ("pruned", value!(2)),
        ("join_distance", value!(null)),
        ("joined", value!(0)),
        ("pruned_below", value!(3.0)),
        (
            "labels",
            value!([{"label": 1, "certified": null, "length": 6.0, "nodes": 2, "edges": 1, "cycles": 1}]),
        ),
        (
            "timings",
            value!({"read": 1.0, "skeleton": 2.0, "total": 3.5, "stages": {"field": 1.5}}),
        ),
        (
            "voxel_classes",
            value!({"exterior": 90, "surface": 6, "boundary": 3, "interior": 1}),
        ),
    ] {
        assert_eq!(json[field], value, "{field}");
    }
    let total = &json["critical_points"];
    assert_eq!(total["attracting"], 6);
    assert_eq!(total["euler_solid"], 1);
    assert_eq!(total["balanced"], false);
    assert_eq!(json["critical_points_per_component"][0]["balanced"], true);

    assert!(
        text.contains("samples >= 5, in 10 x 5 x 2 voxels"),
        "{text}"
    );
    assert!(text.contains("1 components not balanced"), "{text}");
    assert!(text.contains("of skeleton   field 1.5"), "{text}");
    assert!(!text.contains("certified"), "{text}");
}

#[test]
fn violated_properties_are_reported_with_positions() {
    let (json, text) = reports("a.nii --labels all --dust 9 -o a.swc", &medial_outcome());
    for (field, value) in [
        ("labels_selected", value!("all")),
        ("method", value!("medial")),
        ("significance", value!(1.25)),
        ("min_protrusion", value!(0.0)),
        ("scale", Value::Null),
        ("const", Value::Null),
        ("dust_below", value!(9)),
        ("fill_tunnels", value!(0)),
        ("certified", value!(false)),
        ("length", value!(12.0)),
        ("components", value!(4)),
        ("critical_points", Value::Null),
    ] {
        assert_eq!(json[field], value, "{field}");
    }
    let [first, second] = [0, 1].map(|at| &json["labels"][at]);
    assert_eq!([&first["certified"], &second["certified"]], [true, false]);
    assert_eq!(
        first["components"],
        value!([{
            "first_voxel": [1, 2, 3], "voxels": 40, "tunnels": 1, "filled_tunnels": 3, "cavities": 0, "cycle_rank": 1, "centred": true, "certified": true, "violations": [],
            "uncovered": {"significance": 0.75, "length": 5.0, "width": 4.0, "position": [1.0, 2.0, 0.5]}
        }])
    );
    assert_eq!(first["dust"], value!({"components": 1, "voxels": 5}));
    assert_eq!(second["components"][2]["certified"], false);
    assert_eq!(
        second["components"][0]["violations"][1],
        "coverage: 8 voxels lie beyond the coverage radius, at (0.5, 2, -3.25)"
    );
    for line in [
        "all of 2 labels",
        "label 70    2 components, 1 cycle, 2 nodes, 1 edge, length 6, not certified",
        "no: 4 components with 4 tunnels and 0 cavities",
        "filled        12 tunnels",
        "self-overlap in 2 components: two curves overlap, at (0.5, 2, -3.25)",
        "coverage    in 1 component: 8 voxels",
        "2 components with 10 voxels skipped",
        "medial, significance 1.25",
        "no branch",
        "up to significance 0.75: length 5, width 4, at (1, 2, 0.5)",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

/// Long lists of components are reduced to the uncertified and the largest ones.
#[test]
fn component_lists_are_limited() {
    let mut components: Vec<_> = (0..5000)
        .map(|size| component(1 + size % 7, Vec::new()))
        .collect();
    components[4321] = component(1, vec![Violation::Disconnected { parts: 2 }]);
    let voxels: u64 = components.iter().map(|report| report.voxels).sum();
    let violation = LocatedViolation {
        label: 1,
        component: 4321,
        violation: Violation::Disconnected { parts: 2 },
        position: Point3::origin(),
    };
    let large = outcome(vec![LabelOutcome {
        label: 1,
        skeleton: skeleton(),
        pruned: 0,
        joined: 0,
        checks: Checks::Medial {
            components,
            dust: Dust::default(),
            violations: vec![violation],
        },
    }]);
    let (json, _) = reports("a.nii --json", &large);
    let label = &json["labels"][0];
    let listed = label["components"].as_array().unwrap();
    assert_eq!(listed.len(), 1000);
    let uncertified: Vec<_> = listed
        .iter()
        .filter(|component| component["certified"] == false)
        .collect();
    assert_eq!(uncertified.len(), 1);
    assert_eq!(uncertified[0]["violations"].as_array().unwrap().len(), 1);
    let listed_voxels: u64 = listed
        .iter()
        .map(|component| component["voxels"].as_u64().unwrap())
        .sum();
    assert_eq!(
        label["unlisted"],
        value!({"components": 4000, "voxels": voxels - listed_voxels})
    );
}
