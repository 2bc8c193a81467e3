//! Surfaces of the labels of a volume, which share their walls.
//!
//! Surface nets of several labels, after Gibson, *Constrained Elastic Surface Nets* (1998), and
//! Frisken, *SurfaceNets for Multi-Label Segmentations with Preservation of Sharp Boundaries*
//! (2022), without relaxation: a cell between eight voxels that have more than one label has a
//! vertex, in the mean of the midpoints of its edges between two labels; each pair of neighbouring
//! voxels with two labels has a wall of two triangles between them. Around the volume all is
//! background.
//!
//! ```
//! use ferrovox::{device::Device, grid::{Geometry, Volume}, label_surface::{self, LabelField}};
//!
//! // two voxels side by side, of the labels 4 and 9
//! let volume = Volume::new(vec![4_u8, 9], [2, 1, 1], Geometry::default())?;
//! let field = LabelField::new(&volume.into(), None)?;
//! let stream = Device::best().stream()?;
//! let walls = label_surface::extract(&stream, &field)?.download(&stream, &field)?;
//! // five quads around each voxel, and one between them
//! assert_eq!((walls.mesh.vertices.len(), walls.mesh.triangles.len()), (12, 22));
//! let part = walls.part(9)?;
//! assert_eq!((part.mesh.triangles.len(), part.unbalanced_edges()?), (12, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is promised
//! The triangles around each label, seen from its outside, form a closed oriented surface: each
//! edge is gone along as often in one direction as in the other. It is the same wall that bounds
//! the neighbours, with the same vertices. No vertex is in two cells, so none is at the place of
//! another.
//!
//! The surface of one label is not a manifold in every case. Where its voxels touch in an edge
//! only, two sheets of it may meet in an edge of the net, which has four triangles then; where they
//! touch in a corner only, or parts of what is not the label do, two sheets may meet in a vertex.

mod error;
mod extract;
mod field;

pub use error::LabelSurfaceError;
pub use extract::{DeviceLabelSurface, extract};
pub use field::LabelField;
