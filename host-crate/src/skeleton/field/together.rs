//! Forces by several devices.

use super::{
    Targets,
    job::{Job, Whole},
    progress::Teller,
};
use crate::{
    device::{Buffer, Stream},
    grid::{DeviceMask, DevicePoints},
    partition::workers,
    skeleton::{FieldVariant, SkeletonError, SkeletonParams},
};
use ferrovox_kernels::skeleton::field::RUN;
use std::ops::Range;

/// Four numbers for each voxel of a mask, on the first of several streams, to whose device sources and mask belong. Each device makes those of some
/// planes and rows.
///
/// Slices are those that the first device would have alone, so that each force is added up in the same order as by one device. Waits for all.
pub(super) fn together(
    streams: &[Stream],
    (sources, mask): (&DevicePoints, &DeviceMask),
    params: &SkeletonParams,
    teller: Option<&Teller<'_>>,
) -> Result<Buffer<f32>, SkeletonError> {
    let first = &streams[0];
    let words = mask.download(first)?;
    let sources = sources.download(first)?;
    let whole = Whole {
        stream: first,
        items: match params.variant {
            FieldVariant::Tuned => runs(&words),
            _ => ones(&words),
        },
    };
    let parts = cut(&words, streams.len());
    let made = workers::each(parts, |worker, part| {
        let stream = &streams[worker];
        let (dims, geometry) = (mask.dims(), mask.geometry);
        let sources = DevicePoints::from_voxels(stream, &sources, dims, geometry)?;
        // the same grid, so that coordinates are what they are in the whole
        let mut mine = vec![0; words.len()];
        mine[part.clone()].copy_from_slice(&words[part]);
        let mask = DeviceMask::from_words(stream, &mine, dims, geometry)?;
        let forces = Job {
            stream,
            sources: &sources,
            targets: &Targets::of(stream, &mask)?,
            params,
            whole: Some(whole),
            teller,
        }
        .made()?;
        Ok(stream.download(&forces)?)
    });
    let mut forces = Vec::new();
    for (worker, made) in made.into_iter().enumerate() {
        let made = made.map_err(|source: SkeletonError| SkeletonError::OnDevice {
            device: streams[worker].device().id(),
            number: worker + 1,
            count: streams.len(),
            source: Box::new(source),
        })?;
        forces.extend(made);
    }
    Ok(first.upload(&forces)?)
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

/// Cuts words into parts with about as many bits that are 1.
fn cut(words: &[u32], parts: usize) -> Vec<Range<usize>> {
    let all = ones(words);
    let (mut start, mut before) = (0, 0);
    let part = |number: usize| {
        let wanted = all * number as u64 / parts as u64;
        let first = start;
        while start < words.len() && (before < wanted || number == parts) {
            before += u64::from(words[start].count_ones());
            start += 1;
        }
        first..start
    };
    (1..=parts).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn runs_are_counted() {
        assert_eq!(runs(&[0, 1, 0xf, 0x11, u32::MAX, 0x8000_0000]), 13);
    }

    proptest! {
        #[test]
        fn parts_are_all_and_about_equal(words in prop::collection::vec(any::<u32>(), 0..50), parts in 1usize..9) {
            let cuts = cut(&words, parts);
            prop_assert_eq!(cuts.len(), parts);
            prop_assert_eq!((cuts[0].start, cuts[parts - 1].end), (0, words.len()));
            prop_assert!(cuts.windows(2).all(|pair| pair[0].end == pair[1].start));
            let equal = ones(&words) / parts as u64;
            for part in cuts {
                let found = ones(&words[part]);
                prop_assert!(found.abs_diff(equal) <= 33, "{} of {}", found, equal);
            }
        }
    }
}
