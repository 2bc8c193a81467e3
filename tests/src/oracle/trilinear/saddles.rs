//! Critical points of the interpolant, on the faces of a cell and inside it.

use nalgebra::{Matrix3, Vector3};

/// Critical point of the interpolant, or of its restriction to a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saddle {
    /// Position, from 0 to 1 along each axis.
    pub position: [f64; 3],
    /// Value of the interpolant.
    pub value: f64,
}

/// Returns all saddles in the closed cell.
pub fn saddles(values: &[f64; 8]) -> Vec<Saddle> {
    let mut found = Vec::new();
    for axis in 0..3 {
        for side in 0..2 {
            found.extend(face_saddle(values, axis, side));
        }
    }
    found.extend(body_saddles(values));
    found
}

fn is_inside(position: &[f64; 3]) -> bool {
    position.iter().all(|t| (0.0..=1.0).contains(t))
}

fn face_saddle(values: &[f64; 8], axis: usize, side: usize) -> Option<Saddle> {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let at = |i: usize, j: usize| values[side << axis | i << u | j << v];
    let (a, b, c, d) = (at(0, 0), at(1, 0), at(0, 1), at(1, 1));
    let twist = a - b - c + d;
    if twist == 0.0 {
        return None;
    }
    let mut position = [side as f64; 3];
    position[u] = (a - c) / twist;
    position[v] = (a - b) / twist;
    is_inside(&position).then(|| Saddle {
        position,
        value: interpolated(values, position),
    })
}

/// Finds the saddles inside the cell from the coefficients of f = c + Σ l x + Σ q y z + t x y z.
fn body_saddles(values: &[f64; 8]) -> Vec<Saddle> {
    let v = values;
    let linear = [v[1] - v[0], v[2] - v[0], v[4] - v[0]];
    // coefficients of the products of the other two coordinates
    let mixed = [
        v[6] - v[4] - v[2] + v[0],
        v[5] - v[4] - v[1] + v[0],
        v[3] - v[2] - v[1] + v[0],
    ];
    let triple = v[7] - v[6] - v[5] - v[3] + v[4] + v[2] + v[1] - v[0];
    let greatest = v.iter().fold(0.0f64, |max, v| max.max(v.abs()));
    let mut positions = Vec::new();
    if triple.abs() > 1e-12 * greatest {
        // relative to the centre -mixed / triple, f = constant + Σ slope x + triple x y z
        let centre = mixed.map(|m| -m / triple);
        let slope = [0, 1, 2].map(|k| linear[k] - mixed[(k + 1) % 3] * mixed[(k + 2) % 3] / triple);
        let squared = -slope[1] * slope[2] / (slope[0] * triple);
        if squared > 0.0 {
            for x in [squared.sqrt(), -squared.sqrt()] {
                let away = [x, -slope[2] / (triple * x), -slope[1] / (triple * x)];
                positions.push([0, 1, 2].map(|k| centre[k] + away[k]));
            }
        }
    } else {
        let [x, y, z] = mixed;
        let matrix = Matrix3::new(0.0, z, y, z, 0.0, x, y, x, 0.0);
        let position = matrix.lu().solve(&-Vector3::from(linear));
        positions.extend(position.map(<[f64; 3]>::from));
    }
    let inside = positions.into_iter().filter(is_inside);
    inside
        .map(|position| Saddle {
            position,
            value: interpolated(values, position),
        })
        .collect()
}

/// Returns the interpolant at a position, exactly the value at a corner.
pub fn interpolated(values: &[f64; 8], [x, y, z]: [f64; 3]) -> f64 {
    let along = |a: f64, b: f64, t: f64| a * (1.0 - t) + b * t;
    let v = values;
    let low = along(along(v[0], v[1], x), along(v[2], v[3], x), y);
    let high = along(along(v[4], v[5], x), along(v[6], v[7], x), y);
    along(low, high, z)
}
