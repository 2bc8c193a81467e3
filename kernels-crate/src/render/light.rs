//! Surface shading.

use cuda_std::GpuFloat;

/// Surface colour and lights, with directions in world space.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Linear red, green and blue of the surface, from 0 to 1.
    pub surface: [f32; 3],
    /// Linear red, green and blue of the background, from 0 to 1.
    pub background: [f32; 3],
    /// Unit vector towards the key light.
    pub key: [f32; 3],
    /// Unit vector towards the viewer.
    pub viewer: [f32; 3],
    /// Unit vector pointing up in the image.
    pub up: [f32; 3],
}

impl Light {
    /// Returns the linear colour of the surface at the outward unit normal `normal`: a key light, a
    /// sky light that fades downwards, a fill light from the viewer, and a small specular
    /// highlight.
    #[cuda_std::inline_closures]
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
        // to the power of 32
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

/// Normalises a vector to unit length; the zero vector is unchanged.
#[cuda_std::inline_closures]
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
