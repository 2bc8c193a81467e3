//! Grids that volumes are resampled to.

use super::VolumeFilterError;
use crate::{
    grid::Geometry,
    memory::{self, OutOfMemory},
};
use nalgebra::{Matrix3, Point3};

/// Distance, in samples, at which a position counts as that of a sample, or as the middle between
/// two.
const SNAP: f64 = 1e-7;

/// Spacing to resample a volume to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TargetSpacing {
    /// The smallest spacing of the volume along all axes.
    Isotropic,
    /// A spacing along x, y and z, in world units.
    Given([f64; 3]),
}

/// A grid with other spacings that covers the same box of the world as a volume.
///
/// The box extends half a spacing beyond the outermost samples, and the number of samples along an
/// axis is its length divided by the new spacing, rounded, at least 1. The centre of the box is
/// kept, and so are the directions of the axes. Beyond the outermost samples of the volume the
/// outermost ones repeat.
///
/// ```
/// use ferrovox::{grid::Geometry, volume_filter::{ResampleGrid, TargetSpacing}};
///
/// let geometry = Geometry::from_spacing([0.5, 0.5, 2.0], [0.0; 3])?;
/// let grid = ResampleGrid::new([40, 40, 10], &geometry, TargetSpacing::Isotropic)?;
/// assert_eq!(grid.dims(), [40, 40, 40]);
/// // the box begins at -1, half of a spacing below the first sample
/// assert_eq!(grid.geometry().origin().z, -0.75);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResampleGrid {
    source_dims: [usize; 3],
    dims: [usize; 3],
    /// Samples of the source per sample, along each axis.
    steps: [f64; 3],
    geometry: Geometry,
}

impl ResampleGrid {
    /// Creates the grid for a volume of `dims` samples with this geometry.
    ///
    /// # Errors
    /// [`VolumeFilterError::Spacing`] for a spacing that is not positive and finite,
    /// [`VolumeFilterError::TooLarge`] for more than 2³² − 1 samples along an axis or more than 2⁶⁰
    /// in total, [`VolumeFilterError::Volume`] for a geometry out of range.
    pub fn new(
        dims: [usize; 3],
        geometry: &Geometry,
        spacing: TargetSpacing,
    ) -> Result<Self, VolumeFilterError> {
        let own: [f64; 3] = geometry.spacing().into();
        let spacing = match spacing {
            TargetSpacing::Isotropic => [own.into_iter().fold(f64::INFINITY, f64::min); 3],
            TargetSpacing::Given(spacing) => spacing,
        };
        for (axis, found) in ['x', 'y', 'z'].into_iter().zip(spacing) {
            if !(found.is_finite() && found > 0.0) {
                return Err(VolumeFilterError::Spacing { axis, found });
            }
        }
        let steps = [0, 1, 2].map(|axis| spacing[axis] / own[axis]);
        let sizes = [0, 1, 2].map(|axis| match dims[axis] {
            0 => 0.0,
            n => (n as f64 / steps[axis]).round().max(1.0),
        });
        let total: f64 = sizes.iter().product();
        if sizes.iter().any(|&n| n > f64::from(u32::MAX)) || total > (1_u64 << 60) as f64 {
            return Err(VolumeFilterError::TooLarge {
                spacing,
                dims: sizes,
                bytes: total * size_of::<f32>() as f64,
            });
        }
        let target = sizes.map(|n| n as usize);
        let scale = Matrix3::from_diagonal(&steps.into());
        let first = [0, 1, 2].map(|axis| position(dims[axis], target[axis], steps[axis], 0));
        let origin = geometry.index_to_world(Point3::from(first));
        Ok(Self {
            source_dims: dims,
            dims: target,
            steps,
            geometry: Geometry::new(geometry.axes() * scale, origin.coords)?,
        })
    }

    /// Returns the number of samples of the source along x, y and z.
    pub fn source_dims(&self) -> [usize; 3] {
        self.source_dims
    }

    /// Returns the number of samples along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// Returns the position of the samples in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the number of samples.
    pub(crate) fn len(&self) -> u64 {
        self.dims.iter().map(|&n| n as u64).product()
    }

    /// Returns the spacing and the size in bytes as the error of a grid that exceeds the memory.
    pub(super) fn too_large(&self, bytes: u64) -> VolumeFilterError {
        VolumeFilterError::TooLarge {
            spacing: self.geometry.spacing().into(),
            dims: self.dims.map(|n| n as f64),
            bytes: bytes as f64,
        }
    }

