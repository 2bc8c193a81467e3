//! Evaluation of forces: far field from local expansions, near field source by source.

use super::{
    device_tables::DeviceTables,
    octree::{Octree, SourceWeights},
    passes::{LocalExpansions, compute_expansions, expansion_bytes},
    tables::TableData,
};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream},
    grid::DeviceMask,
    monitor::Counter,
    skeleton::{
        SkeletonError,
        potential_field::field::{
            Targets, launch_portions::launch_in_portions, sources::world_metric,
        },
    },
};
use ferrovox_kernels::skeleton::field::{
    Exponent, FORCE_COMPONENTS, LaunchRange,
    fmm::{
        BRICK, BRICK_VOXELS, FarFieldBatch, MAX_THREADS, NearFieldBatch, add_near_field,
        add_near_field_in_world, evaluate_local_expansions,
    },
};

/// Minimum number of bricks whose far-field forces are in memory at a time, 12 KiB each.
const MIN_CHUNK_BRICKS: u64 = 256;

/// Number of waves of resident blocks per chunk of bricks.
const CHUNK_WAVES: u64 = 4;

/// Number of threads per brick that have work: one per run of four lattice points.
const USEFUL_THREADS: u32 = BRICK_VOXELS as u32 / 4;

/// Force computation by the multipole method on one device.
pub(in crate::skeleton::potential_field::field) struct FmmJob<'a> {
    pub stream: &'a Stream,
    /// Mask of the sources, in the same grid as the targets.
    pub sources: &'a DeviceMask,
    /// Weights of the sources in mask order, or empty if all are equal.
    pub weights: &'a Buffer<f32>,
    pub targets: &'a Targets<'a>,
    /// Lookup tables for the voxels' shape.
    pub data: &'a TableData,
    /// Counter of (source, target) pairs, as if all pairs were evaluated, and their total number.
    pub counter: Option<(&'a Counter<'a>, u64)>,
}

/// Forces, four elements per target, and error bounds, one per brick.
pub(in crate::skeleton::potential_field::field) struct BoundedForces {
    pub forces: Buffer<f32>,
    pub bounds: Buffer<f64>,
}

impl FmmJob<'_> {
    /// Computes the forces and their error bounds.
    pub fn compute(&self) -> Result<BoundedForces, SkeletonError> {
        let stream = self.stream;
        let lattice = &self.data.lattice;
        let mut forces = stream.alloc::<f32>(FORCE_COMPONENTS * self.targets.count as usize)?;
        if self.targets.count == 0 {
            let bricks = lattice.bricks(self.sources.grid).samples();
            let bounds = stream.zeros(bricks as usize)?;
            return Ok(BoundedForces { forces, bounds });
        }
        let tables = DeviceTables::upload(stream, self.data)?;
        let numbered_sources = if self.weights.is_empty() {
            None
        } else {
            Some(Targets::new(stream, self.sources)?)
        };
        let source_weights = SourceWeights {
            weights: self.weights,
            before: numbered_sources.as_ref().map(|sources| &sources.before),
        };
        let sources = (self.sources, source_weights);
        let mask = self.targets.mask;
        let octree = Octree::new(stream, sources, mask, lattice, &self.data.near_field)?;
        let finest = &octree.levels[0];
        let plan = stream.plan::<add_near_field>(self.launch(finest.targets.count))?;
        let chunk = (CHUNK_WAVES * u64::from(plan.resident_blocks))
            .max(MIN_CHUNK_BRICKS)
            .min(finest.targets.count);
        let sums = 3 * BRICK_VOXELS as u64 * chunk;
        stream.require(expansion_bytes(&octree, tables.terms) + 8 * sums)?;
        let expansions = compute_expansions(stream, &octree, &tables, self.data.exponent)?;
        let mut sums = stream.alloc::<f64>(sums as usize)?;
        let all_bricks = LaunchRange {
            first: 0,
            end: finest.targets.count,
        };
        let mut launch = |portion: LaunchRange| {
            let mut first = portion.first;
            while first < portion.end {
                let bricks = chunk.min(portion.end - first);
                self.evaluate_bricks(
                    (&octree, &tables),
                    &expansions,
                    [first, bricks],
                    (&mut sums, &mut forces),
                )?;
                first += bricks;
            }
            Ok(())
        };
        match self.counter {
            None => launch(all_bricks)?,
            Some((counter, pairs)) => {
                let counted = |bricks: u64| {
                    (u128::from(pairs) * u128::from(bricks) / u128::from(all_bricks.end)) as u64
                };
                let mut done = 0;
                launch_in_portions(stream, all_bricks, chunk, &mut launch, &mut |bricks| {
                    let increment = counted(done + bricks) - counted(done);
                    done += bricks;
                    Ok(counter.add(increment).map_err(DeviceError::from)?)
                })?;
            }
        }
        Ok(BoundedForces {
            forces,
            bounds: expansions.bounds,
        })
    }

    fn launch(&self, bricks: u64) -> Launch {
        Launch::pieces(bricks).block_divides(USEFUL_THREADS)
    }

    /// Computes the forces of a range of bricks.
    fn evaluate_bricks(
        &self,
        (octree, tables): (&Octree, &DeviceTables),
        expansions: &LocalExpansions,
        [first, bricks]: [u64; 2],
        (sums, forces): (&mut Buffer<f64>, &mut Buffer<f32>),
    ) -> Result<(), SkeletonError> {
        let stream = self.stream;
        let TableData {
            lattice, exponent, ..
        } = self.data;
        let finest = &octree.levels[0];
        let far = FarFieldBatch {
            first,
            bricks,
            order: tables.order,
            terms: tables.terms,
            scale: -f64::from(BRICK).powf(-exponent),
        };
        let near = NearFieldBatch {
            first,
            bricks,
            grid: finest.grid,
            lattice: lattice.with_bits(self.targets.mask.layout()),
            offsets: tables.near.len() as u32,
        };
        let by_voxels = Launch::pieces(bricks).max_threads_per_block(MAX_THREADS);
        // SAFETY: there is one expansion per brick, three sums per lattice point of each brick,
        // four elements per target, and one weight per source or none at all.
        unsafe {
            let args = (
                expansions.coefficients.view(),
                tables.rows.view(),
                tables.target_powers.view(),
                far,
                sums.view_mut(),
            );
            stream.launch::<evaluate_local_expansions>(by_voxels, args)?;
            let words = self.targets.mask.bits.view();
            let before = self.targets.before.view();
            let targets = finest.targets.bricks.view();
            let sources = finest.sources.indices.view();
            let (starts, source_list) = (octree.starts.view(), octree.source_list.view());
            let offsets = tables.near.view();
            let launch = self.launch(bricks);
            if lattice.metric.is_cubic() {
                let args = (
                    words,
                    before,
                    targets,
                    sources,
                    starts,
                    source_list,
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
                    source_list,
                    offsets,
                    octree.weights.view(),
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
