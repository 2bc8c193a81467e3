//! Rasterisation of surfaces, and curves drawn over them.

mod cones;
mod curves;
mod light;
mod raster;

pub use cones::CONE_LEN;
pub use curves::{Overlay, render_curves};
pub use light::Light;
pub use raster::{Raster, SURFACE_LEN, Shading, raster_triangles, shade_surfaces};
