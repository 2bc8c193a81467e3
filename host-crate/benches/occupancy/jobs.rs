//! Selection of kernels and configurations, and the measurement.

use crate::{
    arguments::{Arguments, Over},
    calculator_input::CalculatorInput,
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

/// A kernel and the pipeline that launches it.
pub struct Job {
    pub kernel: String,
    pub workload: &'static Workload,
    pub side: usize,
}

/// Resolves the arguments to kernels, each with a pipeline that launches it.
pub fn select_jobs(device: &Device, arguments: &Arguments) -> Outcome<Vec<Job>> {
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
            "unknown pipeline {:?}; --list shows the available ones",
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
        launched.push((workload, launched_kernels(device, workload)?));
    }
    if arguments.kernel.is_empty() {
        // the slowest kernel of each pipeline
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
            let selects_all = name.strip_suffix(":all") == Some(workload.name);
            for (kernel, _) in kernels {
                let is_first = jobs.len() == before && kernel == name;
                if selects_all || is_first {
                    jobs.push(job(workload, kernel));
                }
            }
        }
        if jobs.len() == before {
            // setting the override reports an unknown kernel, with similar names
            device.set_launch_override(LaunchOverride {
                kernel: Some(name.clone()),
                ..LaunchOverride::default()
            })?;
            return Err(format!(
                "no pipeline launches {name}; add one to benches/occupancy/workloads.rs"
            )
            .into());
        }
    }
    Ok(jobs)
}

/// Returns the kernels that a pipeline launches on a small volume, and the time of each.
fn launched_kernels(device: &Device, workload: &Workload) -> Outcome<Vec<(String, Duration)>> {
    const SMALL: usize = 24;
    let stream = device.stream()?;
    let mut run = (workload.prepare)(&stream, SMALL)?;
    let mut times = BTreeMap::<String, Duration>::new();
    for launch in run_timed(device, &mut run)? {
        *times.entry(launch.kernel).or_default() += launch.time.unwrap_or_default();
    }
    Ok(times.into_iter().collect())
}

/// Runs a pipeline once and returns its launches.
fn run_timed(device: &Device, run: &mut Run<'_>) -> Outcome<Vec<LaunchRecord>> {
    device.record_launches(Recording::Times);
    let outcome = run(false);
    let launches = device.take_launches();
    device.record_launches(Recording::Off);
    outcome?;
    Ok(launches?)
}

impl Job {
    /// Measures all configurations of the sweep.
    pub fn measure(&self, device: &Device, over: Over, arguments: &Arguments) -> Outcome<Sweep> {
        device.set_launch_override(LaunchOverride::default())?;
        let stream = device.stream()?;
        let mut run = (self.workload.prepare)(&stream, self.side)?;
        let input = CalculatorInput::new(device, &self.kernel, &arguments.occupancy_gpu)?;
        // the configuration without a launch override
        let default_launches = self.launches(device, &mut run)?;
        let Some(first) = default_launches.first() else {
            return Err(format!("{} does not launch {}", self.workload.name, self.kernel).into());
        };
        let chosen = (first.threads, first.dynamic_shared_bytes);
        let mut points: Vec<Point> = Vec::new();
        for launch_override in self.configurations(device, over, chosen.0, arguments) {
            let value = match over {
                Over::Blocks => launch_override.block,
                Over::Registers => launch_override.max_registers,
                Over::Shared => Some(launch_override.extra_shared_bytes),
            };
            let point = self.point(
                device,
                &mut run,
                launch_override,
                value.unwrap_or(0),
                arguments,
            )?;
            // different requested block sizes can result in the same launch configuration
            let is_new = |point: &Point| {
                over != Over::Blocks || points.iter().all(|other| other.threads != point.threads)
            };
            if is_new(&point) {
                points.push(Point {
                    value: if over == Over::Blocks {
                        point.threads
                    } else {
                        point.value
                    },
                    ..point
                });
            }
        }
        device.set_launch_override(LaunchOverride::default())?;
        let explained = match device.kind() {
            DeviceKind::Cuda => chosen,
            DeviceKind::Cpu => (input.best_block_size(), 0),
        };
        Ok(Sweep {
            explained: Some(explained),
            kernel: self.kernel.clone(),
            pipeline: self.workload.name.to_owned(),
            workload: format!("{}: n = {}", self.workload.about, self.side),
            device: device.id(),
            device_name: device.name(),
            over,
            input,
            chosen: Some(chosen),
            points,
        })
    }

