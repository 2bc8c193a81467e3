//! Curve skeletons.

use crate::{
    array::Array,
    call::{Call, run},
    error::{Failure, unexpected_type},
    host_array::HostArray,
};
use ferrovox::{
    graph::Skeleton,
    grid::{DeviceMask, Geometry, Sample, VolumeView},
    nalgebra::{Matrix3, Point3, Vector3},
    skeleton::{
        SkeletonError,
        medial::{self, BranchRule, ComponentReport, LabelSkeleton, Params},
    },
    voxelize::mask_to_volume,
};
use pyo3::{
    prelude::*,
    types::{PyDict, PyList},
};

/// Options of skeletons, the items of a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SkeletonOptions {
    /// Steps in the world along x, y and z, where x is the last axis of the array.
    axes: [[f64; 3]; 3],
    /// Coverage radius as a multiple of the inscribed radius.
    scale: f64,
    /// Constant part of the coverage radius, in world units.
    constant: f64,
    /// Minimum number of voxels of an object.
    dust: u64,
    labels: Option<Vec<i64>>,
    centre: bool,
    /// Index along x, y and z of the first voxel in a larger volume, to which positions refer.
    first: [u32; 3],
}

/// Extracts the skeletons of all labels, and returns one dictionary per label.
#[pyfunction]
pub(crate) fn skeletonize<'py>(
    py: Python<'py>,
    labels: &Bound<'py, PyAny>,
    options: SkeletonOptions,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let array = HostArray::new(labels)?;
    let skeletons = match array.typestr.as_str() {
        "|b1" | "|u1" => options.extract::<u8>(py, &array, progress),
        "|i1" => options.extract::<i8>(py, &array, progress),
        "<u2" => options.extract::<u16>(py, &array, progress),
        "<i2" => options.extract::<i16>(py, &array, progress),
        "<i4" => options.extract::<i32>(py, &array, progress),
        "<i8" => options.extract::<i64>(py, &array, progress),
        "<f4" => options.extract::<f32>(py, &array, progress),
        "<f8" => options.extract::<f64>(py, &array, progress),
        other => Err(unexpected_type(other)),
    }?;
    let list = PyList::empty(py);
    for skeleton in skeletons {
        list.append(skeleton.into_dictionary(py)?)?;
    }
    Ok(list)
}

/// Position in voxel coordinates, and radius in world units.
type SkeletonPoint = (Point3<f64>, f64);

/// Skeleton of a label as arrays.
struct SkeletonArrays {
    label: i64,
    vertices: Array,
    edges: Array,
    radii: Array,
    is_certified: bool,
    components: Vec<ComponentReport>,
    /// Index of the first voxel in a larger volume.
    first: [u32; 3],
}

impl SkeletonOptions {
    fn extract<T: Sample>(
        &self,
        py: Python<'_>,
        array: &HostArray<'_>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<SkeletonArrays>> {
        let axes = Matrix3::from_columns(&self.axes.map(Vector3::from));
        let geometry = Geometry::new(axes, Vector3::zeros()).map_err(Failure::from)?;
        let view = VolumeView::new(array.elements::<T>()?, array.dims()?, geometry);
        let view = view.map_err(Failure::from)?;
        run(py, progress, |call| {
            let skeletons = self.extract_present_labels(call, view)?;
            Ok(skeletons
                .iter()
                .map(|label| SkeletonArrays::new(label, self.first))
                .collect())
        })
    }

