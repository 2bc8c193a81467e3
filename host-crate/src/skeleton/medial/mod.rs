//! Medial curve skeletons of thin, branched and anisotropic objects, for all labels of a volume.
//!
//! An object is a 26-connected component of a label. Its skeleton has one cycle for each tunnel and
//! one curve for each branch, in one connected graph; these properties are verified on the result
//! and reported in [`ComponentReport`]. Each component passes the following stages:
//!
//! | stage | module |
//! | --- | --- |
//! | thin tunnels filled, on request | `tunnels` |
//! | canonical frame that moves with the component, voxels as rows of bits | `voxels` |
//! | distance transform and edge weights | `voxels`, `paths` |
//! | cohomology basis from runs of voxels: homology classes of paths | `topology::cocycle` |
//! | ends of the curves: significant protrusions | `ends` |
//! | shortest paths from a root (TEASAR; Sato et al. 2000) | `paths` |
//! | cycle basis, and branches to the ends or to uncovered voxels | `curves::trace` |
//! | centring by the force of the surface (Cornea et al. 2005) | `curves::centring` |
//! | straight extension of ends | `curves::endpoints` |
//! | merging of overlapping curves | `curves::shared_stems` |
//! | branches to voxels that are still uncovered | `curves::repair` |
//! | taut curves in lines one voxel thick | `curves::taut_lines` |
//! | verification of the properties | `certificate` |
//! | radii and cross-sections | `measures` |
//!
//! With [`BranchRule::Coverage`], branches follow the rule of TEASAR instead (`curves::coverage`).

mod assemble;
mod certificate;
mod component;
mod context;
mod curves;
mod ends;
mod extract;
mod measures;
mod params;
mod paths;
mod progress;
mod report;
#[cfg(test)]
mod test_objects;
mod topology;
mod tunnels;
mod voxels;

pub use extract::{Objects, extract};
pub use params::{BranchRule, Params};
pub use report::{ComponentReport, Dust, LabelSkeleton, Skeletons, UncoveredProtrusion, Violation};
