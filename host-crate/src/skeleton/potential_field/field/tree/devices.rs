//! By one or more devices.

use super::{
    bounds::ErrorBounds,
    forces::{Made, TreeJob},
    refine::Bounded,
    table_data::TableData,
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

/// The field of voxels that voxels of the same grid exert.
pub(in crate::skeleton::potential_field::field) struct TreeField<'a> {
    /// The sources.
    pub sources: &'a DeviceMask,
    /// The same as points.
    pub points: &'a Sources,
    pub targets: &'a Targets<'a>,
    /// The tables, for voxels of this form.
    pub data: &'a TableData,
    pub params: &'a Params,
    pub counter: Option<&'a Counter<'a>>,
}

/// Four numbers for each target, and how far they can be off, on the first of several devices. Each
/// makes all moments, and the forces of some planes and rows; the first sums up again what is in
/// doubt.
pub(in crate::skeleton::potential_field::field) fn tree_on(
    execution: Execution<'_>,
    field: &TreeField<'_>,
) -> Result<(Buffer<f32>, ErrorBounds), SkeletonError> {
    let stream = execution.first();
    let sources = field.points.len() as u64;
    let pairs = field.targets.count.saturating_mul(sources);
    let Made { mut forces, bounds } = match execution.streams() {
        [_] => TreeJob {
            stream,
            sources: field.sources,
            weights: &field.points.weights,
            targets: field.targets,
            data: field.data,
            counter: field.counter.map(|counter| (counter, pairs)),
        }
        .compute()?,
        _ => by_parts(execution, field, sources)?,
    };
    let lattice = &field.data.lattice;
    let corrected = Bounded {
        targets: field.targets,
        forces: &mut forces,
        bounds: &bounds,
    }
    .refine(stream, field.points, lattice, field.params)?;
    let bounds = ErrorBounds {
        bounds,
        corrected,
        grid: lattice.bricks(field.sources.grid),
        steps: lattice.steps,
    };
    Ok((forces, bounds))
}

/// By several devices: sums do not depend on what other targets there are, so bits are those of
/// one.
fn by_parts(
    execution: Execution<'_>,
    field: &TreeField<'_>,
    sources: u64,
) -> Result<Made, SkeletonError> {
    let streams = execution.streams();
    let first = execution.first();
    let mask = field.targets.mask;
    let words = mask.download(first)?;
    let source_words = field.sources.download(first)?;
    let own = field.points.weights(first)?;
    let weights = words.iter().map(|word| u64::from(word.count_ones()));
    let parts = split_by_weight(weights, streams.len());
    let of_part = |worker: usize, part: Range<usize>| -> Result<_, SkeletonError> {
        let stream = &streams[worker];
        let (dims, geometry) = (mask.dims(), mask.geometry);
        let mut mine = zeroed_or_unwind(words.len());
        mine[part.clone()].copy_from_slice(&words[part]);
        let mask = DeviceMask::from_words(stream, &mine, dims, geometry)?;
        let targets = Targets::new(stream, &mask)?;
        let pairs = targets.count.saturating_mul(sources);
        let made = TreeJob {
            stream,
            sources: &DeviceMask::from_words(stream, &source_words, dims, geometry)?,
            weights: &stream.upload(&own)?,
            targets: &targets,
            data: field.data,
            counter: field.counter.map(|counter| (counter, pairs)),
        }
        .compute()?;
        Ok((
            stream.download(&made.forces)?,
            stream.download(&made.bounds)?,
        ))
    };
    let made = run_workers(parts, |worker, part| {
        catch_out_of_memory(|| of_part(worker, part)).map_err(Stop::Failed)
    })?;
    if let Some(counter) = field.counter {
        // no device's failure
        counter.add(0).map_err(DeviceError::from)?;
    }
    let made = collect_results(streams.iter().map(crate::device::Stream::device), made)?;
    let mut forces = Vec::new();
    let bricks = field.data.lattice.bricks(mask.grid);
    let mut bounds = zeroed_or_unwind::<f64>(bricks.samples() as usize);
    for (more, of_part) in made {
        forces.extend_or_unwind(more);
        // a brick of two parts has the same bound in both
        let both = bounds.iter_mut().zip(of_part);
        both.for_each(|(bound, of_part)| *bound = bound.max(of_part));
    }
    Ok(Made {
        forces: first.upload(&forces)?,
        bounds: first.upload(&bounds)?,
    })
}
