//! All-pairs forces on one device.

use super::{Sources, Targets, launch_portions::launch_in_portions, sources::world_metric};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream, items_launch},
    grid::{DevicePoints, Metric},
    monitor::Counter,
    skeleton::{
        SkeletonError,
        potential_field::{FieldVariant, Params, Precision},
    },
};
use cuda_std::{Kernel, View, ViewMut};
use ferrovox_kernels::skeleton::field::{
    Accumulator, FIELD_SOURCES, FORCE_COMPONENTS, IntegerPower, LaunchRange, MAX_CONSTANT_SOURCES,
    Power, Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, RealPower, SourceSlices,
    forces_constant, forces_shared, forces_simple, forces_tuned, forces_tuned_in_world,
    reduce_force_slices,
};

/// All-pairs force computation.
pub(super) struct AllPairsJob<'a> {
    pub stream: &'a Stream,
    pub sources: &'a Sources,
    pub targets: &'a Targets<'a>,
    pub params: &'a Params,
    /// Job of all devices, if it is divided among several; it determines the slices of the sources.
    pub divided_job: Option<DividedJob<'a>>,
    /// Counter of (source, target) pairs, if progress is reported or the work can be cancelled.
    pub counter: Option<&'a Counter<'a>>,
}

/// Job that is divided among several devices.
#[derive(Clone, Copy)]
pub(super) struct DividedJob<'a> {
    /// Stream that would process the job alone.
    pub stream: &'a Stream,
    /// Number of work items, one per thread: targets or runs of targets.
    pub items: u64,
}

/// Arguments of the kernels with one target per thread: sources, targets, slices, range, exponent,
/// sums.
type PerTargetArgs<'v> = (
    View<'v, f32>,
    View<'v, f32>,
    SourceSlices,
    LaunchRange,
    f32,
    ViewMut<'v, f64>,
);

/// Launch configuration of a job.
#[derive(Clone, Copy)]
struct LaunchPlan {
    /// Slices of the sources.
    slices: SourceSlices,
    /// Number of (slice, block) pairs; a block has one thread per target or per run of targets.
    pairs: u64,
    /// Number of pairs that the device processes concurrently.
    wave: u64,
}

impl LaunchPlan {
    fn full_range(self) -> LaunchRange {
        LaunchRange {
            first: 0,
            end: self.pairs,
        }
    }
}

/// Approximate number of resident threads per multiprocessor.
const RESIDENT_THREADS: u64 = 1024;

/// Minimum number of work items per resident thread, which bounds the share of the last, partly
/// filled wave.
const MIN_WAVES: u64 = 8;

/// Maximum block size that the occupancy calculator may choose; all sizes up to this are within a
/// fifth of the fastest.
const MAX_THREADS: u32 = 256;

/// Minimum number of sources per slice; for shorter slices, writing the sums takes longer than
/// computing them.
const MIN_SLICE_SOURCES: u64 = 2048;

/// Returns the launch of `pieces` work items.
fn blocks(pieces: u64) -> Launch {
    Launch::pieces(pieces).max_threads_per_block(MAX_THREADS)
}

impl DividedJob<'_> {
    /// Returns the number of sources per slice, such that there are enough slices to occupy the
    /// device.
    fn slice_len(self, sources: u64) -> u64 {
        // depends on the device alone, so the grouping of sums, and thus the result, is the same
        // for all block sizes
        let limits = self.stream.device().limits();
        let resident_threads = u64::from(limits.multiprocessors) * RESIDENT_THREADS;
        let is_sequential = limits.threads_per_block == 1;
        let wanted = if is_sequential {
            1
        } else {
            (MIN_WAVES * resident_threads).div_ceil(self.items.max(1))
        };
        let max_slices = (sources / MIN_SLICE_SOURCES).max(1);
        sources.div_ceil(wanted.min(max_slices)).max(1)
    }
}

