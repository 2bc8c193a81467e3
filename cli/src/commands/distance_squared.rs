//! `--dtype u16` and `u32`: squared distances as whole numbers, without any loss.

use super::{distance_input::Input, distance_map::Made};
use crate::args::{DistanceArgs, SampleName};
use ferrovox::volume::{AnyVolume, Geometry, Volume};

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

/// Whether some distance may be too large for its square to be told from f32.
pub fn needs_nearest(input: &Input) -> bool {
    let spacing = input.geometry.spacing();
    let side = |k: usize| input.dims[k] as f64 * spacing[k];
    let square: f64 = (0..3).map(|k| side(k) * side(k)).sum();
    square >= TOLD_BY_F32 as f64
}

/// The squares as a volume, and whether it is to be stored without a sign.
pub fn squares(
    args: &DistanceArgs,
    input: &Input,
    made: &Made,
) -> anyhow::Result<(AnyVolume, bool)> {
    let most = match args.dtype {
        SampleName::U16 => u64::from(u16::MAX),
        // volumes have no u32, and no volume whose voxels can be counted has larger squares
        _ => i32::MAX as u64,
    };
    let [nx, ny, _] = input.dims;
    let distances = made.distances.samples();
    let mut squares: Vec<i32> = Vec::with_capacity(distances.len());
    for index in 0..distances.len() {
        let square = square(input, made, index);
        anyhow::ensure!(
            square <= most,
            "{}: voxel ({}, {}, {}) has the squared distance {square}, which does not fit in {}; write --dtype {}, or bound the \
             distances by --max-distance",
            input.name,
            index % nx,
            index / nx % ny,
            index / nx / ny,
            args.dtype.name(),
            if args.dtype == SampleName::U16 {
                "u32"
            } else {
                "f32"
            },
        );
        squares.push(square as i32);
    }
    let (dims, geometry) = (input.dims, input.geometry);
    if args.dtype == SampleName::U16 {
        let narrow = squares.iter().map(|&square| square as u16).collect();
        return Ok((Volume::<u16>::new(narrow, dims, geometry)?.into(), false));
    }
    Ok((Volume::new(squares, dims, geometry)?.into(), true))
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
