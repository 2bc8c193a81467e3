//! A mask made of bools, and a distance map of it: how far it is from each voxel to the mask, and
//! to which voxel of it.
//!
//! Distances are in world units, here millimetres, also where voxels are longer than they are wide.

use ferrovox::{
    device::Device,
    distance::{self, DistanceParams, NearestIndices, Sites, fastest_exact_method},
    grid::{Geometry, Mask, Points},
    nalgebra::Point3,
};
use std::error::Error;

const DIMS: [usize; 3] = [48, 40, 20];

/// The voxel with a linear index: x is fastest.
fn voxel_of(index: usize) -> [usize; 3] {
    let [nx, ny, _] = DIMS;
    [index % nx, index / nx % ny, index / (nx * ny)]
}

/// Where a voxel's centre is in the world.
fn centre(geometry: &Geometry, voxel: [usize; 3]) -> Point3<f64> {
    geometry.index_to_world(voxel.map(|i| i as f64).into())
}

/// The distance from a place to the nearest of others, by a loop over all of them.
fn by_brute_force(from: Point3<f64>, to: impl Iterator<Item = Point3<f64>>) -> f64 {
    to.map(|place| (place - from).norm())
        .fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn Error>> {
    // 1. A grid: voxels of 0.5 x 0.5 x 2 mm, and where voxel (0, 0, 0) is in the world.
    let geometry = Geometry::from_spacing([0.5, 0.5, 2.0], [-12.0, -10.0, -20.0])?;

    // 2. The mask: one bool for each voxel. Here a beam along x, and a single voxel far from it.
    let voxels: Vec<bool> = (0..DIMS.iter().product())
        .map(voxel_of)
        .map(|[x, y, z]| {
            let beam = (8..40).contains(&x) && (4..8).contains(&y) && (3..5).contains(&z);
            beam || [x, y, z] == [10, 30, 15]
        })
        .collect();
    let mask = Mask::from_bools(&voxels, DIMS, geometry)?;

    // 3. The map. The mask's voxels are its sites; which one is the nearest is only found if asked
    //    for.
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
        _ => unreachable!("a grid of so few voxels has indices of 32 bits"),
    };
    println!(
        "{device}: {} sites in {} voxels",
        mask.count(),
        voxels.len()
    );

    // 4. The same with a loop over all sites, for some voxels.
    let all_sites = (0..voxels.len()).filter(|&index| voxels[index]);
    let centres = all_sites.map(|index| centre(&geometry, voxel_of(index)));
    for voxel in [[0, 0, 0], [10, 30, 12], [20, 20, 4], [47, 39, 19]] {
        let index = voxel[0] + DIMS[0] * (voxel[1] + DIMS[1] * voxel[2]);
        let (found, site) = (distances.samples()[index], nearest[index] as usize);
        let from = centre(&geometry, voxel);
        assert_eq!(found, by_brute_force(from, centres.clone()) as f32);
        assert!(voxels[site]);
        assert_eq!(
            found,
            (centre(&geometry, voxel_of(site)) - from).norm() as f32
        );
        println!(
            "voxel {voxel:?}: {found:.3} mm to voxel {:?}",
            voxel_of(site)
        );
    }

    // 5. Sites need not be voxels: here they are two places in the world, one of them outside the
    //    grid. The default method is for voxels; `fastest_exact_method` names one for points.
    let places = [Point3::new(0.1, 0.2, -3.0), Point3::new(5.0, 50.0, 0.0)];
    let points = Points::from_world(&places, DIMS, geometry)?.upload(&stream)?;
    let params = DistanceParams {
        method: fastest_exact_method(Sites::Points(&points), false),
        ..DistanceParams::default()
    };
    let map = distance::transform(&stream, Sites::Points(&points), &params)?;
    let found = map
        .download(&stream)?
        .get([24, 39, 8])
        .expect("it is in the grid");
    let from = centre(&geometry, [24, 39, 8]);
    let expected = by_brute_force(from, places.into_iter());
    assert!((f64::from(found) - expected).abs() < 1e-4);
    println!(
        "from voxel [24, 39, 8] to the nearest of {} points: {found:.3} mm",
        points.len()
    );
    Ok(())
}
