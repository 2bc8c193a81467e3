//! Creation of masks from bools, indices and samples on the host.

use super::{
    AnyVolume, Geometry, GridError, Inside, Mask, device_mask_constructors::check_level,
    sample_count, with_volume,
};

impl Mask {
    /// Creates the mask of the voxels that are `true`, x fastest.
    ///
    /// ```
    /// use ferrovox::grid::{Geometry, Mask};
    ///
    /// let mask = Mask::from_bools(&[true, false, true, true], [2, 2, 1], Geometry::default())?;
    /// assert_eq!(mask.count(), 3);
    /// assert!(Mask::from_bools(&[true], [2, 2, 1], Geometry::default()).is_err());
    /// # Ok::<(), ferrovox::grid::GridError>(())
    /// ```
    ///
    /// # Errors
    /// [`GridError::Values`] if there is not one value per voxel, and the errors of
    /// [`new`](Self::new).
    pub fn from_bools(
        voxels: &[bool],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        let found = voxels.len();
        if sample_count(dims).ok() != Some(found) {
            return Err(GridError::Values { found, dims });
        }
        let mut mask = Self::new(dims, geometry)?;
        let bytes: &[u8] = bytemuck::cast_slice(voxels);
        mask.set_planes(0, bytes, |voxel| voxel != 0.0);
        Ok(mask)
    }

    /// Creates the mask of the voxels with these linear indices, x fastest. Indices may repeat.
    ///
    /// # Errors
    /// [`GridError::Index`] for an index outside the grid, and the errors of [`new`](Self::new).
    pub fn from_indices(
        indices: &[u64],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        let mut mask = Self::new(dims, geometry)?;
        let voxels = mask.layout().grid.samples();
        for (number, &index) in indices.iter().enumerate() {
            if index >= voxels {
                return Err(GridError::Index {
                    number,
                    index,
                    voxels,
                });
            }
            mask.set(index);
        }
        Ok(mask)
    }

    /// Creates the mask of the voxels whose sample `is_inside`. One pass over the samples on all
    /// cores.
    ///
    /// ```
    /// use ferrovox::grid::{AnyVolume, Geometry, Inside, Mask, Volume};
    ///
    /// let ramp: AnyVolume = Volume::from_fn([5, 2, 2], Geometry::default(), |x, _, _| x as i16)?
    ///     .into();
    /// assert_eq!(Mask::from_volume(&ramp, |sample| sample != 0.0)?.count(), 16);
    /// assert_eq!(Mask::from_label(&ramp, 3.0)?.count(), 4);
    /// assert_eq!(Mask::in_range(&ramp, 1.0, 2.0)?.count(), 8);
    /// assert_eq!(Mask::from_threshold(&ramp, 3.5, Inside::Below)?.count(), 16);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn from_volume(
        volume: &AnyVolume,
        is_inside: impl Fn(f64) -> bool + Sync,
    ) -> Result<Self, GridError> {
        let mut mask = Self::new(volume.dims(), *volume.geometry())?;
        with_volume!(volume, volume => mask.set_planes(0, volume.samples(), is_inside));
        Ok(mask)
    }

    /// Creates the mask of the voxels whose sample is `label`.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn from_label(volume: &AnyVolume, label: f64) -> Result<Self, GridError> {
        Self::from_volume(volume, |sample| sample == label)
    }

    /// Creates the mask of the voxels whose sample is from `low` to `high`, both included.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn in_range(volume: &AnyVolume, low: f64, high: f64) -> Result<Self, GridError> {
        Self::from_volume(volume, |sample| (low..=high).contains(&sample))
    }

    /// Creates the mask of the voxels whose sample is inside a level, by [`Inside::contains`].
    ///
    /// # Errors
    /// [`GridError::Level`] for a level that is not finite, and the errors of [`new`](Self::new).
    pub fn from_threshold(
        volume: &AnyVolume,
        level: f32,
        inside: Inside,
    ) -> Result<Self, GridError> {
        check_level(level)?;
        Self::from_volume(volume, |sample| inside.contains(sample, level))
    }

    /// Returns `true` if a voxel is in the mask; `false` outside the grid.
    ///
    /// ```
    /// use ferrovox::grid::{Geometry, Mask};
    ///
    /// let mask = Mask::from_indices(&[5], [3, 3, 1], Geometry::default())?;
    /// assert!(mask.contains([2, 1, 0]) && !mask.contains([2, 0, 0]) && !mask.contains([5, 0, 0]));
    /// # Ok::<(), ferrovox::grid::GridError>(())
    /// ```
    pub fn contains(&self, [x, y, z]: [usize; 3]) -> bool {
        let [nx, ny, nz] = self.dims();
        let per_row = nx.div_ceil(32);
        x < nx && y < ny && z < nz && {
            let word = self.words()[(z * ny + y) * per_row + x / 32];
            word >> (x % 32) & 1 == 1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Volume;

    /// Row lengths that end within a word, at its end, and after it.
    #[test]
    fn all_constructors_create_the_same_mask() {
        for nx in [1, 31, 32, 33, 70] {
            let dims = [nx, 3, 2];
            let is_site = |index: usize| index.wrapping_mul(7919) % 5 < 2;
            let bools: Vec<bool> = (0..nx * 6).map(is_site).collect();
            let expected = Mask::from_bools(&bools, dims, Geometry::default()).unwrap();
            for (index, &voxel) in bools.iter().enumerate() {
                let at = [index % nx, index / nx % 3, index / nx / 3];
                assert_eq!(expected.contains(at), voxel, "{nx}: {at:?}");
            }
            let indices: Vec<u64> = (0..nx * 6)
                .rev()
                .filter(|&it| is_site(it))
                .map(|it| it as u64)
                .collect();
            let found = Mask::from_indices(&indices, dims, Geometry::default()).unwrap();
            assert_eq!(found, expected);
            let samples = bools.iter().map(|&voxel| if voxel { 7.0 } else { -1.0 });
            let volume: AnyVolume =
                Volume::<f64>::new(samples.collect(), dims, Geometry::default())
                    .unwrap()
                    .into();
            for found in [
                Mask::from_label(&volume, 7.0),
                Mask::in_range(&volume, 6.5, 7.0),
                Mask::from_threshold(&volume, 7.0, Inside::Above),
                Mask::from_volume(&volume, |sample| sample > 0.0),
            ] {
                assert_eq!(found.unwrap(), expected);
            }
        }
    }

    #[test]
    fn nan_is_on_neither_side() {
        let volume: AnyVolume = Volume::new(vec![f32::NAN, 1.0], [2, 1, 1], Geometry::default())
            .unwrap()
            .into();
        for inside in [Inside::Above, Inside::Below] {
            let mask = Mask::from_threshold(&volume, 2.0, inside).unwrap();
            assert!(!mask.contains([0, 0, 0]));
            assert_eq!(mask.contains([1, 0, 0]), inside == Inside::Below);
        }
        assert!(Mask::from_threshold(&volume, f32::NAN, Inside::Above).is_err());
        let beyond = Mask::from_indices(&[2], [2, 1, 1], Geometry::default());
        assert!(matches!(
            beyond,
            Err(GridError::Index {
                index: 2,
                voxels: 2,
                ..
            })
        ));
    }
}
