//! Curve skeletons: the centre lines of solids, as graphs.
//!
//! | method | suited to |
//! | --- | --- |
//! | [`medial`]: certified curves along the medial axis | vessels, nerves, bones, label volumes |
//! | [`potential_field`]: curves between the critical points of a force field | thick solids |
//!
//! Each method has one parameter type (`Params`) and one function (`extract`). Both return
//! [`Skeleton`]s, made of [`Node`]s and [`Edge`]s, which can be simplified by [`Skeleton::prune`]
//! and [`Skeleton::merge_chains`].
//!
//! Solids are 26-connected in both methods. [`components()`] and [`euler_number`] describe their
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
