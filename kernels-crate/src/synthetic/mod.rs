//! Synthetic volumes for tests, examples and benchmarks, generated on the device.

mod analytic;
mod capsules;
mod levels;
mod metaballs;

pub use analytic::{fill_gyroid, fill_sphere};
pub use capsules::{CAPSULE_LEN, Scaling, fill_capsules};
pub use levels::{Levels, Quantised, fill_sphere_as, quantise};
pub use metaballs::fill_metaballs;
