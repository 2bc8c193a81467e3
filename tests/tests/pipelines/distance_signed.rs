//! Signed distances of masks by every convention, compared with brute force in world coordinates.

use ferrovox::{
    device::Device,
    distance::{
        self, DistanceError, DistanceParams, Method, NearestIndices, NoSites, SignConvention, Slabs,
    },
    grid::{DeviceMask, Geometry, Mask},
};
use ferrovox_tests::{devices, noise::Noise};
use nalgebra::{Matrix3, Point3, Vector3};

/// Relative error of distances rounded to f32.
const RELATIVE_ERROR: f64 = 1.3e-7;

const DIMS: [[usize; 3]; 7] = [
    [1, 1, 9],
    [1, 70, 1],
    [9, 8, 1],
    [33, 5, 3],
    [13, 11, 9],
    [31, 3, 34],
    [2, 3, 2],
];

/// Mask on a grid, and the position of every voxel.
struct Scene {
    dims: [usize; 3],
    geometry: Geometry,
    mask: Vec<u8>,
    centres: Vec<Point3<f64>>,
}

impl Scene {
    fn new(dims: [usize; 3], geometry: Geometry, density: u64, seed: u64) -> Self {
        let mut noise = Noise(seed);
        let [nx, ny, nz] = dims;
        let mut mask: Vec<u8> = (0..nx * ny * nz)
            .map(|_| u8::from(noise.below(100) < density))
            .collect();
        // Both sides have a voxel.
        let first = noise.below(mask.len() as u64) as usize;
        let second = (first + 1) % mask.len();
        (mask[first], mask[second]) = (1, 0);
        let at = |i: usize| Point3::new(i % nx, i / nx % ny, i / (nx * ny)).map(|n| n as f64);
        let centres = (0..mask.len()).map(|i| geometry.index_to_world(at(i)));
        Self {
            dims,
            geometry,
            centres: centres.collect(),
            mask,
        }
    }

    /// Returns `true` if a voxel of the mask has a face neighbour outside the mask.
    fn is_surface(&self, voxel: usize) -> bool {
        let [nx, ny, _] = self.dims;
        let strides = [1, nx, nx * ny];
        let at = [voxel % nx, voxel / nx % ny, voxel / (nx * ny)];
        self.mask[voxel] == 1
            && (0..3).any(|axis| {
                let before = at[axis] > 0 && self.mask[voxel - strides[axis]] == 0;
                let after = at[axis] + 1 < self.dims[axis] && self.mask[voxel + strides[axis]] == 0;
                before || after
            })
    }

    fn min_distance(&self, voxel: usize, is_site: impl Fn(usize) -> bool) -> f64 {
        let sites = (0..self.mask.len()).filter(|&site| is_site(site));
        sites
            .map(|site| (self.centres[site] - self.centres[voxel]).norm())
            .fold(f64::INFINITY, f64::min)
    }

    /// Returns the signed distance of a voxel by brute force; `None` for the convention
    /// [`SignConvention::Enclosed`], whose inside is checked by other tests.
    fn exact(&self, convention: SignConvention, voxel: usize) -> Option<f64> {
        let is_inside = self.mask[voxel] == 1;
        let sign = if is_inside { -1.0 } else { 1.0 };
        match convention {
            SignConvention::Opposite => {
                let is_site = |site: usize| self.mask[site] != self.mask[voxel];
                Some(sign * self.min_distance(voxel, is_site))
            }
            SignConvention::Surface => {
                Some(sign * self.min_distance(voxel, |site| self.is_surface(site)))
            }
            SignConvention::Enclosed => None,
        }
    }

    fn host_mask(&self) -> Mask {
        let mut mask = Mask::new(self.dims, self.geometry).unwrap();
        mask.set_planes(0, &self.mask, |sample| sample != 0.0);
        mask
    }

    fn check(
        &self,
        context: &str,
        found: &[f32],
        convention: SignConvention,
        max_distance: Option<f64>,
    ) {
        for (voxel, &found) in found.iter().enumerate() {
            let Some(exact) = self.exact(convention, voxel) else {
                continue;
            };
            let limit = max_distance.unwrap_or(f64::INFINITY);
            let expected = exact.clamp(-limit, limit);
            let error = (f64::from(found) - expected).abs();
            assert!(
                error <= RELATIVE_ERROR * expected.abs(),
                "{context} {:?} {convention:?} {max_distance:?} voxel {voxel}: {found} for {expected}",
                self.dims
            );
        }
    }
}

fn spaced(spacing: [f64; 3]) -> Geometry {
    Geometry::from_spacing(spacing, [1.0, -2.0, 3.0]).unwrap()
}

fn oblique() -> Geometry {
    let axes = Matrix3::new(1.0, 0.2, 0.5, 0.0, 1.1, 0.9, 0.0, 0.0, 1.4);
    Geometry::new(axes, Vector3::new(4.0, 5.0, 6.0)).unwrap()
}

fn scenes() -> impl Iterator<Item = Scene> {
    let geometries = [
        spaced([1.0; 3]),
        spaced([1.0, 2.0, 3.0]),
        spaced([0.7, 0.9, 1.3]),
        oblique(),
    ];
    DIMS.into_iter()
        .enumerate()
        .flat_map(move |(number, dims)| {
            geometries
                .into_iter()
                .zip([3, 30, 70, 97])
                .map(move |(geometry, density)| Scene::new(dims, geometry, density, number as u64))
        })
}

