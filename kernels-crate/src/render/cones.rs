//! Cones with round ends, of which curves are made, and where rays meet them.
//!
//! Everything is in pixels of the picture: x to the right, y down, z away from the viewer.

use super::light::unit;
use cuda_std::{GpuFloat, View};

/// The hull of two balls, with a colour at each.
#[derive(Clone, Copy)]
pub(super) struct Cone {
    a: [f32; 3],
    b: [f32; 3],
    radii: [f32; 2],
    colours: [[f32; 3]; 2],
}

/// Numbers of a cone: the middle and radius of one ball and of the other, and their colours.
pub const CONE: usize = 14;

/// Where a ray meets a cone first.
#[derive(Clone, Copy)]
pub(super) struct ConeHit {
    pub depth: f32,
    /// The outward unit normal.
    pub normal: [f32; 3],
    /// 0 at the first ball, 1 at the second.
    pub along: f32,
}

impl Cone {
    /// Cone number `index` of those in a list.
    #[inline(always)]
    pub fn read(cones: View<f32>, index: u32) -> Self {
        let first = index as usize * CONE;
        let three = |at: usize| {
            [
                cones.read(first + at),
                cones.read(first + at + 1),
                cones.read(first + at + 2),
            ]
        };
        Self {
            a: three(0),
            b: three(4),
            radii: [cones.read(first + 3), cones.read(first + 7)],
            colours: [three(8), three(11)],
        }
    }

    /// The depth that nothing of it is nearer than.
    #[inline(always)]
    pub fn nearest(&self) -> f32 {
        let [a, b] = [self.a[2] - self.radii[0], self.b[2] - self.radii[1]];
        if a < b { a } else { b }
    }

    /// The colour at a part of the way from the first ball to the second.
    #[inline(always)]
    pub fn colour(&self, along: f32) -> [f32; 3] {
        let [from, to] = self.colours;
        let at = |k: usize| from[k] + along * (to[k] - from[k]);
        [at(0), at(1), at(2)]
    }

    /// Where the ray through a place of the picture meets it, if nearer than `limit`.
    ///
    /// The balls are met as balls, and the cone that touches both between the circles where it does
    /// so.
    #[inline(always)]
    pub fn meet(&self, px: f32, py: f32, limit: f32) -> Option<ConeHit> {
        let [ra, rb] = self.radii;
        let (x, y) = (px - self.a[0], py - self.a[1]);
        let (far_x, far_y) = (px - self.b[0], py - self.b[1]);
        // beside it along x or y
        if (x < -ra && far_x < -rb)
            || (x > ra && far_x > rb)
            || (y < -ra && far_y < -rb)
            || (y > ra && far_y > rb)
        {
            return None;
        }
        let mut best = limit;
        let mut hit = None;
        let off = x * x + y * y;
        let rest = ra * ra - off;
        if rest >= 0.0 {
            let z = -GpuFloat::sqrt(rest);
            if self.a[2] + z < best {
                best = self.a[2] + z;
                hit = Some(([x, y, z], 0.0));
            }
        }
        let rest = rb * rb - (far_x * far_x + far_y * far_y);
        if rest >= 0.0 {
            let z = -GpuFloat::sqrt(rest);
            if self.b[2] + z < best {
                best = self.b[2] + z;
                hit = Some(([far_x, far_y, z], 1.0));
            }
        }
        let axis = [
            self.b[0] - self.a[0],
            self.b[1] - self.a[1],
            self.b[2] - self.a[2],
        ];
        let square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
        let narrower = ra - rb;
        // what the balls have of the cone: nothing where one is in the other
        let side = square - narrower * narrower;
        if side > 0.0 {
            let dot = axis[0] * x + axis[1] * y;
            let slope = narrower * ra - dot;
            let k2 = side - axis[2] * axis[2];
            let k1 = axis[2] * slope;
            let k0 = side * off - dot * dot + 2.0 * dot * narrower * ra - square * ra * ra;
            let h = k1 * k1 - k0 * k2;
            if h >= 0.0 {
                let root = GpuFloat::sqrt(h);
                // the root that is not a difference of near numbers, and the other by their product
                let q = if k1 >= 0.0 { -(k1 + root) } else { root - k1 };
                let mut number = 0;
                while number < 2 {
                    let z = if number == 0 { q / k2 } else { k0 / q };
                    let at = z * axis[2] - slope;
                    if at > 0.0 && at < side && self.a[2] + z < best {
                        best = self.a[2] + z;
                        let along = at / side;
                        let normal = [
                            x - axis[0] * along,
                            y - axis[1] * along,
                            z - axis[2] * along,
                        ];
                        hit = Some((normal, along));
                    }
                    number += 1;
                }
            }
        }
        let (normal, along) = hit?;
        Some(ConeHit {
            depth: best,
            normal: unit(normal),
            along,
        })
    }
}
