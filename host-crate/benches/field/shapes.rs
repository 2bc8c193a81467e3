//! Targets and sources: voxels of a ball and a sphere around it, and of a tube.

use crate::support::Outcome;
use ferrovox::{
    device::Stream,
    grid::{DeviceMask, DevicePoints, Geometry},
    skeleton::potential_field::{SurfaceNeighbours, classify, field::Sources},
};

/// Returns the radius of a ball of at least `count` voxels.
fn radius(count: usize) -> usize {
    let exact = (count as f64 * 0.75 / std::f64::consts::PI).cbrt();
    exact.ceil() as usize + 1
}

/// Returns a mask of the first `count` voxels, in index order, of a ball with at least as many.
pub fn ball(stream: &Stream, count: usize) -> Outcome<DeviceMask> {
    let radius = radius(count) as i64;
    let side = 2 * (radius + 3) as usize + 1;
    let centre = radius + 3;
    let voxels = (0..(side * side * side) as u64).filter(|&voxel| {
        let side = side as i64;
        let voxel = voxel as i64;
        let at = [voxel % side, voxel / side % side, voxel / side / side];
        at.map(|a| (a - centre).pow(2)).iter().sum::<i64>() <= radius * radius
    });
    let voxels: Vec<u64> = voxels.take(count).collect();
    if voxels.len() < count {
        return Err(format!("a ball of radius {radius} has only {} voxels", voxels.len()).into());
    }
    Ok(DeviceMask::from_indices(
        stream,
        &voxels,
        [side; 3],
        Geometry::default(),
    )?)
}

/// Returns `count` points, rounded to voxels, on a spiral over a sphere around the [`ball`] of
/// `ball` voxels. Some may coincide.
pub fn sphere(stream: &Stream, ball: usize, count: usize) -> Outcome<Sources> {
    let radius = radius(ball) as f64 + 2.0;
    let centre = radius + 1.0;
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let points: Vec<[f32; 3]> = (0..count)
        .map(|i| {
            let z = 1.0 - (2 * i + 1) as f64 / count as f64;
            let (across, angle) = ((1.0 - z * z).sqrt(), golden * i as f64);
            let at = [across * angle.cos(), across * angle.sin(), z];
            at.map(|a| (centre + radius * a).round() as f32)
        })
        .collect();
    let side = 2 * centre as usize + 1;
    let points = DevicePoints::from_voxels(stream, &points, [side; 3], Geometry::default())?;
    Ok(Sources::new(stream, points)?)
}

/// Radius and length of a tube in voxels. Even numbers, so that no voxel is at the centre, where
/// the force is exactly 0.
const TUBE_RADIUS_AND_LENGTH: [usize; 2] = [8, 200];

/// Returns every fourth voxel on the axis of a tube, except near its ends, and the voxels of its
/// surface.
pub fn axis_of_tube(stream: &Stream) -> Outcome<(DeviceMask, Sources)> {
    let [radius, length] = TUBE_RADIUS_AND_LENGTH;
    let dims = [2 * radius + 5, 2 * radius + 5, length + 4];
    let centre = radius + 2;
    let index = |[x, y, z]: [usize; 3]| ((z * dims[1] + y) * dims[0] + x) as u64;
    let across = (0..dims[0] * dims[1]).map(|i| [i % dims[0], i / dims[0]]);
    let is_inside = |at: &[usize; 2]| {
        let squared = |a: usize| a.abs_diff(centre).pow(2);
        squared(at[0]) + squared(at[1]) <= radius * radius
    };
    let solid: Vec<u64> = across
        .filter(is_inside)
        .flat_map(|[x, y]| (2..2 + length).map(move |z| [x, y, z]))
        .map(index)
        .collect();
    let solid = DeviceMask::from_indices(stream, &solid, dims, Geometry::default())?;
    let classes = classify(stream, &solid, SurfaceNeighbours::Corners)?;
    let along = (2 + radius..2 + length - radius).step_by(4);
    let axis = along.map(|z| index([centre, centre, z]));
    let axis: Vec<u64> = axis.collect();
    Ok((
        DeviceMask::from_indices(stream, &axis, dims, Geometry::default())?,
        Sources::from_surface(stream, &classes)?,
    ))
}
