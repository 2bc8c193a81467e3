//! What `ferrovox skeleton` says when it is done.

use crate::{
    args::SkeletonArgs,
    input::by,
    numbers::{counted, short},
    report::{Lines, listed, timings},
};
use ferrovox::{device::Device, pipeline::skeleton::SkeletonOutcome};
use std::fmt::Write;

/// Everything there is to say.
pub struct SkeletonRun<'a> {
    pub args: &'a SkeletonArgs,
    pub devices: &'a [Device],
    pub made: &'a SkeletonOutcome,
}

/// What a run found, in a few lines.
pub fn readable(run: &SkeletonRun<'_>) -> String {
    let mut lines = Lines::new(11);
    let args = run.args;
    let made = &run.made.extraction;
    let object = match (args.iso, args.label) {
        (Some(threshold), _) => format!("{threshold} or more"),
        (_, Some(label)) => format!("label {label}"),
        _ => "not zero".to_owned(),
    };
    let counts = made.counts;
    lines.add(
        "object",
        format!(
            "{}: {object}, in {} voxels of {}",
            args.input.name(),
            by(run.made.dims),
            <[f64; 3]>::from(run.made.geometry.spacing())
                .map(short)
                .join(" x ")
        ),
    );
    lines.add(
        "voxels",
        format!(
            "{} surface, {} boundary, {} interior",
            counts.surface, counts.boundary, counts.interior
        ),
    );
    let skeleton = &made.skeleton;
    let mut besides = String::new();
    for (count, what) in [
        (made.bridges, "curves where no force leads"),
        (run.made.pruned, "branches pruned"),
    ] {
        if count > 0 {
            let _ = write!(besides, ", {count} {what}");
        }
    }
    lines.add(
        "skeleton",
        format!(
            "{}, {}, {}, {}, length {}{besides}",
            counted(skeleton.components().count as u64, "component"),
            counted(skeleton.cycles() as u64, "cycle"),
            counted(skeleton.nodes.len() as u64, "node"),
            counted(skeleton.edges.len() as u64, "edge"),
            short(skeleton.length())
        ),
    );
    let whole = run.made.certificate();
    let verdict = match run.made.unbalanced() {
        0 => "balanced".to_owned(),
        count => format!("{count} components not balanced"),
    };
    lines.add(
        "certificate",
        format!(
            "{} attracting - {} saddles of index 1 + {} of index 2 = {}, Euler number {}: {verdict}",
            whole.attracting,
            whole.saddles_index1,
            whole.saddles_index2,
            whole.balance(),
            whole.euler_solid
        ),
    );
    let files = args.output.iter().chain(&args.png).chain(&args.field);
    let files: Vec<String> = files.map(|path| path.display().to_string()).collect();
    if !files.is_empty() {
        lines.add("written", files.join(", "));
    }
    let params = args.params();
    let devices: Vec<String> = run.devices.iter().map(ToString::to_string).collect();
    lines.add(
        "device",
        format!(
            "{}, exponent {}, {}, {}",
            devices.join(", "),
            args.exponent,
            params.precision.name(),
            made.variant.name()
        ),
    );
    lines.add("ms", timings(&run.made.timings));
    if !made.timings.is_empty() {
        lines.add("of skeleton", listed(&made.timings));
    }
    lines.text()
}

#[cfg(test)]
mod tests {
    use super::{super::skeleton_json::json, *};
    use crate::args::{Cli, Command};
    use clap::Parser;
    use ferrovox::{
        grid::Geometry,
        monitor::StageTime,
        pipeline::Timings,
        skeleton::{Certificate, ClassCounts, Edge, Extraction, Node, NodeKind, Skeleton},
    };
    use nalgebra::Point3;
    use std::time::Duration;

    fn args(line: &str) -> SkeletonArgs {
        let words = ["ferrovox", "skeleton"].into_iter();
        match Cli::parse_from(words.chain(line.split_whitespace())).command {
            Command::Skeleton(args) => *args,
            _ => panic!("another command"),
        }
    }

    /// A ring of one node, and a point that lacks a saddle.
    fn extraction() -> Extraction {
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
            level: 0,
        };
        Extraction {
            skeleton: Skeleton {
                nodes: vec![node(NodeKind::Attracting, 0), node(NodeKind::Attracting, 1)],
                edges: vec![ring],
                ..Skeleton::default()
            },
            bridges: 1,
            variant: ferrovox::skeleton::FieldVariant::Tuned,
            certificate: vec![
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
            ],
            counts: ClassCounts {
                exterior: 90,
                surface: 6,
                boundary: 3,
                interior: 1,
            },
            timings: vec![StageTime {
                stage: "field",
                time: Duration::from_micros(1500),
            }],
        }
    }

    fn made() -> SkeletonOutcome {
        let time = |stage, ms| StageTime {
            stage,
            time: Duration::from_millis(ms),
        };
        SkeletonOutcome {
            extraction: extraction(),
            dims: [10, 5, 2],
            geometry: Geometry::default(),
            pruned: 2,
            cut_cycles: 1,
            warnings: Vec::new(),
            timings: Timings {
                stages: vec![time("read", 1), time("skeleton", 2)],
                total: Duration::from_micros(3500),
            },
        }
    }

    #[test]
    fn the_json_object_says_everything() {
        let args = args("a.nii --iso 5 --levels 2 --exponent 4 -o a.swc -o a.vtp --prune 3");
        let run = SkeletonRun {
            args: &args,
            devices: &[Device::cpu()],
            made: &made(),
        };
        let json = serde_json::to_value(json(&run)).unwrap();
        for (field, value) in [
            ("outputs", serde_json::json!(["a.swc", "a.vtp"])),
            ("levels", serde_json::json!("2")),
            ("components", serde_json::json!(2)),
            ("bridges", serde_json::json!(1)),
            ("cycles", serde_json::json!(1)),
            ("nodes", serde_json::json!(2)),
            ("edges", serde_json::json!(1)),
            ("length", serde_json::json!(6.0)),
            ("cut_cycles", serde_json::json!(1)),
            ("pruned_below", serde_json::json!(3.0)),
            (
                "timings",
                serde_json::json!({"read": 1.0, "skeleton": 2.0, "total": 3.5, "stages": {"field": 1.5}}),
            ),
            (
                "voxels",
                serde_json::json!({"exterior": 90, "surface": 6, "boundary": 3, "interior": 1}),
            ),
        ] {
            assert_eq!(json[field], value, "{field}");
        }
        let certificate = &json["certificate"];
        assert_eq!(certificate["attracting"], 6);
        assert_eq!(certificate["euler_solid"], 1);
        assert_eq!(certificate["balanced"], false);
        assert_eq!(json["certificates"][0]["balanced"], true);
    }

    #[test]
    fn the_lines_say_what_is_wrong() {
        let args = args("a.nii --label 3 -o a.swc");
        let run = SkeletonRun {
            args: &args,
            devices: &[Device::cpu()],
            made: &made(),
        };
        let text = readable(&run);
        assert!(text.contains("label 3, in 10 x 5 x 2 voxels"), "{text}");
        assert!(text.contains("1 components not balanced"), "{text}");
        assert!(text.contains("of skeleton field 1.5"), "{text}");
    }
}
