//! Distance map of more than 2^31 voxels, on a GPU with sufficient memory.

use ferrovox::{
    device::{Device, DeviceError},
    distance::{self, DistanceParams, NearestIndices, Sites},
    grid::{DeviceMask, Geometry},
};

/// Dimensions with a product above 2^31 and without common factors.
const DIMS: [usize; 3] = [1291, 1299, 1301];

/// Stride of the compared voxels, which divides none of the dimensions.
const STEP: usize = 61;

#[test]
fn distances_and_nearest_sites_match_brute_force() {
    let Ok(device) = Device::cuda(0) else {
        test_cases::report_skip(format_args!("no CUDA device"));
        return;
    };
    let voxels: usize = DIMS.iter().product();
    assert!(voxels > 1 << 31);
    let stream = device.stream().unwrap();
    // Distances, sites, squared distances, y of sites, and the row scan.
    let bytes = voxels as u64 * 17 + (1 << 28);
    if let Err(error @ DeviceError::OutOfMemory { .. }) = stream.require(bytes) {
        test_cases::report_skip(format_args!("{error}"));
        return;
    }
    let at = |i: usize| [i % DIMS[0], i / DIMS[0] % DIMS[1], i / (DIMS[0] * DIMS[1])];
    let indices = [5, 1 << 30, 1_500_000_007, (1 << 31) + 77, voxels as u64 - 1];
    let sites = DeviceMask::from_indices(&stream, &indices, DIMS, Geometry::default()).unwrap();
    let params = DistanceParams {
        nearest: true,
        ..Default::default()
    };
    let map = distance::transform(&stream, Sites::Voxels(&sites), &params).unwrap();
    let distances = stream.download(&map.distances).unwrap();
    let Some(NearestIndices::U32(nearest)) = &map.nearest else {
        panic!("indices are 32-bit");
    };
    let nearest = stream.download(nearest).unwrap();
    for voxel in (0..voxels).step_by(STEP).chain([voxels - 1]) {
        let position = at(voxel);
        let squared_to = |site: u64| -> u64 {
            let site = at(site as usize);
            (0..3)
                .map(|k| (site[k].abs_diff(position[k]) as u64).pow(2))
                .sum()
        };
        let (squared, site) = indices
            .iter()
            .map(|&site| (squared_to(site), site))
            .min()
            .unwrap();
        assert_eq!(
            distances[voxel],
            (squared as f64).sqrt() as f32,
            "{position:?}"
        );
        assert_eq!(u64::from(nearest[voxel]), site, "{position:?}");
    }
}
