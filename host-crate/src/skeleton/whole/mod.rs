//! Skeletons of the objects that people have: thin, with tunnels and branches, of many labels, on
//! voxels of any shape.
//!
//! An object is a component of a label: voxels that hang together by faces, edges or corners, kept
//! as rows of bits. Its skeleton leads round each of its tunnels and into each of its branches, and
//! what must hold of it is checked on the result ([`ComponentReport`]):
//!
//! 1. components, in a frame that moves with them (`scan`, `moments`, `frame`), and their voxels as
//!    rows of bits (`words`, `object`, `near`, `lines`, `surface`);
//! 2. distances to the surface, and a scaffold by thinning (`distances`, `thinning`);
//! 3. classes of steps in the first homology, from the scaffold (`cocycle`);
//! 4. curves: cheapest cycles of independent classes, then ways to what is not covered (`ways`,
//!    `curves`, `cover`, `ball`, `waiting`);
//! 5. curves are moved to where the force of the surface vanishes across them (`centre`);
//! 6. the certificate (`certify`).

mod assemble;
mod background;
mod ball;
mod cells;
mod centre;
mod certify;
mod classes;
mod cocycle;
mod component;
mod cover;
mod crossing;
mod curves;
mod cycle_classes;
mod detail;
mod detour;
mod device_ways;
#[cfg(test)]
mod device_ways_tests;
mod distances;
mod draft;
mod force;
mod frame;
mod known;
mod least;
mod lines;
mod links;
mod mend;
mod metric;
mod moments;
mod near;
mod neighbours;
mod numbers;
mod object;
#[cfg(test)]
mod object_tests;
mod params;
mod parting;
mod radix_heap;
mod report;
mod resample;
mod rows;
mod scan;
mod shell;
mod skeletonize;
mod steps;
mod surface;
#[cfg(test)]
mod tests;
mod thinning;
mod tips;
mod twice;
mod uncross;
mod waiting;
mod ways;
mod words;

pub use params::SkeletonizeParams;
pub use report::{ComponentReport, Dust, Failure, LabelSkeleton, Skeletons};
pub use skeletonize::{
    skeletonize, skeletonize_mask, skeletonize_mask_on_devices, skeletonize_on_devices,
};
