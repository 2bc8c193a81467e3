//! What `ferrovox skeleton` says when it is done.

use crate::{args::SkeletonArgs, input::by, phases::milliseconds};
use ferrovox::{
    device::Device,
    skeleton::{Certificate, Extraction},
};
use std::fmt::Write;

/// Everything there is to say.
pub struct SkeletonRun<'a> {
    pub args: &'a SkeletonArgs,
    pub dims: [usize; 3],
    pub spacing: [f64; 3],
    pub made: Extraction,
    /// Branches that were pruned away.
    pub pruned: usize,
    /// Cycles that a tree does not have.
    pub cut_cycles: usize,
    pub devices: Vec<Device>,
    pub phase_times: Vec<(&'static str, f64)>,
    pub total: f64,
}

impl SkeletonRun<'_> {
    /// The sum of all certificates.
    pub fn whole(&self) -> Certificate {
        let all = self.made.certificate.iter();
        all.fold(Certificate::default(), |sum, next| Certificate {
            attracting: sum.attracting + next.attracting,
            saddles_index1: sum.saddles_index1 + next.saddles_index1,
            saddles_index2: sum.saddles_index2 + next.saddles_index2,
            repelling: sum.repelling + next.repelling,
            euler_solid: sum.euler_solid + next.euler_solid,
        })
    }

    /// Components whose certificate does not balance.
    pub fn off_balance(&self) -> usize {
        let all = self.made.certificate.iter();
        all.filter(|certificate| !certificate.balanced()).count()
    }

    /// What to say if not all certificates balance.
    pub fn unbalanced(&self) -> Option<String> {
        let count = self.off_balance();
        let all = self.made.certificate.len();
        (count > 0).then(|| {
            format!(
                "the critical points of {count} of {all} components do not add up to the Euler number: some were not found, and curves may be missing"
            )
        })
    }
}

/// What a run found, in a few lines.
pub fn readable(run: &SkeletonRun<'_>) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<11} {value}");
    };
    let args = run.args;
    let made = &run.made;
    let object = match (args.threshold, args.label) {
        (Some(threshold), _) => format!("{threshold} or more"),
        (_, Some(label)) => format!("label {label}"),
        _ => "not zero".to_owned(),
    };
    let counts = made.counts;
    line(
        "object",
        format!(
            "{}: {object}, in {} voxels of {}",
            args.input.name(),
            by(run.dims),
            run.spacing.map(|it| it.to_string()).join(" x ")
        ),
    );
    line(
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
        (run.pruned, "branches pruned"),
    ] {
        if count > 0 {
            let _ = write!(besides, ", {count} {what}");
        }
    }
    line(
        "skeleton",
        format!(
            "{} components, {} cycles, {} nodes, {} edges, length {:.3}{besides}",
            skeleton.components().count,
            skeleton.cycles(),
            skeleton.nodes.len(),
            skeleton.edges.len(),
            skeleton.length()
        ),
    );
    let whole = run.whole();
    let verdict = match run.off_balance() {
        0 => "balanced".to_owned(),
        count => format!("{count} components not balanced"),
    };
    line(
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
    line("written", files.join(", "));
    let params = args.params();
    let devices: Vec<String> = run.devices.iter().map(ToString::to_string).collect();
    line(
        "device",
        format!(
            "{}, exponent {}, {}, {}",
            devices.join(", "),
            args.exponent,
            params.precision.name(),
            params.variant.name()
        ),
    );
    let phases = run.phase_times.iter();
    let phases: Vec<String> = phases
        .map(|(name, time)| format!("{name} {time:.1}"))
        .collect();
    line("ms", format!("{:.1}: {}", run.total, phases.join(", ")));
    let stages = made.timings.iter();
    let stages: Vec<String> = stages
        .map(|(name, time)| format!("{name} {:.1}", milliseconds(*time)))
        .collect();
    if !stages.is_empty() {
        line("of skeleton", stages.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{super::skeleton_json::json, *};
    use crate::args::{Cli, Command};
    use clap::Parser;
    use ferrovox::skeleton::{ClassCounts, Edge, Node, NodeKind, Skeleton};
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
    fn made() -> Extraction {
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
            timings: vec![("field", Duration::from_micros(1500))],
        }
    }

    fn run(args: &SkeletonArgs) -> SkeletonRun<'_> {
        SkeletonRun {
            args,
            dims: [10, 5, 2],
            spacing: [1.0; 3],
            made: made(),
            pruned: 2,
            cut_cycles: 1,
            devices: vec![Device::cpu()],
            phase_times: vec![("read", 1.0), ("skeleton", 2.0)],
            total: 3.5,
        }
    }

    #[test]
    fn the_json_object_says_everything() {
        let args = args("a.nii --threshold 5 --levels 2 --exponent 4 -o a.swc -o a.vtp --prune 3");
        let json = serde_json::to_value(json(&run(&args))).unwrap();
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
            ("stages", serde_json::json!({"field": 1.5})),
            (
                "timings",
                serde_json::json!({"read": 1.0, "skeleton": 2.0, "total": 3.5}),
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
        let run = run(&args);
        let text = readable(&run);
        assert!(text.contains("label 3, in 10 x 5 x 2 voxels"), "{text}");
        assert!(text.contains("1 components not balanced"), "{text}");
        assert!(text.contains("of skeleton field 1.5"), "{text}");
        assert!(run.unbalanced().unwrap().contains("1 of 2 components"));
    }
}
