//! The force that a solid's surface exerts on its inside.

mod ask;
mod forces;
mod targets;

pub use ask::{PointForce, forces_at};
pub use forces::{ForceField, force_field, forces};
pub(crate) use targets::Targets;