    /// Runs the pipeline once and returns the launches of this job's kernel.
    fn launches(&self, device: &Device, run: &mut Run<'_>) -> Outcome<Vec<LaunchRecord>> {
        let mut launches = run_timed(device, run)?;
        launches.retain(|launch| launch.kernel == self.kernel);
        Ok(launches)
    }

    /// Returns the launch overrides of the sweep, one per configuration.
    fn configurations(
        &self,
        device: &Device,
        over: Over,
        chosen: u32,
        arguments: &Arguments,
    ) -> Vec<LaunchOverride> {
        let base = LaunchOverride {
            kernel: Some(self.kernel.clone()),
            ..LaunchOverride::default()
        };
        let with = |change: &dyn Fn(&mut LaunchOverride)| {
            let mut launch_override = base.clone();
            change(&mut launch_override);
            launch_override
        };
        let max_threads = match device.kind() {
            DeviceKind::Cuda => device.limits().threads_per_block,
            DeviceKind::Cpu => simt::MAX_BLOCK_THREADS,
        };
        match over {
            Over::Blocks => {
                let stepped = (arguments.step..=max_threads).step_by(arguments.step as usize);
                let blocks = if arguments.blocks.is_empty() {
                    // the CPU's default is one thread
                    let cpu_default = (device.kind() == DeviceKind::Cpu).then_some(1);
                    cpu_default
                        .into_iter()
                        .chain(stepped.filter(|&it| it > 1))
                        .collect()
                } else {
                    arguments.blocks.clone()
                };
                let with_block = |&block: &u32| with(&|it| it.block = Some(block));
                blocks.iter().map(with_block).collect()
            }
            Over::Registers => {
                let with_registers = |&registers: &u32| {
                    with(&|it| (it.block, it.max_registers) = (Some(chosen), Some(registers)))
                };
                arguments.registers.iter().map(with_registers).collect()
            }
            Over::Shared => {
                let with_shared = |&bytes: &u32| {
                    with(&|it| (it.block, it.extra_shared_bytes) = (Some(chosen), bytes))
                };
                arguments.shared.iter().map(with_shared).collect()
            }
        }
    }

    fn point(
        &self,
        device: &Device,
        run: &mut Run<'_>,
        launch_override: LaunchOverride,
        value: u32,
        arguments: &Arguments,
    ) -> Outcome<Point> {
        let requested = launch_override.block.unwrap_or(0);
        let absent = |why: String| Point {
            value,
            threads: requested,
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
        // warm-up
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
        let input = CalculatorInput::new(device, &self.kernel, &arguments.occupancy_gpu)?;
        // not available on the CPU
        let occupancy = input
            .occupancy(first.threads, first.dynamic_shared_bytes)
            .filter(|_| device.kind() == DeviceKind::Cuda);
        Ok(Point {
            value,
            threads: first.threads,
            blocks: launches.iter().map(|launch| u64::from(launch.blocks)).sum(),
            registers: input.registers(),
            dynamic_shared_bytes: first.dynamic_shared_bytes,
            active_blocks: occupancy.map(|it| it.active_blocks),
            occupancy: occupancy.map(|it| it.fraction()),
            limiters: occupancy
                .map(|it| it.limiters().map(Limiter::name).collect())
                .unwrap_or_default(),
            time: Ok(Spread::from_durations(&times)),
        })
    }
}
