//! Exact separable distance maps, compared with every site.

use ferrovox::{
    distance::{self, DistanceParams, Sites},
    grid::{DeviceMask, Geometry},
};
use ferrovox_tests::{devices, noise::Noise};

/// Returns squared distances for integer spacings.
fn brute_force(mask: &[u8], [nx, ny, nz]: [usize; 3], spacing: [u64; 3]) -> Vec<u64> {
    let at = |i: usize| [i % nx, i / nx % ny, i / (nx * ny)];
    let sites: Vec<[usize; 3]> = (0..mask.len()).filter(|&i| mask[i] != 0).map(at).collect();
    (0..nx * ny * nz)
        .map(|i| {
            let voxel = at(i);
            let squared_to = |site: &[usize; 3]| -> u64 {
                (0..3)
                    .map(|axis| (site[axis].abs_diff(voxel[axis]) as u64 * spacing[axis]).pow(2))
                    .sum()
            };
            sites.iter().map(squared_to).min().unwrap()
        })
        .collect()
}

#[test]
fn all_sizes_and_densities_match_brute_force() {
    let mut noise = Noise(4);
    for dims in [
        [1, 1, 1],
        [7, 1, 1],
        [1, 9, 1],
        [1, 1, 70],
        [33, 5, 3],
        [31, 7, 34],
        [70, 3, 9],
        [5, 69, 2],
    ] {
        for (density, spacing) in [
            (1, [1u64; 3]),
            (20, [1, 2, 3]),
            (500, [1; 3]),
            (1000, [3, 1, 1]),
        ] {
            let mut mask: Vec<u8> = (0..dims.iter().product())
                .map(|_| u8::from(noise.below(1000) < density))
                .collect();
            let guaranteed_site = noise.below(mask.len() as u64) as usize;
            mask[guaranteed_site] = 1;
            let expected = brute_force(&mask, dims, spacing);
            let geometry = Geometry::from_spacing(spacing.map(|s| s as f64), [0.0; 3]).unwrap();
            for test in devices::all() {
                let stream = test.device.stream().unwrap();
                let sites = DeviceMask::upload(&stream, &mask, dims, geometry).unwrap();
                for max_distance in [None, Some(4.5)] {
                    let params = DistanceParams {
                        max_distance,
                        ..Default::default()
                    };
                    let map = distance::transform(&stream, Sites::Voxels(&sites), &params).unwrap();
                    let found = stream.download(&map.distances).unwrap();
                    for (i, (&found, &squared)) in found.iter().zip(&expected).enumerate() {
                        let exact = (squared as f64).sqrt();
                        let exact = max_distance
                            .map_or(exact, |max_distance| exact.min(max_distance))
                            as f32;
                        assert_eq!(
                            found, exact,
                            "{} {dims:?} {density} {max_distance:?} voxel {i}",
                            test.label
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn long_scanlines_match_brute_force() {
    let mut noise = Noise(11);
    for dims in [[3, 4099, 1], [2, 1, 6001], [40, 3000, 1]] {
        let voxels: usize = dims.iter().product();
        let mut mask: Vec<u8> = (0..voxels)
            .map(|_| u8::from(noise.below(4000) == 0))
            .collect();
        mask[noise.below(voxels as u64) as usize] = 1;
        let expected = brute_force(&mask, dims, [1; 3]);
        for test in devices::fast() {
            let stream = test.device.stream().unwrap();
            let sites = DeviceMask::upload(&stream, &mask, dims, Geometry::default()).unwrap();
            let map =
                distance::transform(&stream, Sites::Voxels(&sites), &Default::default()).unwrap();
            let found = stream.download(&map.distances).unwrap();
            for (i, (&found, &squared)) in found.iter().zip(&expected).enumerate() {
                let exact = (squared as f64).sqrt() as f32;
                assert_eq!(found, exact, "{} {dims:?} voxel {i}", test.label);
            }
        }
    }
}

#[test]
fn roots_of_sums_of_two_squares_are_correctly_rounded() {
    // Roots of integers below 2^24 are computed in f32 and rounded once; larger ones in f64.
    for n in [2896usize, 2900] {
        let mut words = vec![0; n * n.div_ceil(32)];
        words[0] = 1;
        for test in devices::fast() {
            let stream = test.device.stream().unwrap();
            let sites =
                DeviceMask::from_words(&stream, &words, [n, n, 1], Geometry::default()).unwrap();
            let map =
                distance::transform(&stream, Sites::Voxels(&sites), &DistanceParams::default());
            let distances = stream.download(&map.unwrap().distances).unwrap();
            let wrong = (0..n * n).find(|&voxel| {
                let (x, y) = (voxel % n, voxel / n);
                distances[voxel] != ((x * x + y * y) as f64).sqrt() as f32
            });
            assert_eq!(wrong, None, "{}, {n}", test.label);
        }
    }
}
