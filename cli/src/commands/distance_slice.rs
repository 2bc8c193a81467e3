//! A plane of a map as a picture.

use crate::{input::by, numbers::PlaneChoice};
use ferrovox::{
    grid::Volume,
    render::{IsolineParams, Picture, isoline_step, isolines},
};

/// Fails if the volume has no such plane.
pub fn check(slice: PlaneChoice, dims: [usize; 3]) -> anyhow::Result<()> {
    let axis = ["x", "y", "z"][slice.axis];
    anyhow::ensure!(
        slice.index < dims[slice.axis],
        "--slice {axis}={}: the volume has {} voxels, so {axis} is 0 to {}",
        slice.index,
        by(dims),
        dims[slice.axis].saturating_sub(1)
    );
    Ok(())
}

/// Draws a plane, and says what lies between two isolines, which is chosen if it is not given. Of the other two axes the first goes
/// to the right and the second upwards.
pub fn draw(
    distances: &Volume<f32>,
    slice: PlaneChoice,
    step: Option<f32>,
    longest_side: u32,
) -> anyhow::Result<(Picture, f32)> {
    let dims = distances.dims();
    let [u, v] = match slice.axis {
        0 => [1, 2],
        1 => [0, 2],
        _ => [0, 1],
    };
    let strides = [1, dims[0], dims[0] * dims[1]];
    let start = slice.index * strides[slice.axis];
    let samples = distances.samples();
    let plane: Vec<f32> = (0..dims[v])
        .flat_map(|j| (0..dims[u]).map(move |i| start + i * strides[u] + j * strides[v]))
        .map(|index| samples[index])
        .collect();
    let step = step.unwrap_or_else(|| isoline_step(&plane));
    let params = IsolineParams {
        step: Some(step),
        longest_side,
    };
    let spacing = distances.geometry().spacing();
    let picture = isolines(
        &plane,
        [dims[u], dims[v]],
        [spacing[u], spacing[v]],
        &params,
    )?;
    Ok((picture, step))
}
