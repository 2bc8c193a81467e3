//! Report of `ferrovox occupancy`: the JSON object, also the source of the text output.

use super::occupancy_input::{Input, dynamic_shared_bytes};
use crate::args::{OccupancyArgs, SweptParameter};
use ferrovox::occupancy::{
    Carveout, Limiter, Occupancy, Waves, best_block, curve, resource_table, slack,
};
use serde::Serialize;

/// The JSON object. Memory is in bytes; occupancy and other fractions are from 0 to 1.
#[derive(Serialize)]
pub struct Report {
    pub device: String,
    pub capability: Option<String>,
    pub multiprocessors: Option<u32>,
    pub model: &'static str,
    pub kernel: Option<String>,
    /// Capability that the kernel was assembled for.
    pub assembled_for: Option<String>,
    pub registers: u32,
    pub static_shared_bytes: u32,
    pub dynamic_shared_bytes: u32,
    pub barriers: u32,
    pub spill_bytes: Option<u64>,
    pub stack_bytes: Option<u32>,
    pub block: u32,
    pub block_is_best: bool,
    pub warps_per_block: u32,
    pub active_blocks: u32,
    pub active_warps: u32,
    pub active_threads: u32,
    pub max_warps: u32,
    pub occupancy: f64,
    /// Active blocks reported by the driver of an installed device, for a kernel of ferrovox.
    pub active_blocks_by_driver: Option<u32>,
    /// Resources that limit the occupancy; several if they tie.
    pub limiters: Vec<Resource>,
    /// All resources, including those that do not limit the occupancy.
    pub resources: Vec<Resource>,
    /// Resources as lines of text.
    #[serde(skip)]
    pub resource_table: Vec<String>,
    pub shared_configuration_bytes: u32,
    pub grid: Option<u64>,
    /// Number of waves of the grid, including a partial last one.
    pub waves: Option<u64>,
    /// Number of blocks of the last, partial wave; 0 if all waves are full.
    pub tail: Option<u64>,
    pub tail_fraction: Option<f64>,
    pub utilisation: Option<f64>,
    pub best_block: Option<Best>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<Point>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Curve>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Vec<String>>,
    #[serde(skip)]
    pub warnings: Vec<String>,
}

#[derive(Clone, Serialize)]
pub struct Resource {
    pub name: String,
    /// Number of blocks that the resource allows; `null` if it sets no limit.
    pub blocks: Option<u32>,
    /// `true` if the resource limits the occupancy.
    pub limits: bool,
    pub slack: Option<SlackReport>,
}

#[derive(Clone, Serialize)]
pub struct SlackReport {
    pub unit: &'static str,
    /// Additional amount that the kernel could use without losing a block.
    pub spare: u32,
    /// Reduction after which the resource allows more blocks.
    pub reduction: Option<u32>,
    pub reduced_to: Option<u32>,
    pub active_blocks_after: Option<u32>,
}

#[derive(Serialize)]
pub struct Best {
    pub block: u32,
    pub active_blocks: u32,
    /// Smallest number of blocks that fills the device.
    pub min_grid_size: Option<u64>,
}

#[derive(Serialize)]
pub struct Curve {
    pub parameter: &'static str,
    pub points: Vec<Point>,
}

#[derive(Serialize)]
pub struct Point {
    pub value: u32,
    pub active_blocks: u32,
    pub active_warps: u32,
    pub occupancy: f64,
    pub limiters: Vec<String>,
}

impl Report {
    pub fn new(args: &OccupancyArgs, input: &Input) -> anyhow::Result<Self> {
        let model = &*input.model;
        let (kernel, block) = (&input.kernel.resources, &input.block);
        let occupancy = model.occupancy(kernel, block)?;
        let device = *model.device();
        let resources: Vec<Resource> = Limiter::ALL
            .into_iter()
            .map(|limiter| resource(input, &occupancy, limiter))
            .collect();
        let multiprocessors = input.has_multiprocessors.then_some(device.multiprocessors);
        let grid = match (args.grid, multiprocessors) {
            (Some(_), None) => anyhow::bail!(
                "--grid needs the number of multiprocessors of the device ({}); give --multiprocessors",
                input.device
            ),
            (grid, _) => grid,
        };
        let waves = grid.and_then(|grid| Waves::new(&device, &occupancy, grid));
        let recorded = input.kernel.recorded;
        let largest = block.with_threads(device.threads_per_block);
        let best = best_block(
            model,
            kernel,
            &largest,
            |threads| dynamic_shared_bytes(args, threads),
            |_| true,
        );
        Ok(Self {
            device: input.device.clone(),
            capability: device.capability.map(|capability| capability.to_string()),
            multiprocessors,
            model: args.model.name(),
            kernel: input.kernel.name.clone(),
            assembled_for: input.kernel.assembled_for.map(|it| it.to_string()),
            registers: kernel.registers,
            static_shared_bytes: kernel.static_shared_bytes,
            dynamic_shared_bytes: block.dynamic_shared_bytes,
            barriers: kernel.barriers,
            spill_bytes: recorded.map(|it| it.spill_bytes()),
            stack_bytes: recorded.map(|it| it.stack_bytes),
            block: block.threads,
            block_is_best: input.is_best,
            warps_per_block: occupancy.warps_per_block,
            active_blocks: occupancy.active_blocks,
            active_warps: occupancy.active_warps,
            active_threads: occupancy.active_threads(),
            max_warps: occupancy.max_warps,
            occupancy: occupancy.fraction(),
            active_blocks_by_driver: active_blocks_by_driver(args, input)?,
            limiters: resources.iter().filter(|it| it.limits).cloned().collect(),
            resources,
            resource_table: resource_table(model, kernel, block),
            shared_configuration_bytes: occupancy.allocation.shared_pool_bytes,
            grid,
            waves: waves.map(|waves| waves.count()),
            tail: waves.map(|waves| waves.tail_blocks),
            tail_fraction: waves.map(|waves| waves.tail_fraction()),
            utilisation: waves.map(|waves| waves.utilisation()),
            best_block: best.map(|best| Best {
                block: best.threads,
                active_blocks: best.active_blocks,
                min_grid_size: multiprocessors.map(|_| best.min_grid_size),
            }),
            blocks: args.all_blocks.then(|| all_blocks(args, input)),
            over: args.over.map(|parameter| Curve {
                parameter: parameter.name(),
                points: curve_over(input, parameter),
            }),
            explanation: args.explain.then(|| model.explain(kernel, block)),
            warnings: warnings(args, input, &occupancy),
        })
    }
}