    /// Returns, per sample along x, then y, then z, the sample of the source at or below its
    /// position, and the fraction of the way to the next one.
    pub(super) fn linear_table(&self) -> Result<(Vec<u32>, Vec<f32>), OutOfMemory> {
        let mut lows = Vec::new();
        let mut fractions = Vec::new();
        let len = self.dims.iter().sum();
        memory::try_reserve("positions of samples", &mut lows, len)?;
        memory::try_reserve("positions of samples", &mut fractions, len)?;
        self.for_each_position(|position, last| {
            let low = position.floor().min(last);
            // rounds to 1 just below the next sample
            let fraction = (position - low) as f32;
            let (low, fraction) = if fraction < 1.0 {
                (low, fraction)
            } else {
                (low + 1.0, 0.0)
            };
            lows.push(low as u32);
            fractions.push(fraction);
        });
        Ok((lows, fractions))
    }

    /// Returns the nearest sample of the source, per sample along x, then y, then z; the lower one
    /// if two are equally near.
    pub(super) fn nearest_table(&self) -> Result<Vec<u32>, OutOfMemory> {
        let mut table = Vec::new();
        let len = self.dims.iter().sum();
        memory::try_reserve("positions of samples", &mut table, len)?;
        self.for_each_position(|position, last| {
            table.push((position - 0.5).ceil().clamp(0.0, last) as u32);
        });
        Ok(table)
    }

    /// Calls `visit` with the position of each sample along x, then y, then z, in samples of the
    /// source, and the last index of the axis.
    fn for_each_position(&self, mut visit: impl FnMut(f64, f64)) {
        for axis in 0..3 {
            let last = self.source_dims[axis].saturating_sub(1) as f64;
            for index in 0..self.dims[axis] {
                let exact = position(
                    self.source_dims[axis],
                    self.dims[axis],
                    self.steps[axis],
                    index,
                );
                let snapped = (2.0 * exact).round() / 2.0;
                let near = if (exact - snapped).abs() < SNAP {
                    snapped
                } else {
                    exact
                };
                visit(near.clamp(0.0, last), last);
            }
        }
    }
}

/// Returns the position of sample `index` of `target` along an axis, in samples of the source: both
/// have the same centre.
fn position(source: usize, target: usize, step: f64, index: usize) -> f64 {
    let from_centre = index as f64 - 0.5 * (target as f64 - 1.0);
    0.5 * (source as f64 - 1.0) + step * from_centre
}

#[cfg(test)]
mod tests {
    use super::*;

    fn along_x(n: usize, spacing: f64, target: f64) -> Result<ResampleGrid, VolumeFilterError> {
        let geometry = Geometry::from_spacing([spacing, 1.0, 1.0], [5.0, 0.0, 0.0]).unwrap();
        ResampleGrid::new(
            [n, 1, 1],
            &geometry,
            TargetSpacing::Given([target, 1.0, 1.0]),
        )
    }

    #[test]
    fn centre_of_the_box_is_kept() {
        for (n, spacing, target, expected) in [
            (10, 1.0, 0.5, 20),
            (10, 1.0, 3.0, 3),
            (7, 0.7, 0.3, 16),
            (1, 5.0, 1.0, 5),
            (1, 1.0, 9.0, 1),
            (13, 1.0, 1.0, 13),
        ] {
            let grid = along_x(n, spacing, target).unwrap();
            assert_eq!(grid.dims(), [expected, 1, 1]);
            assert!((grid.geometry().spacing().x - target).abs() < 1e-12);
            let centre = |n: usize| (n as f64 - 1.0) / 2.0;
            let before = 5.0 + spacing * centre(n);
            let after = grid
                .geometry()
                .index_to_world(Point3::new(centre(expected), 0.0, 0.0));
            assert!((after.x - before).abs() < 1e-9, "{n} {spacing} {target}");
        }
    }

    #[test]
    fn volume_without_samples_has_none_afterwards() {
        assert_eq!(along_x(0, 1.0, 0.1).unwrap().dims(), [0, 1, 1]);
    }

    #[test]
    fn invalid_spacings_and_huge_grids_are_errors() {
        for target in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = along_x(4, 1.0, target).unwrap_err().to_string();
            assert!(error.contains(&format!("is {target} along x")), "{error}");
        }
        let error = along_x(10, 1.0, 1e-9).unwrap_err().to_string();
        assert!(
            error.contains("10000000000 x 1 x 1 samples, which need 40000000000 bytes"),
            "{error}"
        );
    }

    #[test]
    fn tables_refer_to_samples_of_the_source() {
        let grid = along_x(3, 1.0, 0.5).unwrap();
        let (lows, fractions) = grid.linear_table().unwrap();
        assert_eq!(lows[..6], [0, 0, 0, 1, 1, 2]);
        assert_eq!(fractions[..6], [0.0, 0.25, 0.75, 0.25, 0.75, 0.0]);
        assert_eq!(grid.nearest_table().unwrap()[..6], [0, 0, 1, 1, 2, 2]);
        assert_eq!(
            along_x(4, 0.1, 0.2).unwrap().nearest_table().unwrap()[..2],
            [0, 2]
        );
    }
}
