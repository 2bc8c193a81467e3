//! Table of the measured skeletons, compared with the ground truth.

use crate::objects::Subject;
use ferrovox::graph::Skeleton;
use ferrovox_tests::{
    oracle::{Rules, Verdict, betti, check},
    reference_objects::Betti,
};
use std::fmt::Write;

/// Ground truth of an object.
#[derive(Clone, Debug, Default)]
pub struct GroundTruth {
    betti: Betti,
    length: Option<[f64; 2]>,
    ends: Option<usize>,
    voxels: usize,
}

impl GroundTruth {
    /// Derives the ground truth from the construction of an object and from its voxels.
    pub fn new(object: &Subject) -> Self {
        let known = &object.known;
        let parts: Vec<Betti> = object
            .labels
            .iter()
            .flat_map(|(_, object)| betti::betti_numbers(object))
            .collect();
        let length = known.length();
        Self {
            betti: betti::total(&parts),
            length: (!known.axes.is_empty()).then_some([length, length + known.length_allowance]),
            ends: known.ends,
            voxels: object.labels.iter().map(|(_, object)| object.len()).sum(),
        }
    }
}

/// Skeletons of one object by one system, summed over labels.
#[derive(Clone, Debug, Default)]
struct Answer {
    system: String,
    ms: Option<f64>,
    pieces: usize,
    cycles: usize,
    tunnels: usize,
    ends: usize,
    length: f64,
    covered: f64,
    inside: f64,
    deviation: Option<[f64; 2]>,
    failing: Vec<&'static str>,
}

/// Answers of all systems, by object.
#[derive(Default)]
pub struct Answers {
    objects: Vec<(String, GroundTruth, Vec<Answer>)>,
}

impl Answers {
    /// Adds an object without answers.
    pub fn add_object(&mut self, name: &str, truth: GroundTruth) {
        self.objects.push((name.to_owned(), truth, Vec::new()));
    }

    /// Checks the skeletons of a system, by label, and returns a summary.
    pub fn add(
        &mut self,
        object: &Subject,
        system: &str,
        ms: Option<f64>,
        skeletons: &[(u8, Skeleton)],
    ) -> String {
        let empty = Skeleton {
            geometry: *object.known.voxels.geometry(),
            ..Skeleton::default()
        };
        let mut answer = Answer {
            system: system.to_owned(),
            ms,
            ..Answer::default()
        };
        let (mut covered, mut inside, mut voxels) = (0.0, 0.0, 0.0);
        for (label, label_voxels) in &object.labels {
            let found = skeletons.iter().find(|(other, _)| other == label);
            let skeleton = found.map_or(&empty, |(_, skeleton)| skeleton);
            let verdict = check(
                label_voxels,
                skeleton,
                &Rules::default(),
                &object.known.axes,
            );
            answer.add(&verdict);
            covered += verdict.covered * label_voxels.len() as f64;
            voxels += label_voxels.len() as f64;
            inside += verdict.inside_share * verdict.length;
        }
        answer.covered = covered / voxels;
        answer.inside = if answer.length > 0.0 {
            inside / answer.length
        } else {
            1.0
        };
        let note = answer.summary();
        let name = object.name();
        if let Some((_, _, answers)) = self.objects.iter_mut().find(|(other, _, _)| other == name) {
            answers.push(answer);
        }
        note
    }

    /// Returns the table in Markdown.
    pub fn table(&self) -> String {
        let mut table = String::from(
            "| object | system | time | length | components | cycles | tunnels | endpoints | covered | inside | distance from axis, mean / max | violated |\n\
             | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        );
        for (name, truth, answers) in &self.objects {
            let length = match truth.length {
                Some([min, max]) => format!("{min:.0} to {max:.0}"),
                None => String::new(),
            };
            let ends = truth.ends.map_or(String::new(), |ends| ends.to_string());
            let Betti {
                components: pieces,
                tunnels,
                cavities,
            } = truth.betti;
            let hollow = match cavities {
                0 => String::new(),
                count => format!(", {count} cavities"),
            };
            let voxels = truth.voxels;
            let _ = writeln!(
                table,
                "| **{name}**, {voxels} voxels{hollow} | ground truth | | {length} | {pieces} | {tunnels} | {tunnels} | {ends} | | | | |",
            );
            for answer in answers {
                let _ = writeln!(table, "| {}", answer.row());
            }
        }
        table
    }
}

impl Answer {
    /// Adds the verdict on one label.
    fn add(&mut self, verdict: &Verdict) {
        self.pieces += verdict.components;
        self.cycles += verdict.cycles;
        self.tunnels += verdict.tunnels;
        self.ends += verdict.ends;
        self.length += verdict.length;
        self.deviation = verdict.deviation.map(|found| [found.mean, found.max]);
        for (name, property) in verdict.properties() {
            // not a requirement of all systems; the share that is covered has its own column
            if name != "cover" && !property.holds() && !self.failing.contains(&name) {
                self.failing.push(name);
            }
        }
    }

    /// Returns a summary in one line.
    fn summary(&self) -> String {
        let violated = if self.failing.is_empty() {
            "no property violated".to_owned()
        } else {
            format!("violated: {}", self.failing.join(", "))
        };
        format!(
            "length {:.1}, {} pieces, {} cycles, {} tunnels, covered {:.3}, inside {:.3}; {violated}",
            self.length, self.pieces, self.cycles, self.tunnels, self.covered, self.inside
        )
    }

    /// Returns the table row.
    fn row(&self) -> String {
        let time = match self.ms {
            None => String::new(),
            Some(ms) if ms < 1e3 => format!("{ms:.1} ms"),
            Some(ms) => format!("{:.1} s", ms / 1e3),
        };
        let deviation = match self.deviation {
            None => String::new(),
            Some([mean, max]) => format!("{mean:.2} / {max:.2}"),
        };
        format!(
            "| {} | {time} | {:.0} | {} | {} | {} | {} | {:.4} | {:.4} | {deviation} | {} |",
            self.system,
            self.length,
            self.pieces,
            self.cycles,
            self.tunnels,
            self.ends,
            self.covered,
            self.inside,
            self.failing.join(", ")
        )
    }
}
