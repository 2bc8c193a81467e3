//! Volumes that own their samples, and views that borrow them.

use super::{Geometry, Sample, SampleSummary, VolumeError};
use crate::memory;

/// Returns the number of samples of a grid: the product of its dims.
///
/// # Errors
/// [`VolumeError::TooManySamples`] when the product overflows.
pub fn sample_count(dims: [usize; 3]) -> Result<usize, VolumeError> {
    // A zero dim makes an empty volume however large the others are.
    if dims.contains(&0) {
        return Ok(0);
    }
    dims[0]
        .checked_mul(dims[1])
        .and_then(|plane| plane.checked_mul(dims[2]))
        .ok_or(VolumeError::TooManySamples { dims })
}

fn check_length(dims: [usize; 3], found: usize) -> Result<(), VolumeError> {
    let expected = sample_count(dims)?;
    if expected == found {
        Ok(())
    } else {
        Err(VolumeError::LengthMismatch {
            dims,
            expected,
            found,
        })
    }
}

/// Samples on a regular grid, x fastest, and the position of the grid in the world.
///
/// A dim of zero is allowed and makes an empty volume.
///
/// ```
/// use ferrovox::grid::{Geometry, Volume};
///
/// let volume = Volume::new(vec![0_u8, 1, 2, 3, 4, 5], [3, 2, 1], Geometry::default())?;
/// assert_eq!(volume.get([2, 1, 0]), Some(5));
/// assert_eq!(volume.get([3, 0, 0]), None);
/// # Ok::<(), ferrovox::grid::VolumeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Volume<T> {
    samples: Vec<T>,
    dims: [usize; 3],
    geometry: Geometry,
}

impl<T: Copy> Volume<T> {
    /// Creates a volume from its samples.
    ///
    /// # Errors
    /// [`VolumeError::LengthMismatch`] unless there are nx · ny · nz samples,
    /// [`VolumeError::TooManySamples`] when that product overflows.
    pub fn new(samples: Vec<T>, dims: [usize; 3], geometry: Geometry) -> Result<Self, VolumeError> {
        check_length(dims, samples.len())?;
        Ok(Self {
            samples,
            dims,
            geometry,
        })
    }

    /// Creates a volume with the sample `sample(x, y, z)` at (x, y, z).
    ///
    /// # Errors
    /// [`VolumeError::TooManySamples`] if the product of the dims overflows,
    /// [`VolumeError::Memory`] if memory runs out.
    pub fn from_fn(
        dims: [usize; 3],
        geometry: Geometry,
        mut sample: impl FnMut(usize, usize, usize) -> T,
    ) -> Result<Self, VolumeError> {
        let mut samples = Vec::new();
        memory::try_reserve("samples", &mut samples, sample_count(dims)?)?;
        for z in 0..dims[2] {
            for y in 0..dims[1] {
                samples.extend((0..dims[0]).map(|x| sample(x, y, z)));
            }
        }
        Self::new(samples, dims, geometry)
    }

    /// Returns the samples, x fastest.
    pub fn samples(&self) -> &[T] {
        &self.samples
    }

    /// Returns the samples, x fastest, for modification.
    pub fn samples_mut(&mut self) -> &mut [T] {
        &mut self.samples
    }

    /// Returns the samples and drops the geometry.
    pub fn into_samples(self) -> Vec<T> {
        self.samples
    }

    /// Returns the number of samples along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// Returns the position of the grid in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Creates a volume of other samples, one per sample of this volume, on the same grid.
    pub(crate) fn with_samples<U>(&self, samples: Vec<U>) -> Volume<U> {
        debug_assert_eq!(samples.len(), self.samples.len());
        Volume {
            samples,
            dims: self.dims,
            geometry: self.geometry,
        }
    }

    /// Replaces the geometry and keeps the samples.
    #[must_use]
    pub fn with_geometry(mut self, geometry: Geometry) -> Self {
        self.geometry = geometry;
        self
    }

    /// Returns the sample at a grid index, or `None` outside the grid.
    pub fn get(&self, index: [usize; 3]) -> Option<T> {
        self.view().get(index)
    }

    /// Borrows the volume as a view.
    pub fn view(&self) -> VolumeView<'_, T> {
        VolumeView {
            samples: &self.samples,
            dims: self.dims,
            geometry: self.geometry,
        }
    }
}

impl<T: Sample> Volume<T> {
    /// Returns the range, the mean and the number of non-finite samples.
    pub fn summary(&self) -> SampleSummary {
        SampleSummary::from_samples(&self.samples)
    }
}

/// A volume over borrowed samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeView<'a, T> {
    samples: &'a [T],
    dims: [usize; 3],
    geometry: Geometry,
}

impl<'a, T: Copy> VolumeView<'a, T> {
    /// Creates a view of samples, x fastest.
    ///
    /// # Errors
    /// The errors of [`Volume::new`].
    pub fn new(
        samples: &'a [T],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, VolumeError> {
        check_length(dims, samples.len())?;
        Ok(Self {
            samples,
            dims,
            geometry,
        })
    }

    /// Returns the samples, x fastest.
    pub fn samples(&self) -> &'a [T] {
        self.samples
    }

    /// Returns the number of samples along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// Returns the position of the grid in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the sample at a grid index, or `None` outside the grid.
    pub fn get(&self, [x, y, z]: [usize; 3]) -> Option<T> {
        let inside = x < self.dims[0] && y < self.dims[1] && z < self.dims[2];
        inside.then(|| self.samples[x + self.dims[0] * (y + self.dims[1] * z)])
    }

    /// Copies the samples into an owned volume.
    pub fn to_volume(&self) -> Volume<T> {
        Volume {
            samples: self.samples.to_vec(),
            dims: self.dims,
            geometry: self.geometry,
        }
    }
}

impl<'a, T: Copy> From<&'a Volume<T>> for VolumeView<'a, T> {
    fn from(volume: &'a Volume<T>) -> Self {
        volume.view()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x_is_fastest() {
        let volume = Volume::from_fn([4, 3, 2], Geometry::default(), |x, y, z| {
            (100 * z + 10 * y + x) as u8
        })
        .unwrap();
        assert_eq!(volume.samples()[..5], [0, 1, 2, 3, 10]);
        assert_eq!(volume.get([3, 2, 1]), Some(123));
        assert_eq!(volume.get([0, 3, 0]), None);
        assert_eq!(volume.view().to_volume(), volume);
    }

    #[test]
    fn wrong_lengths_are_errors_with_numbers() {
        let error = Volume::new(vec![0_u8; 7], [2, 2, 2], Geometry::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "dims 2 x 2 x 2 need 8 samples, but there are 7; give dims whose product is 7"
        );
        let error = VolumeView::<f32>::new(&[], [1, 1, 1], Geometry::default()).unwrap_err();
        assert!(matches!(
            error,
            VolumeError::LengthMismatch { found: 0, .. }
        ));
    }

    #[test]
    fn overflowing_dims_are_an_error_and_zero_dims_are_not() {
        let huge = usize::MAX / 2;
        let error = sample_count([huge, 3, 1]).unwrap_err();
        assert!(error.to_string().contains(&huge.to_string()), "{error}");
        assert_eq!(sample_count([huge, huge, 0]), Ok(0));
        let empty = Volume::<f32>::new(vec![], [huge, huge, 0], Geometry::default()).unwrap();
        assert_eq!(empty.get([0, 0, 0]), None);
        assert_eq!(empty.summary().min, None);
    }
}
