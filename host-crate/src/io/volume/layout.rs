//! Layout of the samples that a header describes: sizes, sample type, volumes and components.

use crate::grid::SampleType;

use crate::io::volume::extra_axes::{AxisMeaning, ExtraAxis, Selection, count_along, volume_axes};
use crate::io::{
    ByteCount, ByteOrder, FileProblem, ReadOptions, SampleProblem, SelectionProblem, StoredType,
};

/// Layout of the samples in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Sizes as the file states them, fastest axis first; for messages.
    pub sizes: Vec<u64>,
    /// Number of samples along x, y and z.
    pub dims: [usize; 3],
    /// Number of samples per volume.
    pub samples: usize,
    /// Number of consecutive volumes.
    pub volumes: u64,
    /// Number of interleaved components per sample.
    pub components: u64,
    /// Axes that count the volumes and the components, as opposed to the spatial ones. The index of
    /// a volume or a component counts along the first of its axes first.
    pub extra_axes: Vec<ExtraAxis>,
    /// `true` if z is the fastest axis of the samples of a volume and x the slowest.
    pub is_reversed: bool,
    /// Size of all volumes, in bytes.
    pub total_bytes: u64,
    /// Type of the samples.
    pub stored: StoredType,
    /// Byte order of the samples.
    pub order: ByteOrder,
    /// Sample type of the volume that is read, after scaling. Wide integers become `i32`, or `f64`
    /// if one of them exceeds `i32`.
    pub values: SampleType,
}

impl Layout {
    /// Creates the layout of samples with these sizes, fastest axis first. The first three are the
    /// dims (missing ones are 1); the product of the others is the number of volumes.
    pub fn new(sizes: &[u64], stored: StoredType, order: ByteOrder) -> Result<Self, FileProblem> {
        let too_large = || FileProblem::TooLarge {
            sizes: sizes.to_vec(),
        };
        let mut dims = [1; 3];
        for (dim, &size) in dims.iter_mut().zip(sizes) {
            *dim = usize::try_from(size).map_err(|_| too_large())?;
        }
        let product = |sizes: &[u64]| {
            if sizes.contains(&0) {
                return Some(0);
            }
            sizes
                .iter()
                .try_fold(1_u64, |product, &size| product.checked_mul(size))
        };
        let spatial = &sizes[..sizes.len().min(3)];
        let samples = product(spatial)
            .and_then(|samples| usize::try_from(samples).ok())
            .ok_or_else(too_large)?;
        let volumes = product(&sizes[spatial.len()..]).ok_or_else(too_large)?;
        let total_bytes = product(sizes)
            .and_then(|total| total.checked_mul(stored.bytes() as u64))
            // A slice in memory has at most isize::MAX bytes.
            .filter(|&total| i64::try_from(total).is_ok())
            .ok_or_else(too_large)?;
        Ok(Self {
            sizes: sizes.to_vec(),
            dims,
            samples,
            volumes,
            components: 1,
            extra_axes: volume_axes(&sizes[spatial.len()..]),
            is_reversed: false,
            total_bytes,
            stored,
            order,
            values: stored.sample_type(),
        })
    }

    /// Sets the number of interleaved components per sample.
    pub fn with_components(mut self, components: u64) -> Result<Self, FileProblem> {
        let total = self.total_bytes.checked_mul(components);
        self.total_bytes = total
            .filter(|&total| components > 0 && i64::try_from(total).is_ok())
            .ok_or_else(|| FileProblem::TooLarge {
                sizes: std::iter::once(components)
                    .chain(self.sizes.iter().copied())
                    .collect(),
            })?;
        self.components = components;
        let axis = ExtraAxis {
            meaning: AxisMeaning::Component,
            size: components,
            is_interleaved: true,
            stride: 1,
        };
        self.extra_axes.insert(0, axis);
        Ok(self)
    }

    /// Takes axis `axis` of the sizes, counted from 0 and after the third, for that of the
    /// components.
    pub fn with_component_axis(mut self, axis: usize) -> Self {
        let mut axes = self.extra_axes.iter_mut().filter(|it| !it.is_interleaved);
        if let Some(axis) = axes.nth(axis - 3) {
            axis.meaning = AxisMeaning::Component;
        }
        self
    }

    /// Takes the interleaved components for volumes.
    pub fn with_interleaved_volumes(mut self) -> Self {
        for axis in self.extra_axes.iter_mut().filter(|it| it.is_interleaved) {
            axis.meaning = AxisMeaning::Volume;
        }
        self
    }

