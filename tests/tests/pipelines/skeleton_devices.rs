//! Skeletons of realistic objects with devices that compute the geodesics of large components: the
//! same bits as on the host. CPUs leave these to the host; their kernels are compared with it in
//! the library's own tests.

use ferrovox::{
    grid::{Geometry, Volume},
    monitor::Monitor,
    skeleton::medial::{self, Skeletons},
};
use ferrovox_tests::{devices, solids::Solid};

/// Returns a solid with label 1 and another with label 2 next to it along x, with the same
/// dimensions across.
fn side_by_side(first: &Solid, second: &Solid, spacing: [f64; 3]) -> Volume<u8> {
    let [first, second] = [first, second].map(|solid| solid.voxels());
    let (a, b) = (first.dims(), second.dims());
    let dims = [a[0] + b[0], a[1].max(b[1]), a[2].max(b[2])];
    let geometry = Geometry::from_spacing(spacing, [3.0, -2.0, 1.0]).unwrap();
    let at = |volume: &Volume<u8>, [x, y, z]: [usize; 3]| {
        let [nx, ny, nz] = volume.dims();
        let is_inside = x < nx && y < ny && z < nz;
        is_inside && volume.samples()[(z * ny + y) * nx + x] != 0
    };
    Volume::from_fn(dims, geometry, |x, y, z| match x.checked_sub(a[0]) {
        None => u8::from(at(&first, [x, y, z])),
        Some(x) => 2 * u8::from(at(&second, [x, y, z])),
    })
    .unwrap()
}

fn text(skeletons: &Skeletons) -> Vec<String> {
    let labels = skeletons.labels.iter();
    labels
        .map(|first| format!("{:?} {:?}", first.skeleton, first.components))
        .collect()
}

#[test]
fn devices_produce_the_same_skeletons_as_the_host() {
    let ring = Solid::torus(34.0, 11.0);
    let pairs = [
        (Solid::ball(27.0), Solid::y_of_tubes(13.0, 60.0)),
        (Solid::cuboid([60.0, 50.0, 4.0]), ring),
    ];
    for (first, second) in &pairs {
        for spacing in [[1.0; 3], [0.5, 0.5, 1.5], [0.7, 0.9, 1.1]] {
            let volume = side_by_side(first, second, spacing);
            let params = medial::Params::default();
            let by_host = medial::extract(&[], volume.view(), &params, Monitor::new()).unwrap();
            assert!(by_host.is_certified(), "{} and {}", first.name, second.name);
            let by_host = text(&by_host);
            for device in devices::fast() {
                let devices = [device.device.clone(), device.device.clone()];
                let skeletons = medial::extract(&devices, volume.view(), &params, Monitor::new());
                assert_eq!(
                    by_host,
                    text(&skeletons.unwrap()),
                    "{} {spacing:?}",
                    device.label
                );
            }
        }
    }
}
