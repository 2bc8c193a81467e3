//! Surfaces of the labels of a volume, with shared walls.
//!
//! Multi-label surface nets (Gibson 1998, *Constrained Elastic Surface Nets*; Frisken 2022,
//! *SurfaceNets for Multi-Label Segmentations with Preservation of Sharp Boundaries*) without
//! relaxation. A cell between eight voxels with more than one label has a vertex, at the mean of
//! the midpoints of its edges between different labels; each pair of neighbouring voxels with
//! different labels has a wall of two triangles between them. The volume is surrounded by
//! background.
//!
//! ```
//! use ferrovox::{device::Device, grid::{Geometry, Volume}, label_surface::{self, LabelField}};
//!
//! // two adjacent voxels with the labels 4 and 9
//! let volume = Volume::new(vec![4_u8, 9], [2, 1, 1], Geometry::default())?;
//! let field = LabelField::new(&volume.into(), None)?;
//! let stream = Device::best().stream()?;
//! let walls = label_surface::extract(&stream, &field)?.download(&stream, &field)?;
//! // five quads around each voxel, and one between them
//! assert_eq!((walls.mesh.vertices.len(), walls.mesh.triangles.len()), (12, 22));
//! let part = walls.label_mesh(9)?;
//! assert_eq!((part.mesh.triangles.len(), part.unbalanced_edges()?), (12, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! The triangles around each label, seen from its outside, form a closed oriented surface: each
//! edge is used equally often in both directions. The same wall bounds the neighbouring label, with
//! the same vertices. No two vertices are in the same cell, so vertices never coincide.
//!
//! The surface of a label is not always a manifold. If voxels of the label touch in an edge only,
//! two sheets may meet in an edge of the net, which then has four triangles. If they touch in a
//! corner only, or parts of the complement do, two sheets may meet in a vertex.

mod error;
mod extract;
mod field;
mod net;
mod params;
mod relax;

pub use error::LabelSurfaceError;
pub use extract::{DeviceLabelSurface, extract};
pub use field::LabelField;
pub use params::{LabelSurfaceParams, VoxelContact};