#[test]
fn signed_maps_match_brute_force() {
    for scene in scenes() {
        for test in devices::all() {
            let stream = test.device.stream().unwrap();
            let mask =
                DeviceMask::upload(&stream, &scene.mask, scene.dims, scene.geometry).unwrap();
            for convention in SignConvention::ALL {
                for max_distance in [None, Some(2.5)] {
                    let params = DistanceParams {
                        max_distance,
                        no_sites: NoSites::Infinity,
                        ..Default::default()
                    };
                    let map = distance::transform_signed(&stream, &mask, convention, &params);
                    let found = stream.download(&map.unwrap().distances).unwrap();
                    scene.check(&test.label, &found, convention, max_distance);
                }
            }
        }
    }
}

#[test]
fn every_method_computes_signed_maps() {
    let stream = Device::cpu().stream().unwrap();
    for scene in scenes() {
        let mask = DeviceMask::upload(&stream, &scene.mask, scene.dims, scene.geometry).unwrap();
        let is_oblique = scene.geometry.shear().is_some();
        for method in [Method::BruteForce, Method::Bucketed, Method::Cubes] {
            if is_oblique && method == Method::Cubes {
                continue;
            }
            let params = DistanceParams {
                method,
                ..Default::default()
            };
            let map = distance::transform_signed(&stream, &mask, SignConvention::Opposite, &params);
            let found = stream.download(&map.unwrap().distances).unwrap();
            // All voxels are within the exact range of the cubes, except in the longest scenes.
            if method != Method::Cubes || scene.dims.iter().all(|&n| n < 20) {
                scene.check(method.name(), &found, SignConvention::Opposite, None);
            }
        }
    }
}

#[test]
fn nearest_sites_lie_on_the_opposite_side() {
    for scene in scenes() {
        for test in devices::fast() {
            let stream = test.device.stream().unwrap();
            let mask =
                DeviceMask::upload(&stream, &scene.mask, scene.dims, scene.geometry).unwrap();
            let params = DistanceParams {
                nearest: true,
                ..Default::default()
            };
            let map = distance::transform_signed(&stream, &mask, SignConvention::Opposite, &params);
            let map = map.unwrap();
            let distances = stream.download(&map.distances).unwrap();
            let Some(NearestIndices::U32(nearest)) = &map.nearest else {
                panic!("no indices of 32 bits");
            };
            for (voxel, site) in stream.download(nearest).unwrap().into_iter().enumerate() {
                let site = site as usize;
                assert_ne!(
                    scene.mask[site], scene.mask[voxel],
                    "{} {voxel}",
                    test.label
                );
                let length = (scene.centres[site] - scene.centres[voxel]).norm();
                let error = (f64::from(distances[voxel].abs()) - length).abs();
                assert!(error <= RELATIVE_ERROR * length, "{} {voxel}", test.label);
            }
        }
    }
}

#[test]
fn slabs_equal_maps_in_core() {
    let stream = Device::cpu().stream().unwrap();
    let devices = [Device::cpu(), Device::cpu()];
    for scene in scenes() {
        let mask = DeviceMask::upload(&stream, &scene.mask, scene.dims, scene.geometry).unwrap();
        let host_mask = scene.host_mask();
        let outside = host_mask.complement(&devices[0]).unwrap();
        let expected = distance::transform_signed(
            &stream,
            &mask,
            SignConvention::Opposite,
            &DistanceParams::default(),
        );
        let expected = stream.download(&expected.unwrap().distances).unwrap();
        let slabs = |memory: Option<u64>| {
            let params = DistanceParams {
                memory,
                ..Default::default()
            };
            Slabs::new(&devices, &host_mask, &params)?.with_opposite(&outside)
        };
        let minimum = slabs(None).unwrap().min_memory();
        for memory in [None, Some(minimum)] {
            devices[0].reset_peak_memory();
            let found = slabs(memory).unwrap().map().unwrap();
            assert_eq!(found.samples(), expected, "{:?} {memory:?}", scene.dims);
        }
        assert!(matches!(
            slabs(Some(minimum - 1)),
            Err(DistanceError::Memory(_))
        ));
    }
}

#[test]
fn memory_limits_of_signed_slabs_hold() {
    let scene = Scene::new([40, 33, 270], spaced([1.0; 3]), 40, 7);
    let (mask, device) = (scene.host_mask(), Device::cpu());
    let outside = mask.complement(&device).unwrap();
    let devices = [device];
    let params = DistanceParams::default();
    let plan = Slabs::new(&devices, &mask, &params).unwrap();
    let minimum = plan.with_opposite(&outside).unwrap().min_memory();
    for memory in [minimum, 2 * minimum] {
        let params = DistanceParams {
            memory: Some(memory),
            ..params
        };
        devices[0].reset_peak_memory();
        let slabs = Slabs::new(&devices, &mask, &params).unwrap();
        slabs.with_opposite(&outside).unwrap().map().unwrap();
        let peak = devices[0].memory_use().peak;
        assert!(peak <= memory, "{peak} for a limit of {memory}");
    }
}

#[test]
fn masks_without_a_side_are_rejected() {
    let stream = Device::cpu().stream().unwrap();
    let signed = |samples: [u8; 3], no_sites| {
        let mask = DeviceMask::upload(&stream, &samples, [3, 1, 1], Geometry::default()).unwrap();
        let params = DistanceParams {
            no_sites,
            ..Default::default()
        };
        let map = distance::transform_signed(&stream, &mask, SignConvention::Opposite, &params)?;
        Ok::<_, DistanceError>(stream.download(&map.distances)?)
    };
    assert!(matches!(
        signed([1; 3], NoSites::Error),
        Err(DistanceError::NoVoxelsOutside)
    ));
    assert!(matches!(
        signed([0; 3], NoSites::Error),
        Err(DistanceError::NoSites)
    ));
    let infinite = signed([1; 3], NoSites::Infinity).unwrap();
    assert_eq!(infinite, [f32::NEG_INFINITY; 3]);
}
