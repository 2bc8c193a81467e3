//! Creates a mask from booleans and computes its distance map: the distance from each voxel to the
//! mask, and the nearest voxel of the mask.
//!
//! Distances are in world units, here millimetres, also for anisotropic voxels.

use ferrovox::{
    device::Device,
    distance::{self, DistanceParams, NearestIndices, Sites, fastest_exact_method},
    grid::{Geometry, Mask, Points},
    nalgebra::Point3,
};
use std::error::Error;

const DIMS: [usize; 3] = [48, 40, 20];

/// Returns the voxel with a linear index (x fastest).
fn voxel_at(index: usize) -> [usize; 3] {
    let [nx, ny, _] = DIMS;
    [index % nx, index / nx % ny, index / (nx * ny)]
}

/// Returns the world coordinates of a voxel's centre.
fn world_centre(geometry: &Geometry, voxel: [usize; 3]) -> Point3<f64> {
    geometry.index_to_world(voxel.map(|i| i as f64).into())
}

/// Returns the distance from a point to the nearest of several points by comparing all of them.
fn brute_force_distance(from: Point3<f64>, to: impl Iterator<Item = Point3<f64>>) -> f64 {
    to.map(|position| (position - from).norm())
        .fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn Error>> {
    // 1. A grid: voxels of 0.5 x 0.5 x 2 mm, and the world coordinates of voxel (0, 0, 0).
    let geometry = Geometry::from_spacing([0.5, 0.5, 2.0], [-12.0, -10.0, -20.0])?;

    // 2. The mask: one bool per voxel. Here a beam along x, and a single voxel far from it.
    let voxels: Vec<bool> = (0..DIMS.iter().product())
        .map(voxel_at)
        .map(|[x, y, z]| {
            let beam = (8..40).contains(&x) && (4..8).contains(&y) && (3..5).contains(&z);
            beam || [x, y, z] == [10, 30, 15]
        })
        .collect();
    let mask = Mask::from_bools(&voxels, DIMS, geometry)?;

    // 3. The map. The sites are the voxels of the mask; nearest sites are computed on request.
    let device = Device::best();
    let stream = device.stream()?;
    let sites = mask.upload(&stream)?;
    let params = DistanceParams {
        nearest: true,
        ..DistanceParams::default()
    };
    let map = distance::transform(&stream, Sites::Voxels(&sites), &params)?;
    let distances = map.download(&stream)?;
    let nearest = match &map.nearest {
        Some(NearestIndices::U32(nearest)) => stream.download(nearest)?,
        _ => unreachable!("a grid of this size has 32-bit indices"),
    };
    println!(
        "{device}: {} sites in {} voxels",
        mask.count(),
        voxels.len()
    );

    // 4. The same distances by comparing all sites, for some voxels.
    let all_sites = (0..voxels.len()).filter(|&index| voxels[index]);
    let centres = all_sites.map(|index| world_centre(&geometry, voxel_at(index)));
    for voxel in [[0, 0, 0], [10, 30, 12], [20, 20, 4], [47, 39, 19]] {
        let index = voxel[0] + DIMS[0] * (voxel[1] + DIMS[1] * voxel[2]);
        let (found, site) = (distances.samples()[index], nearest[index] as usize);
        let from = world_centre(&geometry, voxel);
        assert_eq!(found, brute_force_distance(from, centres.clone()) as f32);
        assert!(voxels[site]);
        assert_eq!(
            found,
            (world_centre(&geometry, voxel_at(site)) - from).norm() as f32
        );
        println!(
            "voxel {voxel:?}: {found:.3} mm to voxel {:?}",
            voxel_at(site)
        );
    }

    // 5. Sites need not be voxels: here they are two points in the world, one of them outside the
    //    grid. The default method is for voxels; `fastest_exact_method` returns one for points.
    let positions = [Point3::new(0.1, 0.2, -3.0), Point3::new(5.0, 50.0, 0.0)];
    let points = Points::from_world(&positions, DIMS, geometry)?.upload(&stream)?;
    let params = DistanceParams {
        method: fastest_exact_method(Sites::Points(&points), false),
        ..DistanceParams::default()
    };
    let map = distance::transform(&stream, Sites::Points(&points), &params)?;
    let found = map
        .download(&stream)?
        .get([24, 39, 8])
        .expect("the voxel is in the grid");
    let from = world_centre(&geometry, [24, 39, 8]);
    let expected = brute_force_distance(from, positions.into_iter());
    assert!((f64::from(found) - expected).abs() < 1e-4);
    println!(
        "from voxel [24, 39, 8] to the nearest of {} points: {found:.3} mm",
        points.len()
    );
    Ok(())
}
