//! Forces by one device.

use super::{Sources, Targets, portions::by_portions, sources::world_metric};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream, over},
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

/// Forces to compute.
pub(super) struct Job<'a> {
    pub stream: &'a Stream,
    pub sources: &'a Sources,
    pub targets: &'a Targets<'a>,
    pub params: &'a Params,
    /// If this is a part of a larger job, that one: sources are cut into slices as they would be
    /// for it.
    pub whole: Option<WholeJob<'a>>,
    /// Counts pairs of a source and a target, if progress is reported or the work can be cancelled.
    pub counter: Option<&'a Counter<'a>>,
}

/// A job of which several devices have parts.
#[derive(Clone, Copy)]
pub(super) struct WholeJob<'a> {
    /// The stream that would do it alone.
    pub stream: &'a Stream,
    /// What its threads would take one each of: targets or runs of them.
    pub items: u64,
}

/// What kernels take whose threads have a target each: sources, targets, slices, portion, exponent,
/// sums.
type ByTarget<'v> = (
    View<'v, f32>,
    View<'v, f32>,
    SourceSlices,
    LaunchRange,
    f32,
    ViewMut<'v, f64>,
);

/// How a job is launched.
#[derive(Clone, Copy)]
struct Plan {
    /// The slices in which sources are taken.
    slices: SourceSlices,
    /// Pairs of a slice and a block of targets, or of runs.
    pairs: u64,
    /// How many the device does at a time.
    wave: u64,
}

impl Plan {
    fn all(self) -> LaunchRange {
        LaunchRange {
            first: 0,
            end: self.pairs,
        }
    }
}

/// Threads that are on a multiprocessor at a time, about.
const RESIDENT: u64 = 1024;

/// This many times the threads that a device holds get work: then the last of them, which do not
/// fill the device, take little of the time.
const WAVES: u64 = 8;

/// The largest block that the calculator may choose. All sizes up to this were measured, and are
/// within a fifth of the fastest (docs/images/occupancy/h200.csv); larger ones were not.
const MAX_THREADS: u32 = 256;

/// Shorter slices would have threads that write more than they compute.
const MIN_SLICE: u64 = 2048;

/// A launch for this many pieces.
fn blocks(pieces: u64) -> Launch {
    Launch::pieces(pieces).at_most_threads(MAX_THREADS)
}

impl WholeJob<'_> {
    /// How many sources a slice has: as few as it takes to give all of the device work.
    fn slice_len(self, sources: u64) -> u64 {
        // by the device alone: the grouping of sums, and so their bits, are the same for blocks of
        // any size
        let limits = self.stream.device().limits();
        let resident = u64::from(limits.multiprocessors) * RESIDENT;
        let alone = limits.threads_per_block == 1;
        let wanted = if alone {
            1
        } else {
            (WAVES * resident).div_ceil(self.items.max(1))
        };
        let most = (sources / MIN_SLICE).max(1);
        sources.div_ceil(wanted.min(most)).max(1)
    }
}

