//! Fields to try things on: they fill a volume on the device, without a file.

mod analytic;
mod capsules;
mod levels;
mod metaballs;

pub use analytic::{fill_gyroid, fill_sphere};
pub use capsules::{CAPSULE, Scaling, fill_capsules};
pub use levels::{Levels, Quantised, fill_sphere_as, quantise};
pub use metaballs::fill_metaballs;
