//! Measurements of one kernel on one device over one parameter.

use crate::{arguments::Over, calculator_input::CalculatorInput};
use measure::{Record, Report, Spread};

/// Measurements and calculator input of one sweep.
pub struct Sweep {
    pub kernel: String,
    /// Pipeline that launches the kernel.
    pub pipeline: String,
    /// Description of the pipeline's data and its size.
    pub workload: String,
    pub device: String,
    pub device_name: String,
    pub over: Over,
    /// Calculator input without launch overrides.
    pub input: CalculatorInput,
    /// Block size chosen by the calculator and its dynamic shared memory in bytes; `None` if the
    /// kernel's register count is unknown.
    pub chosen: Option<(u32, u32)>,
    /// Block configuration to explain: the chosen one, or on the CPU the best one for the GPU whose
    /// occupancy is reported.
    pub explained: Option<(u32, u32)>,
    pub points: Vec<Point>,
}

/// Measurement of one configuration.
#[derive(Clone, Debug)]
pub struct Point {
    /// Value of the swept parameter.
    pub value: u32,
    pub threads: u32,
    /// Total number of blocks over all launches of a run.
    pub blocks: u64,
    /// Registers per thread, if known.
    pub registers: Option<u32>,
    pub dynamic_shared_bytes: u32,
    pub active_blocks: Option<u32>,
    pub occupancy: Option<f64>,
    pub limiters: Vec<&'static str>,
    /// Time per run, or the reason why it is missing.
    pub time: Result<Spread, String>,
}

impl Sweep {
    /// Adds one record per point to the report.
    pub fn report(&self, report: &mut Report) {
        for point in &self.points {
            let occupancy = point
                .occupancy
                .map(|it| format!("occupancy {:.1} %", 100.0 * it));
            let record = Record {
                system: "ferrovox".into(),
                device: self.device.clone(),
                measure: self.kernel.clone(),
                method: format!("{} {}", self.over.name(), point.value),
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
                Ok(spread) => record.with_times(*spread),
                Err(_) => record,
            });
        }
    }

    /// Returns the points with a measured time, and the median in ms.
    pub fn measured(&self) -> impl Iterator<Item = (&Point, f64)> {
        self.points
            .iter()
            .filter_map(|point| Some((point, point.time.as_ref().ok()?.median_ms)))
    }

    /// Returns the fastest point and its time in ms.
    pub fn fastest(&self) -> Option<(&Point, f64)> {
        self.measured().min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Returns the point with the calculator's own configuration and its time in ms.
    pub fn default_point(&self) -> Option<(&Point, f64)> {
        self.measured().find(|(point, _)| match self.over {
            Over::Blocks => self.chosen.is_some_and(|chosen| point.threads == chosen.0),
            Over::Registers => point.registers == self.input.registers(),
            Over::Shared => point.value == 0,
        })
    }

    /// Returns Spearman's rank correlation between occupancy and speed over the points, from -1 to
    /// 1; `None` for fewer than three points.
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

    /// Summarizes the sweep in a sentence: the chosen configuration, the fastest one, and the rank
    /// correlation.
    pub fn conclusion(&self) -> String {
        let mut text = format!(
            "{} on {} over {}: ",
            self.kernel,
            self.device,
            self.over.name()
        );
        let Some((fastest, fastest_ms)) = self.fastest() else {
            return text + "no configuration could be measured";
        };
        text += &format!("fastest at {} ({fastest_ms:.4} ms", fastest.value);
        if let Some(occupancy) = fastest.occupancy {
            text += &format!(", occupancy {:.1} %", 100.0 * occupancy);
        }
        text += ")";
        if let Some((default, ms)) = self.default_point() {
            text += &format!(
                "; the calculator's choice, {}, takes {ms:.4} ms, {:.2} times as long",
                default.value,
                ms / fastest_ms
            );
        }
        if let Some(correlation) = self.rank_correlation() {
            text += &format!("; rank correlation of occupancy and speed {correlation:.2}");
        }
        text
    }
}

/// Returns the rank of each value; ties share their mean rank.
fn ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    let rank = |value: f64| {
        let below = values.iter().filter(|&&other| other < value).count();
        let same = values.iter().filter(|&&other| other == value).count();
        below as f64 + (same as f64 + 1.0) / 2.0
    };
    values.iter().map(|&value| rank(value)).collect()
}
