//! Filters that a job selects.

use crate::mesh_filter::{ComponentFilter, SimplifyTarget, SmoothParams};

/// Filters that a mesh passes before it is checked and written, in the order of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeshFilters {
    /// Connected components of the solid whose surfaces are kept; on the host.
    pub components: ComponentFilter,
    /// Smoothing, on the device that extracted the mesh, or the first of several.
    pub smooth: Option<SmoothParams>,
    /// Simplification; on the host.
    pub simplify: Option<SimplifyTarget>,
}