impl Job<'_> {
    /// Four numbers for each target.
    pub fn compute(&self) -> Result<Buffer<f32>, SkeletonError> {
        match self.params.precision {
            Precision::F32 => self.with::<f32>(),
            Precision::Accurate => self.with::<f64>(),
        }
    }

    fn with<A: Accumulator>(&self) -> Result<Buffer<f32>, SkeletonError> {
        let exponent = self.params.exponent;
        let integer = if exponent.fract() == 0.0 {
            exponent as u32
        } else {
            0
        };
        let (metric, _) = Metric::snapped(&self.targets.mask.geometry);
        if !metric.is_of_cubes() {
            let (sums, slices) = match integer {
                0 => self.in_world::<A, RealPower>(&metric)?,
                _ => self.in_world::<A, IntegerPower>(&metric)?,
            };
            return self.finish(&sums, slices);
        }
        match integer {
            2 => self.run::<A, Power2>(),
            3 => self.run::<A, Power3>(),
            4 => self.run::<A, Power4>(),
            5 => self.run::<A, Power5>(),
            6 => self.run::<A, Power6>(),
            7 => self.run::<A, Power7>(),
            8 => self.run::<A, Power8>(),
            9 => self.run::<A, Power9>(),
            _ => self.run::<A, RealPower>(),
        }
    }

    fn run<A: Accumulator, P: Power>(&self) -> Result<Buffer<f32>, SkeletonError> {
        let (sums, slices) = match self.params.variant {
            // who calls has chosen, and `Multipole` is no job for all pairs
            FieldVariant::Tuned | FieldVariant::Auto | FieldVariant::Multipole => {
                self.tuned::<A, P>()?
            }
            FieldVariant::Simple => self.by_target::<forces_simple<A, P>>()?,
            FieldVariant::Constant => self.constant::<A, P>()?,
            FieldVariant::Shared => self.by_target::<forces_shared<A, P>>()?,
        };
        self.finish(&sums, slices)
    }

    /// Directions and magnitudes of sums.
    fn finish(
        &self,
        sums: &Buffer<f64>,
        slices: SourceSlices,
    ) -> Result<Buffer<f32>, SkeletonError> {
        let stream = self.stream;
        let mut forces = stream.alloc::<f32>(FORCE_COMPONENTS * self.targets.count as usize)?;
        let (launch, items) = over(stream, self.targets.count);
        // SAFETY: there are three sums for each target and slice, and four numbers for each target.
        unsafe {
            let args = (sums.view(), slices, items, forces.view_mut());
            stream.launch::<reduce_force_slices>(launch, args)?;
        }
        Ok(forces)
    }

    /// How a kernel is launched whose threads take one of `items` each.
    fn plan<K: Kernel>(&self, items: u64) -> Result<Plan, SkeletonError> {
        let whole = self.whole.unwrap_or(WholeJob {
            stream: self.stream,
            items,
        });
        let sources = self.sources.len() as u64;
        let len = whole.slice_len(sources);
        self.plan_with::<K>(items, len)
    }

    /// The same with slices of `len` sources.
    fn plan_with<K: Kernel>(&self, items: u64, len: u64) -> Result<Plan, SkeletonError> {
        let sources = self.sources.len() as u64;
        let slices = SourceSlices {
            sources,
            len,
            count: sources.div_ceil(len).max(1),
            targets: self.targets.count,
        };
        let plan = self.stream.plan::<K>(blocks(items))?;
        Ok(Plan {
            slices,
            pairs: items.div_ceil(plan.threads.into()) * slices.count,
            wave: plan.resident_blocks.into(),
        })
    }

    /// Calls `launch` for some pairs of a plan: once, or in portions if progress is reported or the
    /// work can be cancelled.
    fn launch(
        &self,
        plan: Plan,
        pairs: LaunchRange,
        mut launch: impl FnMut(Launch, LaunchRange) -> Result<(), SkeletonError>,
    ) -> Result<(), SkeletonError> {
        let mut launch =
            |portion: LaunchRange| launch(blocks(portion.end - portion.first), portion);
        let Some(counter) = self.counter else {
            return launch(pairs);
        };
        let all = u128::from(self.targets.count) * u128::from(plan.slices.sources);
        let of = |pairs: u64| (all * u128::from(pairs) / u128::from(plan.pairs)) as u64;
        let mut done = pairs.first;
        by_portions(self.stream, pairs, plan.wave, launch, |pairs| {
            let more = of(done + pairs) - of(done);
            done += pairs;
            Ok(counter.add(more).map_err(DeviceError::from)?)
        })
    }

    /// Room for three sums for each target and slice.
    fn sums(&self, slices: SourceSlices) -> Result<Buffer<f64>, SkeletonError> {
        let count = 3 * slices.targets * slices.count;
        Ok(self.stream.alloc(count as usize)?)
    }

    fn tuned<A: Accumulator, P: Power>(
        &self,
    ) -> Result<(Buffer<f64>, SourceSlices), SkeletonError> {
        let (runs, places) = self.targets.runs(self.stream)?;
        let plan = self.plan::<forces_tuned<A, P>>(runs.count)?;
        let mut sums = self.sums(plan.slices)?;
        self.launch(plan, plan.all(), |launch, portion| {
            // SAFETY: sources and runs have three coordinates each, the words and what comes before
            // them are the targets', and there are three sums for each target and slice.
            unsafe {
                let args = (
                    self.sources.points.coordinates.view(),
                    places.coordinates.view(),
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

    /// The same where voxels are no cubes.
    fn in_world<A: Accumulator, P: Power>(
        &self,
        metric: &Metric,
    ) -> Result<(Buffer<f64>, SourceSlices), SkeletonError> {
        let (runs, places) = self.targets.runs(self.stream)?;
        let plan = self.plan::<forces_tuned_in_world<A, P>>(runs.count)?;
        let mut sums = self.sums(plan.slices)?;
        self.launch(plan, plan.all(), |launch, portion| {
            // SAFETY: as in `tuned`, and sources have a weight each or none.
            unsafe {
                let args = (
                    self.sources.points.coordinates.view(),
                    self.sources.weights.view(),
                    places.coordinates.view(),
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

    /// By a kernel whose threads take a target each and go through all sources of a slice.
    fn by_target<K>(&self) -> Result<(Buffer<f64>, SourceSlices), SkeletonError>
    where
        K: for<'v> Kernel<Args<'v> = ByTarget<'v>>,
    {
        let targets = DevicePoints::from_sites(self.stream, self.targets.mask)?;
        let plan = self.plan::<K>(targets.len() as u64)?;
        let mut sums = self.sums(plan.slices)?;
        self.launch(plan, plan.all(), |launch, portion| {
            let args = (
                self.sources.points.coordinates.view(),
                targets.coordinates.view(),
                plan.slices,
                portion,
                self.params.exponent as f32,
                sums.view_mut(),
            );
            // SAFETY: sources and targets have three coordinates each, and there are three sums for
            // each target and slice.
            Ok(unsafe { self.stream.launch::<K>(launch, args) }?)
        })?;
        Ok((sums, plan.slices))
    }

    fn constant<A: Accumulator, P: Power>(
        &self,
    ) -> Result<(Buffer<f64>, SourceSlices), SkeletonError> {
        let targets = DevicePoints::from_sites(self.stream, self.targets.mask)?;
        let plan = self.plan_with::<forces_constant<A, P>>(
            targets.len() as u64,
            MAX_CONSTANT_SOURCES as u64,
        )?;
        let blocks = plan.pairs / plan.slices.count;
        // the slices are added up by the kernel
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
            // SAFETY: it is read by this job's launches only.
            unsafe { constant.write(&self.sources.points.coordinates, start..end) }?;
            let pairs = LaunchRange {
                first: slice * blocks,
                end: (slice + 1) * blocks,
            };
            self.launch(plan, pairs, |launch, portion| {
                // SAFETY: the constant has the slice's sources, targets have three coordinates
                // each, and there are three sums for each.
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
