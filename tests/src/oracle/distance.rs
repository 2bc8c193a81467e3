//! Distances from an object's voxels to the background, in world units.

use super::Object;

/// For each voxel of the object's box the square of the distance from its centre to the nearest
/// centre outside of the object; 0 outside. Exact up to rounding: the lower envelope of parabolas
/// along each axis in turn. Lengths are those of the spacing, as if the axes were at right angles.
pub fn squared_distances(object: &Object) -> Vec<f64> {
    let dims = object.dims;
    let spacing = object.spacing();
    let mut squares: Vec<f64> = object
        .owner
        .iter()
        .map(|&owner| if owner == 0 { 0.0 } else { f64::INFINITY })
        .collect();
    let strides = [1, dims[0], dims[0] * dims[1]];
    let most = dims.iter().max().copied().unwrap_or(0);
    let (mut line, mut places, mut bounds) = (vec![0.0; most], vec![0; most], vec![0.0; most + 1]);
    for axis in 0..3 {
        let (count, stride) = (dims[axis], strides[axis]);
        let unit = spacing[axis] * spacing[axis];
        for start in 0..squares.len() {
            if start / stride % count != 0 {
                continue;
            }
            for n in 0..count {
                line[n] = squares[start + n * stride];
            }
            if line[..count].iter().all(|&square| square == 0.0) {
                continue;
            }
            let used = envelope(&line[..count], unit, &mut places, &mut bounds);
            let mut at = 0;
            for n in 0..count {
                while at + 1 < used && bounds[at + 1] < n as f64 {
                    at += 1;
                }
                let far = n as f64 - places[at] as f64;
                squares[start + n * stride] = match used {
                    0 => f64::INFINITY,
                    _ => line[places[at]] + unit * far * far,
                };
            }
        }
    }
    squares
}

/// The parabolas that are lowest somewhere, and from where each is; how many.
fn envelope(line: &[f64], unit: f64, places: &mut [usize], bounds: &mut [f64]) -> usize {
    let mut used = 0;
    for (n, &low) in line.iter().enumerate().filter(|(_, low)| low.is_finite()) {
        while used > 0 {
            let before = places[used - 1];
            let [p, q] = [before, n].map(|place| place as f64);
            let from = (low + unit * q * q - line[before] - unit * p * p) / (2.0 * unit * (q - p));
            if used == 1 || from > bounds[used - 1] {
                bounds[used] = from;
                break;
            }
            used -= 1;
        }
        if used == 0 {
            bounds[0] = f64::NEG_INFINITY;
        }
        places[used] = n;
        used += 1;
    }
    used
}
