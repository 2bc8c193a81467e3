//! Sweeps of kernels outside the library, measured by other programs.
//!
//! Such a program prints one JSON object per line and configuration: `kernel`, `device`, `threads`,
//! `registers`, `static_shared_bytes`, `dynamic_shared_bytes`, `median_ms`, `runs`, and on a GPU
//! its `device_name`, `capability` and `multiprocessors`. Other lines are ignored.

use crate::{
    arguments::{Arguments, Over},
    calculator_input::CalculatorInput,
    support::Outcome,
    sweep::{Point, Sweep},
};
use ferrovox::occupancy::{
    ComputeCapability, DeviceLimits, Gpu, HardwareModel, KernelResources, Limiter,
};
use measure::Spread;
use serde::Deserialize;
use std::path::Path;

/// One measurement.
#[derive(Deserialize)]
struct Line {
    kernel: String,
    device: String,
    device_name: Option<String>,
    capability: Option<String>,
    multiprocessors: Option<u32>,
    #[serde(default)]
    workload: String,
    threads: u32,
    registers: Option<u32>,
    #[serde(default)]
    static_shared_bytes: u32,
    #[serde(default)]
    dynamic_shared_bytes: u32,
    #[serde(default)]
    blocks: u64,
    median_ms: f64,
    min_ms: Option<f64>,
    max_ms: Option<f64>,
    runs: usize,
}

/// Reads the sweeps over block sizes in a file.
pub fn read_sweeps(path: &Path, arguments: &Arguments) -> Outcome<Vec<Sweep>> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut sweeps: Vec<Sweep> = Vec::new();
    for line in text
        .lines()
        .filter_map(|line| serde_json::from_str::<Line>(line).ok())
    {
        let matches =
            |sweep: &&mut Sweep| sweep.kernel == line.kernel && sweep.device == line.device;
        if sweeps.iter_mut().find(matches).is_none() {
            sweeps.push(new_sweep(&line, arguments)?);
        }
        let Some(sweep) = sweeps.iter_mut().find(matches) else {
            continue;
        };
        // not available on the CPU
        let occupancy = sweep
            .input
            .occupancy(line.threads, line.dynamic_shared_bytes)
            .filter(|_| line.capability.is_some() && sweep.input.registers().is_some());
        sweep.points.push(Point {
            value: line.threads,
            threads: line.threads,
            blocks: line.blocks,
            registers: sweep.input.registers(),
            dynamic_shared_bytes: line.dynamic_shared_bytes,
            active_blocks: occupancy.map(|it| it.active_blocks),
            occupancy: occupancy.map(|it| it.fraction()),
            limiters: occupancy
                .map(|it| it.limiters().map(Limiter::name).collect())
                .unwrap_or_default(),
            time: Ok(Spread {
                median_ms: line.median_ms,
                min_ms: line.min_ms.unwrap_or(line.median_ms),
                max_ms: line.max_ms.unwrap_or(line.median_ms),
                runs: line.runs,
            }),
        });
    }
    if sweeps.is_empty() {
        return Err(format!("{}: no measurements found", path.display()).into());
    }
    Ok(sweeps)
}

fn new_sweep(line: &Line, arguments: &Arguments) -> Outcome<Sweep> {
    let (name, limits) = match &line.capability {
        Some(capability) => {
            let capability: ComputeCapability = capability.parse()?;
            let limits = DeviceLimits::for_capability(capability)?;
            let name = line
                .device_name
                .clone()
                .unwrap_or_else(|| capability.to_string());
            (
                name,
                limits.with_multiprocessors(line.multiprocessors.unwrap_or(1)),
            )
        }
        None => {
            let gpu = Gpu::named(&arguments.occupancy_gpu)?;
            (gpu.name.to_owned(), gpu.limits())
        }
    };
    let kernel = KernelResources::new(line.registers.unwrap_or(0))
        .with_static_shared(line.static_shared_bytes);
    let model = HardwareModel::new(limits);
    let input = CalculatorInput {
        device: name,
        model,
        kernel,
        recorded: None,
    };
    let best = (input.best_block_size(), line.dynamic_shared_bytes);
    let chosen = input.registers().map(|_| best);
    Ok(Sweep {
        kernel: line.kernel.clone(),
        pipeline: line.workload.clone(),
        workload: line.workload.clone(),
        device: line.device.clone(),
        device_name: line
            .device_name
            .clone()
            .unwrap_or_else(|| line.device.clone()),
        over: Over::Blocks,
        input,
        chosen,
        explained: chosen,
        points: Vec::new(),
    })
}
