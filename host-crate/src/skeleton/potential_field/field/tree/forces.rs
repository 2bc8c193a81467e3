//! Forces of series and of near sources.

use super::{
    levels::{Levels, OwnWeights},
    series::{Series, bytes, series},
    table_data::TableData,
    tables::Tables,
};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream},
    grid::DeviceMask,
    monitor::Counter,
    skeleton::{
        SkeletonError,
        potential_field::field::{Targets, portions::by_portions, sources::world_metric},
    },
};
use ferrovox_kernels::skeleton::field::{
    Exponent, FORCE_COMPONENTS, LaunchRange,
    fmm::{
        BRICK, BRICK_VOXELS, FarFieldBatch, MAX_THREADS, NearFieldBatch, add_near_field,
        add_near_field_in_world, evaluate_local_expansions,
    },
};

/// Bricks whose far forces are there at a time, at least: a megabyte of them for each 85.
const CHUNK: u64 = 256;

/// So many times the blocks that a device holds get a brick in a launch.
const WAVES: u64 = 4;

/// Threads that have something to do in a brick: each has four voxels.
const THREADS: u32 = BRICK_VOXELS as u32 / 4;

/// Forces to compute.
pub(in crate::skeleton::potential_field::field) struct TreeJob<'a> {
    pub stream: &'a Stream,
    /// The voxels that exert them, in the same grid as the targets.
    pub sources: &'a DeviceMask,
    /// What each of them weighs, in their order; nothing if they are all alike.
    pub weights: &'a Buffer<f32>,
    pub targets: &'a Targets<'a>,
    /// The tables, for voxels of this form.
    pub data: &'a TableData,
    /// Counts pairs of a source and a target, as if all were compared, of which there are so many.
    pub counter: Option<(&'a Counter<'a>, u64)>,
}

/// Four numbers for each target, and for each brick how far a force can be off.
pub(in crate::skeleton::potential_field::field) struct Made {
    pub forces: Buffer<f32>,
    pub bounds: Buffer<f64>,
}

impl TreeJob<'_> {
    /// Computes them.
    pub fn compute(&self) -> Result<Made, SkeletonError> {
        let stream = self.stream;
        let lattice = &self.data.lattice;
        let mut forces = stream.alloc::<f32>(FORCE_COMPONENTS * self.targets.count as usize)?;
        if self.targets.count == 0 {
            let bricks = lattice.bricks(self.sources.grid).samples();
            let bounds = stream.zeros(bricks as usize)?;
            return Ok(Made { forces, bounds });
        }
        let tables = Tables::upload(stream, self.data)?;
        let known = if self.weights.is_empty() {
            None
        } else {
            Some(Targets::new(stream, self.sources)?)
        };
        let own = OwnWeights {
            weights: self.weights,
            before: known.as_ref().map(|known| &known.before),
        };
        let sources = (self.sources, own);
        let mask = self.targets.mask;
        let levels = Levels::new(stream, sources, mask, lattice, &self.data.nearness)?;
        let finest = &levels.levels[0];
        let plan = stream.plan::<add_near_field>(self.launch(finest.targets.count))?;
        let chunk = (WAVES * u64::from(plan.resident_blocks))
            .max(CHUNK)
            .min(finest.targets.count);
        let sums = 3 * BRICK_VOXELS as u64 * chunk;
        stream.require(bytes(&levels, tables.terms) + 8 * sums)?;
        let series = series(stream, &levels, &tables, self.data.exponent)?;
        let mut sums = stream.alloc::<f64>(sums as usize)?;
        let all = LaunchRange {
            first: 0,
            end: finest.targets.count,
        };
        let mut launch = |portion: LaunchRange| {
            let mut first = portion.first;
            while first < portion.end {
                let nodes = chunk.min(portion.end - first);
                self.of_bricks(
                    (&levels, &tables),
                    &series,
                    [first, nodes],
                    (&mut sums, &mut forces),
                )?;
                first += nodes;
            }
            Ok(())
        };
        match self.counter {
            None => launch(all)?,
            Some((counter, pairs)) => {
                let of = |bricks: u64| {
                    (u128::from(pairs) * u128::from(bricks) / u128::from(all.end)) as u64
                };
                let mut done = 0;
                by_portions(stream, all, chunk, launch, |bricks| {
                    let more = of(done + bricks) - of(done);
                    done += bricks;
                    Ok(counter.add(more).map_err(DeviceError::from)?)
                })?;
            }
        }
        Ok(Made {
            forces,
            bounds: series.bounds,
        })
    }

    fn launch(&self, nodes: u64) -> Launch {
        Launch::pieces(nodes).block_divides(THREADS)
    }

    /// Makes the forces of some bricks.
    fn of_bricks(
        &self,
        (levels, tables): (&Levels, &Tables),
        series: &Series,
        [first, nodes]: [u64; 2],
        (sums, forces): (&mut Buffer<f64>, &mut Buffer<f32>),
    ) -> Result<(), SkeletonError> {
        let stream = self.stream;
        let TableData {
            lattice, exponent, ..
        } = self.data;
        let finest = &levels.levels[0];
        let far = FarFieldBatch {
            first,
            nodes,
            order: tables.order,
            terms: tables.terms,
            scale: -f64::from(BRICK).powf(-exponent),
        };
        let near = NearFieldBatch {
            first,
            nodes,
            grid: finest.grid,
            lattice: lattice.with_bits(self.targets.mask.layout()),
            offsets: tables.near.len() as u32,
        };
        let by_voxels = Launch::pieces(nodes).at_most_threads(MAX_THREADS);
        // SAFETY: there is a series for each brick, room for three sums of each of its places, and
        // four numbers for each target; sources have a weight each or none.
        unsafe {
            let args = (
                series.series.view(),
                tables.rows.view(),
                tables.powers_of_targets.view(),
                far,
                sums.view_mut(),
            );
            stream.launch::<evaluate_local_expansions>(by_voxels, args)?;
            let words = self.targets.mask.bits.view();
            let before = self.targets.before.view();
            let targets = finest.targets.bricks.view();
            let sources = finest.sources.numbers.view();
            let (starts, list) = (levels.starts.view(), levels.list.view());
            let offsets = tables.near.view();
            let launch = self.launch(nodes);
            if lattice.metric.is_of_cubes() {
                let args = (
                    words,
                    before,
                    targets,
                    sources,
                    starts,
                    list,
                    offsets,
                    tables.weights.view(),
                    sums.view(),
                    near,
                    forces.view_mut(),
                );
                stream.launch::<add_near_field>(launch, args)?;
            } else {
                let args = (
                    words,
                    before,
                    targets,
                    sources,
                    starts,
                    list,
                    offsets,
                    levels.weights.view(),
                    sums.view(),
                    near,
                    world_metric(&lattice.metric),
                    Exponent::new(*exponent),
                    forces.view_mut(),
                );
                stream.launch::<add_near_field_in_world>(launch, args)?;
            }
        }
        Ok(())
    }
}
