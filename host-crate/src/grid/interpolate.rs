//! Trilinear interpolation of samples on the host.

use super::{AnyVolume, Sample, Volume, with_volume};

impl<T: Sample> Volume<T> {
    /// Returns the trilinear interpolant of the samples at an index, which need not be an integer;
    /// `None` outside of the grid.
    ///
    /// ```
    /// use ferrovox::grid::{Geometry, Volume};
    ///
    /// let ramp = Volume::from_fn([4, 2, 2], Geometry::default(), |x, _, _| 10.0 * x as f32)?;
    /// assert_eq!(ramp.interpolate([1.5, 0.0, 1.0]), Some(15.0));
    /// assert_eq!(ramp.interpolate([3.5, 0.0, 0.0]), None);
    /// # Ok::<(), ferrovox::grid::VolumeError>(())
    /// ```
    pub fn interpolate(&self, index: [f64; 3]) -> Option<f64> {
        let dims = self.dims();
        let is_within = |k: usize| index[k] >= 0.0 && index[k] <= dims[k].saturating_sub(1) as f64;
        if !(0..3).all(is_within) || self.samples().is_empty() {
            return None;
        }
        let low = index.map(|x| x.floor() as usize);
        let upper_weights = [0, 1, 2].map(|k| index[k] - low[k] as f64);
        let mut sum = 0.0;
        for corner in 0..8_usize {
            let upper = [0, 1, 2].map(|k| corner >> k & 1);
            let mut weight = 1.0;
            for axis in 0..3 {
                weight *= if upper[axis] == 1 {
                    upper_weights[axis]
                } else {
                    1.0 - upper_weights[axis]
                };
            }
            if weight > 0.0 {
                let voxel = [0, 1, 2].map(|k| low[k] + upper[k]);
                sum += weight * self.get(voxel)?.to_f64();
            }
        }
        Some(sum)
    }
}

impl AnyVolume {
    /// Returns the trilinear interpolant like [`Volume::interpolate`].
    pub fn interpolate(&self, index: [f64; 3]) -> Option<f64> {
        with_volume!(self, volume => volume.interpolate(index))
    }
}
