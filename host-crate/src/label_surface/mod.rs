//! Surfaces of the labels of a volume, with shared walls.
//!
//! Multi-label surface nets (Gibson 1998, *Constrained Elastic Surface Nets*; Frisken 2022,
//! *SurfaceNets for Multi-Label Segmentations with Preservation of Sharp Boundaries*), extended
//! such that the surface of every label is a closed manifold. A cell between eight voxels with more
//! than one label has a vertex for each component of the boundaries in it, at the mean of the
//! midpoints of their edges; each pair of neighbouring voxels with different labels has a wall
//! between them, of two triangles or a fan. Vertices are then relaxed within their cells (Taubin
//! 1995, *A signal processing approach to fair surface design*), and walls are moved such that each
//! label encloses the volume of its voxels. Finally the walls are faired without regard to cells,
//! except where triangles would intersect. The volume is surrounded by background.
//!
//! ```
//! use ferrovox::{device::Device, grid::{Geometry, Volume}};
//! use ferrovox::label_surface::{self, LabelField, LabelSurfaceParams};
//!
//! // two adjacent voxels with the labels 4 and 9
//! let volume = Volume::new(vec![4_u8, 9], [2, 1, 1], Geometry::default())?;
//! let field = LabelField::new(&volume.into(), None)?;
//! let stream = Device::best().stream()?;
//! let walls = label_surface::extract(&stream, &field, &LabelSurfaceParams::default())?;
//! let walls = walls.download(&stream, &field)?;
//! // five quads around each voxel, and one between them
//! assert_eq!((walls.mesh.vertices.len(), walls.mesh.triangles.len()), (12, 22));
//! let part = walls.label_mesh(9)?;
//! assert_eq!((part.mesh.triangles.len(), part.unbalanced_edges()?), (12, 0));
//! assert!((part.check()?.volume - 1.0).abs() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! The triangles around each label, seen from its outside, form a closed, oriented 2-manifold, also
//! if vertices at equal positions are merged, without self-intersections. The same wall bounds the
//! neighbouring label, with the same vertices, except for the few counted by
//! [`DeviceLabelSurface::unshared_wall_count`], where each label has a wall of its own.

mod components;
mod error;
mod extract;
mod fairing;
mod field;
mod net;
mod params;
mod parts;
mod relax;
mod runs;

pub(crate) use components::MaskedRuns;
pub(crate) use parts::check_budget;

pub use error::LabelSurfaceError;
pub use extract::{DeviceLabelSurface, extract};
pub use field::{LabelField, LabelFieldBuilder};
pub use params::{LabelSurfaceParams, VoxelContact};
pub use parts::{LabelWalls, extract_parts};
