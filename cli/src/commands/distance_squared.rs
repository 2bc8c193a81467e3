//! `--dtype u16` and `u32`: squared distances as whole numbers, without any loss.

use super::{
    distance_input::Input,
    distance_map::{Made, Placed},
};
use crate::{
    args::{DistanceArgs, SampleName},
    phases::Phases,
};
use anyhow::Context;
use ferrovox::{
    device::{DeviceError, Stream},
    distance::{DistanceError, DistanceParams, Method, SquaredMap},
    grid::{AnyVolume, Geometry, Volume, VolumeError},
};

/// Below this square the square of a distance in f32 is less than ½ off: a distance is off by 2⁻²⁴ of itself at most, its square
/// by 2⁻²³ of itself.
const TOLD_BY_F32: u64 = 1 << 22;

/// Fails if squared distances are not whole numbers.
pub fn check(name: &str, geometry: &Geometry, max_distance: Option<f64>) -> anyhow::Result<()> {
    let spacing = geometry.spacing();
    anyhow::ensure!(
        spacing.iter().all(|step| step.fract() == 0.0),
        "{name}: with a spacing of {}, {} and {} squared distances are no whole numbers; write --dtype f32, or measure in voxels \
         with --spacing 1",
        spacing.x,
        spacing.y,
        spacing.z
    );
    if let Some(bound) = max_distance {
        anyhow::ensure!(
            (bound * bound).fract() == 0.0,
            "the square of --max-distance {bound} is no whole number; write --dtype f32, or give another bound"
        );
    }
    Ok(())
}

/// Whether the library makes the squares; else they are told from distances and sites.
pub fn by_the_device(params: &DistanceParams) -> bool {
    params.method == Method::Separable && !params.nearest
}

/// Whether squares are told from distances, of which some may be too large.
pub fn needs_nearest(input: &Input, params: &DistanceParams) -> bool {
    let spacing = input.geometry.spacing();
    let side = |k: usize| input.dims[k] as f64 * spacing[k];
    let square: f64 = (0..3).map(|k| side(k) * side(k)).sum();
    !by_the_device(params) && square >= TOLD_BY_F32 as f64
}

/// Squared distances that the library has made, on the host.
pub struct Squares {
    values: Values,
    /// What 1 stands for, squared.
    unit: f64,
}

enum Values {
    U16(Vec<u16>),
    U32(Vec<u32>),
}

impl Squares {
    /// Makes them.
    pub fn make(
        phases: &mut Phases,
        args: &DistanceArgs,
        stream: &Stream,
        placed: &Placed,
        params: &DistanceParams,
        input: &Input,
    ) -> anyhow::Result<Self> {
        let spacing = input.geometry.spacing();
        // what fits in such units need not fit in others
        let is_unit = spacing.iter().all(|&step| step == 1.0);
        let made = match args.dtype {
            SampleName::U16 if is_unit => {
                let map = phases.run("map", || placed.squared_map::<u16>(stream, params));
                map.and_then(|map| Ok(Self::of(&map, phases, stream, Values::U16)?))
            }
            _ => {
                let map = phases.run("map", || placed.squared_map::<u32>(stream, params));
                map.and_then(|map| Ok(Self::of(&map, phases, stream, Values::U32)?))
            }
        };
        match made {
            Err(DistanceError::SquareTooLarge { largest, unit, .. }) => {
                let largest = largest as f64 * unit * unit;
                Err(too_large(args, input, largest as u64))
            }
            other => other.with_context(|| input.name.clone()),
        }
    }

    fn of<S: ferrovox::distance::Square>(
        map: &SquaredMap<S>,
        phases: &mut Phases,
        stream: &Stream,
        values: fn(Vec<S>) -> Values,
    ) -> Result<Self, DeviceError> {
        let squares = phases.run("download", || map.download(stream))?;
        Ok(Self {
            values: values(squares),
            unit: map.unit(),
        })
    }