    /// Extracts the skeletons of the selected labels that have voxels.
    fn extract_present_labels<T: Sample>(
        &self,
        call: &Call<'_>,
        view: VolumeView<'_, T>,
    ) -> Result<Vec<LabelSkeleton>, Failure> {
        let min_spacing = view.geometry().spacing().min();
        let mut params = Params {
            branches: BranchRule::Coverage {
                scale: self.scale,
                constant: self.constant / min_spacing,
            },
            dust: self.dust,
            labels: self.labels.clone(),
            centre: self.centre,
            ..Params::default()
        };
        loop {
            match medial::extract(&[], view, &params, call.monitor) {
                Ok(skeletons) => {
                    let has_curve = |label: &LabelSkeleton| !label.skeleton.nodes.is_empty();
                    return Ok(skeletons.labels.into_iter().filter(has_curve).collect());
                }
                Err(SkeletonError::NoSuchLabel { label, .. }) => {
                    let labels = params.labels.get_or_insert_default();
                    labels.retain(|&other| other != label);
                    if labels.is_empty() {
                        return Ok(Vec::new());
                    }
                }
                Err(SkeletonError::Empty { .. }) => return Ok(Vec::new()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl SkeletonArrays {
    fn new(label: &LabelSkeleton, first: [u32; 3]) -> Self {
        let (points, edges) = flatten(&label.skeleton);
        let offset = Vector3::from(first.map(f64::from));
        let geometry = &label.skeleton.geometry;
        let position = |(point, _): &SkeletonPoint| {
            let world = geometry.index_to_world(point + offset);
            [world.x as f32, world.y as f32, world.z as f32]
        };
        let vertices: Vec<f32> = points.iter().flat_map(position).collect();
        let radii: Vec<f32> = points.iter().map(|(_, radius)| *radius as f32).collect();
        let edge_count = edges.len();
        Self {
            label: label.label,
            vertices: Array::from_vec(vertices, vec![points.len(), 3]),
            edges: Array::from_vec(edges.into_flattened(), vec![edge_count, 2]),
            radii: Array::from_vec(radii, vec![points.len()]),
            is_certified: label.is_certified(),
            components: label.components.clone(),
            first,
        }
    }

    fn into_dictionary(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let report = PyList::empty(py);
        for component in &self.components {
            let item = PyDict::new(py);
            let first = component.first_voxel;
            let [x, y, z] = [0, 1, 2].map(|axis| first[axis] + u64::from(self.first[axis]));
            item.set_item("first_voxel", (x, y, z))?;
            item.set_item("voxels", component.voxels)?;
            item.set_item("tunnels", component.tunnels)?;
            item.set_item("cavities", component.cavities)?;
            item.set_item("centred", component.is_centred)?;
            let violations = component.violations.iter();
            let violations: Vec<String> = violations.map(|it| format!("{it:?}")).collect();
            item.set_item("violations", violations)?;
            report.append(item)?;
        }
        let skeleton = PyDict::new(py);
        skeleton.set_item("label", self.label)?;
        skeleton.set_item("vertices", self.vertices)?;
        skeleton.set_item("edges", self.edges)?;
        skeleton.set_item("radii", self.radii)?;
        skeleton.set_item("certified", self.is_certified)?;
        skeleton.set_item("report", report)?;
        Ok(skeleton)
    }
}

/// Returns the points of a skeleton with their radii, first the nodes and then the interior points
/// of the curves, and the pairs of points that segments join.
fn flatten(skeleton: &Skeleton) -> (Vec<SkeletonPoint>, Vec<[u32; 2]>) {
    let nodes = skeleton.nodes.iter();
    let mut points: Vec<_> = nodes.map(|node| (node.position, node.radius)).collect();
    let mut segments = Vec::new();
    for edge in &skeleton.edges {
        let mut last = edge.nodes[0] as u32;
        let interior = 1..edge.points.len().saturating_sub(1);
        for index in interior {
            let next = points.len() as u32;
            points.push((edge.points[index], edge.radii[index]));
            segments.push([last, next]);
            last = next;
        }
        segments.push([last, edge.nodes[1] as u32]);
    }
    (points, segments)
}

/// Returns for each voxel 1 if it is enclosed by voxels that are not 0.
#[pyfunction]
pub(crate) fn enclosed(py: Python<'_>, mask: &Bound<'_, PyAny>) -> PyResult<Array> {
    let array = HostArray::new(mask)?;
    let (dims, shape) = (array.dims()?, array.shape.clone());
    let voxels = array.elements::<u8>()?;
    run(py, None, |call| {
        let stream = call.stream("cpu")?;
        let mask = DeviceMask::upload(&stream, voxels, dims, Geometry::default())?;
        let enclosed = DeviceMask::enclosed_by(&stream, &mask)?;
        let voxels = mask_to_volume(&stream, &enclosed)?;
        Ok(Array::from_vec(voxels.into_samples(), shape))
    })
}
