//! Fields to try things on: they fill a volume on the device, without a file.

mod analytic;
mod metaballs;

pub use analytic::{fill_gyroid, fill_sphere};
pub use metaballs::fill_metaballs;
