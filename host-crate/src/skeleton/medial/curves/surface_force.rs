//! Repulsive force of a component's surface on a position inside, and its Jacobian.
//!
//! The field is the potential field of Cornea et al. (2005) with exponent 6. Sources are boundary
//! faces, weighted by area; only faces near the position are summed, because the contribution of
//! distant ones is negligible with this exponent. Far from the surface, faces are summed in blocks
//! ([`SurfaceBlocks`]). The order of summation is fixed, and so are the bits of the result.

use super::surface_blocks::{BlockLevel, SurfaceBlock, SurfaceBlocks};
use crate::{
    memory::CollectOrUnwind,
    skeleton::medial::{context::ComponentContext, voxels::boundary_faces::Face},
};
use nalgebra::{Matrix3, Vector3};

/// Cutoff distance of faces, as a multiple of the inscribed radius.
const CUTOFF_RADII: f64 = 2.2;
/// Minimum cutoff distance beyond the inscribed radius, in units of the smallest spacing.
const CUTOFF_MARGIN: f64 = 2.0;

/// Maximum number of point sources of a face along each of its axes. Below this maximum, a face has
/// one point source per unit of the smallest spacing.
const MAX_PARTS: f64 = 5.0;

/// Point sources of the faces perpendicular to each axis, in world coordinates whose unit is the
/// smallest spacing.
pub struct FaceSources {
    /// Offsets from the centre of a face to its sources.
    offsets: [Vec<[f64; 3]>; 3],
    /// Area of each source.
    areas: [f64; 3],
    blocks: SurfaceBlocks,
}

/// Sums over sources.
#[derive(Default)]
struct Sums {
    force: [f64; 3],
    /// Coefficient of the identity in the Jacobian.
    strengths: f64,
    /// The rest of the Jacobian, negated: components xx, yy, zz, xy, xz and yz.
    second: [f64; 6],
}

impl Sums {
    /// Adds a point source: `d / R^7` and its derivatives, for the offset `d` from the source.
    #[inline(always)]
    fn add_point(&mut self, [x, y, z]: [f64; 3], square: f64, area: f64) {
        let inverse = 1.0 / square;
        let strength = area * inverse * inverse * inverse * inverse.sqrt();
        let along = 7.0 * strength * inverse;
        self.force[0] += x * strength;
        self.force[1] += y * strength;
        self.force[2] += z * strength;
        self.second[0] += x * x * along;
        self.second[1] += y * y * along;
        self.second[2] += z * z * along;
        self.second[3] += x * y * along;
        self.second[4] += x * z * along;
        self.second[5] += y * z * along;
        self.strengths += strength;
    }

    /// Adds a block: its force and the derivatives up to second order in the offsets of its faces
    /// from the centroid.
    #[inline(always)]
    fn add_block(&mut self, [x, y, z]: [f64; 3], square: f64, block: &SurfaceBlock) {
        let [xx, yy, zz, xy, xz, yz] = block.moments;
        let trace = xx + yy + zz;
        // moments times offset
        let [mx, my, mz] = [
            xx * x + xy * y + xz * z,
            xy * x + yy * y + yz * z,
            xz * x + yz * y + zz * z,
        ];
        let quadratic = x * mx + y * my + z * mz;
        // R^-7 and its derivatives with respect to R^2
        let inverse = 1.0 / square;
        let g = inverse * inverse * inverse * inverse.sqrt();
        let g1 = -3.5 * g * inverse;
        let g2 = -4.5 * g1 * inverse;
        let g3 = -5.5 * g2 * inverse;
        let strength = block.area * g + g1 * trace + 2.0 * g2 * quadratic;
        self.force[0] += x * strength + 2.0 * g1 * mx;
        self.force[1] += y * strength + 2.0 * g1 * my;
        self.force[2] += z * strength + 2.0 * g1 * mz;
        self.strengths += strength;
        let along = -2.0 * (block.area * g1 + g2 * trace + 2.0 * g3 * quadratic);
        let (mixed, direct) = (-4.0 * g2, -2.0 * g1);
        self.second[0] += x * x * along + 2.0 * x * mx * mixed + xx * direct;
        self.second[1] += y * y * along + 2.0 * y * my * mixed + yy * direct;
        self.second[2] += z * z * along + 2.0 * z * mz * mixed + zz * direct;
        self.second[3] += x * y * along + (x * my + y * mx) * mixed + xy * direct;
        self.second[4] += x * z * along + (x * mz + z * mx) * mixed + xz * direct;
        self.second[5] += y * z * along + (y * mz + z * my) * mixed + yz * direct;
    }

