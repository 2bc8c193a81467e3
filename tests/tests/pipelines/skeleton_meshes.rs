//! Skeletons of closed meshes voxelised at several resolutions: as many components and cycles as
//! the mesh and the voxels have.

use ferrovox::{
    device::{Device, Stream},
    grid::{DeviceVolume, Geometry, Volume},
    isosurface::{self, IsosurfaceParams},
    mesh::TriangleMesh,
    monitor::Monitor,
    skeleton::medial,
    voxelize::{VoxelizeParams, mask_to_volume, voxelize},
};
use ferrovox_tests::{
    oracle::{Object, Rules, betti, check},
    reference_objects::distance_to_segment,
};
use nalgebra::Point3;

/// Voxels along the longest side.
const RESOLUTIONS: [u32; 4] = [64, 96, 128, 256];

/// Extracts the surface where a function on [-1, 1]³, negative outside, vanishes.
fn extract_mesh(stream: &Stream, inside: impl Fn(Point3<f64>) -> f64) -> TriangleMesh {
    const SIZE: usize = 48;
    let step = 2.2 / (SIZE - 1) as f64;
    let geometry = Geometry::from_spacing([step; 3], [-1.1; 3]).unwrap();
    let volume = Volume::from_fn([SIZE; 3], geometry, |x, y, z| {
        let at = [x, y, z].map(|along| -1.1 + step * along as f64);
        inside(Point3::from(at)) as f32
    });
    let volume = DeviceVolume::upload(stream, volume.unwrap().view()).unwrap();
    let surface = isosurface::extract(stream, &volume, None, &IsosurfaceParams::default());
    surface.unwrap().download(stream).unwrap()
}

/// Returns how far inside a tube along some segments a point is.
fn tubes(at: Point3<f64>, radius: f64, segments: &[[[f64; 3]; 2]]) -> f64 {
    let distance = |&[from, to]: &[[f64; 3]; 2]| distance_to_segment(at, from.into(), to.into());
    let nearest = segments.iter().map(distance).fold(f64::INFINITY, f64::min);
    radius - nearest
}

/// Checks the number of components and cycles of the skeleton and the voxels at each resolution.
fn check_all(name: &str, inside: impl Fn(Point3<f64>) -> f64, components: usize, cycles: usize) {
    let device = Device::best();
    let stream = device.stream().unwrap();
    let mesh = extract_mesh(&stream, inside);
    for resolution in RESOLUTIONS {
        let params = VoxelizeParams::with_resolution(resolution);
        let solid = voxelize(&stream, &mesh, &params).unwrap();
        let voxels = mask_to_volume(&stream, &solid).unwrap();
        let params = medial::Params {
            branches: medial::BranchRule::COVERAGE,
            ..medial::Params::default()
        };
        let devices = std::slice::from_ref(&device);
        let skeletons = medial::extract(devices, voxels.view(), &params, Monitor::new()).unwrap();
        let reports = &skeletons.labels[0].components;
        assert!(
            skeletons.is_certified(),
            "{name} at {resolution}: {reports:?}"
        );
        let object = Object::new(&voxels);
        let betti_numbers_of_voxels = betti::total(&betti::betti_numbers(&object));
        assert_eq!(
            (
                betti_numbers_of_voxels.components as usize,
                betti_numbers_of_voxels.tunnels as usize
            ),
            (components, cycles),
            "voxels of {name} at {resolution}"
        );
        let skeleton = &skeletons.labels[0].skeleton;
        assert_eq!(
            (skeleton.components().count, skeleton.cycles()),
            (components, cycles),
            "{name} at {resolution}"
        );
        if resolution <= 128 {
            let verdict = check(&object, skeleton, &Rules::default(), &[]);
            assert!(verdict.holds(), "{name} at {resolution}");
        }
    }
}

#[test]
fn hand_has_no_cycles() {
    let mut parts = vec![[[-0.2, -0.6, 0.0], [0.2, -0.6, 0.0]]];
    for finger in 0..5 {
        let x = -0.4 + 0.2 * f64::from(finger);
        parts.push([[x / 2.0, -0.5, 0.0], [2.0 * x, 0.85 - x.abs(), 0.1]]);
    }
    check_all("hand", |at| tubes(at, 0.09, &parts), 1, 0);
}

#[test]
fn cage_has_five_tunnels() {
    let corner = |at: usize| [0, 1, 2].map(|axis| if at >> axis & 1 == 1 { 0.8 } else { -0.8 });
    let mut bars = Vec::new();
    for from in 0..8usize {
        for axis in 0..3 {
            if from >> axis & 1 == 0 {
                bars.push([corner(from), corner(from | 1 << axis)]);
            }
        }
    }
    check_all("cage", |at| tubes(at, 0.1, &bars), 1, 5);
}

#[test]
fn linked_rings_are_two_components() {
    let ring = |at: Point3<f64>, [u, v, w]: [usize; 3], shift: f64| {
        let round = (at[u] - shift).hypot(at[v]) - 0.55;
        0.12 - round.hypot(at[w])
    };
    let both = |at| ring(at, [0, 1, 2], 0.3).max(ring(at, [0, 2, 1], -0.3));
    check_all("linked rings", both, 2, 2);
}
