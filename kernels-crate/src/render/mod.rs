//! Ray casting of isosurfaces, and curves drawn over them.

mod cones;
mod curves;
mod light;
mod ray;
mod raycast;
mod trilinear;

pub use cones::CONE_LEN;
pub use curves::{Overlay, render_curves};
pub use light::Light;
pub use ray::Camera;
pub use raycast::render_isosurface;