    /// Returns the force and its Jacobian.
    fn finish(self) -> (Vector3<f64>, Matrix3<f64>) {
        let [xx, yy, zz, xy, xz, yz] = self.second;
        let strengths = self.strengths;
        let jacobian = Matrix3::new(
            strengths - xx,
            -xy,
            -xz, //
            -xy,
            strengths - yy,
            -yz, //
            -xz,
            -yz,
            strengths - zz,
        );
        (self.force.into(), jacobian)
    }
}

/// Minimum squared distance of a source.
const MIN_SQUARE: f64 = 1e-6;

impl FaceSources {
    /// Computes the point sources of the faces of a component, and their blocks for positions with
    /// inscribed radii up to `max_radius`.
    pub fn new(context: &ComponentContext<'_>, max_radius: f64) -> Self {
        let parts = [0, 1, 2].map(|axis| {
            let spacing = context.metric.squared_spacing(axis).sqrt();
            spacing.round().clamp(1.0, MAX_PARTS) as u32
        });
        let offsets = [0, 1, 2].map(|axis| {
            let [first_axis, second_axis] = [(axis + 1) % 3, (axis + 2) % 3];
            let middle = |number: u32, of: u32| (f64::from(number) + 0.5) / f64::from(of) - 0.5;
            let grid =
                (0..parts[first_axis]).flat_map(|a| (0..parts[second_axis]).map(move |b| [a, b]));
            grid.map(|[a, b]| {
                let mut offset = [0.0; 3];
                offset[first_axis] = middle(a, parts[first_axis]);
                offset[second_axis] = middle(b, parts[second_axis]);
                context.metric.to_world(offset)
            })
            .collect_or_unwind()
        });
        let areas = [0, 1, 2].map(|axis| context.boundary.area(axis) / offsets[axis].len() as f64);
        let face_sources = |face: &Face| {
            let (at, axis) = (face.at, face.axis());
            let offsets: &[[f64; 3]] = &offsets[axis];
            offsets
                .iter()
                .map(move |offset| ([0, 1, 2].map(|k| at[k] + offset[k]), areas[axis]))
        };
        let blocks = SurfaceBlocks::new(context.metric, context.boundary, max_radius, face_sources);
        Self {
            offsets,
            areas,
            blocks,
        }
    }

    /// Returns the force at a position, and its Jacobian.
    pub fn force_at(
        &self,
        context: &ComponentContext<'_>,
        at: [f64; 3],
        radius: f64,
    ) -> (Vector3<f64>, Matrix3<f64>) {
        let cutoff = (CUTOFF_RADII * radius).max(radius + CUTOFF_MARGIN);
        let sums = match self.blocks.level(radius) {
            Some(level) => sum_blocks(context, level, at, cutoff),
            None => self.sum_faces(context, at, cutoff),
        };
        sums.finish()
    }

    /// Sums over the point sources of all faces within a distance.
    fn sum_faces(&self, context: &ComponentContext<'_>, at: [f64; 3], cutoff: f64) -> Sums {
        let position = context.metric.to_world(at);
        let max_square = cutoff * cutoff;
        let mut sums = Sums::default();
        context.boundary.visit_near(at, cutoff, |faces| {
            for face in faces {
                let axis = face.axis();
                for source in &self.offsets[axis] {
                    let [x, y, z] = [0, 1, 2].map(|k| position[k] - face.at[k] - source[k]);
                    let square = x * x + y * y + z * z;
                    if (MIN_SQUARE..=max_square).contains(&square) {
                        sums.add_point([x, y, z], square, self.areas[axis]);
                    }
                }
            }
        });
        sums
    }
}

