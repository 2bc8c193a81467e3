//! What `ferrovox skeleton` says when it is done.

use crate::{
    args::SkeletonArgs,
    input::by,
    numbers::{LabelList, counted, short},
    report::{Lines, listed, timings},
};
use ferrovox::{
    device::Device,
    pipeline::skeleton::{Checks, Defect, LabelOutcome, Method, SkeletonOutcome},
    skeleton::potential_field::ClassCounts,
};
use std::collections::{BTreeMap, HashSet};

/// Labels that have a line each.
const MOST: usize = 20;

/// Everything there is to say.
pub struct SkeletonRun<'a> {
    pub args: &'a SkeletonArgs,
    pub method: &'a Method,
    pub devices: &'a [Device],
    pub made: &'a SkeletonOutcome,
}

/// The skeletons of all labels together.
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
            counted(self.components as u64, "component"),
            counted(self.cycles as u64, "cycle"),
            counted(self.nodes as u64, "node"),
            counted(self.edges as u64, "edge"),
            short(self.length)
        )
    }
}

impl SkeletonRun<'_> {
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for label in &self.made.labels {
            totals.add(label);
        }
        totals
    }

    fn object(&self) -> String {
        let count = self.made.labels.len() as u64;
        match (&self.args.labels, self.args.iso, self.args.label) {
            (Some(LabelList::All), _, _) => format!("all of {}", counted(count, "label")),
            (Some(LabelList::These(_)), _, _) => counted(count, "label"),
            (None, Some(threshold), _) => format!("{threshold} or more"),
            (None, None, Some(label)) => format!("label {label}"),
            (None, None, None) => "not zero".to_owned(),
        }
    }
}

/// What a run found, in a few lines.
pub fn readable(run: &SkeletonRun<'_>) -> String {
    let mut lines = Lines::new(13);
    let args = run.args;
    let made = run.made;
    lines.add(
        "object",
        format!(
            "{}: {}, in {} voxels of {}",
            args.input.name(),
            run.object(),
            by(made.dims),
            <[f64; 3]>::from(made.geometry.spacing())
                .map(short)
                .join(" x ")
        ),
    );
    let mut skeleton = run.totals().text();
    if let Some((bridges, counts)) = of_core(made) {
        lines.add(
            "voxels",
            format!(
                "{} surface, {} boundary, {} interior",
                counts.surface, counts.boundary, counts.interior
            ),
        );
        if bridges > 0 {
            skeleton += &format!(", {bridges} curves where no force leads");
        }
    }
    if made.pruned() > 0 {
        skeleton += &format!(", {} branches pruned", made.pruned());
    }
    lines.add("skeleton", skeleton);
    if args.labels.is_some() {
        add_labels(&mut lines, &made.labels);
    }
    add_checks(&mut lines, made);
    let files = made.written.iter().chain(&args.png).chain(&args.field);
    let files: Vec<String> = files.map(|path| path.display().to_string()).collect();
    match &files[..] {
        [] => {}
        [first, .., last] if files.len() > MOST => {
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
                "{}, scale {}, const {}{}",
                args.levels.name(),
                params.scale,
                params.constant,
                params
                    .detail
                    .map(|part| format!(", curvature {part}"))
                    .unwrap_or_default()
            ),
        ),
        Method::PotentialField(params) => lines.add(
            "device",
            format!(
                "{devices}, exponent {}, {}, {}",
                params.exponent,
                params.precision.name(),
                made.variant().unwrap_or(params.variant).name()
            ),
        ),
    }
    lines.add("ms", timings(&made.timings));
    if !made.stages.is_empty() {
        lines.add("of skeleton", listed(&made.stages));
    }
    lines.text()
}

/// What is known of the published method's skeleton besides: curves that join what the force leaves
/// apart, and voxels.
fn of_core(made: &SkeletonOutcome) -> Option<(usize, ClassCounts)> {
    made.labels.iter().find_map(|label| match label.checks {
        Checks::PotentialField {
            bridges, counts, ..
        } => Some((bridges, counts)),
        Checks::Medial { .. } => None,
    })
}

/// A line for each label that has a skeleton, if there are not too many.
fn add_labels(lines: &mut Lines, labels: &[LabelOutcome]) {
    let some = labels
        .iter()
        .filter(|label| !label.skeleton.nodes.is_empty());
    let mut left = labels.len();
    for label in some.take(MOST) {
        let mut totals = Totals::default();
        totals.add(label);
        let mut text = totals.text();
        if label.certified() == Some(false) {
            text += ", not certified";
        }
        lines.add(&format!("  label {}", label.label), text);
        left -= 1;
    }
    if left > 0 {
        let more = counted(left as u64, "more label");
        lines.add("", format!("and {more}: --json has all"));
    }
}

/// Whether the properties hold, and which do not; or whether the critical points add up.
fn add_checks(lines: &mut Lines, made: &SkeletonOutcome) {
    let [mut all, mut tunnels, mut cavities] = [0; 3];
    let [mut specks, mut dust] = [0; 2];
    for label in &made.labels {
        for component in label.components() {
            all += 1;
            tunnels += component.tunnels;
            cavities += component.cavities;
        }
        if let Checks::Medial { dust: left_out, .. } = &label.checks {
            specks += left_out.components;
            dust += left_out.voxels;
        }
    }
    if let Some(is_certified) = made.certified() {
        let of = format!(
            "{} with {} and {}",
            counted(all, "component"),
            counted(tunnels, "tunnel"),
            // the plural of this one is its own
            match cavities {
                1 => "1 cavity".to_owned(),
                count => format!("{count} cavities"),
            }
        );
        let bad = properties(made);
        match (is_certified, bad.is_empty()) {
            (true, _) => lines.add("certified", format!("yes: {of}")),
            (false, true) => {
                lines.add("certified", format!("no, since branches were pruned: {of}"))
            }
            (false, false) => lines.add("certified", format!("no: {of}")),
        }
        for (property, (components, first)) in bad {
            let text = first.to_string();
            let text = text.split_once(": ").map_or(&*text, |parts| parts.1);
            lines.add(
                &format!("  {property}"),
                format!("in {}: {text}", counted(components, "component")),
            );
        }
    }
    if specks > 0 {
        lines.add(
            "dust",
            format!(
                "{} of {} left out",
                counted(specks, "component"),
                counted(dust, "voxel")
            ),
        );
    }
    if let Some(whole) = made.index() {
        let verdict = match made.unbalanced() {
            0 => "balanced".to_owned(),
            count => format!("{count} components not balanced"),
        };
        lines.add(
            "index balance",
            format!(
                "{} attracting - {} saddles of index 1 + {} of index 2 = {}, Euler number {}: {verdict}",
                whole.attracting,
                whole.saddles_index1,
                whole.saddles_index2,
                whole.balance(),
                whole.euler_solid
            ),
        );
    }
}

/// The properties that do not hold: in how many components, and the first place.
fn properties(made: &SkeletonOutcome) -> BTreeMap<&'static str, (u64, &Defect)> {
    let mut found = BTreeMap::new();
    let mut counted = HashSet::new();
    for defect in made.defects() {
        let (components, _) = found.entry(defect.property()).or_insert((0, defect));
        let is_new = counted.insert((defect.property(), defect.label, defect.component));
        *components += u64::from(is_new);
    }
    found
}
