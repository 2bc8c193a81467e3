//! JSON report of `ferrovox skeleton --json`.

use super::skeleton_report::SkeletonRun;
use crate::{
    args::IsoValue,
    numbers::{LabelList, LabelValue},
    report::{Devices, Grid, JsonTimings, path, paths},
};
use ferrovox::{
    graph::Prune,
    pipeline::skeleton::{Checks, LabelOutcome, LocatedViolation, Method, SkeletonOutcome},
    skeleton::{
        medial::{BranchRule, ComponentReport, Dust, UncoveredProtrusion},
        potential_field::{self, Certificate, ClassCounts, Hierarchy},
    },
};
use serde::Serialize;
use std::collections::HashMap;

/// Number of components per label up to which all are listed; beyond it, only the uncertified and
/// the largest ones.
const MAX_LISTED: usize = 1000;

/// JSON report; times in milliseconds, lengths in world units.
#[derive(Serialize)]
pub struct Json {
    input: String,
    outputs: Vec<String>,
    picture: Option<String>,
    field: Option<String>,
    #[serde(flatten)]
    grid: Grid,
    iso: Option<f64>,
    iso_method: Option<&'static str>,
    inside: Option<&'static str>,
    label: Option<LabelValue>,
    /// `"all"`, or the list given by `--labels`; null without `--labels`.
    labels_selected: Option<LabelSelection>,
    cavities_filled: bool,
    method: &'static str,
    #[serde(flatten)]
    params: MethodParams,
    /// `length`, `length-by-radius` or `significance`; null without pruning.
    prune_criterion: Option<&'static str>,
    pruned_below: Option<f64>,
    pruned: usize,
    join_distance: Option<f64>,
    joined: usize,
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
    field_statistics: Option<FieldStatistics>,
    #[serde(flatten)]
    devices: Devices,
    timings: JsonTimings,
}

