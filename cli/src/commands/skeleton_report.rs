//! Report of `ferrovox skeleton` as text.

use crate::{
    args::{InsideName, SkeletonArgs},
    numbers::format_dims,
    numbers::{LabelList, format_count, format_number},
    report::{Lines, format_stages, format_timings},
};
use ferrovox::{
    device::Device,
    pipeline::skeleton::{Checks, LabelOutcome, LocatedViolation, Method, SkeletonOutcome},
    skeleton::{
        medial::{BranchRule, UncoveredProtrusion},
        potential_field::ClassCounts,
    },
};
use std::collections::{BTreeMap, HashSet};

/// Maximum number of labels, or of files, that are listed individually.
const MAX_LISTED: usize = 20;

/// Inputs of the reports: the options, the method, the devices and the outcome of a run.
pub struct SkeletonRun<'a> {
    pub args: &'a SkeletonArgs,
    pub method: &'a Method,
    pub devices: &'a [Device],
    pub outcome: &'a SkeletonOutcome,
}

/// Statistics of skeletons, summed over labels.
#[derive(Default)]
pub struct Totals {
    pub components: usize,
    pub cycles: usize,
    pub nodes: usize,
    pub edges: usize,
    pub length: f64,
}

impl Totals {
    fn add(&mut self, label: &LabelOutcome) {
        let skeleton = &label.skeleton;
        self.components += skeleton.components().count;
        self.cycles += skeleton.cycles();
        self.nodes += skeleton.nodes.len();
        self.edges += skeleton.edges.len();
        self.length += skeleton.length();
    }

    fn text(&self) -> String {
        format!(
            "{}, {}, {}, {}, length {}",
            format_count(self.components as u64, "component"),
            format_count(self.cycles as u64, "cycle"),
            format_count(self.nodes as u64, "node"),
            format_count(self.edges as u64, "edge"),
            format_number(self.length)
        )
    }
}

impl SkeletonRun<'_> {
    /// Returns the statistics of all labels.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for label in &self.outcome.labels {
            totals.add(label);
        }
        totals
    }

    /// Describes the selection of the object.
    fn object(&self) -> String {
        let count = self.outcome.labels.len() as u64;
        let object = &self.args.input.object;
        let comparison = match object.inside {
            InsideName::Above => ">=",
            InsideName::Below => "<",
        };
        match (&object.labels, self.outcome.iso, object.label) {
            (Some(LabelList::All), _, _) => format!("all of {}", format_count(count, "label")),
            (Some(LabelList::Listed(_)), _, _) => format_count(count, "label"),
            (None, Some(threshold), _) => format!("samples {comparison} {threshold}"),
            (None, None, Some(label)) => format!("label {label}"),
            (None, None, None) => "non-zero samples".to_owned(),
        }
    }
}

/// Formats the report of a run as text.
pub fn readable(run: &SkeletonRun<'_>) -> String {
    let mut lines = Lines::new(13);
    let args = run.args;
    let outcome = run.outcome;
    lines.add(
        "object",
        format!(
            "{}: {}, in {} voxels of {}",
            args.input.name(),
            run.object(),
            format_dims(outcome.dims),
            <[f64; 3]>::from(outcome.geometry.spacing())
                .map(format_number)
                .join(" x ")
        ),
    );
    let mut skeleton = run.totals().text();
    if let Some((bridges, counts)) = field_statistics(outcome) {
        lines.add(
            "voxels",
            format!(
                "{} surface, {} boundary, {} interior",
                counts.surface, counts.boundary, counts.interior
            ),
        );
        if bridges > 0 {
            skeleton += &format!(", {bridges} bridges across regions without force");
        }
    }
    if outcome.pruned() > 0 {
        skeleton += &format!(", {} branches pruned", outcome.pruned());
    }
    if outcome.joined() > 0 {
        skeleton += &format!(", {} gaps joined", outcome.joined());
    }
    lines.add("skeleton", skeleton);
    if args.input.object.labels.is_some() {
        add_labels(&mut lines, &outcome.labels);
    }
    add_checks(&mut lines, outcome);
    let files = outcome.written.iter().chain(&args.png).chain(&args.field);
    let files: Vec<String> = files.map(|path| path.display().to_string()).collect();
    match &files[..] {
        [] => {}
        [first, .., last] if files.len() > MAX_LISTED => {
            lines.add(
                "written",
                format!("{} files, from {first} to {last}", files.len()),
            );
        }
        files => lines.add("written", files.join(", ")),
    }
    let devices: Vec<String> = run.devices.iter().map(ToString::to_string).collect();
    let devices = devices.join(", ");
    match run.method {
        Method::Medial(params) => lines.add(
            "method",
            format!(
                "{}, {}{}",
                args.selected_method().name(),
                format_rule(params.branches),
                params
                    .detail
                    .map(|significance| format!(", detail {significance}"))
                    .unwrap_or_default()
            ),
        ),
        Method::PotentialField(params) => lines.add(
            "device",
            format!(
                "{devices}, exponent {}, {}, {}",
                params.exponent,
                params.precision.name(),
                outcome.variant().unwrap_or(params.variant).name()
            ),
        ),
    }
    lines.add("ms", format_timings(&outcome.timings));
    if !outcome.stages.is_empty() {
        lines.add("of skeleton", format_stages(&outcome.stages));
    }
    lines.text()
}

