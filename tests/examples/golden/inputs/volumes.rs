//! Input volumes.

use ferrovox::grid::{Geometry, Volume};
use ferrovox_tests::noise::Noise;

/// The size of most volumes: odd, greater than 32, and two of the numbers prime.
pub const DIMS: [usize; 3] = [37, 41, 45];

/// The size of site volumes: along x, two full 32-bit words and a partial one.
pub const SITE_DIMS: [usize; 3] = [67, 43, 38];

/// Returns a sheared geometry with anisotropic spacing; its values are exact in `f32`.
pub fn oblique() -> Geometry {
    let axes = [[0.75, 0.125, 0.0], [-0.25, 1.0, 0.0625], [0.125, 0.0, 1.5]];
    // The columns of the matrix are the steps along x, y and z.
    let matrix = nalgebra::Matrix3::from_fn(|row, column| axes[column][row]);
    Geometry::new(matrix, [-12.5, 8.0, 31.25].into()).expect("the matrix is regular")
}

/// Returns a geometry with anisotropic spacing; the largest common unit is 0.25.
pub fn stretched() -> Geometry {
    Geometry::from_spacing([0.75, 1.0, 2.5], [-3.0, 5.5, 0.25]).expect("the matrix is regular")
}

fn squared_distance(index: [usize; 3], centre: [f64; 3]) -> f64 {
    (0..3)
        .map(|axis| {
            let difference = index[axis] as f64 - centre[axis];
            difference * difference
        })
        .sum()
}

/// Returns a volume of blobs with slight noise and values in 0..=240; some blobs touch the border.
pub fn density(dims: [usize; 3], seed: u64) -> Volume<f64> {
    let mut positions = Noise(seed);
    let blobs: Vec<([f64; 3], f64)> = (0..9)
        .map(|_| {
            let centre = dims.map(|n| positions.below(16 * n as u64) as f64 / 16.0);
            (centre, 4.0 + positions.below(64) as f64 / 16.0)
        })
        .collect();
    let mut noise = Noise(!seed);
    Volume::from_fn(dims, oblique(), |x, y, z| {
        let index = [x, y, z];
        let sum: f64 = blobs
            .iter()
            .map(|&(centre, radius)| {
                let ratio = squared_distance(index, centre) / (radius * radius);
                120.0 / (1.0 + ratio * ratio)
            })
            .sum();
        (sum + f64::from(noise.signed())).clamp(0.0, 240.0)
    })
    .expect("the size is valid")
}

/// Returns a volume as from [`density`], with NaN and infinite samples, and many equal to 60.
pub fn holes(seed: u64) -> Volume<f32> {
    let mut noise = Noise(seed);
    let blobs = density(DIMS, seed);
    let samples = blobs
        .samples()
        .iter()
        .map(|&sample| match noise.below(200) {
            0 => f32::NAN,
            1 => f32::INFINITY,
            2 => f32::NEG_INFINITY,
            3..9 => 60.0,
            _ => sample as f32,
        });
    Volume::new(samples.collect(), DIMS, oblique()).expect("the sizes match")
}

/// Returns a mask that excludes a corner and one in forty of the other samples.
pub fn mask() -> Volume<u8> {
    let mut noise = Noise(5);
    Volume::from_fn(DIMS, oblique(), |x, y, z| {
        u8::from(noise.below(40) > 0 && x + y + z > 30) * 2
    })
    .expect("the size is valid")
}

/// Returns Voronoi cells with five labels, and 0 outside a ball.
pub fn labels() -> Volume<u16> {
    let mut noise = Noise(6);
    let centres: Vec<[f64; 3]> = (0..11)
        .map(|_| SITE_DIMS.map(|n| noise.below(8 * n as u64) as f64 / 8.0))
        .collect();
    let ball_centre = SITE_DIMS.map(|n| n as f64 / 2.0);
    Volume::from_fn(SITE_DIMS, stretched(), |x, y, z| {
        let index = [x, y, z];
        if squared_distance(index, ball_centre) > 625.0 {
            return 0;
        }
        let distance = |cell: &usize| squared_distance(index, centres[*cell]);
        let nearest = (0..centres.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.map_or(0, |cell| 1 + 300 * (cell % 5) as u16)
    })
    .expect("the size is valid")
}

/// Returns a spherical shell and isolated voxels.
pub fn sites() -> Volume<u8> {
    let mut noise = Noise(7);
    Volume::from_fn(SITE_DIMS, stretched(), |x, y, z| {
        let squared = squared_distance([x, y, z], [30.0, 20.0, 18.0]);
        let is_shell = (169.0..196.0).contains(&squared);
        u8::from(is_shell || noise.below(4000) == 0)
    })
    .expect("the size is valid")
}

/// Returns a bent tube with a branch and a ball with a cavity (label 1), and a separate ball
/// (label 2).
pub fn solid() -> Volume<u8> {
    let tubes = [
        ([6.0, 8.0, 9.0], [34.0, 12.0, 9.0], 4.5),
        ([34.0, 12.0, 9.0], [40.0, 34.0, 14.0], 4.0),
        ([20.0, 10.0, 9.0], [14.0, 32.0, 12.0], 3.5),
    ];
    Volume::from_fn([53, 47, 29], stretched(), |x, y, z| {
        let index = [x, y, z];
        let in_tube = tubes.iter().any(|&(start, end, radius)| {
            let direction = [0, 1, 2].map(|axis| end[axis] - start[axis]);
            let dot: f64 = (0..3)
                .map(|axis| direction[axis] * (index[axis] as f64 - start[axis]))
                .sum();
            let squared_length: f64 = direction.iter().map(|step| step * step).sum();
            let fraction = (dot / squared_length).clamp(0.0, 1.0);
            let nearest = [0, 1, 2].map(|axis| start[axis] + fraction * direction[axis]);
            squared_distance(index, nearest) <= radius * radius
        });
        let in_ball = (4.5..64.0).contains(&squared_distance(index, [40.0, 34.0, 14.0]));
        let in_separate_ball = squared_distance(index, [8.0, 38.0, 22.0]) <= 20.5;
        match (in_tube || in_ball, in_separate_ball) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 0,
        }
    })
    .expect("the size is valid")
}
