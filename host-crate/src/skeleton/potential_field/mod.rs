//! Curve skeletons from a potential field (Cornea et al. 2005; Zhao et al. 2016).
//!
//! The surface voxels of a solid repel every point inside with a force that falls with a power of
//! the distance. The force vanishes at critical points. Following it from the saddles among them to
//! the attracting points gives the *core* skeleton; further curves start where the divergence of
//! the force is low and where the surface is strongly curved ([`Hierarchy`]).
//!
//! | step | result |
//! | --- | --- |
//! | classify the voxels | [`classify`] |
//! | compute the force field | [`field`] |
//! | extract the skeleton | [`extract()`], with [`Params`] and an [`Execution`] |
//! | compare the critical points with the Euler characteristic | [`Certificate`] |

mod build;
mod certificate;
mod classes;
mod clusters;
mod context;
mod critical;
mod execution;
mod extract;
pub mod field;
mod multipole_params;
mod params;
mod protrusions;
mod radii;
mod seeds;
mod trace;

pub use certificate::Certificate;
pub use classes::{ClassCounts, VoxelClasses, classify};
pub use execution::Execution;
pub use extract::{Extraction, extract};
pub use multipole_params::MultipoleParams;
pub use params::{BoundaryForce, FieldVariant, Hierarchy, Params, Precision, SurfaceNeighbours};