/// Formats the rule for branches.
fn format_rule(rule: BranchRule) -> String {
    match rule {
        BranchRule::Significance {
            min_significance,
            min_length,
        } => {
            let length = match min_length {
                0.0 => String::new(),
                length => format!(", protrusions from {length}"),
            };
            format!("significance {min_significance}{length}")
        }
        BranchRule::Coverage { scale, constant } => format!("scale {scale}, const {constant}"),
    }
}

/// Adds the most significant protrusion without a branch.
fn add_uncovered(lines: &mut Lines, outcome: &SkeletonOutcome) {
    let protrusions = outcome.labels.iter().flat_map(|label| {
        let found = label
            .components()
            .iter()
            .filter_map(|report| report.uncovered);
        found.map(move |protrusion| (label, protrusion))
    });
    let largest = protrusions.max_by(|a, b| a.1.significance.total_cmp(&b.1.significance));
    if let Some((label, protrusion)) = largest {
        let UncoveredProtrusion {
            significance,
            length,
            width,
            position,
        } = protrusion;
        let position = <[f64; 3]>::from(label.skeleton.to_world(position));
        lines.add(
            "no branch",
            format!(
                "up to significance {significance:.2}: length {}, width {}, at ({})",
                format_number(length),
                format_number(width),
                position.map(format_number).join(", ")
            ),
        );
    }
}

/// Returns the number of bridges and the voxel classes of the potential-field method.
fn field_statistics(outcome: &SkeletonOutcome) -> Option<(usize, ClassCounts)> {
    outcome.labels.iter().find_map(|label| match label.checks {
        Checks::PotentialField {
            bridges, counts, ..
        } => Some((bridges, counts)),
        Checks::Medial { .. } => None,
    })
}

/// Adds a line per label with a skeleton, up to [`MAX_LISTED`].
fn add_labels(lines: &mut Lines, labels: &[LabelOutcome]) {
    let with_skeleton = labels
        .iter()
        .filter(|label| !label.skeleton.nodes.is_empty());
    let mut remaining = labels.len();
    for label in with_skeleton.take(MAX_LISTED) {
        let mut totals = Totals::default();
        totals.add(label);
        let mut text = totals.text();
        if label.is_certified() == Some(false) {
            text += ", not certified";
        }
        lines.add(&format!("  label {}", label.label), text);
        remaining -= 1;
    }
    if remaining > 0 {
        let more = format_count(remaining as u64, "more label");
        lines.add("", format!("and {more}; --json lists all"));
    }
}

/// Adds the certificate: violated properties, or the balance of the critical points.
fn add_checks(lines: &mut Lines, outcome: &SkeletonOutcome) {
    let [
        mut components,
        mut tunnels,
        mut filled_tunnels,
        mut cavities,
    ] = [0; 4];
    let [mut dust_components, mut dust_voxels] = [0; 2];
    for label in &outcome.labels {
        for component in label.components() {
            components += 1;
            tunnels += component.tunnels;
            filled_tunnels += component.filled_tunnels;
            cavities += component.cavities;
        }
        if let Checks::Medial { dust, .. } = &label.checks {
            dust_components += dust.components;
            dust_voxels += dust.voxels;
        }
    }
    if let Some(is_certified) = outcome.is_certified() {
        let topology = format!(
            "{} with {} and {}",
            format_count(components, "component"),
            format_count(tunnels, "tunnel"),
            // `format_count` only appends an s
            match cavities {
                1 => "1 cavity".to_owned(),
                count => format!("{count} cavities"),
            }
        );
        let violated = violated_properties(outcome);
        match (is_certified, violated.is_empty()) {
            (true, _) => lines.add("certified", format!("yes: {topology}")),
            (false, true) if outcome.joined() > 0 => lines.add(
                "certified",
                format!("no, because components were joined: {topology}"),
            ),
            (false, true) => lines.add(
                "certified",
                format!("no, because branches were pruned: {topology}"),
            ),
            (false, false) => lines.add("certified", format!("no: {topology}")),
        }
        for (property, (components, first)) in violated {
            let text = first.to_string();
            let text = text.split_once(": ").map_or(&*text, |parts| parts.1);
            lines.add(
                &format!("  {property}"),
                format!("in {}: {text}", format_count(components, "component")),
            );
        }
    }
    if filled_tunnels > 0 {
        lines.add("filled", format_count(filled_tunnels, "tunnel"));
    }
    add_uncovered(lines, outcome);
    if dust_components > 0 {
        lines.add(
            "dust",
            format!(
                "{} with {} skipped",
                format_count(dust_components, "component"),
                format_count(dust_voxels, "voxel")
            ),
        );
    }
    if let Some(total) = outcome.total_certificate() {
        let verdict = match outcome.unbalanced_components() {
            0 => "balanced".to_owned(),
            count => format!("{count} components not balanced"),
        };
        lines.add(
            "critical pts",
            format!(
                "{} attracting - {} saddles of index 1 + {} of index 2 = {}, Euler number {}: {verdict}",
                total.attracting,
                total.saddles_index1,
                total.saddles_index2,
                total.balance(),
                total.euler_solid
            ),
        );
    }
}

/// Returns the violated properties with the number of components and the first violation of each.
fn violated_properties(
    outcome: &SkeletonOutcome,
) -> BTreeMap<&'static str, (u64, &LocatedViolation)> {
    let mut properties = BTreeMap::new();
    let mut counted = HashSet::new();
    for violation in outcome.violations() {
        let (components, _) = properties
            .entry(violation.property())
            .or_insert((0, violation));
        let is_new = counted.insert((violation.property(), violation.label, violation.component));
        *components += u64::from(is_new);
    }
    properties
}
