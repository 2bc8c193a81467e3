//! Force field of a solid: repulsion by its surface voxels.

mod all_pairs;
mod fmm;
mod force_field;
mod launch_portions;
mod multi_device;
mod point_forces;
mod sources;
mod targets;
mod variant_choice;

pub use fmm::ErrorBounds;
pub(in crate::skeleton) use fmm::brick_grid;
pub(super) use force_field::force_field_from;
pub use force_field::{ForceField, force_field, force_field_on_devices, forces_at_voxels};
pub use point_forces::{PointForce, forces_at_points};
pub use sources::Sources;
pub(crate) use targets::Targets;
