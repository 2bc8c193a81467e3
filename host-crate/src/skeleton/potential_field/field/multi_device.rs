//! All-pairs forces on several devices.

use super::{
    Sources, Targets,
    all_pairs::{AllPairsJob, DividedJob},
};
use crate::{
    device::{Buffer, DeviceError, Stream},
    grid::{DeviceMask, DevicePoints},
    memory::{catch_out_of_memory, concat_or_unwind, zeroed_or_unwind},
    monitor::Counter,
    partition::{
        devices::{Stop, collect_results, run_workers},
        slab::split_by_weight,
    },
    skeleton::{
        SkeletonError,
        potential_field::{FieldVariant, Params},
    },
};
use ferrovox_kernels::skeleton::field::RUN;
use std::ops::Range;

/// Computes the force at each voxel of a mask, four floats each, on several devices. The sources,
/// the mask and the result belong to the first stream's device. Each device processes a range of
/// the mask's words.
///
/// The slices of the sources are those that the first device would use alone, so each force is
/// summed in the same order as on one device. Synchronises all streams.
pub(super) fn forces_on(
    streams: &[Stream],
    (sources, mask): (&Sources, &DeviceMask),
    params: &Params,
    counter: Option<&Counter<'_>>,
) -> Result<Buffer<f32>, SkeletonError> {
    let first = &streams[0];
    let words = mask.download(first)?;
    let weights_on_host = sources.weights(first)?;
    let sources = sources.points.download(first)?;
    let divided_job = DividedJob {
        stream: first,
        items: match params.variant {
            FieldVariant::Simple | FieldVariant::Constant | FieldVariant::Shared => {
                set_bits(&words)
            }
            FieldVariant::Tuned | FieldVariant::Multipole | FieldVariant::Auto => {
                occupied_runs(&words)
            }
        },
    };
    let weights = words.iter().map(|word| u64::from(word.count_ones()));
    let parts = split_by_weight(weights, streams.len());
    let part_forces = |worker: usize, part: Range<usize>| -> Result<Vec<f32>, SkeletonError> {
        let stream = &streams[worker];
        let (dims, geometry) = (mask.dims(), mask.geometry);
        let sources = Sources {
            points: DevicePoints::from_voxels(stream, &sources, dims, geometry)?,
            weights: stream.upload(&weights_on_host)?,
        };
        // the same grid, so that voxel coordinates are unchanged
        let mut part_words = zeroed_or_unwind(words.len());
        part_words[part.clone()].copy_from_slice(&words[part]);
        let mask = DeviceMask::from_words(stream, &part_words, dims, geometry)?;
        let forces = AllPairsJob {
            stream,
            sources: &sources,
            targets: &Targets::new(stream, &mask)?,
            params,
            divided_job: Some(divided_job),
            counter,
        }
        .compute()?;
        Ok(stream.download(&forces)?)
    };
    let results = run_workers(parts, |worker, part| {
        catch_out_of_memory("the force field", || part_forces(worker, part)).map_err(Stop::Failed)
    })?;
    if let Some(counter) = counter {
        // reports cancellation as such, rather than as the failure of a device
        counter.add(0).map_err(DeviceError::from)?;
    }
    let results = collect_results(streams.iter().map(Stream::device), results)?;
    Ok(first.upload(&concat_or_unwind(&results))?)
}

/// Returns the number of set bits.
fn set_bits(words: &[u32]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Returns the number of runs with at least one set bit.
fn occupied_runs(words: &[u32]) -> u64 {
    let in_run = (1 << RUN) - 1;
    let starts = (0..32).step_by(RUN as usize);
    let occupied = |&word: &u32| {
        starts
            .clone()
            .filter(move |start| word >> start & in_run != 0)
    };
    words.iter().map(|word| occupied(word).count() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occupied_runs_are_counted() {
        assert_eq!(occupied_runs(&[0, 1, 0xf, 0x11, u32::MAX, 0x8000_0000]), 13);
    }
}
