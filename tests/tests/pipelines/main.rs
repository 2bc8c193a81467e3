//! The tests of the pipelines, in one program: what it takes to build and to carry it is paid once.

mod affine_oracles;
mod beyond_2_to_the_31;
mod brain;
mod devices;
mod distance_approximate;
mod distance_beyond_2_to_the_31;
mod distance_crossings;
mod distance_enclosed;
mod distance_exact;
mod distance_labels;
mod distance_points;
mod distance_separable;
mod distance_sheared;
mod distance_sites;
mod distance_slabs;
mod distance_squared;
mod driver_occupancy;
mod isosurface_devices;
mod isosurface_exclusions;
mod isosurface_expected;
mod isosurface_geometry;
mod isosurface_parts;
mod isosurface_stream;
mod isosurface_topology;
mod launches;
mod render;
mod render_skeleton;
mod scan;
mod scan_across;
mod scan_beyond_2_to_the_31;
mod scan_look_back;
mod scan_methods;
mod scan_properties;
mod scan_single_pass;
mod shipped_ptx;
mod skeleton_certificates;
mod skeleton_classes;
mod skeleton_components;
mod skeleton_connected;
mod skeleton_devices;
mod skeleton_expected;
mod skeleton_field;
mod skeleton_forces;
mod skeleton_kernels;
mod skeleton_known;
mod skeleton_meshes;
mod skeleton_phantom;
mod skeleton_random;
mod skeleton_tree;
mod streams;
mod synthetic;
mod voxelize;
// the pipelines that the bench of block sizes runs
#[allow(dead_code, reason = "the bench reads all of it")]
#[path = "../../../host-crate/benches/occupancy/workloads.rs"]
mod workloads;
