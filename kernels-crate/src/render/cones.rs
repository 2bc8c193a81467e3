//! Cone spheres, the segments of rendered curves, and their intersection with rays.
//!
//! All coordinates are in pixels of the image: x to the right, y down, z away from the viewer.

use super::light::unit;
use cuda_std::{GpuFloat, View};

/// A cone sphere: the convex hull of two balls, with a colour at each.
#[derive(Clone, Copy)]
pub(super) struct ConeSphere {
    a: [f32; 3],
    b: [f32; 3],
    radii: [f32; 2],
    colours: [[f32; 3]; 2],
}

/// Numbers per cone sphere: centre and radius of each ball, then their colours.
pub const CONE_LEN: usize = 14;

/// First intersection of a ray with a cone sphere.
#[derive(Clone, Copy)]
pub(super) struct ConeHit {
    pub depth: f32,
    /// Outward unit normal.
    pub normal: [f32; 3],
    /// Position along the axis: 0 at the first ball, 1 at the second.
    pub along: f32,
}

impl ConeSphere {
    /// Reads cone sphere `index` of a list.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn read(cones: View<f32>, index: u32) -> Self {
        let first = index as usize * CONE_LEN;
        let vector = |at: usize| {
            [
                cones.read(first + at),
                cones.read(first + at + 1),
                cones.read(first + at + 2),
            ]
        };
        Self {
            a: vector(0),
            b: vector(4),
            radii: [cones.read(first + 3), cones.read(first + 7)],
            colours: [vector(8), vector(11)],
        }
    }

    /// Returns `false` if no ray within `margin` of pixel position (`px`, `py`) meets the hull.
    #[inline(always)]
    pub fn is_near(&self, px: f32, py: f32, margin: f32) -> bool {
        let [ra, rb] = self.radii;
        let reach = margin + if ra > rb { ra } else { rb };
        let (x, y) = (px - self.a[0], py - self.a[1]);
        let (dx, dy) = (self.b[0] - self.a[0], self.b[1] - self.a[1]);
        let square = dx * dx + dy * dy;
        let along = x * dx + y * dy;
        let part = if square > 0.0 { along / square } else { 0.0 };
        let part = if part > 0.0 { part } else { 0.0 };
        let part = if part < 1.0 { part } else { 1.0 };
        let (x, y) = (x - part * dx, y - part * dy);
        x * x + y * y <= reach * reach
    }

    /// Returns a lower bound on its depth.
    #[inline(always)]
    pub fn min_depth(&self) -> f32 {
        let [a, b] = [self.a[2] - self.radii[0], self.b[2] - self.radii[1]];
        if a < b { a } else { b }
    }

    /// Returns the colour at a position along the axis, interpolated linearly.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn colour(&self, along: f32) -> [f32; 3] {
        let [from, to] = self.colours;
        let at = |k: usize| from[k] + along * (to[k] - from[k]);
        [at(0), at(1), at(2)]
    }

    /// Returns the first intersection with the ray through pixel position (`px`, `py`), if its
    /// depth is less than `limit`.
    ///
    /// The balls are intersected as spheres, and the cone tangent to both between its circles of
    /// contact.
    #[inline(always)]
    pub fn intersect(&self, px: f32, py: f32, limit: f32) -> Option<ConeHit> {
        let [ra, rb] = self.radii;
        let (x, y) = (px - self.a[0], py - self.a[1]);
        let (bx, by) = (px - self.b[0], py - self.b[1]);
        // the ray misses it along x or y
        if (x < -ra && bx < -rb)
            || (x > ra && bx > rb)
            || (y < -ra && by < -rb)
            || (y > ra && by > rb)
        {
            return None;
        }
        let mut best = limit;
        let mut hit = None;
        let offset_squared = x * x + y * y;
        let rest = ra * ra - offset_squared;
        if rest >= 0.0 {
            let z = -GpuFloat::sqrt(rest);
            if self.a[2] + z < best {
                best = self.a[2] + z;
                hit = Some(([x, y, z], 0.0));
            }
        }
        let rest = rb * rb - (bx * bx + by * by);
        if rest >= 0.0 {
            let z = -GpuFloat::sqrt(rest);
            if self.b[2] + z < best {
                best = self.b[2] + z;
                hit = Some(([bx, by, z], 1.0));
            }
        }
        let axis = [
            self.b[0] - self.a[0],
            self.b[1] - self.a[1],
            self.b[2] - self.a[2],
        ];
        let square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
        let taper = ra - rb;
        // not positive if one ball contains the other, so that no part of the cone is visible
        let side = square - taper * taper;
        if side > 0.0 {
            let dot = axis[0] * x + axis[1] * y;
            let slope = taper * ra - dot;
            let k2 = side - axis[2] * axis[2];
            let k1 = axis[2] * slope;
            let k0 = side * offset_squared - dot * dot + 2.0 * dot * taper * ra - square * ra * ra;
            let h = k1 * k1 - k0 * k2;
            if h >= 0.0 {
                let root = GpuFloat::sqrt(h);
                // the root computed without cancellation, and the other from their product
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
