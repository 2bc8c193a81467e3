//! One kernel on one device, over one number.

use crate::{arguments::Over, question::Question};
use measure::{Record, Report, Spread};

/// What was measured.
pub struct Sweep {
    pub kernel: String,
    /// The pipeline.
    pub pipeline: String,
    /// What it works on, and its size.
    pub workload: String,
    pub device: String,
    pub device_name: String,
    pub over: Over,
    /// What the calculator was asked, without a launch override.
    pub question: Question,
    /// The block size that the calculator chose, with its dynamic shared memory; none for a kernel
    /// whose registers are not known.
    pub chosen: Option<(u32, u32)>,
    /// The block that the explanation is about: the same, on the CPU what it would be on the GPU
    /// that stands in.
    pub explained: Option<(u32, u32)>,
    pub points: Vec<Point>,
}

/// One configuration.
#[derive(Clone, Debug)]
pub struct Point {
    /// The number that is swept.
    pub at: u32,
    pub threads: u32,
    /// Blocks of all launches of a run.
    pub blocks: u64,
    /// None where they are not known.
    pub registers: Option<u32>,
    pub dynamic_shared_bytes: u32,
    pub active_blocks: Option<u32>,
    pub occupancy: Option<f64>,
    pub limiters: Vec<&'static str>,
    /// Or why there is no figure.
    pub time: Result<Spread, String>,
}

impl Sweep {
    /// Adds a record for each point.
    pub fn report(&self, report: &mut Report) {
        for point in &self.points {
            let occupancy = point
                .occupancy
                .map(|it| format!("occupancy {:.1} %", 100.0 * it));
            let record = Record {
                system: "ferrovox".into(),
                device: self.device.clone(),
                measure: self.kernel.clone(),
                method: format!("{} {}", self.over.name(), point.at),
                field: self.pipeline.clone(),
                size: self
                    .workload
                    .rsplit(": ")
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
                note: occupancy.unwrap_or_else(|| "occupancy unknown".to_owned()),
                absent: point.time.as_ref().err().cloned(),
                ..Record::default()
            };
            report.add(match &point.time {
                Ok(spread) => record.timed(*spread),
                Err(_) => record,
            });
        }
    }

    /// Points with a figure.
    pub fn measured(&self) -> impl Iterator<Item = (&Point, f64)> {
        self.points
            .iter()
            .filter_map(|point| Some((point, point.time.as_ref().ok()?.median_ms)))
    }

    /// The point that was fastest.
    pub fn fastest(&self) -> Option<(&Point, f64)> {
        self.measured().min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The point that is as the calculator has it.
    pub fn usual(&self) -> Option<(&Point, f64)> {
        self.measured().find(|(point, _)| match self.over {
            Over::Blocks => self.chosen.is_some_and(|chosen| point.threads == chosen.0),
            Over::Registers => point.registers == self.question.registers(),
            Over::Shared => point.at == 0,
        })
    }

    /// How far occupancy predicts speed: Spearman's rank correlation of both over the points, from
    /// -1 to 1.
    pub fn rank_correlation(&self) -> Option<f64> {
        let both: Vec<(f64, f64)> = self
            .measured()
            .filter_map(|(point, ms)| Some((point.occupancy?, 1.0 / ms)))
            .collect();
        let (x, y) = (
            ranks(both.iter().map(|it| it.0)),
            ranks(both.iter().map(|it| it.1)),
        );
        let mean = (both.len() as f64 + 1.0) / 2.0;
        let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
            x.iter().zip(&y).map(|(&x, &y)| f(x - mean, y - mean)).sum()
        };
        let spread = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
        (both.len() > 2 && spread > 0.0).then(|| sum(&|x, y| x * y) / spread)
    }

    /// In a sentence: what was chosen, what was fastest, and whether occupancy told.
    pub fn conclusion(&self) -> String {
        let mut text = format!(
            "{} on {} over {}: ",
            self.kernel,
            self.device,
            self.over.name()
        );
        let Some((fastest, least)) = self.fastest() else {
            return text + "nothing could be measured";
        };
        text += &format!("fastest at {} ({least:.4} ms", fastest.at);
        if let Some(occupancy) = fastest.occupancy {
            text += &format!(", occupancy {:.1} %", 100.0 * occupancy);
        }
        text += ")";
        if let Some((usual, ms)) = self.usual() {
            text += &format!(
                "; the calculator's {} takes {ms:.4} ms, {:.2} times as long",
                usual.at,
                ms / least
            );
        }
        if let Some(correlation) = self.rank_correlation() {
            text += &format!("; rank correlation of occupancy and speed {correlation:.2}");
        }
        text
    }
}

/// The rank of each value, ties sharing theirs.
fn ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    let rank = |value: f64| {
        let below = values.iter().filter(|&&other| other < value).count();
        let same = values.iter().filter(|&&other| other == value).count();
        below as f64 + (same as f64 + 1.0) / 2.0
    };
    values.iter().map(|&value| rank(value)).collect()
}
