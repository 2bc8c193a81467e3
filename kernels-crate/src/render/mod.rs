//! Pictures of a volume's isosurface, by casting rays.

mod light;
mod ray;
mod raycast;
mod trilinear;

pub use light::Light;
pub use ray::Camera;
pub use raycast::render_isosurface;
