//! The surface of the trilinear interpolant in one cell: its triangles have the pieces, the loops
//! on the faces and the tunnels of the surface where the interpolant of the eight corners has the
//! isovalue.
//!
//! | part | what it holds |
//! | --- | --- |
//! | [`Rule`], [`Shape`] | from eight values to a row of the table: faces, loops, tunnel |
//! | [`Loops`] | where the surface meets the faces, by case and decisions |
//! | [`table`] | the triangles of each row: discs in loops, and tubes between two of them |
//! | [`edge_vertex`], [`InnerBox`] | where vertices are |
//! | [`CellCounts`] | how many cells of which sort there are |
//!
//! # The rule
//! An ambiguous face joins the pair of corners with the greater product of values (Nielson and
//! Hamann 1991). The segments of the six faces form loops, as in [`crate::isosurface::table`]. Each
//! loop bounds a disc, but for two that a tunnel may join.
//!
//! Across an axis the determinant of the cell's slices is a polynomial of degree two. At its roots
//! inside the cell a slice's saddle is on the surface. These are the only places where the surface
//! has no slope along that axis, none of them is an extremum, and there are two at most: so there
//! is no closed piece in a cell, and no more than one tunnel. There is a tunnel if both roots are
//! in the cell on all three axes, which signs of the polynomials' coefficients and of their
//! discriminant say.
//!
//! A value of 0 is above. Whatever else is 0 is taken at an isovalue a little lower, so it agrees
//! with that: on a tie a face joins its above corners.
//!
//! # Triangles
//! A loop of up to seven edges is cut into triangles between its vertices, a longer one has a
//! vertex at its centroid. A tube has six inner vertices, a hexagon round it, and a strip from
//! there to each of its two loops. No side of two triangles lies in a face.
//!
//! ```
//! use ferrovox_kernels::isosurface::topology::{Rule, Shape};
//!
//! // two opposite corners are below: apart where they are weak, joined by a tunnel where they are strong
//! let values = |below: f64| [below, 1.0, 1.0, 1.0, 1.0, 1.0, below, 1.0];
//! let (weak, strong) = (values(-1.0), values(-20.0));
//! assert_eq!(Shape::of(&weak, Rule::Trilinear).triangles().1, 2);
//! assert_eq!(Shape::of(&strong, Rule::Trilinear).triangles().1, 18);
//! assert_eq!(Shape::of(&strong, Rule::Trilinear).inner_vertices(), 6);
//! assert_eq!(Shape::of(&strong, Rule::Separated).triangles().1, 2);
//! ```

mod count;
mod decide;
mod discs;
mod hexagon;
mod loops;
mod patch;
pub mod table;
mod tubes;
mod vertices;

pub use count::CellCounts;
pub use decide::{
    Rule, Shape, Slices, case, cell_values, joined_faces, needs_values, row_of_discs, tunnel,
};
pub use hexagon::hexagon;
pub use loops::{AMBIGUOUS, Loops, MAX_LOOPS};
pub use patch::{INNER, MAX_TRIANGLES, corners};

pub use vertices::{HEXAGON, InnerBox, LEAST_MIDDLE, LEAST_WIDTH, edge_vertex, slope};
