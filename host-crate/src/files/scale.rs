//! Scaling of stored samples to values.

use rayon::prelude::*;

use super::Scaling;
use crate::volume::{AnyVolume, Sample, Volume, with_volume};

/// Applies `slope · sample + intercept`, computed in f64. The result is f32, or f64 where the samples were.
pub(crate) fn scale(volume: AnyVolume, scaling: Scaling) -> AnyVolume {
    if let AnyVolume::F64(mut volume) = volume {
        volume
            .samples_mut()
            .par_iter_mut()
            .for_each(|sample| *sample = scaling.apply(*sample));
        return volume.into();
    }
    with_volume!(volume, volume => scale_to_f32(volume, scaling).into())
}

fn scale_to_f32<T: Sample>(volume: Volume<T>, scaling: Scaling) -> Volume<f32> {
    let samples = volume
        .samples()
        .par_iter()
        .map(|sample| scaling.apply(sample.to_f64()) as f32)
        .collect();
    volume.with_samples(samples)
}

impl Scaling {
    /// True when the scaling changes nothing.
    pub fn is_identity(&self) -> bool {
        self.slope == 1.0 && self.intercept == 0.0
    }

    /// The value of a stored sample.
    pub fn apply(&self, sample: f64) -> f64 {
        self.slope * sample + self.intercept
    }
}
