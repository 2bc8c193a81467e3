//! The volumes that are measured.

use crate::{arguments::Job, support::Outcome};
use ferrovox::{
    device::{Element, Stream},
    grid::{DeviceVolume, Geometry, Volume},
    synthetic::{self, Levels, Quantised},
};
use std::{f64::consts::TAU, str::FromStr};

/// A sample type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleType {
    U8,
    I8,
    U16,
    I16,
    F32,
}

impl SampleType {
    pub const ALL: [SampleType; 5] = [
        SampleType::U8,
        SampleType::I8,
        SampleType::U16,
        SampleType::I16,
        SampleType::F32,
    ];

    pub fn name(self) -> &'static str {
        match self {
            SampleType::U8 => "u8",
            SampleType::I8 => "i8",
            SampleType::U16 => "u16",
            SampleType::I16 => "i16",
            SampleType::F32 => "f32",
        }
    }

    /// How values become samples of this type. The offset, which is the isovalue, is half a level
    /// away from every sample of an integer type.
    pub fn levels(self, field: Field) -> Levels {
        // a gyroid's values reach ±1.5; of a sphere's distances those near the surface matter
        let (offset, gyroid) = match self {
            SampleType::U8 => (127.5, 80.0),
            SampleType::I8 => (0.5, 80.0),
            SampleType::U16 => (32767.5, 20_000.0),
            SampleType::I16 => (0.5, 20_000.0),
            SampleType::F32 => (0.0, 1.0),
        };
        let sphere = match self {
            SampleType::U8 | SampleType::I8 => 16.0,
            SampleType::U16 | SampleType::I16 => 256.0,
            SampleType::F32 => 1.0,
        };
        let scale = match field {
            Field::Gyroid | Field::Noise => gyroid,
            Field::Sphere => sphere,
        };
        Levels { scale, offset }
    }
}

/// A field.
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
            _ => Err("there are gyroid, sphere and noise".into()),
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

/// The volume of a job. A sphere is made in its own type; a gyroid of another type than `f32` is
/// one of `f32` first, which is freed before anything is measured.
pub fn volume<T: Quantised + Element>(stream: &Stream, job: &Job) -> Outcome<DeviceVolume<T>> {
    let dims = [job.size; 3];
    let levels = job.sample.levels(job.field);
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
            let values = (0..job.size.pow(3)).map(|at| hashed(at as u64)).collect();
            let values = Volume::new(values, dims, Geometry::default())?;
            let values = DeviceVolume::upload(stream, values.view())?;
            Ok(synthetic::quantise(stream, &values, levels)?)
        }
    }
}

/// A number from -1 to 1 that looks random: SplitMix64.
fn hashed(number: u64) -> f32 {
    let z = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ z >> 31) >> 40) as f32 / (1u64 << 23) as f32 - 1.0
}