/// Sums over the blocks whose centroids lie within a distance.
fn sum_blocks(
    context: &ComponentContext<'_>,
    level: &BlockLevel,
    at: [f64; 3],
    cutoff: f64,
) -> Sums {
    let position = context.metric.to_world(at);
    let max_square = cutoff * cutoff;
    let mut sums = Sums::default();
    level.visit_near(context.metric, at, cutoff, |block| {
        let [x, y, z] = [0, 1, 2].map(|axis| position[axis] - block.centroid[axis]);
        let square = x * x + y * y + z * z;
        if (MIN_SQUARE..=max_square).contains(&square) {
            sums.add_block([x, y, z], square, block);
        }
    });
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Geometry,
        skeleton::medial::{
            curves::newton_step::newton_step, test_objects::with_context,
            voxels::segment_voxels::to_fixed,
        },
    };

    /// Calls `look` with the context of a bent tube whose radius is 14 to 20 units, and with
    /// positions near its axis.
    fn with_tube(spacing: [f64; 3], look: impl FnOnce(&ComponentContext<'_>, &[[f64; 3]])) {
        // an arc of a ring of radius 60
        let axis = |angle: f64| [60.0 * angle.cos(), 60.0 * angle.sin()];
        let dims = [84.0, 84.0, 44.0];
        let is_set = |voxel: [usize; 3]| {
            let [x, y, z] = [0, 1, 2].map(|k| voxel[k] as f64 * spacing[k]);
            let radius = 14.0 + 6.0 * y.atan2(x);
            (x.hypot(y) - 60.0).hypot(z - 22.0) < radius && x >= 0.0 && y >= 0.0
        };
        let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
        let counts = [0, 1, 2].map(|k| (dims[k] / spacing[k]) as usize);
        // voxels are counted from the first one of the object along each axis
        let mut first = counts;
        for index in 0..counts.iter().product::<usize>() {
            let [nx, ny, _] = counts;
            let voxel = [index % nx, index / nx % ny, index / nx / ny];
            if is_set(voxel) {
                first = [0, 1, 2].map(|k| first[k].min(voxel[k]));
            }
        }
        with_context(counts, geometry, is_set, |context, _| {
            let positions: Vec<[f64; 3]> = (3..29)
                .map(|number| {
                    let number = f64::from(number);
                    let [x, y] = axis(number * 0.05);
                    let off = [0.4 * number.sin(), 0.4 * number.cos()];
                    let at = [x + off[0], y, 22.0 + off[1]];
                    [0, 1, 2].map(|k| at[k] / spacing[k] - first[k] as f64)
                })
                .collect();
            look(context, &positions);
        });
    }

    /// Without a cutoff, sums over blocks differ from sums over faces by at most the sum of the
    /// errors of all blocks.
    #[test]
    fn sums_over_blocks_are_within_the_error_bound() {
        for spacing in [[1.0; 3], [1.0, 1.0, 2.5]] {
            with_tube(spacing, |context, positions| {
                let sources = FaceSources::new(context, 40.0);
                for radius in [8.0, 16.0, 32.0] {
                    let Some(level) = sources.blocks.level(radius) else {
                        continue;
                    };
                    for &at in positions {
                        let (exact, _) = sources.sum_faces(context, at, 1e3).finish();
                        let (found, _) = sum_blocks(context, level, at, 1e3).finish();
                        let position = context.metric.to_world(at);
                        let mut bound = 0.0;
                        level.visit_near(context.metric, at, 1e3, |block| {
                            bound += level.error_bound(context.metric, block, position);
                        });
                        let error = (exact - found).norm();
                        assert!(error <= bound, "{radius} {at:?}: {error} > {bound}");
                        assert!(error > 0.0);
                    }
                }
            });
        }
    }

    /// Near the axis, a step computed from blocks differs from the exact one by less than the step
    /// at which a point has converged.
    #[test]
    fn steps_by_blocks_match_exact_steps() {
        for spacing in [[1.0; 3], [1.0, 1.0, 2.5]] {
            with_tube(spacing, |context, positions| {
                let sources = FaceSources::new(context, 40.0);
                let none = FaceSources::new(context, 0.0);
                let mut tested = 0;
                for &at in positions {
                    let radius = context.approximate_radius(to_fixed(at));
                    assert!(none.blocks.level(radius).is_none());
                    // near the cut ends, and for coarse voxels, faces are summed
                    if sources.blocks.level(radius).is_none() {
                        continue;
                    }
                    tested += 1;
                    let steps = [&sources, &none].map(|sources| {
                        let (force, jacobian) = sources.force_at(context, at, radius);
                        newton_step(&force, &jacobian)
                    });
                    let difference = (steps[0] - steps[1]).norm();
                    assert!(
                        difference < 0.05,
                        "{at:?}: {difference} of {}",
                        steps[1].norm()
                    );
                }
                assert!(tested > 5, "{tested}");
            });
        }
    }
}
