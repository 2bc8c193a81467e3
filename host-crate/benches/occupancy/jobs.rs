//! Which kernels are measured, and in which configurations.

use crate::{
    arguments::{Arguments, Over},
    question::Question,
    support::Outcome,
    sweep::{Point, Sweep},
    workloads::{self, Run, Workload},
};
use ferrovox::{
    device::{Device, DeviceKind, LaunchOverride, LaunchRecord, Recording},
    occupancy::Limiter,
};
use measure::Spread;
use std::{collections::BTreeMap, time::Duration};

/// A kernel, and the pipeline that launches it.
pub struct Job {
    pub kernel: String,
    pub workload: &'static Workload,
    pub side: usize,
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
            device.set_launch_override(LaunchOverride {
                kernel: Some(name.clone()),
                ..LaunchOverride::default()
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
        device.set_launch_override(LaunchOverride::default())?;
        let stream = device.stream()?;
        let mut run = (self.workload.prepare)(&stream, self.side)?;
        let question = Question::of(device, &self.kernel, &arguments.model_of)?;
        // as it is without a launch override
        let usual = self.launches(device, &mut run)?;
        let Some(first) = usual.first() else {
            return Err(format!("{} does not launch {}", self.workload.name, self.kernel).into());
        };
        let chosen = (first.threads, first.dynamic_shared_bytes);
        let mut points: Vec<Point> = Vec::new();
        for launch_override in self.experiments(device, over, chosen.0, arguments) {
            let at = match over {
                Over::Blocks => launch_override.block,
                Over::Registers => launch_override.max_registers,
                Over::Shared => Some(launch_override.extra_shared_bytes),
            };
            let point = self.point(
                device,
                &mut run,
                launch_override,
                at.unwrap_or(0),
                arguments,
            )?;
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
        device.set_launch_override(LaunchOverride::default())?;
        let explained = match device.kind() {
            DeviceKind::Cuda => chosen,
            DeviceKind::Cpu => (question.best(), 0),
        };
        Ok(Sweep {
            explained: Some(explained),
            kernel: self.kernel.clone(),
            pipeline: self.workload.name.to_owned(),
            workload: format!("{}: n = {}", self.workload.about, self.side),
            device: device.id(),
            device_name: device.name(),
            over,
            question,
            chosen: Some(chosen),
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
    ) -> Vec<LaunchOverride> {
        let of_kernel = LaunchOverride {
            kernel: Some(self.kernel.clone()),
            ..LaunchOverride::default()
        };
        let with = |change: &dyn Fn(&mut LaunchOverride)| {
            let mut launch_override = of_kernel.clone();
            change(&mut launch_override);
            launch_override
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
        launch_override: LaunchOverride,
        at: u32,
        arguments: &Arguments,
    ) -> Outcome<Point> {
        let asked = launch_override.block.unwrap_or(0);
        let absent = |why: String| Point {
            at,
            threads: asked,
            blocks: 0,
            registers: None,
            dynamic_shared_bytes: 0,
            active_blocks: None,
            occupancy: None,
            limiters: Vec::new(),
            time: Err(why),
        };
        if let Err(error) = device.set_launch_override(launch_override) {
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
            registers: question.registers(),
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
