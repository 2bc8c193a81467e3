//! Prints the properties of the skeletons of analytic solids: critical points and the Euler
//! characteristic, components, cycles, length, and the distance of the curves from the ridge of the
//! distance map.
//!
//! `cargo run --release -p ferrovox-tests --example skeletons -- [PART OF A NAME] [DEVICE]
//! [EXPONENT]…`

use ferrovox::{
    device::{Device, Stream},
    distance::{self, DistanceParams, Sites},
    grid::{DeviceMask, DeviceVolume, Volume},
    skeleton::{
        Skeleton,
        potential_field::{self, Hierarchy, SurfaceNeighbours},
    },
};
use ferrovox_tests::solids::Solid;
use nalgebra::{Point3, Vector3};

fn solids() -> Vec<Solid> {
    let straight = vec![
        Solid::capsule(9.0, 41.0),
        Solid::tube(8.0, 80.0),
        Solid::y_of_tubes(7.0, 26.0),
        Solid::l_bar(4.5, 40.0),
        Solid::torus(22.0, 8.0),
        Solid::double_torus(16.0, 6.0),
        Solid::ball(11.0),
        Solid::ellipsoid([16.0, 10.0, 8.0]),
        Solid::cuboid([20.0, 7.0, 7.0]),
        Solid::cuboid([14.0, 12.0, 8.0]),
        Solid::shell(14.0, 4.0),
    ];
    let mut all = Vec::new();
    for solid in straight {
        all.push(solid.shifted([1.0, 0.0, 0.0]));
        all.push(solid.shifted([0.5, 0.25, 0.0]));
        all.push(solid.rotated([0.0, 0.0, 1.0], 0.5));
        all.push(solid.rotated([1.0, 2.0, 3.0], 0.9));
        all.push(solid);
    }
    all
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().cloned().unwrap_or_default();
    let device: Device = match arguments.get(1) {
        Some(device) => device.parse()?,
        None => Device::best(),
    };
    let exponents: Vec<f64> = match arguments.get(2..) {
        Some(given) if !given.is_empty() => given
            .iter()
            .map(|text| text.parse())
            .collect::<Result<_, _>>()?,
        _ => vec![3.0, 4.0, 5.0, 6.0],
    };
    let stream = device.stream()?;
    for solid in solids().iter().filter(|solid| solid.name.contains(&name)) {
        for &exponent in &exponents {
            show(&stream, solid, exponent)?;
        }
    }
    Ok(())
}

fn show(stream: &Stream, solid: &Solid, exponent: f64) -> Result<(), Box<dyn std::error::Error>> {
    let voxels = DeviceVolume::upload(stream, solid.voxels().view())?;
    let mask = DeviceMask::from_non_zero(stream, &voxels)?;
    let params = potential_field::Params {
        exponent,
        hierarchy: Hierarchy::Core,
        ..potential_field::Params::default()
    };
    let core = potential_field::extract(stream, &mask, &params)?;
    let params = potential_field::Params {
        hierarchy: Hierarchy::Divergence,
        ..params
    };
    let one = potential_field::extract(stream, &mask, &params)?;
    let certificate = core.certificate[0];
    let classes = potential_field::classify(stream, &mask, SurfaceNeighbours::Faces)?;
    let map = distance::transform(
        stream,
        Sites::Voxels(&classes.surface),
        &DistanceParams::default(),
    )?;
    let off = ridge_distances(&core.skeleton, &map.download(stream)?);
    let time: std::time::Duration = one.timings.iter().map(|stage| stage.time).sum();
    println!(
        "{:46} m {exponent} {} - {} + {} = {:2} {} core: {} components {} cycles {:6.2} long, {:.2} (max {:.2}) off the ridge; divergence: {} components {} cycles {:6.2} long, {:.0} ms",
        solid.name,
        certificate.attracting,
        certificate.saddles_index1,
        certificate.saddles_index2,
        certificate.euler_solid,
        if certificate.is_balanced() {
            "ok "
        } else {
            "NOT"
        },
        core.skeleton.components().count,
        core.skeleton.cycles(),
        core.skeleton.length(),
        off.0,
        off.1,
        one.skeleton.components().count,
        one.skeleton.cycles(),
        one.skeleton.length(),
        time.as_secs_f64() * 1e3,
    );
    Ok(())
}

/// Radius in which the ridge is searched around a point, and step of the search, in voxels.
const SEARCH_RADIUS: i32 = 6;
const STEP: f64 = 0.5;

/// Height difference, in voxels, up to which points count as part of the ridge's plateau.
const PLATEAU_TOLERANCE: f64 = 0.02;

/// Returns the mean and the maximum distance of a skeleton's points from the ridge of the distance
/// map, measured across the curve, in voxels.
fn ridge_distances(skeleton: &Skeleton, map: &Volume<f32>) -> (f64, f64) {
    let (mut sum, mut count, mut max) = (0.0, 0, 0.0f64);
    for edge in &skeleton.edges {
        for two in edge.points.windows(2) {
            let Some(direction) = (two[1] - two[0]).try_normalize(1e-9) else {
                continue;
            };
            let centre = nalgebra::center(&two[0], &two[1]);
            let off = ridge_distance_at(map, centre, direction);
            sum += off;
            count += 1;
            max = max.max(off);
        }
    }
    (sum / f64::from(count.max(1)), max)
}

fn ridge_distance_at(map: &Volume<f32>, centre: Point3<f64>, direction: Vector3<f64>) -> f64 {
    let helper = if direction.x.abs() < 0.7 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let transverse = direction.cross(&helper).normalize();
    let up = direction.cross(&transverse);
    let offsets = (-SEARCH_RADIUS..=SEARCH_RADIUS).flat_map(|i| {
        (-SEARCH_RADIUS..=SEARCH_RADIUS).map(move |j| [i, j].map(|k| f64::from(k) * STEP))
    });
    let heights: Vec<(f64, f64)> = offsets
        .map(|[a, b]| {
            let at = centre + a * transverse + b * up;
            (sample(map, at), a.hypot(b))
        })
        .collect();
    let highest = heights
        .iter()
        .map(|&(height, _)| height)
        .fold(0.0, f64::max);
    let ridge = heights
        .iter()
        .filter(|&&(height, _)| height >= highest - PLATEAU_TOLERANCE);
    ridge.map(|&(_, off)| off).fold(f64::INFINITY, f64::min)
}

/// Returns the trilinear interpolant.
fn sample(map: &Volume<f32>, at: Point3<f64>) -> f64 {
    let dims = map.dims();
    let corner = at.map(f64::floor);
    let part = at - corner;
    (0..8)
        .map(|k| {
            let side = [k & 1, k >> 1 & 1, k >> 2].map(f64::from);
            let position = [0, 1, 2].map(|axis| {
                let voxel = corner[axis] + side[axis];
                voxel.clamp(0.0, dims[axis] as f64 - 1.0) as usize
            });
            let weight: f64 = (0..3)
                .map(|axis| {
                    if side[axis] == 0.0 {
                        1.0 - part[axis]
                    } else {
                        part[axis]
                    }
                })
                .product();
            let index = (position[2] * dims[1] + position[1]) * dims[0] + position[0];
            weight * f64::from(map.samples()[index])
        })
        .sum()
}
