//! What `ferrovox skeleton --json` prints.

use super::skeleton_report::SkeletonRun;
use crate::{
    numbers::LabelList,
    report::{Devices, Grid, JsonTimings, path, paths},
};
use ferrovox::{
    pipeline::skeleton::{Checks, Defect, LabelOutcome, Method, SkeletonOutcome},
    skeleton::{
        medial::{ComponentReport, Dust},
        potential_field::{self, Certificate, ClassCounts, Hierarchy},
    },
};
use serde::Serialize;
use std::collections::HashMap;

/// Of a label with more components than this only some are listed.
const MOST: usize = 1000;

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
    /// `all`, or the list; null for an object that is not of labels.
    labels_asked: Option<Asked>,
    cavities_filled: bool,
    levels: &'static str,
    #[serde(flatten)]
    choices: Choices,
    pruned_below: Option<f64>,
    pruned: usize,
    merged: bool,
    certified: Option<bool>,
    components: usize,
    cycles: usize,
    nodes: usize,
    edges: usize,
    length: f64,
    cut_cycles: usize,
    labels: Vec<Label>,
    #[serde(flatten)]
    index: Option<Index>,
    #[serde(flatten)]
    devices: Devices,
    timings: JsonTimings,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Asked {
    All(&'static str),
    These(Vec<i64>),
}

/// The parameters of the method.
#[derive(Serialize)]
#[serde(untagged)]
enum Choices {
    Whole {
        scale: f64,
        #[serde(rename = "const")]
        constant: f64,
        dust_below: u64,
        curvature: Option<f64>,
    },
    Core {
        exponent: f64,
        divergence: Option<f64>,
        curvature: Option<f64>,
        surface: &'static str,
        precision: &'static str,
        boundary: &'static str,
        variant: &'static str,
    },
}

/// The skeleton of a label; of an object that is not of labels the label is 1.
#[derive(Serialize)]
struct Label {
    label: i64,
    certified: Option<bool>,
    length: f64,
    nodes: usize,
    edges: usize,
    cycles: usize,
    #[serde(flatten)]
    checked: Option<Checked>,
}

/// What is known of the components of a label.
#[derive(Serialize)]
struct Checked {
    components: Vec<Component>,
    /// Certified components that are not in the list, where there are very many.
    unlisted: Counts,
    dust: Counts,
}

#[derive(Default, Serialize)]
struct Counts {
    components: u64,
    voxels: u64,
}

#[derive(Serialize)]
struct Component {
    /// The first voxel, x fastest.
    first: [u64; 3],
    voxels: u64,
    tunnels: u64,
    cavities: u64,
    rank: u64,
    centred: bool,
    certified: bool,
    failures: Vec<String>,
}

/// What the published method counts.
#[derive(Serialize)]
struct Index {
    bridges: usize,
    index_balance: Balance,
    index_balances: Vec<Balance>,
    voxels: ClassCounts,
}

/// Of one component of the object, or of all together.
#[derive(Serialize)]
struct Balance {
    #[serde(flatten)]
    counts: Certificate,
    balance: i64,
    balanced: bool,
}

impl From<&Certificate> for Balance {
    fn from(index: &Certificate) -> Self {
        Self {
            counts: *index,
            balance: index.balance(),
            balanced: index.is_balanced(),
        }
    }
}

impl Choices {
    fn of(method: &Method, made: &SkeletonOutcome) -> Self {
        match method {
            Method::Medial(params) => Self::Whole {
                scale: params.scale,
                constant: params.constant,
                dust_below: params.dust,
                curvature: params.detail,
            },
            Method::PotentialField(params) => {
                let potential_field::Params {
                    divergence,
                    curvature,
                    ..
                } = *params;
                Self::Core {
                    exponent: params.exponent,
                    divergence: Some(divergence)
                        .filter(|_| params.hierarchy >= Hierarchy::Divergence),
                    curvature: Some(curvature).filter(|_| params.hierarchy >= Hierarchy::Curvature),
                    surface: params.surface.name(),
                    precision: params.precision.name(),
                    boundary: params.boundary.name(),
                    variant: made.variant().unwrap_or(params.variant).name(),
                }
            }
        }
    }
}

impl From<&LabelOutcome> for Label {
    fn from(outcome: &LabelOutcome) -> Self {
        let skeleton = &outcome.skeleton;
        Self {
            label: outcome.label,
            certified: outcome.certified(),
            length: skeleton.length(),
            nodes: skeleton.nodes.len(),
            edges: skeleton.edges.len(),
            cycles: skeleton.cycles(),
            checked: match &outcome.checks {
                Checks::Medial {
                    components,
                    dust,
                    defects,
                } => Some(Checked::of(components, *dust, defects)),
                Checks::PotentialField { .. } => None,
            },
        }
    }
}

impl Checked {
    /// All components, or of very many those that are not certified, and the largest.
    fn of(reports: &[ComponentReport], dust: Dust, defects: &[Defect]) -> Self {
        let mut failures: HashMap<usize, Vec<String>> = HashMap::new();
        for defect in defects {
            let of_component = failures.entry(defect.component).or_default();
            of_component.push(defect.to_string());
        }
        let mut listed: Vec<usize> = (0..reports.len()).collect();
        if listed.len() > MOST {
            listed.sort_by_key(|&at| {
                let report = &reports[at];
                (report.certified(), std::cmp::Reverse(report.voxels), at)
            });
            let bad = reports.iter().filter(|report| !report.certified()).count();
            listed.truncate(bad.max(MOST));
            listed.sort_unstable();
        }
        let all: u64 = reports.iter().map(|report| report.voxels).sum();
        let shown: u64 = listed.iter().map(|&at| reports[at].voxels).sum();
        Self {
            unlisted: Counts {
                components: (reports.len() - listed.len()) as u64,
                voxels: all - shown,
            },
            dust: Counts {
                components: dust.components,
                voxels: dust.voxels,
            },
            components: listed
                .into_iter()
                .map(|at| Component {
                    first: reports[at].first,
                    voxels: reports[at].voxels,
                    tunnels: reports[at].tunnels,
                    cavities: reports[at].cavities,
                    rank: reports[at].rank,
                    centred: reports[at].centred,
                    certified: reports[at].certified(),
                    failures: failures.remove(&at).unwrap_or_default(),
                })
                .collect(),
        }
    }
}

/// The JSON object of a run.
pub fn json(run: &SkeletonRun<'_>) -> Json {
    let args = run.args;
    let made = run.made;
    let outputs = made.written.iter().chain(&args.field).chain(&args.png);
    let totals = run.totals();
    Json {
        input: args.input.name(),
        outputs: paths(outputs),
        picture: path(args.png.as_ref()),
        field: path(args.field.as_ref()),
        grid: Grid::new(made.dims, &made.geometry),
        iso: args.iso,
        label: args.label,
        labels_asked: args.labels.as_ref().map(|list| match list {
            LabelList::All => Asked::All("all"),
            LabelList::These(labels) => Asked::These(labels.clone()),
        }),
        cavities_filled: args.fill_cavities,
        levels: args.levels.name(),
        choices: Choices::of(run.method, made),
        pruned_below: args.prune,
        pruned: made.pruned(),
        merged: args.merge,
        certified: made.certified(),
        components: totals.components,
        cycles: totals.cycles,
        nodes: totals.nodes,
        edges: totals.edges,
        length: totals.length,
        cut_cycles: made.cut_cycles,
        labels: made.labels.iter().map(Into::into).collect(),
        index: made.labels.iter().find_map(|label| match &label.checks {
            Checks::PotentialField {
                index,
                bridges,
                counts,
                ..
            } => Some(Index {
                bridges: *bridges,
                index_balance: Balance {
                    // sums may agree where components do not
                    balanced: made.unbalanced() == 0,
                    ..Balance::from(&Certificate::sum(index))
                },
                index_balances: index.iter().map(Into::into).collect(),
                voxels: *counts,
            }),
            Checks::Medial { .. } => None,
        }),
        devices: Devices::of(run.devices),
        timings: JsonTimings::of(&made.timings).with_stages(&made.stages),
    }
}
