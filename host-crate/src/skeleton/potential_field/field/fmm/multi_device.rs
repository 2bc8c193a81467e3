//! The multipole method on one or more devices.

use super::{
    error_bounds::ErrorBounds,
    evaluation::{BoundedForces, FmmJob},
    refinement::Refinement,
    tables::TableData,
};
use crate::{
    device::{Buffer, DeviceError},
    grid::DeviceMask,
    memory::{ExtendOrUnwind, catch_out_of_memory, zeroed_or_unwind},
    monitor::Counter,
    partition::{
        devices::{Stop, collect_results, run_workers},
        slab::split_by_weight,
    },
    skeleton::{
        SkeletonError,
        potential_field::{
            Execution, Params,
            field::{Sources, Targets},
        },
    },
};
use std::ops::Range;

/// Force field to be computed by the multipole method; the sources are voxels of the targets' grid.
pub(in crate::skeleton::potential_field::field) struct FmmField<'a> {
    /// Mask of the sources.
    pub sources: &'a DeviceMask,
    /// Sources as points.
    pub points: &'a Sources,
    pub targets: &'a Targets<'a>,
    /// Lookup tables for the voxels' shape.
    pub data: &'a TableData,
    pub params: &'a Params,
    pub counter: Option<&'a Counter<'a>>,
}

/// Computes the forces, four elements per target, and their error bounds. Each device computes all
/// moments, and the forces of a range of the mask's words; the first device, which holds the
/// result, recomputes uncertain forces.
pub(in crate::skeleton::potential_field::field) fn fmm_forces(
    execution: Execution<'_>,
    field: &FmmField<'_>,
) -> Result<(Buffer<f32>, ErrorBounds), SkeletonError> {
    let stream = execution.first();
    let sources = field.points.len() as u64;
    let pairs = field.targets.count.saturating_mul(sources);
    let BoundedForces { mut forces, bounds } = match execution.streams() {
        [_] => FmmJob {
            stream,
            sources: field.sources,
            weights: &field.points.weights,
            targets: field.targets,
            data: field.data,
            counter: field.counter.map(|counter| (counter, pairs)),
        }
        .compute()?,
        _ => compute_in_parts(execution, field, sources)?,
    };
    let lattice = &field.data.lattice;
    let recomputed = Refinement {
        targets: field.targets,
        forces: &mut forces,
        bounds: &bounds,
    }
    .refine(stream, field.points, lattice, field.params)?;
    let bounds = ErrorBounds {
        bounds,
        recomputed,
        grid: lattice.bricks(field.sources.grid),
        steps: lattice.log_steps,
    };
    Ok((forces, bounds))
}

/// Divides the targets among several devices. Sums do not depend on which other targets there are,
/// so the result has the same bits as on one device.
fn compute_in_parts(
    execution: Execution<'_>,
    field: &FmmField<'_>,
    sources: u64,
) -> Result<BoundedForces, SkeletonError> {
    let streams = execution.streams();
    let first = execution.first();
    let mask = field.targets.mask;
    let words = mask.download(first)?;
    let source_words = field.sources.download(first)?;
    let weights_on_host = field.points.weights(first)?;
    let target_counts = words.iter().map(|word| u64::from(word.count_ones()));
    let parts = split_by_weight(target_counts, streams.len());
    let compute_part = |worker: usize, part: Range<usize>| -> Result<_, SkeletonError> {
        let stream = &streams[worker];
        let (dims, geometry) = (mask.dims(), mask.geometry);
        let mut part_words = zeroed_or_unwind(words.len());
        part_words[part.clone()].copy_from_slice(&words[part]);
        let mask = DeviceMask::from_words(stream, &part_words, dims, geometry)?;
        let targets = Targets::new(stream, &mask)?;
        let pairs = targets.count.saturating_mul(sources);
        let result = FmmJob {
            stream,
            sources: &DeviceMask::from_words(stream, &source_words, dims, geometry)?,
            weights: &stream.upload(&weights_on_host)?,
            targets: &targets,
            data: field.data,
            counter: field.counter.map(|counter| (counter, pairs)),
        }
        .compute()?;
        Ok((
            stream.download(&result.forces)?,
            stream.download(&result.bounds)?,
        ))
    };
    let results = run_workers(parts, |worker, part| {
        catch_out_of_memory("the force field", || compute_part(worker, part)).map_err(Stop::Failed)
    })?;
    if let Some(counter) = field.counter {
        // reports cancellation as such, rather than as the failure of a device
        counter.add(0).map_err(DeviceError::from)?;
    }
    let results = collect_results(streams.iter().map(crate::device::Stream::device), results)?;
    let mut forces = Vec::new();
    let bricks = field.data.lattice.bricks(mask.grid);
    let mut bounds = zeroed_or_unwind::<f64>(bricks.samples() as usize);
    for (part_forces, part_bounds) in results {
        forces.extend_or_unwind(part_forces);
        // a brick shared by two parts has the same bound in both
        let pairs = bounds.iter_mut().zip(part_bounds);
        pairs.for_each(|(bound, part_bound)| *bound = bound.max(part_bound));
    }
    Ok(BoundedForces {
        forces: first.upload(&forces)?,
        bounds: first.upload(&bounds)?,
    })
}
