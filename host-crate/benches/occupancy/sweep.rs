//! One kernel on one device, over one number.

use crate::{
    arguments::{Arguments, Over},
    question::Question,
    support::Outcome,
    workloads::{self, Run, Workload},
};
use ferrovox::{
    device::{Device, DeviceKind, Experiment, LaunchRecord, Recording},
    occupancy::Limiter,
};
use measure::{Record, Report, Spread};
use std::{collections::BTreeMap, time::Duration};

/// A kernel, and the pipeline that launches it.
pub struct Job {
    pub kernel: String,
    pub workload: &'static Workload,
    pub side: usize,
}

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
    /// What the calculator was asked, without an experiment.
    pub question: Question,
    /// The block size that the calculator chose, with its dynamic shared memory.
    pub chosen: (u32, u32),
    /// The block that the explanation is about: the same, on the CPU what it would be on the GPU that stands in.
    pub explained: (u32, u32),
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
    pub registers: u32,
    pub dynamic_shared_bytes: u32,
    pub active_blocks: Option<u32>,
    pub occupancy: Option<f64>,
    pub limiters: Vec<&'static str>,
    /// Or why there is no figure.
    pub time: Result<Spread, String>,
}

/// What the kernels of the arguments are, and where each is launched.
pub fn jobs(device: &Device, arguments: &Arguments) -> Outcome<Vec<Job>> {
    let workloads: Vec<&'static Workload> = workloads::ALL
        .iter()
        .filter(|workload| {
            arguments
                .workload
                .as_deref()
                .is_none_or(|name| name == workload.name)
        })
        .collect();
    if workloads.is_empty() {
        return Err(format!(
            "no pipeline is called {:?}; --list names them",
            arguments.workload.as_deref().unwrap_or("")
        )
        .into());
    }
    let gpu = device.kind() == DeviceKind::Cuda;
    let job = |workload: &'static Workload, kernel: &str| Job {
        kernel: kernel.to_owned(),
        workload,
        side: arguments
            .side
            .map_or(workload.sides[usize::from(!gpu)], |side| side as usize),
    };
    let mut launched: Vec<(&'static Workload, Vec<(String, Duration)>)> = Vec::new();
    for workload in workloads {
        launched.push((workload, kernels_of(device, workload)?));
    }
    if arguments.kernel.is_empty() {
        // the one that takes longest, of each pipeline
        let longest = |(workload, kernels): &(&'static Workload, Vec<(String, Duration)>)| {
            let (kernel, _) = kernels.iter().max_by_key(|(_, time)| *time)?;
            Some(job(workload, kernel))
        };
        return Ok(launched.iter().filter_map(longest).collect());
    }
    let mut jobs = Vec::new();
    for name in &arguments.kernel {
        let before = jobs.len();
        for (workload, kernels) in &launched {
            let all = name.strip_suffix(":all") == Some(workload.name);
            for (kernel, _) in kernels {
                let is_first = jobs.len() == before && kernel == name;
                if all || is_first {
                    jobs.push(job(workload, kernel));
                }
            }
        }
        if jobs.len() == before {
            // a wrong name is told with those like it
            device.set_experiment(Experiment {
                kernel: Some(name.clone()),
                ..Experiment::default()
            })?;
            return Err(format!("no pipeline here launches {name}; a new one is a row in benches/occupancy/workloads.rs").into());
        }
    }
    Ok(jobs)
}

/// The kernels that a pipeline launches, and how long each takes in a small volume.
fn kernels_of(device: &Device, workload: &Workload) -> Outcome<Vec<(String, Duration)>> {
    const SMALL: usize = 24;
    let stream = device.stream()?;
    let mut run = (workload.prepare)(&stream, SMALL)?;
    let mut times = BTreeMap::<String, Duration>::new();
    for launch in timed(device, &mut run)? {
        *times.entry(launch.kernel).or_default() += launch.time.unwrap_or_default();
    }
    Ok(times.into_iter().collect())
}

/// The launches of one run.
fn timed(device: &Device, run: &mut Run<'_>) -> Outcome<Vec<LaunchRecord>> {
    device.record_launches(Recording::Times);
    let done = run(false);
    let launches = device.take_launches();
    device.record_launches(Recording::Off);
    done?;
    Ok(launches?)
}

