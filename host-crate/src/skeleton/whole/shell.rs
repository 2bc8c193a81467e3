//! The surface of a component: faces of its voxels that have no voxel of it beyond.

use super::{
    metric::Metric,
    neighbours::{FACES, OFFSETS, bits},
    object::Object,
    rows::{Rows, lower},
};

/// The voxels of a component that have such faces.
pub struct Shell<'a> {
    metric: &'a Metric,
    voxels: Vec<[i32; 3]>,
    /// For each voxel its free faces.
    faces: Vec<u32>,
    rows: Rows,
    /// The areas of faces across each axis, in squares of the smallest spacing.
    areas: [f64; 3],
    /// How far steps of a voxel along z shift y, in voxels.
    slant: f64,
}

/// A face.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// Its middle, in voxels.
    pub at: [f64; 3],
    /// The axis that it is across.
    pub axis: usize,
    /// The way across it, of one voxel.
    pub outwards: [f64; 3],
}

impl<'a> Shell<'a> {
    pub fn new(object: &Object, metric: &'a Metric) -> Self {
        let mut voxels = Vec::new();
        let mut faces = Vec::new();
        for (&voxel, &around) in object.voxels.iter().zip(&object.around) {
            let free = !around & FACES;
            if free != 0 {
                voxels.push(voxel);
                faces.push(free);
            }
        }
        let g = metric.products();
        let area = |a: f64, b: f64, ab: f64| (a * b - ab * ab).max(0.0).sqrt();
        Self {
            metric,
            rows: Rows::of(&voxels),
            voxels,
            faces,
            areas: [
                area(g[1], g[2], g[5]),
                area(g[0], g[2], g[4]),
                area(g[0], g[1], g[3]),
            ],
            slant: {
                let u = metric.upper();
                (u[1][2] / u[1][1]).abs()
            },
        }
    }

    /// The area of the faces across an axis.
    pub fn area(&self, axis: usize) -> f64 {
        self.areas[axis]
    }

    /// Calls `visit` with faces whose voxels are in a box around a ball: all that are nearer than the radius, and some that are not.
    pub fn near(&self, at: [f64; 3], radius: f64, mut visit: impl FnMut(Face)) {
        // the extent of a ball along each axis, and a voxel more: faces are half a voxel from their voxels
        let u = self.metric.upper();
        let half = radius / u[2][2] + 1.0;
        let first = (at[2] - half).ceil() as i32;
        let last = (at[2] + half).floor() as i32;
        for z in first.max(0)..=last.min(self.rows.planes() - 1) {
            let dz = f64::from(z) - at[2];
            let margin = (dz.abs() - 1.0).max(0.0) * u[2][2];
            let half = (radius * radius - margin * margin).max(0.0).sqrt() / u[1][1] + 1.0;
            let middle = at[1] - u[1][2] * dz / u[1][1];
            let slant = self.slant;
            let low = (middle - half - slant).ceil() as i32;
            let high = (middle + half + slant).floor() as i32;
            for row in self.rows.between(z, low, high) {
                let dy = f64::from(self.rows.y(row)) - at[1];
                let slants = [u[0][1] / u[0][0], u[0][2] / u[0][0]];
                let middle = at[0] - slants[0] * dy - slants[1] * dz;
                let slant = slants[0].abs() + slants[1].abs();
                let across = ((dy + u[1][2] * dz / u[1][1]).abs() - 1.0 - self.slant).max(0.0);
                let margin = margin * margin + (across * u[1][1]).powi(2);
                let rest = (radius * radius - margin).max(0.0).sqrt();
                let half = rest / u[0][0] + 1.0 + slant;
                let range = self.rows.voxels(row);
                let voxels = &self.voxels[range.clone()];
                let from = range.start + lower(voxels, (middle - half).ceil() as i32);
                let most = (middle + half).floor() as i32;
                for voxel in from..range.end {
                    let place = self.voxels[voxel];
                    if place[0] > most {
                        break;
                    }
                    for face in bits(self.faces[voxel]) {
                        let way = OFFSETS[face];
                        visit(Face {
                            at: [0, 1, 2]
                                .map(|axis| f64::from(place[axis]) + 0.5 * f64::from(way[axis])),
                            axis: [0, 1, 2]
                                .into_iter()
                                .find(|&axis| way[axis] != 0)
                                .unwrap_or(0),
                            outwards: way.map(f64::from),
                        });
                    }
                }
            }
        }
    }

    /// The distance from a place in the component to the nearest centre of a voxel that is not of it, in the smallest spacing; it is known to be between two.
    pub fn distance(&self, at: [f64; 3], [least, most]: [f64; 2]) -> f64 {
        let mut best = most * most;
        let enough = least * least;
        // the nearest voxel has a face to the component: across the others there is a nearer one
        self.near(at, most, |face| {
            if best > enough {
                let way =
                    [0, 1, 2].map(|axis| face.at[axis] + 0.5 * face.outwards[axis] - at[axis]);
                best = best.min(self.metric.squared_length(way));
            }
        });
        best.sqrt()
    }
}
