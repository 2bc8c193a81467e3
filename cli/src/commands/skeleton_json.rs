//! What `ferrovox skeleton --json` prints.

use super::{mesh_report::Ordered, skeleton_report::SkeletonRun};
use crate::phases::{in_milliseconds, milliseconds};
use ferrovox::{
    device::Device,
    skeleton::{Certificate, ClassCounts},
};
use serde::Serialize;

/// The JSON object. Times are in milliseconds, lengths in the world's units.
#[derive(Serialize)]
pub struct Json {
    input: String,
    outputs: Vec<String>,
    picture: Option<String>,
    field: Option<String>,
    dims: [usize; 3],
    spacing: [f64; 3],
    threshold: Option<f64>,
    label: Option<f64>,
    filled: bool,
    exponent: f64,
    levels: &'static str,
    divergence: f64,
    curvature: f64,
    precision: &'static str,
    boundary: &'static str,
    variant: &'static str,
    pruned_below: Option<f64>,
    pruned: usize,
    merged: bool,
    components: usize,
    bridges: usize,
    cycles: usize,
    nodes: usize,
    edges: usize,
    length: f64,
    cut_cycles: usize,
    certificate: JsonCertificate,
    certificates: Vec<JsonCertificate>,
    voxels: ClassCounts,
    device: String,
    device_name: String,
    stages: Ordered<Vec<(&'static str, f64)>>,
    timings: Ordered<Vec<(&'static str, f64)>>,
}

/// Of one component of the object, or of all together.
#[derive(Serialize)]
struct JsonCertificate {
    #[serde(flatten)]
    counts: Certificate,
    balance: i64,
    balanced: bool,
}

impl From<&Certificate> for JsonCertificate {
    fn from(certificate: &Certificate) -> Self {
        Self {
            counts: *certificate,
            balance: certificate.balance(),
            balanced: certificate.balanced(),
        }
    }
}

/// The JSON object of a run.
pub fn json(run: &SkeletonRun<'_>) -> Json {
    let args = run.args;
    let params = args.params();
    let made = &run.made.extraction;
    let skeleton = &made.skeleton;
    let shown = |path: &std::path::PathBuf| path.display().to_string();
    let joined = |name: fn(&Device) -> String| {
        let names: Vec<String> = run.devices.iter().map(name).collect();
        names.join(", ")
    };
    let stages = made.timings.iter();
    let (mut timings, total) = in_milliseconds(&run.made.timings);
    timings.push(("total", total));
    Json {
        input: args.input.name(),
        outputs: args.output.iter().map(shown).collect(),
        picture: args.png.as_ref().map(shown),
        field: args.field.as_ref().map(shown),
        dims: run.made.dims,
        spacing: run.made.geometry.spacing().into(),
        threshold: args.threshold,
        label: args.label,
        filled: args.fill,
        exponent: args.exponent,
        levels: params.levels.name(),
        divergence: args.divergence,
        curvature: args.curvature,
        precision: params.precision.name(),
        boundary: params.boundary.name(),
        variant: params.variant.name(),
        pruned_below: args.prune,
        pruned: run.made.pruned,
        merged: args.merge,
        components: skeleton.components().count,
        bridges: made.bridges,
        cycles: skeleton.cycles(),
        nodes: skeleton.nodes.len(),
        edges: skeleton.edges.len(),
        length: skeleton.length(),
        cut_cycles: run.made.cut_cycles,
        certificate: JsonCertificate {
            // sums may agree where components do not
            balanced: run.made.unbalanced() == 0,
            ..JsonCertificate::from(&run.made.certificate())
        },
        certificates: made.certificate.iter().map(Into::into).collect(),
        voxels: made.counts,
        device: joined(Device::id),
        device_name: joined(Device::name),
        stages: Ordered(stages.map(|at| (at.stage, milliseconds(at.time))).collect()),
        timings: Ordered(timings),
    }
}
