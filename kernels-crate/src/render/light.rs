//! How a surface is lit.

use cuda_std::GpuFloat;

/// The surface's colour and the lights, as directions in world space.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// The surface's colour, linear red, green and blue from 0 to 1.
    pub surface: [f32; 3],
    /// The background's colour.
    pub background: [f32; 3],
    /// Unit vector towards the main light.
    pub key: [f32; 3],
    /// Unit vector towards the viewer.
    pub viewer: [f32; 3],
    /// Unit vector upwards in the picture.
    pub up: [f32; 3],
}

impl Light {
    /// The linear colour of the surface where its outward unit normal is `normal`.
    ///
    /// A key light, light from the sky that fades downwards, a fill from the viewer, and a small
    /// highlight.
    #[inline(always)]
    pub(super) fn shade(&self, normal: [f32; 3]) -> [f32; 3] {
        let key = positive(dot(normal, self.key));
        let sky = 0.5 + 0.5 * dot(normal, self.up);
        let facing = positive(dot(normal, self.viewer));
        let half = unit([
            self.key[0] + self.viewer[0],
            self.key[1] + self.viewer[1],
            self.key[2] + self.viewer[2],
        ]);
        let mut highlight = positive(dot(normal, half));
        // to the 32nd power
        let mut square = 0;
        while square < 5 {
            highlight *= highlight;
            square += 1;
        }
        let diffuse = 0.62 * key + 0.16 * sky + 0.22 * facing;
        self.surface
            .map(|colour| colour * diffuse + 0.12 * highlight)
    }
}

#[inline(always)]
pub(super) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The vector at unit length; the zero vector stays.
#[inline(always)]
pub(super) fn unit(vector: [f32; 3]) -> [f32; 3] {
    let length = GpuFloat::sqrt(dot(vector, vector));
    if length > 0.0 {
        vector.map(|component| component / length)
    } else {
        vector
    }
}

#[inline(always)]
fn positive(value: f32) -> f32 {
    if value > 0.0 { value } else { 0.0 }
}
