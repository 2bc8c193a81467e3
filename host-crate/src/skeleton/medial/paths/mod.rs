//! Shortest paths through the voxels of one component, on the host and on a device.

mod brick_costs;
pub mod class_paths;
pub mod device_paths;
#[cfg(test)]
mod device_paths_tests;
pub mod edge_weights;
pub mod goal_search;
pub mod length_bound;
pub mod marked_ancestors;
pub mod path_classes;
pub mod path_lengths;
mod propagation;
pub mod radix_heap;
pub mod shortest_paths;
pub mod steps;
