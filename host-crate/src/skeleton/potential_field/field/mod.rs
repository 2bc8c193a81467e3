//! The force that a solid's surface exerts on its inside.

mod choice;
mod devices;
mod forces;
mod job;
mod point_forces;
mod portions;
mod sources;
mod targets;
mod tree;

pub(super) use forces::force_field_from;
pub use forces::{ForceField, force_field, force_field_on_devices, forces_at_voxels};
pub use point_forces::{PointForce, forces_at_points};
pub use sources::Sources;
pub(crate) use targets::Targets;
pub use tree::ErrorBounds;
pub(in crate::skeleton) use tree::brick_grid;
