//! Distance maps in parts: joined, they are the map of the whole volume, bit for bit.

use ferrovox::{
    device::Stream,
    distance::{
        self, ColumnEnvelopes, DistanceError, DistanceParams, Method, NearestIndices, NoSites,
        Sites, transform_part,
    },
    grid::{DeviceMask, Geometry},
};
use ferrovox_tests::{devices, noise::Noise};
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// A grid with sites, divided into parts.
struct Scene {
    dims: [usize; 3],
    geometry: Geometry,
    sites: Vec<u64>,
    parts: Vec<Range<usize>>,
}

impl Scene {
    fn new(
        dims: [usize; 3],
        spacing: [f64; 3],
        count: usize,
        part_count: usize,
        seed: u64,
    ) -> Self {
        let mut noise = Noise(seed);
        let voxels: usize = dims.iter().product();
        let mut sites: Vec<u64> = (0..count).map(|_| noise.below(voxels as u64)).collect();
        sites.sort_unstable();
        sites.dedup();
        let mut bounds: Vec<usize> = (1..part_count)
            .map(|_| noise.below(dims[2] as u64) as usize)
            .chain([0, dims[2]])
            .collect();
        bounds.sort_unstable();
        bounds.dedup();
        Self {
            dims,
            geometry: Geometry::from_spacing(spacing, [0.0; 3]).unwrap(),
            sites,
            parts: bounds.windows(2).map(|pair| pair[0]..pair[1]).collect(),
        }
    }

    fn mask(&self, stream: &Stream, planes: &Range<usize>) -> DeviceMask {
        let [nx, ny, _] = self.dims;
        let plane = (nx * ny) as u64;
        let (first, end) = (planes.start as u64 * plane, planes.end as u64 * plane);
        let inside = self.sites.iter().filter(|site| (first..end).contains(site));
        let indices: Vec<u64> = inside.map(|site| site - first).collect();
        DeviceMask::from_indices(stream, &indices, [nx, ny, planes.len()], self.geometry).unwrap()
    }

    /// Returns distances and nearest sites of the whole map.
    fn whole(&self, stream: &Stream, params: &DistanceParams) -> (Vec<f32>, Vec<u64>) {
        let sites = self.mask(stream, &(0..self.dims[2]));
        let params = DistanceParams {
            nearest: true,
            no_sites: NoSites::Infinity,
            ..*params
        };
        let map = distance::transform(stream, Sites::Voxels(&sites), &params).unwrap();
        let nearest = match map.nearest.unwrap() {
            NearestIndices::U32(nearest) => {
                let narrow = stream.download(&nearest).unwrap();
                let widen = |index: u32| {
                    if index == u32::MAX {
                        u64::MAX
                    } else {
                        index.into()
                    }
                };
                narrow.into_iter().map(widen).collect()
            }
            NearestIndices::U64(nearest) => stream.download(&nearest).unwrap(),
        };
        (stream.download(&map.distances).unwrap(), nearest)
    }

    fn envelopes(&self, stream: &Stream, params: &DistanceParams) -> Vec<ColumnEnvelopes> {
        let envelopes = |planes: &Range<usize>| {
            let sites = self.mask(stream, planes);
            ColumnEnvelopes::from_sites(stream, &sites, planes.start, params.max_distance)
        };
        let parts = self.parts.iter().map(envelopes);
        parts.collect::<Result<_, _>>().unwrap()
    }

    /// Returns distances and nearest sites, computed in parts.
    fn in_parts(&self, stream: &Stream, params: &DistanceParams) -> (Vec<f32>, Vec<u64>) {
        let envelopes = self.envelopes(stream, params);
        let (mut distances, mut nearest) = (Vec::new(), Vec::new());
        for (number, planes) in self.parts.iter().enumerate() {
            let others = envelopes.iter().enumerate();
            let others = others.filter(|(other, _)| *other != number);
            let outside = others.fold(None, |sum: Option<ColumnEnvelopes>, (_, part)| {
                Some(sum.map_or(part.clone(), |sum| sum.merged(part).unwrap()))
            });
            let outside = outside.map(|all| all.restricted(planes.clone()).unwrap());
            let sites = self.mask(stream, planes);
            let (first, outside) = (planes.start, outside.as_ref());
            let part = transform_part(stream, &sites, first, outside, params).unwrap();
            distances.extend(part.distances);
            nearest.extend(part.nearest);
        }
        (distances, nearest)
    }
}

