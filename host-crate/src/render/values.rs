//! Colours of surfaces by the values of a volume.

use crate::{
    grid::AnyVolume,
    memory::{self, CollectOrUnwind, OutOfMemory, concat_or_unwind},
    mesh::TriangleMesh,
    parallel,
};
use nalgebra::{Point3, Vector3};

/// Purpose of the allocations, quoted in errors.
const VALUES: &str = "the values of a surface";

/// Linear colour of vertices without a value.
const NO_VALUE: [f32; 3] = [0.45, 0.45, 0.45];

/// Number of vertices per piece of work of a thread.
const VERTICES_PER_PIECE: usize = 4096;

/// Returns the trilinear interpolant of a volume at each vertex of a mesh, in world coordinates;
/// NaN outside of the volume.
///
/// # Errors
/// [`OutOfMemory`].
pub fn vertex_values(mesh: &TriangleMesh, volume: &AnyVolume) -> Result<Vec<f64>, OutOfMemory> {
    let origin = Vector3::from(mesh.origin);
    let value = |vertex: usize| {
        let world = Point3::from(mesh.vertices[vertex]).cast::<f64>() + origin;
        let index = volume.geometry().world_to_index(world);
        volume.interpolate(index.into()).unwrap_or(f64::NAN)
    };
    memory::catch_out_of_memory(VALUES, || {
        let pieces = parallel::map_ranges(mesh.vertices.len(), VERTICES_PER_PIECE, |range| {
            range.map(value).collect_or_unwind()
        });
        Ok(concat_or_unwind(&pieces))
    })
}

/// Returns the smallest and the largest finite value, if there is one.
pub fn value_range(values: impl IntoIterator<Item = f64>) -> Option<[f64; 2]> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite
        .map(|value| [value; 2])
        .reduce(|[min, max], [value, _]| [min.min(value), max.max(value)])
}

/// Returns linear colours of values: from dark violet for the smallest of `range` to yellow for the
/// largest, on the perceptually uniform map viridis. NaN is grey.
///
/// # Errors
/// [`OutOfMemory`].
pub fn value_colours(values: &[f64], range: [f64; 2]) -> Result<Vec<[f32; 3]>, OutOfMemory> {
    let colour = |value: &f64| {
        if value.is_nan() {
            NO_VALUE
        } else {
            value_colour(*value, range).map(|channel| channel * channel)
        }
    };
    memory::try_collect(VALUES, values.iter().map(colour))
}

/// Returns the sRGB colour of a value, with channels from 0 to 1.
pub(super) fn value_colour(value: f64, [min, max]: [f64; 2]) -> [f32; 3] {
    let part = if max > min {
        (value - min) / (max - min)
    } else {
        0.5
    };
    let colour = colorous::VIRIDIS.eval_continuous(part.clamp(0.0, 1.0));
    colour
        .into_array()
        .map(|channel| f32::from(channel) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Geometry, Volume};

    #[test]
    fn vertices_have_the_values_at_their_positions() {
        let geometry = Geometry::from_spacing([2.0, 1.0, 1.0], [10.0, 0.0, 0.0]).unwrap();
        let ramp = Volume::from_fn([5, 2, 2], geometry, |x, _, _| x as f32).unwrap();
        let mesh = TriangleMesh {
            origin: [10.0, 0.0, 0.0],
            vertices: vec![[3.0, 0.5, 0.5], [8.0, 1.0, 1.0], [8.5, 0.0, 0.0]],
            ..TriangleMesh::default()
        };
        let values = vertex_values(&mesh, &ramp.into()).unwrap();
        assert_eq!(values[..2], [1.5, 4.0]);
        assert!(values[2].is_nan());
        assert_eq!(value_range(values.iter().copied()), Some([1.5, 4.0]));
        let colours = value_colours(&values, [1.5, 4.0]).unwrap();
        assert_eq!(colours[2], NO_VALUE);
        assert!(colours[1][0] > colours[0][0] && colours[1][1] > colours[0][1]);
        assert_eq!(value_range([f64::NAN]), None);
    }
}
