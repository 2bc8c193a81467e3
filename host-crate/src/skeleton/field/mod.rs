//! The force that a solid's surface exerts on its inside.

mod ask;
mod forces;
mod job;
mod progress;
mod targets;
mod together;

pub use ask::{PointForce, forces_at};
pub use forces::{ForceField, force_field, force_field_by, forces};
pub use progress::Progress;
pub(crate) use targets::Targets;
