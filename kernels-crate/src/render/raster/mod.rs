//! Rasterisation of triangle meshes: visibility, and shading of what is visible.

mod occlusion;
mod projection;
mod shading;
mod visibility;

pub use projection::Raster;
pub use shading::{SURFACE_LEN, Shading, shade_surfaces};
pub use visibility::raster_triangles;

/// Key of a sample that no triangle covers. Keys are stored inverted, so that it is stored as 0.
const EMPTY_KEY: u64 = u64::MAX;
