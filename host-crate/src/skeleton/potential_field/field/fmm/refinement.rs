//! Exact recomputation of forces whose error bound is too large.

use super::lattice::BrickLattice;
use crate::{
    device::{Buffer, Launch, Stream, items_launch},
    grid::{DeviceMask, DevicePoints, Metric},
    skeleton::{
        SkeletonError,
        potential_field::{
            FieldVariant, MultipoleParams, Params, Precision,
            field::{Sources, Targets, all_pairs::AllPairsJob, sources::world_metric},
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

/// Ratio of force to error bound below which the direction may be off by more than a hundredth of a
/// right angle, so that the force is recomputed.
const WEAK_FORCE_FACTOR: f64 = 32.0;

/// If more than one in this many voxels is uncertain, they are recomputed by the tuned all-pairs
/// kernel, whose weights are rounded to `f32`.
const DIRECT_SUM_SHARE: u64 = 4;

/// Forces of voxels with error bounds, to be refined.
pub(in crate::skeleton::potential_field::field) struct Refinement<'a> {
    pub targets: &'a Targets<'a>,
    pub forces: &'a mut Buffer<f32>,
    pub bounds: &'a Buffer<f64>,
}

impl Refinement<'_> {
    /// Recomputes the uncertain forces exactly and returns their number: those at the corners of
    /// cells in which the bounds cannot rule out a critical point, and those that are weak compared
    /// with their bound. Synchronises the stream.
    pub fn refine(
        &mut self,
        stream: &Stream,
        sources: &Sources,
        lattice: &BrickLattice,
        params: &Params,
    ) -> Result<u64, SkeletonError> {
        let mask = self.uncertain_voxels(stream, lattice, params.multipole)?;
        let points = DevicePoints::from_mask(stream, &mask)?;
        let count = points.len() as u64;
        if count == 0 {
            return Ok(0);
        }
        let replacements = if count > self.targets.count / DIRECT_SUM_SHARE {
            AllPairsJob {
                stream,
                sources,
                targets: &Targets::new(stream, &mask)?,
                params: &Params {
                    variant: FieldVariant::Tuned,
                    precision: Precision::Accurate,
                    ..*params
                },
                divided_job: None,
                counter: None,
            }
            .compute()?
        } else {
            sum_exactly(stream, sources, &points, params.exponent)?
        };
        let targets = self.targets;
        let (launch, items) = items_launch(stream, count);
        // SAFETY: points and replacements have one entry per item; the other buffers are those of
        // the field.
        unsafe {
            let args = (
                targets.mask.bits.view(),
                targets.before.view(),
                targets.mask.layout(),
                points.coordinates.view(),
                replacements.view(),
                items,
                self.forces.view_mut(),
            );
            stream.launch::<replace_forces>(launch, args)?;
        }
        Ok(count)
    }

    /// Returns the mask of voxels with uncertain forces.
    fn uncertain_voxels(
        &self,
        stream: &Stream,
        lattice: &BrickLattice,
        params: MultipoleParams,
    ) -> Result<DeviceMask, SkeletonError> {
        let mask = self.targets.mask;
        let bits = mask.layout();
        let bound_params = ErrorBoundParams {
            grid: lattice.bricks(mask.grid),
            lattice: lattice.with_bits(bits),
            factor: params.bound_factor,
            // independent of the factor applied to the bounds
            weak: if params.bound_factor > 0.0 {
                (WEAK_FORCE_FACTOR / params.bound_factor) as f32
            } else {
                0.0
            },
        };
        let mut cells = stream.alloc::<u32>(mask.bits.len())?;
        let mut voxels = stream.alloc::<u32>(mask.bits.len())?;
        let (launch, items) = items_launch(stream, bits.words());
        // SAFETY: the masks of cells and voxels have the words of the targets' mask, one per item;
        // there are four floats per voxel with a force, and one bound per brick.
        unsafe {
            let args = (
                mask.bits.view(),
                self.targets.before.view(),
                self.forces.view(),
                self.bounds.view(),
                bound_params,
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
                bound_params,
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

/// Sources per slice.
const SLICE_SOURCES: u64 = 4096;

/// Maximum number of slice sums in memory at a time (64 MiB).
const MAX_SUMS: u64 = 1 << 23;

/// Computes the forces at points by direct summation in `f64`, four elements each.
fn sum_exactly(
    stream: &Stream,
    sources: &Sources,
    points: &DevicePoints,
    exponent: f64,
) -> Result<Buffer<f32>, SkeletonError> {
    let (metric, _) = Metric::snapped(sources.geometry());
    let exponent = Exponent::new(exponent);
    let count = points.len();
    let source_count = sources.len() as u64;
    let slices = SourceSlices {
        sources: source_count,
        len: SLICE_SOURCES,
        count: source_count.div_ceil(SLICE_SOURCES).max(1),
        targets: 0,
    };
    let batch = (MAX_SUMS / (3 * slices.count)).clamp(1, count as u64);
    let mut sums = stream.alloc::<f64>((3 * slices.count * batch) as usize)?;
    let mut forces = stream.alloc::<f32>(FORCE_COMPONENTS * count)?;
    for first in (0..count).step_by(batch as usize) {
        let targets = (count - first).min(batch as usize);
        let slices = SourceSlices {
            targets: targets as u64,
            ..slices
        };
        let pair_launch = Launch::pieces(slices.targets * slices.count).block_divides(PARTIAL_SUMS);
        let (target_launch, items) = items_launch(stream, slices.targets);
        let source_coords = sources.points.coordinates.view();
        let point_coords = points.coordinates.view().slice(3 * first, 3 * targets);
        // SAFETY: there are three coordinates per source and point, one weight per source or none
        // at all, three sums per point of the batch and slice, and four elements per point.
        unsafe {
            if metric.is_cubic() {
                let args = (
                    source_coords,
                    point_coords,
                    slices,
                    exponent,
                    sums.view_mut(),
                );
                stream.launch::<sum_all_pairs>(pair_launch, args)?;
            } else {
                let world = world_metric(&metric);
                let weights = sources.weights.view();
                let args = (
                    source_coords,
                    weights,
                    point_coords,
                    slices,
                    world,
                    exponent,
                    sums.view_mut(),
                );
                stream.launch::<sum_all_pairs_in_world>(pair_launch, args)?;
            }
            let batch_forces = forces
                .view_mut()
                .slice(FORCE_COMPONENTS * first, FORCE_COMPONENTS * targets);
            let args = (sums.view(), slices, items, batch_forces);
            stream.launch::<reduce_force_slices>(target_launch, args)?;
        }
    }
    Ok(forces)
}