impl AllPairsJob<'_> {
    /// Computes the forces, four elements per target.
    pub fn compute(&self) -> Result<Buffer<f32>, SkeletonError> {
        match self.params.precision {
            Precision::F32 => self.compute_with::<f32>(),
            Precision::Accurate => self.compute_with::<f64>(),
        }
    }

    fn compute_with<A: Accumulator>(&self) -> Result<Buffer<f32>, SkeletonError> {
        let exponent = self.params.exponent;
        let integer = if exponent.fract() == 0.0 {
            exponent as u32
        } else {
            0
        };
        let (metric, _) = Metric::snapped(&self.targets.mask.geometry);
        if !metric.is_cubic() {
            let (sums, slices) = match integer {
                0 => self.tuned_in_world_sums::<A, RealPower>(&metric)?,
                _ => self.tuned_in_world_sums::<A, IntegerPower>(&metric)?,
            };
            return self.reduce_slices(&sums, slices);
        }
        match integer {
            2 => self.compute_cubic::<A, Power2>(),
            3 => self.compute_cubic::<A, Power3>(),
            4 => self.compute_cubic::<A, Power4>(),
            5 => self.compute_cubic::<A, Power5>(),
            6 => self.compute_cubic::<A, Power6>(),
            7 => self.compute_cubic::<A, Power7>(),
            8 => self.compute_cubic::<A, Power8>(),
            9 => self.compute_cubic::<A, Power9>(),
            _ => self.compute_cubic::<A, RealPower>(),
        }
    }

    fn compute_cubic<A: Accumulator, P: Power>(&self) -> Result<Buffer<f32>, SkeletonError> {
        let (sums, slices) = match self.params.variant {
            // the caller has resolved the variant; `Multipole` is not an all-pairs job
            FieldVariant::Tuned | FieldVariant::Auto | FieldVariant::Multipole => {
                self.tuned_sums::<A, P>()?
            }
            FieldVariant::Simple => self.per_target_sums::<forces_simple<A, P>>()?,
            FieldVariant::Constant => self.constant_memory_sums::<A, P>()?,
            FieldVariant::Shared => self.per_target_sums::<forces_shared<A, P>>()?,
        };
        self.reduce_slices(&sums, slices)
    }

    /// Adds the slices and converts the sums to directions and magnitudes.
    fn reduce_slices(
        &self,
        sums: &Buffer<f64>,
        slices: SourceSlices,
    ) -> Result<Buffer<f32>, SkeletonError> {
        let stream = self.stream;
        let mut forces = stream.alloc::<f32>(FORCE_COMPONENTS * self.targets.count as usize)?;
        let (launch, items) = items_launch(stream, self.targets.count);
        // SAFETY: there are three sums per target and slice, and four elements per target.
        unsafe {
            let args = (sums.view(), slices, items, forces.view_mut());
            stream.launch::<reduce_force_slices>(launch, args)?;
        }
        Ok(forces)
    }

    /// Plans the launch of a kernel that processes one of `items` work items per thread.
    fn plan<K: Kernel>(&self, items: u64) -> Result<LaunchPlan, SkeletonError> {
        let divided_job = self.divided_job.unwrap_or(DividedJob {
            stream: self.stream,
            items,
        });
        let sources = self.sources.len() as u64;
        let len = divided_job.slice_len(sources);
        self.plan_with_slices::<K>(items, len)
    }

    /// Plans the launch of a kernel that processes one of `items` work items per thread, for slices
    /// of `len` sources.
    fn plan_with_slices<K: Kernel>(
        &self,
        items: u64,
        len: u64,
    ) -> Result<LaunchPlan, SkeletonError> {
        let sources = self.sources.len() as u64;
        let slices = SourceSlices {
            sources,
            len,
            count: sources.div_ceil(len).max(1),
            targets: self.targets.count,
        };
        let plan = self.stream.plan::<K>(blocks(items))?;
        Ok(LaunchPlan {
            slices,
            pairs: items.div_ceil(plan.threads.into()) * slices.count,
            wave: plan.resident_blocks.into(),
        })
    }

    /// Calls `launch` for a range of pairs: once, or in portions if progress is reported or the
    /// work can be cancelled.
    fn launch(
        &self,
        plan: LaunchPlan,
        pairs: LaunchRange,
        launch: &mut dyn FnMut(Launch, LaunchRange) -> Result<(), SkeletonError>,
    ) -> Result<(), SkeletonError> {
        let mut launch =
            |portion: LaunchRange| launch(blocks(portion.end - portion.first), portion);
        let Some(counter) = self.counter else {
            return launch(pairs);
        };
        let all_pairs = u128::from(self.targets.count) * u128::from(plan.slices.sources);
        let counted = |pairs: u64| (all_pairs * u128::from(pairs) / u128::from(plan.pairs)) as u64;
        let mut done = pairs.first;
        launch_in_portions(self.stream, pairs, plan.wave, &mut launch, &mut |pairs| {
            let increment = counted(done + pairs) - counted(done);
            done += pairs;
            Ok(counter.add(increment).map_err(DeviceError::from)?)
        })
    }

    /// Allocates three sums per target and slice.
    fn alloc_sums(&self, slices: SourceSlices) -> Result<Buffer<f64>, SkeletonError> {
        let count = 3 * slices.targets * slices.count;
        Ok(self.stream.alloc(count as usize)?)
    }

    fn tuned_sums<A: Accumulator, P: Power>(
        &self,
    ) -> Result<(Buffer<f64>, SourceSlices), SkeletonError> {
        let (runs, run_coords) = self.targets.runs(self.stream)?;
        let plan = self.plan::<forces_tuned<A, P>>(runs.count)?;
        let mut sums = self.alloc_sums(plan.slices)?;
        self.launch(plan, plan.full_range(), &mut |launch, portion| {
            // SAFETY: sources and runs have three coordinates each, the words and offsets are those
            // of the targets, and there are three sums per target and slice.
            unsafe {
                let args = (
                    self.sources.points.coordinates.view(),
                    run_coords.coordinates.view(),
                    self.targets.mask.bits.view(),
                    self.targets.before.view(),
                    runs,
                    plan.slices,
                    portion,
                    self.params.exponent as f32,
                    sums.view_mut(),
                );
                Ok(self.stream.launch::<forces_tuned<A, P>>(launch, args)?)
            }
        })?;
        Ok((sums, plan.slices))
    }

    /// Computes the sums with the tuned kernel for anisotropic or oblique voxels.
    fn tuned_in_world_sums<A: Accumulator, P: Power>(
        &self,
        metric: &Metric,
    ) -> Result<(Buffer<f64>, SourceSlices), SkeletonError> {
        let (runs, run_coords) = self.targets.runs(self.stream)?;
        let plan = self.plan::<forces_tuned_in_world<A, P>>(runs.count)?;
        let mut sums = self.alloc_sums(plan.slices)?;
        self.launch(plan, plan.full_range(), &mut |launch, portion| {
            // SAFETY: as in `tuned_sums`, and there is one weight per source or none at all.
            unsafe {
                let args = (
                    self.sources.points.coordinates.view(),
                    self.sources.weights.view(),
                    run_coords.coordinates.view(),
                    self.targets.mask.bits.view(),
                    self.targets.before.view(),
                    runs,
                    world_metric(metric),
                    plan.slices,
                    portion,
                    self.params.exponent as f32,
                    sums.view_mut(),
                );
                Ok(self
                    .stream
                    .launch::<forces_tuned_in_world<A, P>>(launch, args)?)
            }
        })?;
        Ok((sums, plan.slices))
    }

    /// Computes the sums with a kernel whose threads have one target each and loop over all sources
    /// of a slice.
    fn per_target_sums<K>(&self) -> Result<(Buffer<f64>, SourceSlices), SkeletonError>
    where
        K: for<'v> Kernel<Args<'v> = PerTargetArgs<'v>>,
    {
        let targets = DevicePoints::from_mask(self.stream, self.targets.mask)?;
        let plan = self.plan::<K>(targets.len() as u64)?;
        let mut sums = self.alloc_sums(plan.slices)?;
        self.launch(plan, plan.full_range(), &mut |launch, portion| {
            let args = (
                self.sources.points.coordinates.view(),
                targets.coordinates.view(),
                plan.slices,
                portion,
                self.params.exponent as f32,
                sums.view_mut(),
            );
            // SAFETY: sources and targets have three coordinates each, and there are three sums per
            // target and slice.
            Ok(unsafe { self.stream.launch::<K>(launch, args) }?)
        })?;
        Ok((sums, plan.slices))
    }

    fn constant_memory_sums<A: Accumulator, P: Power>(
        &self,
    ) -> Result<(Buffer<f64>, SourceSlices), SkeletonError> {
        let targets = DevicePoints::from_mask(self.stream, self.targets.mask)?;
        let plan = self.plan_with_slices::<forces_constant<A, P>>(
            targets.len() as u64,
            MAX_CONSTANT_SOURCES as u64,
        )?;
        let blocks_per_slice = plan.pairs / plan.slices.count;
        // the kernel adds the slices
        let slices = SourceSlices {
            count: 1,
            ..plan.slices
        };
        let mut sums = self.stream.zeros::<f64>(3 * slices.targets as usize)?;
        let mut constant = self
            .stream
            .constant::<forces_constant<A, P>, _>(&FIELD_SOURCES)?;
        for slice in 0..plan.slices.count {
            let [start, end] = plan.slices.range(slice).map(|source| 3 * source as usize);
            // SAFETY: only the launches of this job read it.
            unsafe { constant.write(&self.sources.points.coordinates, start..end) }?;
            let pairs = LaunchRange {
                first: slice * blocks_per_slice,
                end: (slice + 1) * blocks_per_slice,
            };
            self.launch(plan, pairs, &mut |launch, portion| {
                // SAFETY: the constant holds the slice's sources, targets have three coordinates
                // each, and there are three sums per target.
                unsafe {
                    let args = (
                        targets.coordinates.view(),
                        plan.slices,
                        portion,
                        self.params.exponent as f32,
                        sums.view_mut(),
                    );
                    Ok(self.stream.launch::<forces_constant<A, P>>(launch, args)?)
                }
            })?;
        }
        Ok((sums, slices))
    }
}
