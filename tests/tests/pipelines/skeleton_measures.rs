//! Radii, cross-sections and lengths of medial skeletons match the objects.

use ferrovox::{
    graph::Edge,
    grid::{Geometry, Volume},
    monitor::Monitor,
    skeleton::medial::{self, LabelSkeleton},
};
use ferrovox_tests::{
    noise::Noise,
    reference_objects::branched::{self, BranchedSolid, Placement},
};
use nalgebra::{Point3, Vector3};
use std::collections::HashSet;

/// Extracts the skeleton of a volume with one label.
fn skeleton(volume: &Volume<u8>) -> LabelSkeleton {
    let params = medial::Params::default();
    let skeletons = medial::extract(&[], volume.view(), &params, Monitor::new()).unwrap();
    skeletons.labels.into_iter().next().unwrap()
}

/// Returns the mean of the values, or NaN without any.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count)
}

/// Returns the mean radius and the mean area of the sections of a tube, at the points at which
/// sections are defined.
fn mean_radius_and_area(solid: &BranchedSolid, placement: Placement) -> (f64, f64) {
    let found = skeleton(&solid.voxelize(placement).voxels);
    assert!(found.is_certified(), "{:?}", found.components);
    let measured = |edge: &Edge| -> Vec<(f64, f64)> {
        let radii = edge.radii.iter().zip(&edge.section_areas);
        radii
            .filter_map(|(&radius, area)| Some((radius, (*area)?)))
            .collect()
    };
    let points: Vec<(f64, f64)> = found.skeleton.edges.iter().flat_map(measured).collect();
    assert!(points.len() > 5, "{points:?}");
    let radius = mean(points.iter().map(|point| point.0));
    let area = mean(points.iter().map(|point| point.1));
    (radius, area)
}

#[test]
fn section_areas_of_tubes_are_exact_at_any_orientation() {
    for (radius, spacing) in [
        (0.9, [1.0; 3]),
        (1.5, [1.0; 3]),
        (3.0, [1.0; 3]),
        (8.0, [1.0; 3]),
        (1.5, [0.5, 0.5, 2.5]),
        (3.0, [0.5, 0.5, 2.5]),
        (8.0, [0.5, 0.5, 2.5]),
    ] {
        let truth = std::f64::consts::PI * radius * radius;
        let mut errors = Vec::new();
        let mut radius_errors = Vec::new();
        for rotation in 1..7 {
            let placement = Placement {
                rotation,
                spacing,
                flipped: 0.0,
            };
            let solid = branched::tube(radius, 30.0 + 4.0 * radius);
            let (found, area) = mean_radius_and_area(&solid, placement);
            errors.push(area / truth - 1.0);
            radius_errors.push(found - radius);
        }
        let bias = mean(radius_errors.iter().copied());
        println!("R {radius}, spacing {spacing:?}: areas {errors:.3?}, radius {bias:.3}");
        assert!(
            errors.iter().all(|error| error.abs() <= 0.1),
            "{radius} {spacing:?} {errors:?}"
        );
        assert!(
            (-0.05..=0.25).contains(&bias),
            "{radius} {spacing:?} {radius_errors:?}"
        );
    }
}

#[test]
fn sections_near_junctions_and_ends_are_undefined() {
    let solid = branched::trunk(6.0, 100.0, 3, 1.5, 20.0);
    let found = skeleton(&solid.voxelize(Placement::PLAIN).voxels);
    let skeleton = &found.skeleton;
    let degrees = skeleton.degrees();
    let mut defined = 0;
    for edge in &skeleton.edges {
        assert_eq!(edge.section_areas.len(), edge.points.len());
        let steps = edge
            .points
            .windows(2)
            .map(|step| (step[1] - step[0]).norm());
        let steps: Vec<f64> = steps.collect();
        for (point, area) in edge.section_areas.iter().enumerate() {
            let Some(area) = *area else { continue };
            defined += 1;
            let distances = [
                steps[..point].iter().sum(),
                steps[point..].iter().sum::<f64>(),
            ];
            for (node, distance) in edge.nodes.into_iter().zip(distances) {
                let radius = skeleton.nodes[node].radius.max(edge.radii[point]);
                assert!(degrees[node] == 2 || distance >= 1.49 * radius);
            }
            let radius = (area / std::f64::consts::PI).sqrt();
            assert!((1.2..7.0).contains(&radius), "{radius}");
        }
    }
    assert!(defined > 10, "{defined}");
}

