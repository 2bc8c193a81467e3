//! Curve skeletons: the centre lines of solids, as graphs.
//!
//! | method | module | suited to |
//! | --- | --- | --- |
//! | medial: shortest paths along the medial axis, centred afterwards; homotopy certified on the result | [`medial`] | vessels, nerves, bones, segmentations with many labels |
//! | potential field: critical points of a repulsive force field (Cornea et al. 2005, Zhao et al. 2016) | [`potential_field`] | thick, isotropic solids |
//!
//! Each method has one parameter type (`Params`) and one function (`extract`). Both return
//! [`Skeleton`]s, made of [`Node`]s and [`Edge`]s, which can be shortened by [`Skeleton::prune`] and
//! [`Skeleton::merge_chains`].
//!
//! Both methods use 26-connected solids: [`components()`] and [`euler_number`] describe their
//! topology, and [`fill_cavities`] removes their cavities.

mod cavities;
mod components;
mod error;
mod euler;
pub mod medial;
pub mod potential_field;

pub use cavities::fill_cavities;
pub use components::{SolidComponents, components};
pub use error::SkeletonError;
pub use euler::euler_number;

pub use crate::graph::{Chain, Components, Edge, Node, NodeKind, Prune, Skeleton};
