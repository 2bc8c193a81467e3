//! What `ferrovox occupancy` has to say: the JSON object, of which the readable answer is made too.

use super::occupancy_question::{Question, dynamic};
use crate::args::{OccupancyArgs, Over};
use ferrovox::occupancy::{
    Carveout, Limiter, Occupancy, Waves, best_block, curve, resource_table, slack,
};
use serde::Serialize;

/// The JSON object. Memory is in bytes, occupancy from 0 to 1.
#[derive(Serialize)]
pub struct Report {
    pub device: String,
    pub capability: Option<String>,
    pub multiprocessors: Option<u32>,
    pub model: &'static str,
    pub kernel: Option<String>,
    /// What the kernel's figures were assembled for.
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
    /// What the driver of a device that is here says of a kernel of ferrovox.
    pub active_blocks_by_driver: Option<u32>,
    /// Every limiter that ties.
    pub limiters: Vec<Resource>,
    /// Every resource, those too that are no limit now.
    pub resources: Vec<Resource>,
    /// The same to read.
    #[serde(skip)]
    pub resource_table: Vec<String>,
    pub shared_configuration_bytes: u32,
    pub grid: Option<u64>,
    /// Waves of the grid, the last one included.
    pub waves: Option<u64>,
    /// Blocks of the last wave, if they do not fill the device.
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
    /// Blocks that it has room for; none where it is no limit.
    pub blocks: Option<u32>,
    /// Whether it bounds the number of blocks.
    pub limits: bool,
    pub slack: Option<SlackReport>,
}

#[derive(Clone, Serialize)]
pub struct SlackReport {
    pub unit: &'static str,
    /// How much more the kernel could take with as many blocks.
    pub spare: u32,
    /// How much less it would have to take for this resource to have room for more.
    pub fewer: Option<u32>,
    pub fewer_to: Option<u32>,
    pub active_blocks_then: Option<u32>,
}

#[derive(Serialize)]
pub struct Best {
    pub block: u32,
    pub active_blocks: u32,
    /// Blocks that fill the device.
    pub least_grid: Option<u64>,
}

#[derive(Serialize)]
pub struct Curve {
    pub number: &'static str,
    pub points: Vec<Point>,
}

#[derive(Serialize)]
pub struct Point {
    pub at: u32,
    pub active_blocks: u32,
    pub active_warps: u32,
    pub occupancy: f64,
    pub limiters: Vec<String>,
}

impl Report {
    pub fn of(args: &OccupancyArgs, question: &Question) -> anyhow::Result<Self> {
        let model = &*question.model;
        let (kernel, block) = (&question.kernel.resources, &question.block);
        let occupancy = model.occupancy(kernel, block)?;
        let device = *model.device();
        let resources: Vec<Resource> = Limiter::ALL
            .into_iter()
            .map(|limiter| resource(question, &occupancy, limiter))
            .collect();
        let multiprocessors = question
            .has_multiprocessors
            .then_some(device.multiprocessors);
        let grid = match (args.grid, multiprocessors) {
            (Some(_), None) => anyhow::bail!(
                "--grid needs the number of multiprocessors of a device of capability {}: give --multiprocessors",
                question.device
            ),
            (grid, _) => grid,
        };
        let waves = grid.and_then(|grid| Waves::new(&device, &occupancy, grid));
        let recorded = question.kernel.recorded;
        let largest = block.with_threads(device.threads_per_block);
        let best = best_block(
            model,
            kernel,
            &largest,
            |threads| dynamic(args, threads),
            |_| true,
        );
        Ok(Self {
            device: question.device.clone(),
            capability: device.capability.map(|capability| capability.to_string()),
            multiprocessors,
            model: args.model.name(),
            kernel: question.kernel.name.clone(),
            assembled_for: question.kernel.assembled_for.map(|it| it.to_string()),
            registers: kernel.registers,
            static_shared_bytes: kernel.static_shared_bytes,
            dynamic_shared_bytes: block.dynamic_shared_bytes,
            barriers: kernel.barriers,
            spill_bytes: recorded.map(|it| it.spill_bytes()),
            stack_bytes: recorded.map(|it| it.stack_bytes),
            block: block.threads,
            block_is_best: question.is_best,
            warps_per_block: occupancy.warps_per_block,
            active_blocks: occupancy.active_blocks,
            active_warps: occupancy.active_warps,
            active_threads: occupancy.active_threads(),
            max_warps: occupancy.max_warps,
            occupancy: occupancy.fraction(),
            active_blocks_by_driver: by_driver(args, question)?,
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
                least_grid: multiprocessors.map(|_| best.least_grid),
            }),
            blocks: args.all_blocks.then(|| all_blocks(args, question)),
            over: args.over.map(|over| Curve {
                number: over.name(),
                points: over_another(question, over),
            }),
            explanation: args.explain.then(|| model.explain(kernel, block)),
            warnings: warnings(args, question, &occupancy),
        })
    }
}

