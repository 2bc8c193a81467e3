//! Triangle meshes and their properties: closed, manifold, oriented, Euler characteristic, area,
//! volume, defects.
//!
//! ```
//! use ferrovox::mesh::{TriangleMesh, Triangles, check};
//!
//! // A tetrahedron, counter-clockwise seen from outside.
//! let mesh = TriangleMesh {
//!     origin: [0.0; 3],
//!     vertices: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
//!     normals: None,
//!     triangles: Triangles::U32(vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
//! };
//! let report = check(&mesh);
//! assert!(report.is_closed() && report.is_manifold() && report.is_oriented());
//! assert_eq!(report.euler_characteristic(), 2);
//! assert!((report.volume - 1.0 / 6.0).abs() < 1e-12);
//! ```

mod adjacency;
mod check;
mod components;
mod device_triangles;
mod duplicates;
mod edge_balance;
mod fan;
mod labelled;
mod measure;
mod openings;
mod report;
mod self_intersections;
mod triangle_mesh;
mod triangle_tree;
mod wall_areas;

pub use check::{check, try_check};
pub use device_triangles::DeviceTriangles;
pub use edge_balance::EdgeBalance;
pub use labelled::{LabelMesh, LabelledMesh};
pub use openings::{Opening, openings, try_openings};
pub use report::MeshReport;
pub use self_intersections::count_self_intersections;
pub(crate) use self_intersections::labelled_triangles_intersect;
pub use triangle_mesh::{MeshError, TriangleMesh, Triangles, VertexIndex};
pub use triangle_tree::{Corners, NearestPoint, TriangleTree};
pub use wall_areas::{LabelSurfaceMeasure, WallArea};

pub(crate) use device_triangles::group_triples;
pub(crate) use triangle_mesh::{to_world, validate_indices};