/// The volume is one voxel thick, so that distances across it say nothing.
#[test]
fn images_have_radii_in_their_plane() {
    for (axis, spacing) in [
        (2, [1.0, 1.0, 1.0]),
        (0, [0.1, 0.5, 0.5]),
        (1, [2.0, 9.0, 2.0]),
    ] {
        let mut dims = [1; 3];
        let [along, across] = [(axis + 1) % 3, (axis + 2) % 3];
        (dims[along], dims[across]) = (60, 21);
        let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
        let image = Volume::from_fn(dims, geometry, |x, y, z| {
            let at = [x, y, z];
            u8::from((3..57).contains(&at[along]) && (6..15).contains(&at[across]))
        });
        let found = skeleton(&image.unwrap());
        assert!(found.is_certified(), "{:?}", found.components);
        let [edge] = &found.skeleton.edges[..] else {
            panic!("{:?}", found.skeleton)
        };
        let middle = edge.radii[edge.radii.len() / 2];
        let unit = spacing[across];
        assert!(
            (middle - 5.0 * unit).abs() < 0.03 * unit,
            "axis {axis}: {middle}"
        );
        assert!(edge.section_areas.iter().all(Option::is_none));
    }
}

#[test]
fn single_voxels_have_the_spacing_as_radius() {
    let geometry = Geometry::from_spacing([0.5, 0.7, 3.0], [0.0; 3]).unwrap();
    let volume = Volume::from_fn([3; 3], geometry, |x, y, z| u8::from([x, y, z] == [1; 3]));
    let found = skeleton(&volume.unwrap());
    assert_eq!(found.skeleton.nodes[0].radius, 0.5);
}

/// Returns the length of the skeleton of the voxels that contain the points, in voxels of the given
/// spacing.
fn line_length(points: impl Iterator<Item = Point3<f64>>, spacing: Vector3<f64>) -> f64 {
    let voxels = points.map(|at| (at.coords.component_div(&spacing)).map(|at| at.round() as i64));
    let voxels: HashSet<[i64; 3]> = voxels.map(<[i64; 3]>::from).collect();
    let low = [0, 1, 2].map(|k| voxels.iter().map(|at| at[k]).min().unwrap() - 1);
    let dims =
        [0, 1, 2].map(|k| (voxels.iter().map(|at| at[k]).max().unwrap() + 2 - low[k]) as usize);
    let geometry = Geometry::from_spacing(spacing.into(), [0.0; 3]).unwrap();
    let volume = Volume::from_fn(dims, geometry, |x, y, z| {
        let at = [x as i64 + low[0], y as i64 + low[1], z as i64 + low[2]];
        u8::from(voxels.contains(&at))
    });
    let found = skeleton(&volume.unwrap());
    assert!(found.is_certified(), "{:?}", found.components);
    found.skeleton.length()
}

#[test]
fn lengths_of_one_voxel_lines_are_exact_in_any_direction() {
    let mut noise = Noise(7);
    for spacing in [[1.0; 3], [0.5, 0.5, 1.5], [1.0, 1.0, 2.5]].map(Vector3::from) {
        // one voxel per step along the longest axis, and all voxels that the line passes
        for steps_per_voxel in [1.0, 50.0] {
            let mut ratios = Vec::new();
            for _ in 0..12 {
                let direction = noise.direction();
                let step = direction / direction.component_div(&spacing).amax() / steps_per_voxel;
                let count = (80.0 * steps_per_voxel) as i32;
                let points = (0..=count).map(|k| Point3::origin() + step * f64::from(k));
                ratios.push(line_length(points, spacing) / (f64::from(count) * step.norm()));
            }
            let mean = mean(ratios.iter().copied());
            println!("{spacing:?}, {steps_per_voxel} steps per voxel: {mean:.4}, {ratios:.3?}");
            assert!((mean - 1.0).abs() < 0.01, "{mean}: {ratios:?}");
            assert!(
                ratios.iter().all(|ratio| (ratio - 1.0).abs() < 0.025),
                "{ratios:?}"
            );
        }
    }
}

#[test]
fn lengths_of_one_voxel_curves_are_exact() {
    let turn = std::f64::consts::TAU / 4000.0;
    // a ring, and three turns of a helix
    for (pitch, count) in [(0.0, 4000), (15.0, 12_000)] {
        let on_curve = |k: i32| {
            let angle = f64::from(k) * turn;
            let height = pitch * f64::from(k) / 4000.0;
            Point3::new(25.0 * angle.cos(), 25.0 * angle.sin(), height)
        };
        let truth = f64::from(count) * (25.0 * turn).hypot(pitch / 4000.0);
        let ratio = line_length((0..count).map(on_curve), Vector3::repeat(1.0)) / truth;
        println!("pitch {pitch}: {ratio:.4}");
        assert!((ratio - 1.0).abs() < 0.01, "pitch {pitch}: {ratio}");
    }
}

#[test]
fn curves_of_thicker_parts_keep_their_corners() {
    // an L of bars of 3 x 3 voxels: its curve is centred, with a corner
    let bars = Volume::from_fn([40, 40, 7], Geometry::default(), |x, y, z| {
        let is_bar =
            |along: usize, across: usize| (2..38).contains(&along) && (2..5).contains(&across);
        u8::from((is_bar(x, y) || is_bar(y, x)) && (2..5).contains(&z))
    });
    let length = skeleton(&bars.unwrap()).skeleton.length();
    assert!((66.0..70.5).contains(&length), "{length}");
}
