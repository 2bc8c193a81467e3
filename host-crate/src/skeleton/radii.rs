//! Distances to the surface along a skeleton.

use super::{Classes, Skeleton, SkeletonError};
use crate::{
    device::Stream,
    distance::{self, DistanceParams, NoSites, Sites, sites::over},
};
use ferrovox_kernels::skeleton::radii::sample_at;

/// Gives all nodes and points of edges their radius: the distance to the nearest surface voxel's centre, from the exact distance map, and half a voxel.
pub fn measure(
    stream: &Stream,
    classes: &Classes,
    skeleton: &mut Skeleton,
) -> Result<(), SkeletonError> {
    let params = DistanceParams {
        no_sites: NoSites::Infinity,
        ..DistanceParams::default()
    };
    let map = distance::map(stream, Sites::Voxels(&classes.surface), &params)?;
    let nodes = skeleton.nodes.iter().map(|node| &node.position);
    let points = skeleton.edges.iter().flat_map(|edge| &edge.points);
    let flat: Vec<f32> = nodes
        .chain(points)
        .flat_map(|at| [at.x as f32, at.y as f32, at.z as f32])
        .collect();
    let at = stream.upload(&flat)?;
    let mut radii = stream.alloc::<f32>(flat.len() / 3)?;
    let (launch, items) = over(stream, radii.len() as u64);
    // SAFETY: the map has the samples of its grid, each point three coordinates, and there is a radius for each point.
    unsafe {
        let args = (
            map.distances.view(),
            classes.surface.grid,
            at.view(),
            items,
            radii.view_mut(),
        );
        stream.launch::<sample_at>(launch, args)?;
    }
    let spacing: [f64; 3] = skeleton.geometry.spacing().into();
    let half = 0.5 * spacing.into_iter().fold(f64::INFINITY, f64::min);
    let mut radii = stream
        .download(&radii)?
        .into_iter()
        .map(|r| f64::from(r) + half);
    let mut next = || radii.next().expect("one for each point");
    for node in &mut skeleton.nodes {
        node.radius = next();
    }
    for edge in &mut skeleton.edges {
        edge.radii.fill_with(&mut next);
    }
    Ok(())
}
