//! Volumes.

use ferrovox::grid::{Geometry, Volume};
use ferrovox_tests::noise::Noise;

/// The size of most volumes: two primes, and one odd number that is neither a multiple of 32 nor
/// less than 32.
pub const DIMS: [usize; 3] = [37, 41, 45];

/// The size of volumes of sites: words of 32 voxels and a part of one along x.
pub const SITE_DIMS: [usize; 3] = [67, 43, 38];

/// Turned, sheared and of different spacings; its numbers are exact in `f32`.
pub fn oblique() -> Geometry {
    let axes = [[0.75, 0.125, 0.0], [-0.25, 1.0, 0.0625], [0.125, 0.0, 1.5]];
    // columns of the matrix are the steps along x, y and z
    let matrix = nalgebra::Matrix3::from_fn(|row, column| axes[column][row]);
    Geometry::new(matrix, [-12.5, 8.0, 31.25].into()).expect("not singular")
}

/// Of different spacings that have no common unit but 0.25.
pub fn stretched() -> Geometry {
    Geometry::from_spacing([0.75, 1.0, 2.5], [-3.0, 5.5, 0.25]).expect("not singular")
}

fn square_to(at: [usize; 3], centre: [f64; 3]) -> f64 {
    (0..3)
        .map(|axis| {
            let off = at[axis] as f64 - centre[axis];
            off * off
        })
        .sum()
}

/// Blobs with a little noise, from 0 to about 240, in a grid of any size. Some of them reach the
/// border.
pub fn density(dims: [usize; 3], seed: u64) -> Volume<f64> {
    let mut places = Noise(seed);
    let blobs: Vec<([f64; 3], f64)> = (0..9)
        .map(|_| {
            let centre = dims.map(|n| places.below(16 * n as u64) as f64 / 16.0);
            (centre, 4.0 + places.below(64) as f64 / 16.0)
        })
        .collect();
    let mut noise = Noise(!seed);
    Volume::from_fn(dims, oblique(), |x, y, z| {
        let at = [x, y, z];
        let sum: f64 = blobs
            .iter()
            .map(|&(centre, radius)| {
                let part = square_to(at, centre) / (radius * radius);
                120.0 / (1.0 + part * part)
            })
            .sum();
        (sum + f64::from(noise.signed())).clamp(0.0, 240.0)
    })
    .expect("a size")
}

/// The same with samples that are not numbers, or infinite, and many equal to 60.
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
    Volume::new(samples.collect(), DIMS, oblique()).expect("as many")
}

/// A mask that leaves out a corner and one sample in forty.
pub fn mask() -> Volume<u8> {
    let mut noise = Noise(5);
    Volume::from_fn(DIMS, oblique(), |x, y, z| {
        u8::from(noise.below(40) > 0 && x + y + z > 30) * 2
    })
    .expect("a size")
}

/// Five labels in cells about points, and 0 outside a ball.
pub fn labels() -> Volume<u16> {
    let mut noise = Noise(6);
    let centres: Vec<[f64; 3]> = (0..11)
        .map(|_| SITE_DIMS.map(|n| noise.below(8 * n as u64) as f64 / 8.0))
        .collect();
    let middle = SITE_DIMS.map(|n| n as f64 / 2.0);
    Volume::from_fn(SITE_DIMS, stretched(), |x, y, z| {
        let at = [x, y, z];
        if square_to(at, middle) > 625.0 {
            return 0;
        }
        let to = |number: &usize| square_to(at, centres[*number]);
        let nearest = (0..centres.len()).min_by(|a, b| to(a).total_cmp(&to(b)));
        nearest.map_or(0, |number| 1 + 300 * (number % 5) as u16)
    })
    .expect("a size")
}

/// A shell with a hole, and some voxels alone.
pub fn sites() -> Volume<u8> {
    let mut noise = Noise(7);
    Volume::from_fn(SITE_DIMS, stretched(), |x, y, z| {
        let square = square_to([x, y, z], [30.0, 20.0, 18.0]);
        let is_shell = (169.0..196.0).contains(&square);
        u8::from(is_shell || noise.below(4000) == 0)
    })
    .expect("a size")
}

/// A bent tube with a branch, a ball with a cavity (all 1), and a ball apart (2).
pub fn solid() -> Volume<u8> {
    let tubes = [
        ([6.0, 8.0, 9.0], [34.0, 12.0, 9.0], 4.5),
        ([34.0, 12.0, 9.0], [40.0, 34.0, 14.0], 4.0),
        ([20.0, 10.0, 9.0], [14.0, 32.0, 12.0], 3.5),
    ];
    Volume::from_fn([53, 47, 29], stretched(), |x, y, z| {
        let at = [x, y, z];
        let in_tube = tubes.iter().any(|&(from, to, radius)| {
            let along = [0, 1, 2].map(|axis| to[axis] - from[axis]);
            let dot: f64 = (0..3)
                .map(|axis| along[axis] * (at[axis] as f64 - from[axis]))
                .sum();
            let square: f64 = along.iter().map(|step| step * step).sum();
            let part = (dot / square).clamp(0.0, 1.0);
            let foot = [0, 1, 2].map(|axis| from[axis] + part * along[axis]);
            square_to(at, foot) <= radius * radius
        });
        let in_ball = (4.5..64.0).contains(&square_to(at, [40.0, 34.0, 14.0]));
        let is_apart = square_to(at, [8.0, 38.0, 22.0]) <= 20.5;
        match (in_tube || in_ball, is_apart) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 0,
        }
    })
    .expect("a size")
}