    /// Returns the layout of a single component.
    pub fn single_component(&self) -> Self {
        Self {
            total_bytes: self.total_bytes / self.components,
            components: 1,
            ..self.clone()
        }
    }

    /// Returns the size of one volume, in bytes.
    pub fn volume_bytes(&self) -> u64 {
        self.samples as u64 * self.stored.bytes() as u64
    }

    /// Returns the number of stored values: components of all samples of all volumes.
    pub fn value_count(&self) -> u64 {
        self.total_bytes / self.stored.bytes() as u64
    }

    /// Returns the error for a file with fewer bytes than the sizes require.
    pub fn too_short(&self, found: ByteCount) -> FileProblem {
        FileProblem::TooShort {
            sizes: self.all_sizes(),
            stored: self.stored,
            expected: self.total_bytes,
            found,
        }
    }

    /// Returns the error for a file with more bytes than the sizes require.
    pub fn too_long(&self, found: ByteCount) -> FileProblem {
        FileProblem::TooLong {
            sizes: self.all_sizes(),
            stored: self.stored,
            expected: self.total_bytes,
            found,
        }
    }

    /// Adds the voxel to an error about a sample.
    pub fn at_voxel(&self, mut problem: FileProblem) -> FileProblem {
        if let FileProblem::Sample(
            SampleProblem::NotRepresentable { index, voxel, .. }
            | SampleProblem::ScalingOverflow { index, voxel, .. },
        ) = &mut problem
        {
            let [nx, ny, _] = self.dims.map(|size| size.max(1) as u64);
            *voxel = [*index % nx, *index / nx % ny, *index / nx / ny];
        }
        problem
    }

    /// Returns the sizes, preceded by the number of components if there are several.
    fn all_sizes(&self) -> Vec<u64> {
        let components = (self.components > 1).then_some(self.components);
        components
            .into_iter()
            .chain(self.sizes.iter().copied())
            .collect()
    }

    /// Returns the numbers of volumes and of components, as the file defines them.
    pub fn counts(&self) -> (u64, u64) {
        let count = |meaning| count_along(&self.extra_axes, meaning);
        (count(AxisMeaning::Volume), count(AxisMeaning::Component))
    }

    /// Returns the volume and the component that `options` select.
    pub fn select(&self, options: &ReadOptions) -> Result<Selection, FileProblem> {
        let (volumes, components) = self.counts();
        let volume = match options.volume {
            None if volumes > 1 => {
                return Err(SelectionProblem::SeveralVolumes { count: volumes }.into());
            }
            requested => requested.unwrap_or(0),
        };
        if volume >= volumes {
            let (index, count) = (volume, volumes);
            return Err(SelectionProblem::NoSuchVolume { index, count }.into());
        }
        let component = match options.component {
            None if components > 1 => {
                return Err(SelectionProblem::SeveralComponents { count: components }.into());
            }
            requested => requested.unwrap_or(0),
        };
        if component >= components {
            let (index, count) = (component, components);
            return Err(SelectionProblem::NoSuchComponent { index, count }.into());
        }
        Ok(Selection::new(&self.extra_axes, volume, component))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(sizes: &[u64]) -> Result<Layout, FileProblem> {
        Layout::new(sizes, StoredType::U16, ByteOrder::Little)
    }

    #[test]
    fn axes_after_the_third_count_volumes() {
        let four = layout(&[3, 4, 5, 6, 1]).unwrap();
        assert_eq!(
            (four.dims, four.volumes, four.volume_bytes()),
            ([3, 4, 5], 6, 120)
        );
        assert_eq!(four.total_bytes, 720);
        let one = layout(&[7]).unwrap();
        assert_eq!((one.dims, one.volumes), ([7, 1, 1], 1));
        let error = four.select(&ReadOptions::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the file holds 6 volumes; select one from 0 to 5"
        );
        let options = ReadOptions {
            volume: Some(6),
            ..ReadOptions::default()
        };
        let error = four.select(&options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the file has no volume 6; it holds 6, counted from 0"
        );
    }

    #[test]
    fn overflowing_sizes_are_reported() {
        let error = layout(&[1 << 32, 1 << 31, 2]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "sizes 4294967296 x 2147483648 x 2 need more bytes than 64 bits can count; correct the sizes or repair the header"
        );
        assert!(
            layout(&[1 << 32, 1 << 30, 1]).is_err(),
            "2^62 samples of 2 bytes are 2^63 bytes"
        );
        assert_eq!(layout(&[1 << 60, 1 << 60, 0]).unwrap().samples, 0);
        assert_eq!(layout(&[0, 1 << 60, 1 << 60, 1]).unwrap().samples, 0);
    }
}