    fn len(&self) -> usize {
        match &self.values {
            Values::U16(values) => values.len(),
            Values::U32(values) => values.len(),
        }
    }

    /// In units.
    fn at(&self, index: usize) -> u64 {
        match &self.values {
            Values::U16(values) => values[index].into(),
            Values::U32(values) => values[index].into(),
        }
    }

    /// Their roots.
    pub fn distances(&self, bound: Option<f64>, input: &Input) -> Result<Volume<f32>, VolumeError> {
        // beyond the bound they may be rounded up
        let bound = bound.unwrap_or(f64::INFINITY);
        let root = |index| (self.unit * (self.at(index) as f64).sqrt()).min(bound) as f32;
        let distances = (0..self.len()).map(root).collect();
        Volume::new(distances, input.dims, input.geometry)
    }
}

/// The squares as a volume, and whether it is to be stored without a sign.
pub fn squares(
    args: &DistanceArgs,
    input: &Input,
    made: &Made,
) -> anyhow::Result<(AnyVolume, bool)> {
    match &made.squares {
        Some(squares) => {
            let of_unit = (squares.unit * squares.unit) as u64;
            // beyond the bound they may be rounded up
            let bound = args
                .max_distance
                .map_or(u64::MAX, |bound| (bound * bound) as u64);
            let square = |index| (squares.at(index) * of_unit).min(bound);
            volume(args, input, square)
        }
        None => volume(args, input, |index| square(input, made, index)),
    }
}

fn volume(
    args: &DistanceArgs,
    input: &Input,
    square: impl Fn(usize) -> u64,
) -> anyhow::Result<(AnyVolume, bool)> {
    let (dims, geometry) = (input.dims, input.geometry);
    let voxels = 0..dims.iter().product();
    let largest = voxels.clone().map(&square).max().unwrap_or(0);
    if largest > most(args.dtype) {
        return Err(too_large(args, input, largest));
    }
    if args.dtype == SampleName::U16 {
        let narrow = voxels.map(|index| square(index) as u16).collect();
        return Ok((Volume::<u16>::new(narrow, dims, geometry)?.into(), false));
    }
    let wide = voxels.map(|index| square(index) as i32).collect();
    Ok((Volume::<i32>::new(wide, dims, geometry)?.into(), true))
}

/// The largest square that can be written.
fn most(dtype: SampleName) -> u64 {
    match dtype {
        SampleName::U16 => u16::MAX.into(),
        // volumes have no u32
        _ => i32::MAX as u64,
    }
}

fn too_large(args: &DistanceArgs, input: &Input, largest: u64) -> anyhow::Error {
    let other = match args.dtype {
        SampleName::U16 => "u32",
        _ => "f32",
    };
    let most = most(args.dtype);
    anyhow::anyhow!(
        "{}: squared distances are up to {largest}, which does not fit in {} (up to {most}); write --dtype {other}, or bound the \
         distances by --max-distance up to {}",
        input.name,
        args.dtype.name(),
        most.isqrt()
    )
}

fn square(input: &Input, made: &Made, index: usize) -> u64 {
    let distance = f64::from(made.distances.samples()[index]);
    let told = (distance * distance).round() as u64;
    let site = made.nearest.as_ref().and_then(|nearest| nearest.at(index));
    match site {
        Some(site) if told >= TOLD_BY_F32 => {
            let (from, to) = (place(index as u64, input.dims), place(site, input.dims));
            let spacing = input.geometry.spacing();
            let along = |k: usize| from[k].abs_diff(to[k]) * spacing[k] as u64;
            (0..3).map(|k| along(k) * along(k)).sum()
        }
        _ => told,
    }
}

fn place(index: u64, dims: [usize; 3]) -> [u64; 3] {
    let [nx, ny] = [dims[0] as u64, dims[1] as u64];
    [index % nx, index / nx % ny, index / nx / ny]
}