const SPACINGS: [[f64; 3]; 4] = [
    [1.0; 3],
    [0.5, 1.0, 2.5],
    [4.0, 4.0, 40.0],
    // no common unit: rounded costs
    [0.3, 0.7, 1.1],
];

#[test]
fn joined_parts_are_the_map_of_the_volume() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for (case, spacing) in SPACINGS.into_iter().enumerate() {
            for count in [0, 1, 7, 60, 900] {
                for max_distance in [None, Some(2.5), Some(6.0)] {
                    let seed = (case * 1000 + count) as u64;
                    let scene = Scene::new([17, 11, 29], spacing, count, 6, seed);
                    let params = DistanceParams {
                        max_distance,
                        ..DistanceParams::default()
                    };
                    let context = format!("{spacing:?} {count} {max_distance:?}");
                    let (distances, nearest) = scene.in_parts(&stream, &params);
                    let expected = scene.whole(&stream, &params);
                    assert!(distances == expected.0, "distances, {context}");
                    assert!(nearest == expected.1, "nearest sites, {context}");
                }
            }
        }
    }
}

#[test]
fn thin_shapes_are_divided() {
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    for dims in [[1, 1, 40], [40, 1, 3], [1, 33, 5], [70, 2, 2], [5, 4, 1]] {
        let scene = Scene::new(dims, [1.0, 2.0, 3.0], 3, 8, 5);
        let params = DistanceParams::default();
        assert_eq!(
            scene.in_parts(&stream, &params),
            scene.whole(&stream, &params)
        );
    }
}

#[test]
fn merging_is_associative_and_commutative() {
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    for spacing in SPACINGS {
        let scene = Scene::new([13, 9, 31], spacing, 150, 5, 3);
        let envelopes = scene.envelopes(&stream, &DistanceParams::default());
        let [a, b, c] = [&envelopes[0], &envelopes[1], &envelopes[2]];
        let merge = |a: &ColumnEnvelopes, b: &ColumnEnvelopes| a.merged(b).unwrap();
        assert_eq!(merge(&merge(a, b), c), merge(a, &merge(b, c)));
        assert_eq!(merge(a, c), merge(c, a));
        assert_eq!(merge(b, b), *b);
    }
}

#[test]
fn envelopes_are_created_from_their_lists() {
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    let scene = Scene::new([6, 5, 12], [1.0; 3], 20, 3, 3);
    let envelopes = scene.envelopes(&stream, &DistanceParams::default());
    let (ends, sites) = (envelopes[1].ends(), envelopes[1].sites());
    let copy = |ends: &[u32]| {
        let lists = (ends.to_vec(), sites.to_vec());
        ColumnEnvelopes::from_lists([6, 5], scene.geometry, lists.0, lists.1)
    };
    assert_eq!(copy(ends).unwrap(), envelopes[1]);
    for wrong in [&ends[1..], &[&ends[..29], &[u32::MAX]].concat()[..]] {
        assert!(matches!(
            copy(wrong),
            Err(DistanceError::InvalidEnvelopes { .. })
        ));
    }
}

#[test]
fn invalid_parts_are_errors() {
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    let scene = Scene::new([6, 5, 12], [1.0; 3], 20, 3, 3);
    let planes = 0..4;
    let sites = scene.mask(&stream, &planes);
    let other = Scene::new([6, 5, 12], [1.0, 1.0, 2.0], 20, 3, 3);
    let params = DistanceParams::default();
    let outside = &other.envelopes(&stream, &params)[1];
    let mismatch = transform_part(&stream, &sites, 0, Some(outside), &params);
    assert!(matches!(
        mismatch,
        Err(DistanceError::EnvelopeMismatch { .. })
    ));
    let cubes = DistanceParams {
        method: Method::Cubes,
        ..params
    };
    assert!(matches!(
        transform_part(&stream, &sites, 0, None, &cubes),
        Err(DistanceError::SlabsUnsupported { .. })
    ));
    let shear = Matrix3::new(1.0, 0.3, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    let oblique = Geometry::new(shear, Vector3::zeros()).unwrap();
    let sites = DeviceMask::from_indices(&stream, &[3], [6, 5, 4], oblique).unwrap();
    assert!(matches!(
        ColumnEnvelopes::from_sites(&stream, &sites, 0, None),
        Err(DistanceError::PartOblique { .. })
    ));
}
