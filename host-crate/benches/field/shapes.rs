//! Targets and sources.

use crate::support::Outcome;
use ferrovox::{
    device::Stream,
    distance::{SiteMask, SitePoints},
    volume::Geometry,
};

/// The radius of a ball of at least so many voxels.
fn radius(count: usize) -> usize {
    let exact = (count as f64 * 0.75 / std::f64::consts::PI).cbrt();
    exact.ceil() as usize + 1
}

/// A mask of so many voxels: those of a ball, but for some at its end.
pub fn ball(stream: &Stream, count: usize) -> Outcome<SiteMask> {
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
    Ok(SiteMask::from_indices(
        stream,
        &voxels,
        [side; 3],
        Geometry::default(),
    )?)
}

/// So many points at voxels around such a ball: on a spiral over a sphere, some of them more than once.
pub fn sphere(stream: &Stream, ball: usize, count: usize) -> Outcome<SitePoints> {
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
    Ok(SitePoints::upload(
        stream,
        &points,
        [side; 3],
        Geometry::default(),
    )?)
}