#[derive(Serialize)]
#[serde(untagged)]
enum LabelSelection {
    All(&'static str),
    Listed(Vec<i64>),
}

/// Parameters of the method.
#[derive(Serialize)]
#[serde(untagged)]
enum MethodParams {
    Medial {
        /// Null for branches by coverage.
        significance: Option<f64>,
        min_protrusion: Option<f64>,
        /// Null for branches by significance.
        scale: Option<f64>,
        #[serde(rename = "const")]
        constant: Option<f64>,
        dust_below: u64,
        /// Maximum thickness, in voxels, of tunnels that are filled.
        fill_tunnels: u32,
        detail: Option<f64>,
    },
    PotentialField {
        hierarchy: &'static str,
        exponent: f64,
        divergence: Option<f64>,
        /// Null for the levels core and divergence.
        significance: Option<f64>,
        surface: &'static str,
        precision: &'static str,
        boundary: &'static str,
        variant: &'static str,
    },
}

/// Skeleton of one label; the label is 1 for an object without labels.
#[derive(Serialize)]
struct Label {
    label: i64,
    certified: Option<bool>,
    length: f64,
    nodes: usize,
    edges: usize,
    cycles: usize,
    #[serde(flatten)]
    component_list: Option<ComponentList>,
}

/// Components of a label.
#[derive(Serialize)]
struct ComponentList {
    components: Vec<Component>,
    /// Certified components that are omitted from the list because there are too many.
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
    /// First voxel of the component, x fastest.
    first_voxel: [u64; 3],
    voxels: u64,
    tunnels: u64,
    filled_tunnels: u64,
    cavities: u64,
    cycle_rank: u64,
    centred: bool,
    certified: bool,
    violations: Vec<String>,
    /// Most significant protrusion without a branch.
    uncovered: Option<Uncovered>,
}

/// Protrusion without a branch; lengths and position in world units.
#[derive(Serialize)]
struct Uncovered {
    significance: f64,
    length: f64,
    width: f64,
    position: [f64; 3],
}

impl Uncovered {
    /// Converts a protrusion of a label's component.
    fn new(found: &UncoveredProtrusion, outcome: &LabelOutcome) -> Self {
        Self {
            significance: found.significance,
            length: found.length,
            width: found.width,
            position: outcome.skeleton.to_world(found.position).into(),
        }
    }
}

/// Critical points and voxel classes of the potential-field method.
#[derive(Serialize)]
struct FieldStatistics {
    bridges: usize,
    critical_points: CriticalPoints,
    critical_points_per_component: Vec<CriticalPoints>,
    voxel_classes: ClassCounts,
}

/// Critical points of one component of the object, or of all, compared with the Euler number.
#[derive(Serialize)]
struct CriticalPoints {
    #[serde(flatten)]
    counts: Certificate,
    index_sum: i64,
    balanced: bool,
}

impl From<&Certificate> for CriticalPoints {
    fn from(certificate: &Certificate) -> Self {
        Self {
            counts: *certificate,
            index_sum: certificate.balance(),
            balanced: certificate.is_balanced(),
        }
    }
}

impl MethodParams {
    fn new(method: &Method, outcome: &SkeletonOutcome) -> Self {
        match method {
            Method::Medial(params) => {
                let (significance, coverage) = match params.branches {
                    BranchRule::Significance {
                        min_significance,
                        min_length,
                    } => (Some((min_significance, min_length)), None),
                    BranchRule::Coverage { scale, constant } => (None, Some((scale, constant))),
                };
                Self::Medial {
                    significance: significance.map(|rule| rule.0),
                    min_protrusion: significance.map(|rule| rule.1),
                    scale: coverage.map(|rule| rule.0),
                    constant: coverage.map(|rule| rule.1),
                    dust_below: params.dust,
                    fill_tunnels: params.fill_tunnels,
                    detail: params.detail,
                }
            }
            Method::PotentialField(params) => {
                let potential_field::Params {
                    divergence,
                    significance,
                    ..
                } = *params;
                Self::PotentialField {
                    hierarchy: params.hierarchy.name(),
                    exponent: params.exponent,
                    divergence: Some(divergence)
                        .filter(|_| params.hierarchy >= Hierarchy::Divergence),
                    significance: Some(significance)
                        .filter(|_| params.hierarchy >= Hierarchy::Curvature),
                    surface: params.surface.name(),
                    precision: params.precision.name(),
                    boundary: params.boundary.name(),
                    variant: outcome.variant().unwrap_or(params.variant).name(),
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
            certified: outcome.is_certified(),
            length: skeleton.length(),
            nodes: skeleton.nodes.len(),
            edges: skeleton.edges.len(),
            cycles: skeleton.cycles(),
            component_list: match &outcome.checks {
                Checks::Medial {
                    components,
                    dust,
                    violations,
                } => Some(ComponentList::new(outcome, components, *dust, violations)),
                Checks::PotentialField { .. } => None,
            },
        }
    }
}

impl ComponentList {
    /// Lists all components, or, beyond [`MAX_LISTED`], the uncertified and the largest ones.
    fn new(
        outcome: &LabelOutcome,
        reports: &[ComponentReport],
        dust: Dust,
        violations: &[LocatedViolation],
    ) -> Self {
        let mut texts_by_component: HashMap<usize, Vec<String>> = HashMap::new();
        for violation in violations {
            let texts = texts_by_component.entry(violation.component).or_default();
            texts.push(violation.to_string());
        }
        let mut listed: Vec<usize> = (0..reports.len()).collect();
        if listed.len() > MAX_LISTED {
            listed.sort_by_key(|&index| {
                let report = &reports[index];
                (
                    report.is_certified(),
                    std::cmp::Reverse(report.voxels),
                    index,
                )
            });
            let uncertified = reports
                .iter()
                .filter(|report| !report.is_certified())
                .count();
            listed.truncate(uncertified.max(MAX_LISTED));
            listed.sort_unstable();
        }
        let total: u64 = reports.iter().map(|report| report.voxels).sum();
        let listed_voxels: u64 = listed.iter().map(|&index| reports[index].voxels).sum();
        Self {
            unlisted: Counts {
                components: (reports.len() - listed.len()) as u64,
                voxels: total - listed_voxels,
            },
            dust: Counts {
                components: dust.components,
                voxels: dust.voxels,
            },
            components: listed
                .into_iter()
                .map(|index| Component {
                    first_voxel: reports[index].first_voxel,
                    voxels: reports[index].voxels,
                    tunnels: reports[index].tunnels,
                    filled_tunnels: reports[index].filled_tunnels,
                    cavities: reports[index].cavities,
                    cycle_rank: reports[index].cycle_rank,
                    centred: reports[index].is_centred,
                    certified: reports[index].is_certified(),
                    violations: texts_by_component.remove(&index).unwrap_or_default(),
                    uncovered: reports[index]
                        .uncovered
                        .as_ref()
                        .map(|found| Uncovered::new(found, outcome)),
                })
                .collect(),
        }
    }
}

/// Builds the JSON report of a run.
pub fn json(run: &SkeletonRun<'_>) -> Json {
    let args = run.args;
    let outcome = run.outcome;
    let object = &args.input.object;
    let outputs = outcome.written.iter().chain(&args.field).chain(&args.png);
    let totals = run.totals();
    Json {
        input: args.input.name(),
        outputs: paths(outputs),
        picture: path(args.png.as_ref()),
        field: path(args.field.as_ref()),
        grid: Grid::new(outcome.dims, &outcome.geometry),
        iso: outcome.iso,
        iso_method: object.iso_value().and_then(IsoValue::rule),
        inside: outcome.iso.map(|_| object.inside.name()),
        label: object.label,
        labels_selected: object.labels.as_ref().map(|list| match list {
            LabelList::All => LabelSelection::All("all"),
            LabelList::Listed(labels) => LabelSelection::Listed(labels.clone()),
        }),
        cavities_filled: object.fill_cavities,
        method: args.selected_method().name(),
        params: MethodParams::new(run.method, outcome),
        prune_criterion: args.edits.prune_criterion().map(Prune::name),
        pruned_below: args.edits.prune_criterion().map(Prune::limit),
        pruned: outcome.pruned(),
        join_distance: args.edits.join,
        joined: outcome.joined(),
        merged: args.edits.merge,
        certified: outcome.is_certified(),
        components: totals.components,
        cycles: totals.cycles,
        nodes: totals.nodes,
        edges: totals.edges,
        length: totals.length,
        cut_cycles: outcome.cut_cycles,
        labels: outcome.labels.iter().map(Into::into).collect(),
        field_statistics: outcome.labels.iter().find_map(|label| match &label.checks {
            Checks::PotentialField {
                certificates,
                bridges,
                counts,
                ..
            } => Some(FieldStatistics {
                bridges: *bridges,
                critical_points: CriticalPoints {
                    // the sums can balance although single components do not
                    balanced: outcome.unbalanced_components() == 0,
                    ..CriticalPoints::from(&Certificate::sum(certificates))
                },
                critical_points_per_component: certificates.iter().map(Into::into).collect(),
                voxel_classes: *counts,
            }),
            Checks::Medial { .. } => None,
        }),
        devices: Devices::new(run.devices),
        timings: JsonTimings::new(&outcome.timings).with_stages(&outcome.stages),
    }
}