/// The driver's answer, where the kernel is as it has it.
fn by_driver(args: &OccupancyArgs, question: &Question) -> anyhow::Result<Option<u32>> {
    let typed = args.regs.is_some() || args.smem.is_some() || args.ptxas.is_some();
    let usual = args.carveout.is_none() && !args.no_opt_in && !typed;
    let (Some(device), Some(kernel), true) = (&question.live, &args.kernel, usual) else {
        return Ok(None);
    };
    let block = &question.block;
    Ok(device.active_blocks_by_driver(kernel, block.threads, block.dynamic_shared_bytes)?)
}

fn resource(question: &Question, occupancy: &Occupancy, limiter: Limiter) -> Resource {
    let slack = slack(
        &*question.model,
        &question.kernel.resources,
        &question.block,
        limiter,
    );
    let blocks = occupancy.allocation.limits.of(limiter);
    Resource {
        name: name(limiter),
        blocks,
        limits: occupancy.is_limited_by(limiter),
        slack: slack.filter(|_| blocks.is_some()).map(|slack| SlackReport {
            unit: limiter.unit(),
            spare: slack.spare,
            fewer: slack.fewer.map(|fewer| fewer.by),
            fewer_to: slack.fewer.map(|fewer| fewer.to),
            active_blocks_then: slack.fewer.map(|fewer| fewer.active_blocks),
        }),
    }
}

/// A limiter's name as a key.
fn name(limiter: Limiter) -> String {
    limiter.name().replace(' ', "_")
}

fn point(at: u32, occupancy: &Occupancy) -> Point {
    Point {
        at,
        active_blocks: occupancy.active_blocks,
        active_warps: occupancy.active_warps,
        occupancy: occupancy.fraction(),
        limiters: occupancy.limiters().map(name).collect(),
    }
}

fn all_blocks(args: &OccupancyArgs, question: &Question) -> Vec<Point> {
    let dynamic = |threads| dynamic(args, threads);
    curve::over_threads(
        &*question.model,
        &question.kernel.resources,
        &question.block,
        dynamic,
    )
    .filter(|(threads, _)| threads.is_multiple_of(args.step))
    .map(|(threads, occupancy)| point(threads, &occupancy))
    .collect()
}

/// The points of a curve at which another number of blocks begins to run.
fn over_another(question: &Question, over: Over) -> Vec<Point> {
    let (model, kernel) = (&*question.model, &question.kernel.resources);
    let block = question.block.with_carveout(match over {
        Over::Carveout => Carveout::Default,
        _ => question.block.carveout,
    });
    let mut points: Vec<Point> = match over {
        Over::Registers => points_of(curve::over_registers(model, kernel, &block)),
        Over::Dynamic => points_of(curve::over_dynamic_shared(model, kernel, &block)),
        Over::Carveout => points_of(curve::over_carveout(model, kernel, &block)),
    };
    if over != Over::Carveout {
        points.dedup_by_key(|point| point.active_blocks);
    }
    points
}

fn points_of(curve: impl Iterator<Item = (u32, Occupancy)>) -> Vec<Point> {
    curve.map(|(at, occupancy)| point(at, &occupancy)).collect()
}

fn warnings(args: &OccupancyArgs, question: &Question, occupancy: &Occupancy) -> Vec<String> {
    let mut warnings = Vec::new();
    let kernel = &question.kernel;
    if occupancy.active_blocks == 0 {
        warnings.push("no block of this size can run: a launch would fail".to_owned());
    }
    if let Some(recorded) = kernel.recorded {
        let spilled = recorded.spill_bytes();
        if spilled > 0 {
            warnings.push(format!(
                "{spilled} bytes of registers are spilled to local memory: fewer registers would spill more"
            ));
        }
    }
    let runs_on = question.model.device().capability;
    if let (Some(of), Some(on), None) = (kernel.assembled_for, runs_on, args.regs)
        && of != on
    {
        warnings.push(format!(
            "the kernel's figures are of capability {of}; what a driver compiles for {on} may take other registers"
        ));
    }
    warnings
}
