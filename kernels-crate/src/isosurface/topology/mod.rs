//! Triangulation of the trilinear interpolant in one cell.
//!
//! The patch of triangles of a cell has the topology of the level set of the trilinear interpolant:
//! the same connected components, the same loops on the faces, and the same tunnels. The subcases
//! are those of Chernyaev (1995) and Nielson (2003).
//!
//! | item | contents |
//! | --- | --- |
//! | [`Disambiguation`], [`Subcase`] | from eight corner values to a row of the table |
//! | [`Loops`] | intersection with the faces, by case and face decisions |
//! | [`table`] | triangles of each row: discs in loops, tubes between two loops |
//! | [`edge_vertex`], [`InnerBox`] | vertex positions |
//! | [`CellCounts`] | statistics |
//!
//! # The rule
//! An ambiguous face joins the pair of corners with the greater product of values (asymptotic
//! decider, Nielson and Hamann 1991). The segments on the six faces form loops, as in
//! [`crate::isosurface::table`]. Each loop bounds a disc, except for two loops that a tunnel may
//! join.
//!
//! Along an axis, the determinant of the bilinear interpolants in the cell's slices is a quadratic
//! polynomial. At its roots inside the cell, the saddle of a slice lies on the surface. These are
//! the only points at which the surface is perpendicular to that axis; none of them is an extremum,
//! and there are at most two. Therefore no closed component lies inside a cell, and a cell has at
//! most one tunnel. A tunnel exists if both roots are inside the cell along all three axes, which
//! follows from the signs of the coefficients and of the discriminant.
//!
//! A value of 0 counts as above. Every other quantity that is 0 is evaluated at an infinitesimally
//! lower isovalue, which is consistent: on a tie a face joins its above corners.
//!
//! # Triangles
//! A loop of up to seven edges is triangulated between its vertices; a longer one has a vertex at
//! its centroid. A tube has six inner vertices, which form a hexagon around it, and a strip of
//! triangles from the hexagon to each of its two loops. No diagonal lies in a face.
//!
//! ```
//! use ferrovox_kernels::isosurface::topology::{Disambiguation, Subcase};
//!
//! // two opposite corners are below: separate if weak, joined by a tunnel if strong
//! let values = |below: f64| [below, 1.0, 1.0, 1.0, 1.0, 1.0, below, 1.0];
//! let weak = Subcase::from_values(&values(-1.0), Disambiguation::Trilinear);
//! let strong = Subcase::from_values(&values(-20.0), Disambiguation::Trilinear);
//! let separated = Subcase::from_values(&values(-20.0), Disambiguation::Separated);
//! assert_eq!(weak.triangles().1, 2);
//! assert_eq!(strong.triangles().1, 18);
//! assert_eq!(strong.inner_vertices(), 6);
//! assert_eq!(separated.triangles().1, 2);
//! ```

mod discs;
mod hexagon;
mod loops;
mod patch;
mod statistics;
mod subcase;
pub mod table;
mod tubes;
mod vertices;

pub use hexagon::hexagon_corner;
pub use loops::{AMBIGUOUS_FACES, Loops, MAX_LOOPS};
pub use patch::{FIRST_INNER, MAX_TRIANGLES, unpack_triangle};
pub use statistics::CellCounts;
pub use subcase::{
    Disambiguation, SliceDeterminant, Subcase, case_index, cell_values, disc_row,
    is_ambiguous_case, joined_faces, tunnel_diagonal,
};

pub use vertices::{
    HEXAGON_VERTICES, InnerBox, MIN_CENTER, MIN_HALF_WIDTH, edge_vertex, trilinear_gradient,
};