/// Returns the driver's result, if the command line does not override the kernel's resources.
fn active_blocks_by_driver(args: &OccupancyArgs, input: &Input) -> anyhow::Result<Option<u32>> {
    let overridden = args.regs.is_some() || args.smem.is_some() || args.ptxas.is_some();
    let is_default = args.carveout.is_none() && !args.no_opt_in && !overridden;
    let (Some(device), Some(kernel), true) = (&input.live, &args.kernel, is_default) else {
        return Ok(None);
    };
    let block = &input.block;
    Ok(device.active_blocks_by_driver(kernel, block.threads, block.dynamic_shared_bytes)?)
}

fn resource(input: &Input, occupancy: &Occupancy, limiter: Limiter) -> Resource {
    let slack = slack(
        &*input.model,
        &input.kernel.resources,
        &input.block,
        limiter,
    );
    let blocks = occupancy.allocation.limits.limit(limiter);
    Resource {
        name: name(limiter),
        blocks,
        limits: occupancy.is_limited_by(limiter),
        slack: slack.filter(|_| blocks.is_some()).map(|slack| SlackReport {
            unit: limiter.unit(),
            spare: slack.spare,
            reduction: slack.reduction.map(|reduction| reduction.by),
            reduced_to: slack.reduction.map(|reduction| reduction.to),
            active_blocks_after: slack.reduction.map(|reduction| reduction.active_blocks),
        }),
    }
}

/// Returns the name of a limiter as a JSON value.
fn name(limiter: Limiter) -> String {
    limiter.name().replace(' ', "_")
}

fn point(value: u32, occupancy: &Occupancy) -> Point {
    Point {
        value,
        active_blocks: occupancy.active_blocks,
        active_warps: occupancy.active_warps,
        occupancy: occupancy.fraction(),
        limiters: occupancy.limiters().map(name).collect(),
    }
}

fn all_blocks(args: &OccupancyArgs, input: &Input) -> Vec<Point> {
    let dynamic = |threads| dynamic_shared_bytes(args, threads);
    curve::over_threads(
        &*input.model,
        &input.kernel.resources,
        &input.block,
        dynamic,
    )
    .filter(|(threads, _)| threads.is_multiple_of(args.step))
    .map(|(threads, occupancy)| point(threads, &occupancy))
    .collect()
}

/// Returns the points of a curve at which the number of active blocks changes.
fn curve_over(input: &Input, parameter: SweptParameter) -> Vec<Point> {
    let (model, kernel) = (&*input.model, &input.kernel.resources);
    let block = input.block.with_carveout(match parameter {
        SweptParameter::Carveout => Carveout::Default,
        _ => input.block.carveout,
    });
    let mut points: Vec<Point> = match parameter {
        SweptParameter::Registers => collect_points(curve::over_registers(model, kernel, &block)),
        SweptParameter::Dynamic => {
            collect_points(curve::over_dynamic_shared(model, kernel, &block))
        }
        SweptParameter::Carveout => collect_points(curve::over_carveout(model, kernel, &block)),
    };
    if parameter != SweptParameter::Carveout {
        points.dedup_by_key(|point| point.active_blocks);
    }
    points
}

fn collect_points(curve: impl Iterator<Item = (u32, Occupancy)>) -> Vec<Point> {
    curve
        .map(|(value, occupancy)| point(value, &occupancy))
        .collect()
}

fn warnings(args: &OccupancyArgs, input: &Input, occupancy: &Occupancy) -> Vec<String> {
    let mut warnings = Vec::new();
    let kernel = &input.kernel;
    if occupancy.active_blocks == 0 {
        warnings.push("no block of this size can run; the launch would fail".to_owned());
    }
    if let Some(recorded) = kernel.recorded {
        let spilled = recorded.spill_bytes();
        if spilled > 0 {
            warnings.push(format!(
                "the kernel spills {spilled} bytes of registers to local memory; fewer registers would spill more"
            ));
        }
    }
    let target = input.model.device().capability;
    if let (Some(assembled_for), Some(target), None) = (kernel.assembled_for, target, args.regs)
        && assembled_for != target
    {
        warnings.push(format!(
            "the kernel was assembled for capability {assembled_for}; compiled for {target}, it may use a different number of registers"
        ));
    }
    warnings
}
