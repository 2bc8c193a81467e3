//! Exact sums where the bound of the error does not suffice.

use super::lattice::BrickLattice;
use crate::{
    device::{Buffer, Launch, Stream, over},
    grid::{DeviceMask, DevicePoints, Metric},
    skeleton::{
        SkeletonError,
        potential_field::{
            FieldVariant, MultipoleParams, Params, Precision,
            field::{Sources, Targets, job::Job, sources::world_metric},
        },
    },
};
use ferrovox_kernels::skeleton::{
    error_bounds::{ErrorBoundParams, mark_uncertain_cells, mark_uncertain_voxels, replace_forces},
    field::{
        Exponent, FORCE_COMPONENTS, SourceSlices,
        fmm::{PARTIAL_SUMS, sum_all_pairs, sum_all_pairs_in_world},
        reduce_force_slices,
    },
};

/// A force that is no more than the bound times this has a direction that may be off by more than
/// the hundredth part of a right angle, and is summed up again.
const WEAK: f64 = 32.0;

/// If more than one in so many voxels is in doubt, they are compared with all sources as by
/// `tuned`, whose weights are rounded to `f32`.
const FEW: u64 = 4;

/// Forces of voxels, with bounds of their errors.
pub(in crate::skeleton::potential_field::field) struct Bounded<'a> {
    pub targets: &'a Targets<'a>,
    pub forces: &'a mut Buffer<f32>,
    pub bounds: &'a Buffer<f64>,
}

impl Bounded<'_> {
    /// Sums up again what is in doubt, source by source, and says how many voxels that are: the
    /// corners of cells that the bounds do not rule out to have a critical point, and those whose
    /// force is weak beside its bound. Synchronises the stream.
    pub fn refine(
        &mut self,
        stream: &Stream,
        sources: &Sources,
        lattice: &BrickLattice,
        params: &Params,
    ) -> Result<u64, SkeletonError> {
        let mask = self.in_doubt(stream, lattice, params.multipole)?;
        let places = DevicePoints::from_sites(stream, &mask)?;
        let count = places.len() as u64;
        if count == 0 {
            return Ok(0);
        }
        let better = if count > self.targets.count / FEW {
            Job {
                stream,
                sources,
                targets: &Targets::new(stream, &mask)?,
                params: &Params {
                    variant: FieldVariant::Tuned,
                    precision: Precision::Accurate,
                    ..*params
                },
                whole: None,
                counter: None,
            }
            .compute()?
        } else {
            exact(stream, sources, &places, params.exponent)?
        };
        let targets = self.targets;
        let (launch, items) = over(stream, count);
        // SAFETY: places and better forces are of the voxels that the items count, the others those
        // of the field.
        unsafe {
            let args = (
                targets.mask.bits.view(),
                targets.before.view(),
                targets.mask.layout(),
                places.coordinates.view(),
                better.view(),
                items,
                self.forces.view_mut(),
            );
            stream.launch::<replace_forces>(launch, args)?;
        }
        Ok(count)
    }

    /// The voxels in doubt.
    fn in_doubt(
        &self,
        stream: &Stream,
        lattice: &BrickLattice,
        params: MultipoleParams,
    ) -> Result<DeviceMask, SkeletonError> {
        let mask = self.targets.mask;
        let bits = mask.layout();
        let doubt = ErrorBoundParams {
            grid: lattice.bricks(mask.grid),
            lattice: lattice.with_bits(bits),
            factor: params.trust,
            // whatever the bounds are trusted with
            weak: if params.trust > 0.0 {
                (WEAK / params.trust) as f32
            } else {
                0.0
            },
        };
        let mut cells = stream.alloc::<u32>(mask.bits.len())?;
        let mut voxels = stream.alloc::<u32>(mask.bits.len())?;
        let (launch, items) = over(stream, bits.words());
        // SAFETY: there are as many words of cells and voxels as of the mask, which the items
        // count, four numbers for each voxel with a force, and a bound for each brick.
        unsafe {
            let args = (
                mask.bits.view(),
                self.targets.before.view(),
                self.forces.view(),
                self.bounds.view(),
                doubt,
                items,
                cells.view_mut(),
            );
            stream.launch::<mark_uncertain_cells>(launch, args)?;
            let args = (
                mask.bits.view(),
                self.targets.before.view(),
                self.forces.view(),
                self.bounds.view(),
                cells.view(),
                doubt,
                items,
                voxels.view_mut(),
            );
            stream.launch::<mark_uncertain_voxels>(launch, args)?;
        }
        Ok(DeviceMask {
            bits: voxels,
            grid: mask.grid,
            geometry: mask.geometry,
        })
    }
}

/// Sources of a slice.
const SLICE: u64 = 4096;

/// Sums of slices that there is room for at a time: 64 MiB.
const MAX_SUMS: u64 = 1 << 23;

/// Four numbers for each of some places, from sums in `f64`.
fn exact(
    stream: &Stream,
    sources: &Sources,
    places: &DevicePoints,
    exponent: f64,
) -> Result<Buffer<f32>, SkeletonError> {
    let (metric, _) = Metric::snapped(sources.geometry());
    let exponent = Exponent::new(exponent);
    let count = places.len();
    let of_all = sources.len() as u64;
    let slices = SourceSlices {
        sources: of_all,
        len: SLICE,
        count: of_all.div_ceil(SLICE).max(1),
        targets: 0,
    };
    let round = (MAX_SUMS / (3 * slices.count)).clamp(1, count as u64);
    let mut sums = stream.alloc::<f64>((3 * slices.count * round) as usize)?;
    let mut forces = stream.alloc::<f32>(FORCE_COMPONENTS * count)?;
    for first in (0..count).step_by(round as usize) {
        let targets = (count - first).min(round as usize);
        let slices = SourceSlices {
            targets: targets as u64,
            ..slices
        };
        let by_parts = Launch::pieces(slices.targets * slices.count).block_divides(PARTIAL_SUMS);
        let (by_targets, items) = over(stream, slices.targets);
        let from = sources.points.coordinates.view();
        let to = places.coordinates.view().slice(3 * first, 3 * targets);
        // SAFETY: there are three coordinates for each source and place, a weight for each source
        // or none, three sums for each place of the round and slice, and four numbers for each
        // place.
        unsafe {
            if metric.is_of_cubes() {
                let args = (from, to, slices, exponent, sums.view_mut());
                stream.launch::<sum_all_pairs>(by_parts, args)?;
            } else {
                let world = world_metric(&metric);
                let weights = sources.weights.view();
                let args = (from, weights, to, slices, world, exponent, sums.view_mut());
                stream.launch::<sum_all_pairs_in_world>(by_parts, args)?;
            }
            let made = forces
                .view_mut()
                .slice(FORCE_COMPONENTS * first, FORCE_COMPONENTS * targets);
            let args = (sums.view(), slices, items, made);
            stream.launch::<reduce_force_slices>(by_targets, args)?;
        }
    }
    Ok(forces)
}
