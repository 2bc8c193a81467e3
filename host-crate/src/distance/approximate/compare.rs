//! How far two maps are apart.

use crate::grid::Volume;

/// By how much a map differs from another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Voxels where both are finite numbers: all else is of these.
    pub count: u64,
    /// Voxels where the exact map is finite and the other is not.
    pub missing: u64,
    /// Voxels where they differ at all.
    pub different: u64,
    /// The greatest difference, without its sign.
    pub max: f64,
    /// The exact distance, without its sign, of the first voxel that differs most.
    pub max_at: f64,
    /// That voxel.
    pub max_voxel: Option<[usize; 3]>,
    /// The mean of the differences, without their signs.
    pub mean: f64,
    /// The same by the exact distance, without its sign: as many bands as there are limits, and one
    /// more.
    pub bands: Vec<Band>,
}

/// The voxels whose exact distance is in a range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Band {
    /// The range's begin, which belongs to it.
    pub from: f64,
    /// The range's end, which does not.
    pub to: f64,
    /// Voxels.
    pub count: u64,
    /// The greatest difference, without its sign.
    pub max: f64,
    /// The mean of the differences, without their signs.
    pub mean: f64,
}

/// Compares a map with an exact one of the same size, by bands of the exact distance that end at
/// `limits`, which increase.
///
/// ```
/// use ferrovox::{distance::compare, grid::{Geometry, Volume}};
///
/// let exact = Volume::new(vec![0.0, 1.0, 5.0], [3, 1, 1], Geometry::default())?;
/// let other = Volume::new(vec![0.0, 1.0, 7.0], [3, 1, 1], Geometry::default())?;
/// let difference = compare(&exact, &other, &[2.0]).expect("the same size");
/// assert_eq!((difference.max, difference.max_at), (2.0, 5.0));
/// assert_eq!(difference.bands.iter().map(|band| band.count).collect::<Vec<_>>(), [2, 1]);
/// # Ok::<(), ferrovox::grid::VolumeError>(())
/// ```
///
/// `None` for maps of different sizes.
pub fn compare(exact: &Volume<f32>, other: &Volume<f32>, limits: &[f64]) -> Option<Difference> {
    if exact.dims() != other.dims() {
        return None;
    }
    let ends = limits.iter().copied().chain([f64::INFINITY]);
    let starts = [0.0].into_iter().chain(limits.iter().copied());
    let mut result = Difference {
        bands: starts
            .zip(ends)
            .map(|(from, to)| Band {
                from,
                to,
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
        result.different += u64::from(error > 0.0);
        sum += error;
        if error > result.max || result.count == 1 {
            (result.max, result.max_at, at) = (error, distance, index);
        }
        let band = limits.partition_point(|&limit| limit <= distance);
        let band = &mut result.bands[band];
        band.count += 1;
        band.max = band.max.max(error);
        // a sum, until all are added
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
