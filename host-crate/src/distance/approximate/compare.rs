//! Comparison of distance maps.

use crate::grid::Volume;

/// Difference between a distance map and an exact one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Number of voxels at which both maps are finite; the statistics refer to these.
    pub count: u64,
    /// Number of voxels at which the exact map is finite and the other is not.
    pub missing: u64,
    /// Number of voxels at which the maps differ.
    pub differing: u64,
    /// Maximum absolute difference.
    pub max: f64,
    /// Absolute exact distance at the first voxel with the maximum difference.
    pub distance_at_max: f64,
    /// First voxel with the maximum difference; `None` if no voxel was compared.
    pub max_voxel: Option<[usize; 3]>,
    /// Mean absolute difference.
    pub mean: f64,
    /// Statistics by bands of the absolute exact distance; one more band than there are limits.
    pub bands: Vec<Band>,
}

/// Statistics of the voxels whose absolute exact distance lies in a range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Band {
    /// Start of the range, inclusive.
    pub start: f64,
    /// End of the range, exclusive.
    pub end: f64,
    /// Number of voxels.
    pub count: u64,
    /// Maximum absolute difference.
    pub max: f64,
    /// Mean absolute difference.
    pub mean: f64,
}

/// Compares a distance map with an exact one of the same dimensions, overall and by bands of the
/// exact distance that end at the increasing `limits`. Returns `None` if the dimensions differ.
///
/// ```
/// use ferrovox::{distance::compare, grid::{Geometry, Volume}};
///
/// let exact = Volume::new(vec![0.0, 1.0, 5.0], [3, 1, 1], Geometry::default())?;
/// let other = Volume::new(vec![0.0, 1.0, 7.0], [3, 1, 1], Geometry::default())?;
/// let difference = compare(&exact, &other, &[2.0]).expect("the same dimensions");
/// assert_eq!((difference.max, difference.distance_at_max), (2.0, 5.0));
/// assert_eq!(difference.bands.iter().map(|band| band.count).collect::<Vec<_>>(), [2, 1]);
/// # Ok::<(), ferrovox::grid::VolumeError>(())
/// ```
pub fn compare(exact: &Volume<f32>, other: &Volume<f32>, limits: &[f64]) -> Option<Difference> {
    if exact.dims() != other.dims() {
        return None;
    }
    let ends = limits.iter().copied().chain([f64::INFINITY]);
    let starts = [0.0].into_iter().chain(limits.iter().copied());
    let mut result = Difference {
        bands: starts
            .zip(ends)
            .map(|(start, end)| Band {
                start,
                end,
                ..Band::default()
            })
            .collect(),
        ..Difference::default()
    };
    let (mut sum, mut at) = (0.0, 0);
    for (index, (&exact, &other)) in exact.samples().iter().zip(other.samples()).enumerate() {
        if !exact.is_finite() {
            continue;
        }
        if !other.is_finite() {
            result.missing += 1;
            continue;
        }
        let error = (f64::from(other) - f64::from(exact)).abs();
        let distance = f64::from(exact).abs();
        result.count += 1;
        result.differing += u64::from(error > 0.0);
        sum += error;
        if error > result.max || result.count == 1 {
            (result.max, result.distance_at_max, at) = (error, distance, index);
        }
        let band = limits.partition_point(|&limit| limit <= distance);
        let band = &mut result.bands[band];
        band.count += 1;
        band.max = band.max.max(error);
        // Holds the sum until all voxels have been added.
        band.mean += error;
    }
    for band in &mut result.bands {
        band.mean /= band.count.max(1) as f64;
    }
    result.mean = sum / result.count.max(1) as f64;
    if result.count > 0 {
        let [nx, ny, _] = exact.dims();
        result.max_voxel = Some([at % nx, at / nx % ny, at / nx / ny]);
    }
    Some(result)
}
