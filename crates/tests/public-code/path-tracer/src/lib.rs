//! A path tracer in Rust-CUDA's style: a scene of enums behind references, and a random number
//! generator per pixel.

#![allow(improper_ctypes_definitions, clippy::missing_safety_doc)]

mod material;
mod scene;
mod sphere;

pub use material::{Diffuse, Material, Mirror, Scatter};
pub use scene::{render, tone, Object, Scene, Viewport};
pub use sphere::{Hit, Sphere, Surface};

use vek::Vec3;

/// Type of colours and positions.
pub type Vector = Vec3<f32>;

#[derive(Clone, Copy, PartialEq)]
pub struct Ray {
    pub origin: Vector,
    pub direction: Vector,
}

impl Ray {
    pub fn at(&self, t: f32) -> Vector {
        self.origin + self.direction * t
    }
}
