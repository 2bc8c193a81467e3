//! What `ferrovox skeleton --json` prints.

use super::skeleton_report::SkeletonRun;
use crate::report::{Devices, Grid, JsonTimings, path, paths};
use ferrovox::skeleton::{Certificate, ClassCounts};
use serde::Serialize;

/// The JSON object. Times are in milliseconds, lengths in the world's units.
#[derive(Serialize)]
pub struct Json {
    input: String,
    outputs: Vec<String>,
    picture: Option<String>,
    field: Option<String>,
    #[serde(flatten)]
    grid: Grid,
    iso: Option<f64>,
    label: Option<f64>,
    cavities_filled: bool,
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
    #[serde(flatten)]
    devices: Devices,
    timings: JsonTimings,
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
    let outputs = args.output.iter().chain(&args.field).chain(&args.png);
    Json {
        input: args.input.name(),
        outputs: paths(outputs),
        picture: path(args.png.as_ref()),
        field: path(args.field.as_ref()),
        grid: Grid::new(run.made.dims, &run.made.geometry),
        iso: args.iso,
        label: args.label,
        cavities_filled: args.fill_cavities,
        exponent: args.exponent,
        levels: params.levels.name(),
        divergence: args.divergence,
        curvature: args.curvature,
        precision: params.precision.name(),
        boundary: params.boundary.name(),
        variant: made.variant.name(),
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
        devices: Devices::of(run.devices),
        timings: JsonTimings::of(&run.made.timings).with_stages(&made.timings),
    }
}
