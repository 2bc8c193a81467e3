//! Pictures of a volume's isosurface, and of curves over it, by casting rays.

mod cones;
mod curves;
mod light;
mod ray;
mod raycast;
mod trilinear;

pub use cones::CONE;
pub use curves::{Overlay, render_curves};
pub use light::Light;
pub use ray::Camera;
pub use raycast::render_isosurface;
