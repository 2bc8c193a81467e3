//! Distances from an object's voxels to the background, in world units.

use super::Object;

/// Returns, for each voxel of the object's bounding box, the squared distance from its centre to
/// the nearest voxel centre outside the object; 0 outside. Exact up to rounding: lower envelopes of
/// parabolas along each axis in turn (Felzenszwalb and Huttenlocher 2012). Lengths are those of the
/// spacing, as if the axes were orthogonal.
pub fn squared_distances(object: &Object) -> Vec<f64> {
    let dims = object.dims;
    let spacing = object.spacing();
    let mut squared: Vec<f64> = object
        .owner
        .iter()
        .map(|&owner| if owner == 0 { 0.0 } else { f64::INFINITY })
        .collect();
    let strides = [1, dims[0], dims[0] * dims[1]];
    let max_count = dims.iter().max().copied().unwrap_or(0);
    let (mut costs, mut vertices, mut takeovers) = (
        vec![0.0; max_count],
        vec![0; max_count],
        vec![0.0; max_count + 1],
    );
    for axis in 0..3 {
        let (count, stride) = (dims[axis], strides[axis]);
        let unit = spacing[axis] * spacing[axis];
        for start in 0..squared.len() {
            if start / stride % count != 0 {
                continue;
            }
            for n in 0..count {
                costs[n] = squared[start + n * stride];
            }
            if costs[..count].iter().all(|&value| value == 0.0) {
                continue;
            }
            let vertex_count = envelope(&costs[..count], unit, &mut vertices, &mut takeovers);
            let mut current = 0;
            for n in 0..count {
                while current + 1 < vertex_count && takeovers[current + 1] < n as f64 {
                    current += 1;
                }
                let offset = n as f64 - vertices[current] as f64;
                squared[start + n * stride] = match vertex_count {
                    0 => f64::INFINITY,
                    _ => costs[vertices[current]] + unit * offset * offset,
                };
            }
        }
    }
    squared
}

/// Computes the vertices of the lower envelope of the parabolas and the position at which each
/// takes over; returns their number.
fn envelope(costs: &[f64], unit: f64, vertices: &mut [usize], takeovers: &mut [f64]) -> usize {
    let mut vertex_count = 0;
    for (n, &height) in costs
        .iter()
        .enumerate()
        .filter(|(_, height)| height.is_finite())
    {
        while vertex_count > 0 {
            let previous = vertices[vertex_count - 1];
            let [p, q] = [previous, n].map(|position| position as f64);
            let takeover =
                (height + unit * q * q - costs[previous] - unit * p * p) / (2.0 * unit * (q - p));
            if vertex_count == 1 || takeover > takeovers[vertex_count - 1] {
                takeovers[vertex_count] = takeover;
                break;
            }
            vertex_count -= 1;
        }
        if vertex_count == 0 {
            takeovers[0] = f64::NEG_INFINITY;
        }
        vertices[vertex_count] = n;
        vertex_count += 1;
    }
    vertex_count
}
