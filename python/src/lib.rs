//! Extension module `_ferrovox` of the Python package `ferrovox`.
//!
//! Its functions take arrays in C order and plain numbers; the Python files of the package check
//! and convert the arguments of users. A function runs on the threads of the module, without the
//! global interpreter lock, and can be interrupted (`call`).

mod array;
mod call;
mod deferred_release;
mod device_memory;
mod distance;
mod dlpack;
mod download;
mod envelopes;
mod error;
mod feature;
mod host_array;
mod import;
mod input;
mod isosurface;
mod labels;
mod mesh_file;
mod occupancy;
mod parts;
mod picture;
mod process;
mod scan;
mod serial;
mod skeleton;
mod thread_streams;
mod values;
mod voxelize;
mod wait;
mod workspace;

use pyo3::prelude::*;

/// Functions on arrays that the Python files of the package wrap.
#[pymodule(gil_used = true)]
fn _ferrovox(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    deferred_release::finish_at_exit(module)?;
    module.add_class::<array::Array>()?;
    module.add_class::<mesh_file::PythonMeshWriter>()?;
    module.add_function(wrap_pyfunction!(call::device_ids, module)?)?;
    module.add_function(wrap_pyfunction!(import::import_array, module)?)?;
    module.add_function(wrap_pyfunction!(call::release_cached_memory, module)?)?;
    module.add_function(wrap_pyfunction!(call::last_duration, module)?)?;
    module.add_function(wrap_pyfunction!(picture::mesh_picture, module)?)?;
    module.add_function(wrap_pyfunction!(picture::mesh_page, module)?)?;
    module.add_function(wrap_pyfunction!(picture::skeleton_picture, module)?)?;
    module.add_function(wrap_pyfunction!(picture::skeleton_page, module)?)?;
    module.add_function(wrap_pyfunction!(isosurface::extract, module)?)?;
    module.add_function(wrap_pyfunction!(parts::slabs, module)?)?;
    module.add_function(wrap_pyfunction!(parts::count_part, module)?)?;
    module.add_function(wrap_pyfunction!(parts::extract_part, module)?)?;
    module.add_function(wrap_pyfunction!(distance::distances_to_zero, module)?)?;
    module.add_function(wrap_pyfunction!(envelopes::envelope_part, module)?)?;
    module.add_function(wrap_pyfunction!(envelopes::merge_envelopes, module)?)?;
    module.add_function(wrap_pyfunction!(envelopes::distance_part, module)?)?;
    module.add_function(wrap_pyfunction!(feature::feature_transform, module)?)?;
    module.add_function(wrap_pyfunction!(labels::label_distances, module)?)?;
    module.add_function(wrap_pyfunction!(occupancy::occupancy, module)?)?;
    module.add_function(wrap_pyfunction!(scan::exclusive_scan, module)?)?;
    module.add_function(wrap_pyfunction!(skeleton::skeletonize, module)?)?;
    module.add_function(wrap_pyfunction!(skeleton::enclosed, module)?)?;
    module.add_function(wrap_pyfunction!(voxelize::voxelize, module)?)
}
