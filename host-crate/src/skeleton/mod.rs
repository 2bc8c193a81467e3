//! Curve skeletons: the centre lines of solids, as graphs.
//!
//! The surface voxels of a solid repel whatever is inside with a force that falls with a power of
//! the distance. Where the force vanishes there are critical points; the curves along which the
//! force leads from the saddles among them to the attracting ones are the core of the skeleton, and
//! further curves lead there from where the force converges and from where the surface is strongly
//! curved.
//!
//! | step | result |
//! | --- | --- |
//! | ask for it | [`skeleton()`], with [`SkeletonParams`]; by several devices [`skeleton_on_devices`], with an [`Execution`] |
//! | sort the voxels | [`classify`], [`fill_cavities`], [`components()`], [`euler_number`] |
//! | the skeleton | [`Skeleton`], of [`Node`]s and [`Edge`]s, with its queries |
//! | whether it is complete | [`Certificate`] |
//! | those of real objects, of all labels at once | [`skeletonize`], with [`SkeletonizeParams`] and a [`ComponentReport`] for each component |
//! | shorten it | [`Skeleton::prune`], [`Skeleton::merge_chains`] |

mod certificate;
mod classes;
mod clusters;
mod components;
mod context;
mod critical;
mod curves;
mod error;
mod euler;
mod execution;
mod extraction;
pub mod field;
mod levels;
mod params;
mod radii;
mod trace;
mod tree_params;
mod whole;

pub use certificate::Certificate;
pub use classes::{ClassCounts, Classes, classify, fill_cavities};
pub use components::{SolidComponents, components};
pub use error::SkeletonError;
pub use euler::euler_number;
pub use execution::Execution;
pub use extraction::{Extraction, skeleton, skeleton_on_devices};
pub use params::{BoundaryForce, FieldVariant, Levels, Precision, SkeletonParams, SurfaceBy};
pub use tree_params::TreeParams;
pub use whole::{
    ComponentReport, Dust, Failure, LabelSkeleton, SkeletonizeParams, Skeletons, skeletonize,
    skeletonize_mask, skeletonize_mask_on_devices, skeletonize_on_devices,
};

pub use crate::graph::{Chain, Components, Edge, Node, NodeKind, Prune, Skeleton};
