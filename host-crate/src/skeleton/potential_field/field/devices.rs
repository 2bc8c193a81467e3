//! Forces by several devices.

use super::{
    Sources, Targets,
    job::{Job, WholeJob},
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

/// Four numbers for each voxel of a mask, on the first of several streams, to whose device sources
/// and mask belong. Each device makes those of some planes and rows.
///
/// Slices are those that the first device would have alone, so that each force is added up in the
/// same order as by one device. Synchronises all streams.
pub(super) fn forces_on(
    streams: &[Stream],
    (sources, mask): (&Sources, &DeviceMask),
    params: &Params,
    counter: Option<&Counter<'_>>,
) -> Result<Buffer<f32>, SkeletonError> {
    let first = &streams[0];
    let words = mask.download(first)?;
    let own = sources.weights(first)?;
    let sources = sources.points.download(first)?;
    let whole = WholeJob {
        stream: first,
        items: match params.variant {
            FieldVariant::Simple | FieldVariant::Constant | FieldVariant::Shared => ones(&words),
            FieldVariant::Tuned | FieldVariant::Multipole | FieldVariant::Auto => runs(&words),
        },
    };
    let weights = words.iter().map(|word| u64::from(word.count_ones()));
    let parts = split_by_weight(weights, streams.len());
    let forces_of = |worker: usize, part: Range<usize>| -> Result<Vec<f32>, SkeletonError> {
        let stream = &streams[worker];
        let (dims, geometry) = (mask.dims(), mask.geometry);
        let sources = Sources {
            points: DevicePoints::from_voxels(stream, &sources, dims, geometry)?,
            weights: stream.upload(&own)?,
        };
        // the same grid, so that coordinates are what they are in the whole
        let mut mine = zeroed_or_unwind(words.len());
        mine[part.clone()].copy_from_slice(&words[part]);
        let mask = DeviceMask::from_words(stream, &mine, dims, geometry)?;
        let forces = Job {
            stream,
            sources: &sources,
            targets: &Targets::new(stream, &mask)?,
            params,
            whole: Some(whole),
            counter,
        }
        .compute()?;
        Ok(stream.download(&forces)?)
    };
    let made = run_workers(parts, |worker, part| {
        catch_out_of_memory(|| forces_of(worker, part)).map_err(Stop::Failed)
    })?;
    if let Some(counter) = counter {
        // no device's failure
        counter.add(0).map_err(DeviceError::from)?;
    }
    let made = collect_results(streams.iter().map(Stream::device), made)?;
    Ok(first.upload(&concat_or_unwind(&made))?)
}

/// How many bits of words are 1.
fn ones(words: &[u32]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// How many runs have a bit that is 1.
fn runs(words: &[u32]) -> u64 {
    let in_run = (1 << RUN) - 1;
    let starts = (0..32).step_by(RUN as usize);
    let of = |&word: &u32| {
        starts
            .clone()
            .filter(move |start| word >> start & in_run != 0)
    };
    words.iter().map(|word| of(word).count() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted() {
        assert_eq!(runs(&[0, 1, 0xf, 0x11, u32::MAX, 0x8000_0000]), 13);
    }
}