impl Job {
    /// Measures all configurations.
    pub fn measure(&self, device: &Device, over: Over, arguments: &Arguments) -> Outcome<Sweep> {
        device.set_experiment(Experiment::default())?;
        let stream = device.stream()?;
        let mut run = (self.workload.prepare)(&stream, self.side)?;
        let question = Question::of(device, &self.kernel, &arguments.model_of)?;
        // as it is without an experiment
        let usual = self.launches(device, &mut run)?;
        let Some(first) = usual.first() else {
            return Err(format!("{} does not launch {}", self.workload.name, self.kernel).into());
        };
        let chosen = (first.threads, first.dynamic_shared_bytes);
        let mut points: Vec<Point> = Vec::new();
        for experiment in self.experiments(device, over, chosen.0, arguments) {
            let at = match over {
                Over::Blocks => experiment.block,
                Over::Registers => experiment.max_registers,
                Over::Shared => Some(experiment.extra_shared_bytes),
            };
            let point = self.point(device, &mut run, experiment, at.unwrap_or(0), arguments)?;
            // a launch in rounds takes the same block for several that were asked for
            let is_new = |point: &Point| {
                over != Over::Blocks || points.iter().all(|other| other.threads != point.threads)
            };
            if is_new(&point) {
                points.push(Point {
                    at: if over == Over::Blocks {
                        point.threads
                    } else {
                        point.at
                    },
                    ..point
                });
            }
        }
        device.set_experiment(Experiment::default())?;
        let explained = match device.kind() {
            DeviceKind::Cuda => chosen,
            DeviceKind::Cpu => (question.best(), 0),
        };
        Ok(Sweep {
            explained,
            kernel: self.kernel.clone(),
            pipeline: self.workload.name.to_owned(),
            workload: format!("{}: n = {}", self.workload.about, self.side),
            device: device.id(),
            device_name: device.name(),
            over,
            question,
            chosen,
            points,
        })
    }

    /// The kernel's launches of one run.
    fn launches(&self, device: &Device, run: &mut Run<'_>) -> Outcome<Vec<LaunchRecord>> {
        let mut launches = timed(device, run)?;
        launches.retain(|launch| launch.kernel == self.kernel);
        Ok(launches)
    }

    fn experiments(
        &self,
        device: &Device,
        over: Over,
        chosen: u32,
        arguments: &Arguments,
    ) -> Vec<Experiment> {
        let of_kernel = Experiment {
            kernel: Some(self.kernel.clone()),
            ..Experiment::default()
        };
        let with = |change: &dyn Fn(&mut Experiment)| {
            let mut experiment = of_kernel.clone();
            change(&mut experiment);
            experiment
        };
        let most = match device.kind() {
            DeviceKind::Cuda => device.limits().threads_per_block,
            DeviceKind::Cpu => simt::MAX_BLOCK_THREADS,
        };
        match over {
            Over::Blocks => {
                let stepped = (arguments.step..=most).step_by(arguments.step as usize);
                let blocks = if arguments.blocks.is_empty() {
                    // the CPU's own is one thread
                    let own = (device.kind() == DeviceKind::Cpu).then_some(1);
                    own.into_iter()
                        .chain(stepped.filter(|&it| it > 1))
                        .collect()
                } else {
                    arguments.blocks.clone()
                };
                let one = |&block: &u32| with(&|it| it.block = Some(block));
                blocks.iter().map(one).collect()
            }
            Over::Registers => {
                let one = |&registers: &u32| {
                    with(&|it| (it.block, it.max_registers) = (Some(chosen), Some(registers)))
                };
                arguments.registers.iter().map(one).collect()
            }
            Over::Shared => {
                let one = |&bytes: &u32| {
                    with(&|it| (it.block, it.extra_shared_bytes) = (Some(chosen), bytes))
                };
                arguments.shared.iter().map(one).collect()
            }
        }
    }

    fn point(
        &self,
        device: &Device,
        run: &mut Run<'_>,
        experiment: Experiment,
        at: u32,
        arguments: &Arguments,
    ) -> Outcome<Point> {
        let asked = experiment.block.unwrap_or(0);
        let absent = |why: String| Point {
            at,
            threads: asked,
            blocks: 0,
            registers: 0,
            dynamic_shared_bytes: 0,
            active_blocks: None,
            occupancy: None,
            limiters: Vec::new(),
            time: Err(why),
        };
        if let Err(error) = device.set_experiment(experiment) {
            return Ok(absent(error.to_string()));
        }
        // to warm up
        let launches = match self.launches(device, run) {
            Ok(launches) => launches,
            Err(error) => return Ok(absent(error.to_string())),
        };
        let mut times = Vec::new();
        for _ in 0..arguments.common.runs {
            let launches = self.launches(device, run)?;
            times.push(launches.iter().filter_map(|launch| launch.time).sum());
        }
        let Some(first) = launches.first() else {
            return Ok(absent(format!("{} was not launched", self.kernel)));
        };
        let question = Question::of(device, &self.kernel, &arguments.model_of)?;
        // of the CPU there is none
        let occupancy = question
            .occupancy(first.threads, first.dynamic_shared_bytes)
            .filter(|_| device.kind() == DeviceKind::Cuda);
        Ok(Point {
            at,
            threads: first.threads,
            blocks: launches.iter().map(|launch| u64::from(launch.blocks)).sum(),
            registers: question.kernel.registers,
            dynamic_shared_bytes: first.dynamic_shared_bytes,
            active_blocks: occupancy.map(|it| it.active_blocks),
            occupancy: occupancy.map(|it| it.fraction()),
            limiters: occupancy
                .map(|it| it.limiters().map(Limiter::name).collect())
                .unwrap_or_default(),
            time: Ok(Spread::of(&times)),
        })
    }
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
                note: occupancy.unwrap_or_default(),
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
            Over::Blocks => point.threads == self.chosen.0,
            Over::Registers => point.registers == self.question.kernel.registers,
            Over::Shared => point.at == 0,
        })
    }

    /// How far occupancy predicts speed: Spearman's rank correlation of both over the points, from -1 to 1.
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
