//! What was found beside what is right, in one table.

use crate::objects::Subject;
use ferrovox::graph::Skeleton;
use ferrovox_tests::{
    known::Betti,
    oracle::{Rules, Verdict, betti, check},
};
use std::fmt::Write;

/// What is right of an object.
#[derive(Clone, Debug, Default)]
pub struct Right {
    betti: Betti,
    length: Option<[f64; 2]>,
    ends: Option<usize>,
    voxels: usize,
}

impl Right {
    /// By the object's construction, and by its voxels.
    pub fn of(object: &Subject) -> Self {
        let known = &object.known;
        let parts: Vec<Betti> = object
            .labels
            .iter()
            .flat_map(|(_, object)| betti::betti_numbers(object))
            .collect();
        let length = known.length();
        Self {
            betti: betti::total(&parts),
            length: (!known.axes.is_empty()).then_some([length, length + known.tips]),
            ends: known.ends,
            voxels: object.labels.iter().map(|(_, object)| object.len()).sum(),
        }
    }
}

/// One system's answer for one object: sums over its labels.
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

/// All answers, by object.
#[derive(Default)]
pub struct Answers {
    objects: Vec<(String, Right, Vec<Answer>)>,
}

impl Answers {
    /// An object, before the answers.
    pub fn add_right(&mut self, name: &str, right: Right) {
        self.objects.push((name.to_owned(), right, Vec::new()));
    }

    /// Checks what a system made, by label. In short what was found.
    pub fn add(
        &mut self,
        object: &Subject,
        system: &str,
        ms: Option<f64>,
        made: &[(u8, Skeleton)],
    ) -> String {
        let nothing = Skeleton {
            geometry: *object.known.voxels.geometry(),
            ..Skeleton::default()
        };
        let mut answer = Answer {
            system: system.to_owned(),
            ms,
            ..Answer::default()
        };
        let (mut covered, mut inside, mut voxels) = (0.0, 0.0, 0.0);
        for (label, voxels_of_label) in &object.labels {
            let found = made.iter().find(|(one, _)| one == label);
            let skeleton = found.map_or(&nothing, |(_, skeleton)| skeleton);
            let verdict = check(
                voxels_of_label,
                skeleton,
                &Rules::default(),
                &object.known.axes,
            );
            answer.take(&verdict);
            covered += verdict.covered * voxels_of_label.len() as f64;
            voxels += voxels_of_label.len() as f64;
            inside += verdict.inside_share * verdict.length;
        }
        answer.covered = covered / voxels;
        answer.inside = if answer.length > 0.0 {
            inside / answer.length
        } else {
            1.0
        };
        let note = answer.short();
        let name = object.name();
        if let Some((_, _, answers)) = self.objects.iter_mut().find(|(one, _, _)| one == name) {
            answers.push(answer);
        }
        note
    }

    /// The table, in Markdown.
    pub fn table(&self) -> String {
        let mut table = String::from(
            "| object | by | time | length | pieces | cycles | tunnels | ends | covered | inside | from the axis, mean / most | fails |\n\
             | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        );
        for (name, right, answers) in &self.objects {
            let length = match right.length {
                Some([least, most]) => format!("{least:.0} to {most:.0}"),
                None => String::new(),
            };
            let ends = right.ends.map_or(String::new(), |ends| ends.to_string());
            let Betti {
                pieces,
                tunnels,
                cavities,
            } = right.betti;
            let hollow = match cavities {
                0 => String::new(),
                count => format!(", {count} cavities"),
            };
            let voxels = right.voxels;
            let _ = writeln!(
                table,
                "| **{name}**, {voxels} voxels{hollow} | right | | {length} | {pieces} | {tunnels} | {tunnels} | {ends} | | | | |",
            );
            for answer in answers {
                let _ = writeln!(table, "| {}", answer.row());
            }
        }
        table
    }
}

impl Answer {
    fn take(&mut self, verdict: &Verdict) {
        self.pieces += verdict.pieces;
        self.cycles += verdict.cycles;
        self.tunnels += verdict.tunnels;
        self.ends += verdict.ends;
        self.length += verdict.length;
        self.deviation = verdict.deviation.map(|found| [found.mean, found.most]);
        for (name, property) in verdict.properties() {
            if !property.holds() && !self.failing.contains(&name) {
                self.failing.push(name);
            }
        }
    }

    fn short(&self) -> String {
        let fails = if self.failing.is_empty() {
            "all hold".to_owned()
        } else {
            format!("fails: {}", self.failing.join(", "))
        };
        format!(
            "length {:.1}, {} pieces, {} cycles, {} tunnels, covered {:.3}, inside {:.3}; {fails}",
            self.length, self.pieces, self.cycles, self.tunnels, self.covered, self.inside
        )
    }

    fn row(&self) -> String {
        let time = match self.ms {
            None => String::new(),
            Some(ms) if ms < 1e3 => format!("{ms:.1} ms"),
            Some(ms) => format!("{:.1} s", ms / 1e3),
        };
        let deviation = match self.deviation {
            None => String::new(),
            Some([mean, most]) => format!("{mean:.2} / {most:.2}"),
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
