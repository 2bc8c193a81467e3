//! Skeletons of real objects with devices that compute the ways of large components: the same bits
//! as without. A CPU leaves them to the host, where there is nothing to compare; its kernels are
//! compared with the host's ways in the library's own tests.

use ferrovox::{
    grid::{Geometry, Volume},
    monitor::Monitor,
    skeleton::medial::{self, Skeletons},
};
use ferrovox_tests::{devices, solids::Solid};

/// A solid with label 1 and, beside it along x, another with label 2, of the same dims across.
fn beside(one: &Solid, other: &Solid, spacing: [f64; 3]) -> Volume<u8> {
    let [one, other] = [one, other].map(|solid| solid.voxels());
    let (a, b) = (one.dims(), other.dims());
    let dims = [a[0] + b[0], a[1].max(b[1]), a[2].max(b[2])];
    let geometry = Geometry::from_spacing(spacing, [3.0, -2.0, 1.0]).unwrap();
    let at = |volume: &Volume<u8>, [x, y, z]: [usize; 3]| {
        let [nx, ny, nz] = volume.dims();
        let is_inside = x < nx && y < ny && z < nz;
        is_inside && volume.samples()[(z * ny + y) * nx + x] != 0
    };
    Volume::from_fn(dims, geometry, |x, y, z| match x.checked_sub(a[0]) {
        None => u8::from(at(&one, [x, y, z])),
        Some(x) => 2 * u8::from(at(&other, [x, y, z])),
    })
    .unwrap()
}

fn text(found: &Skeletons) -> Vec<String> {
    let labels = found.labels.iter();
    labels
        .map(|one| format!("{:?} {:?}", one.skeleton, one.components))
        .collect()
}

#[test]
fn devices_find_the_skeletons_of_the_host() {
    let ring = Solid::torus(34.0, 11.0);
    let pairs = [
        (Solid::ball(27.0), Solid::y_of_tubes(13.0, 60.0)),
        (Solid::cuboid([60.0, 50.0, 4.0]), ring),
    ];
    for (one, other) in &pairs {
        for spacing in [[1.0; 3], [0.5, 0.5, 1.5], [0.7, 0.9, 1.1]] {
            let volume = beside(one, other, spacing);
            let params = medial::Params::default();
            let by_host = medial::extract(&[], volume.view(), &params, Monitor::silent()).unwrap();
            assert!(by_host.is_certified(), "{} and {}", one.name, other.name);
            let by_host = text(&by_host);
            for device in devices::fast() {
                let devices = [device.device.clone(), device.device.clone()];
                let found = medial::extract(&devices, volume.view(), &params, Monitor::silent());
                assert_eq!(
                    by_host,
                    text(&found.unwrap()),
                    "{} {spacing:?}",
                    device.label
                );
            }
        }
    }
}
