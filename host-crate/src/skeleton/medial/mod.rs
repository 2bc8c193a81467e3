//! Medial curve skeletons of thin, branched and anisotropic objects, for all labels of a volume.
//!
//! An object is a 26-connected component of a label. Its skeleton has one cycle for each tunnel and
//! one curve for each branch, in one connected graph; these properties are checked on the result
//! and reported in [`ComponentReport`]. The stages, each on one component:
//!
//! 1. bring the component into a canonical frame that moves with it, and store its voxels as rows of
//!    bits (`voxels`);
//! 2. compute the distance to the background, and thin the component to its topological skeleton
//!    (`topology::thinning`; Lee et al. 1994);
//! 3. compute a cocycle basis, which gives every path its class in the first homology
//!    (`topology::cocycle`);
//! 4. select a cycle basis and shortest paths to uncovered voxels, with edge weights that are small
//!    on the medial axis (`paths`, `curves`; TEASAR, Sato et al. 2000);
//! 5. centre the curves: move them across their direction to where the force of the surface
//!    vanishes (`curves::centring`);
//! 6. certify the result (`certificate`).

mod assemble;
mod certificate;
mod component;
mod context;
mod curves;
mod extract;
mod params;
mod paths;
mod progress;
mod report;
#[cfg(test)]
mod test_objects;
mod topology;
mod voxels;

pub use extract::{Objects, extract};
pub use params::Params;
pub use report::{ComponentReport, Dust, Failure, LabelSkeleton, Skeletons};
