//! Volumes to measure.

use crate::{arguments::Job, support::Outcome};
use ferrovox::{
    device::{Element, Stream},
    grid::{DeviceVolume, Geometry, SampleType, Volume},
    synthetic::{self, Levels, Quantised},
};
use std::{f64::consts::TAU, str::FromStr};

macro_rules! list_kernel_sample_types {
    ([$(($variant:ident, $type:ident)),+]) => {
        /// Sample types that kernels read without conversion.
        pub const SAMPLE_TYPES: &[SampleType] = &[$(SampleType::$variant),+];
    };
}
ferrovox::for_kernel_sample_types! { [list_kernel_sample_types] }

/// Returns the conversion of the values of `field` to samples of a type. The offset, which is the
/// isovalue, is half a level away from every integer sample.
pub fn levels(sample_type: SampleType, field: Field) -> Levels {
    // values of a gyroid are within ±1.5; for a sphere, distances near the surface matter
    let (offset, gyroid, sphere) = match sample_type {
        SampleType::U8 => (127.5, 80.0, 16.0),
        SampleType::I8 => (0.5, 80.0, 16.0),
        SampleType::U16 => (32767.5, 20_000.0, 256.0),
        SampleType::I16 | SampleType::I32 | SampleType::I64 => (0.5, 20_000.0, 256.0),
        SampleType::F32 | SampleType::F64 => (0.0, 1.0, 1.0),
    };
    let scale = match field {
        Field::Gyroid | Field::Noise => gyroid,
        Field::Sphere => sphere,
    };
    Levels { scale, offset }
}

/// A scalar field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Gyroid,
    Sphere,
    Noise,
}

impl FromStr for Field {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "gyroid" => Ok(Field::Gyroid),
            "sphere" => Ok(Field::Sphere),
            "noise" => Ok(Field::Noise),
            _ => Err("unknown field; use gyroid, sphere or noise".into()),
        }
    }
}

impl Field {
    pub fn name(self) -> &'static str {
        match self {
            Field::Gyroid => "gyroid",
            Field::Sphere => "sphere",
            Field::Noise => "noise",
        }
    }

    pub fn describe(self, periods: f64) -> String {
        match self {
            Field::Gyroid => format!("gyroid, {periods} periods"),
            Field::Sphere => "sphere, radius 0.4 n".to_owned(),
            Field::Noise => "uniform noise".to_owned(),
        }
    }
}

/// Generates the volume of a job. A sphere is generated in the sample type; a gyroid is generated
/// in `f32` and converted, and the `f32` copy is freed before the measurement.
pub fn volume<T: Quantised + Element>(stream: &Stream, job: &Job) -> Outcome<DeviceVolume<T>> {
    let dims = [job.size; 3];
    let levels = levels(job.sample, job.field);
    match job.field {
        Field::Sphere => {
            let radius = 0.4 * job.size as f32;
            Ok(synthetic::sphere_as(stream, dims, radius, levels)?)
        }
        Field::Gyroid => {
            let values = synthetic::gyroid(stream, dims, job.periods * TAU)?;
            Ok(synthetic::quantise(stream, &values, levels)?)
        }
        Field::Noise => {
            let values = (0..job.size.pow(3))
                .map(|at| pseudo_random(at as u64))
                .collect();
            let values = Volume::new(values, dims, Geometry::default())?;
            let values = DeviceVolume::upload(stream, values.view())?;
            Ok(synthetic::quantise(stream, &values, levels)?)
        }
    }
}

/// Returns a pseudo-random number from -1 to 1 (SplitMix64).
fn pseudo_random(number: u64) -> f32 {
    let z = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ z >> 31) >> 40) as f32 / (1u64 << 23) as f32 - 1.0
}
