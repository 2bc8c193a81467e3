//! Ambient occlusion: less light in hollows, from the depths of the samples around.

use super::{EMPTY_KEY, projection::Raster, shading::SampledSurfaces};

/// Number of rings of points that are compared for occlusion.
const RINGS: u32 = 3;
/// Factor from the mean slope of the surroundings to the occluded fraction.
const OCCLUSION_GAIN: f32 = 2.2;
/// Number of directions of half of the points of a ring; the others are opposite.
const DIRECTIONS: u32 = 4;

/// Returns a direction of the points of a ring. Selected instead of indexed, because a list with a
/// variable index would be in local memory.
#[cuda_std::inline_closures]
#[inline(always)]
fn direction(number: u32) -> [f32; 2] {
    let select = |a: f32, b: f32, c: f32, d: f32| {
        let low = if number == 0 { a } else { b };
        let high = if number == 2 { c } else { d };
        if number < 2 { low } else { high }
    };
    [
        select(0.966, 0.5, -0.259, -0.866),
        select(0.259, 0.866, 0.966, 0.5),
    ]
}

impl SampledSurfaces<'_> {
    /// Returns the fraction of the light that reaches a sample: less in hollows, where the surface
    /// on opposite sides is nearer to the viewer.
    #[inline(always)]
    pub fn openness(&self, depth: f32, at: [u32; 2]) -> f32 {
        let radius = self.shading.occlusion_radius;
        if radius <= 0.0 {
            return 1.0;
        }
        let mut hollow = 0.0f32;
        let mut ring = 1;
        while ring <= RINGS {
            let distance = radius * ring as f32 / RINGS as f32;
            let mut number = 0;
            while number < DIRECTIONS {
                let [x, y] = direction(number);
                let ahead = self.rise(depth, at, [x * distance, y * distance], distance);
                let behind = self.rise(depth, at, [-x * distance, -y * distance], distance);
                let mean = 0.5 * (ahead + behind) / distance;
                hollow += if mean > 0.0 { mean } else { 0.0 };
                number += 1;
            }
            ring += 1;
        }
        let part = hollow / (RINGS * DIRECTIONS) as f32 * OCCLUSION_GAIN;
        let part = if part < 1.0 { part } else { 1.0 };
        1.0 - self.shading.occlusion * part
    }

    /// Returns the height of the nearest surface at an offset above a depth, at most `limit` in
    /// magnitude; 0 outside of the samples and of the surfaces.
    #[inline(always)]
    fn rise(&self, depth: f32, [column, row]: [u32; 2], [x, y]: [f32; 2], limit: f32) -> f32 {
        let x = column as f32 + x + 0.5;
        let y = row as f32 + y + 0.5;
        let Raster { width, rows, .. } = self.raster;
        if !(x >= 0.0 && y >= 0.0 && x < width as f32 && y < rows as f32) {
            return 0.0;
        }
        let (_, key) = self.next_key([x as u32, y as u32], 0);
        if key == EMPTY_KEY {
            return 0.0;
        }
        let rise = depth - f32::from_bits((key >> 32) as u32);
        if rise > limit {
            limit
        } else if rise < -limit {
            -limit
        } else {
            rise
        }
    }
}
