//! The grid that a header describes: sizes, sample type, and how many volumes there are.

use crate::grid::SampleType;

use super::{Amount, ByteOrder, FileProblem, ReadOptions, StoredType};

/// What a header states about the samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The sizes as the file gives them, fastest axis first; for messages.
    pub sizes: Vec<u64>,
    /// Samples along x, y and z.
    pub dims: [usize; 3],
    /// Samples of one volume.
    pub samples: usize,
    /// How many volumes follow each other.
    pub volumes: u64,
    /// Numbers of each sample, one after the other.
    pub components: u64,
    /// What the volumes, or the components, are.
    pub meaning: Meaning,
    /// Bytes of all volumes.
    pub total_bytes: u64,
    /// Type of the samples.
    pub stored: StoredType,
    /// Byte order of the samples.
    pub order: ByteOrder,
    /// The type that they have in a volume. Integers that i32 may not hold are f64 where one of
    /// them does not fit in i32.
    pub values: SampleType,
}

/// What several numbers of one place are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// As they stand: components are components, volumes are volumes.
    #[default]
    AsStored,
    /// Components, stored as one volume after the other.
    PlanarComponents,
    /// Volumes, stored as the components of each sample.
    InterleavedVolumes,
}

/// Which numbers of a file are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// The volume, as it is stored.
    pub volume: u64,
    /// The component, as it is stored.
    pub component: u64,
}

impl Layout {
    /// The layout of sizes, fastest axis first: the first three are the dims (missing ones are 1),
    /// the product of the others is the number of volumes.
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
            // a slice of memory has at most isize::MAX bytes
            .filter(|&total| i64::try_from(total).is_ok())
            .ok_or_else(too_large)?;
        Ok(Self {
            sizes: sizes.to_vec(),
            dims,
            samples,
            volumes,
            components: 1,
            meaning: Meaning::AsStored,
            total_bytes,
            stored,
            order,
            values: stored.sample_type(),
        })
    }

    /// The same with so many numbers for each sample, one after the other.
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
        Ok(self)
    }

    /// The layout of one component.
    pub fn of_component(&self) -> Self {
        Self {
            total_bytes: self.total_bytes / self.components,
            components: 1,
            ..self.clone()
        }
    }

    /// Bytes of one volume.
    pub fn volume_bytes(&self) -> u64 {
        self.samples as u64 * self.stored.bytes() as u64
    }

    /// Samples of all volumes.
    pub fn numbers(&self) -> u64 {
        self.total_bytes / self.stored.bytes() as u64
    }

    /// There are fewer bytes than these sizes need.
    pub fn too_short(&self, found: Amount) -> FileProblem {
        FileProblem::TooShort {
            sizes: self.all_sizes(),
            stored: self.stored,
            expected: self.total_bytes,
            found,
        }
    }

    /// There are more bytes than these sizes need.
    pub fn too_long(&self, found: Amount) -> FileProblem {
        FileProblem::TooLong {
            sizes: self.all_sizes(),
            stored: self.stored,
            expected: self.total_bytes,
            found,
        }
    }

    /// Says which voxel the sample of a problem is.
    pub fn at_voxel(&self, problem: FileProblem) -> FileProblem {
        match problem {
            FileProblem::NotRepresentable {
                index,
                value,
                stored,
                ..
            } => {
                let [nx, ny, _] = self.dims.map(|size| size.max(1) as u64);
                FileProblem::NotRepresentable {
                    index,
                    voxel: [index % nx, index / nx % ny, index / nx / ny],
                    value,
                    stored,
                }
            }
            other => other,
        }
    }

    /// The sizes, with that of the components in front.
    fn all_sizes(&self) -> Vec<u64> {
        let components = (self.components > 1).then_some(self.components);
        components
            .into_iter()
            .chain(self.sizes.iter().copied())
            .collect()
    }

    /// How many volumes, and how many components, the file says there are.
    pub fn counts(&self) -> (u64, u64) {
        match self.meaning {
            Meaning::AsStored => (self.volumes, self.components),
            Meaning::PlanarComponents | Meaning::InterleavedVolumes => {
                (self.components, self.volumes)
            }
        }
    }

    /// What to read.
    pub fn choose(&self, options: &ReadOptions) -> Result<Chosen, FileProblem> {
        let (volumes, components) = self.counts();
        let volume = match options.volume {
            None if volumes > 1 => return Err(FileProblem::SeveralVolumes { count: volumes }),
            asked => asked.unwrap_or(0),
        };
        if volume >= volumes {
            let (index, count) = (volume, volumes);
            return Err(FileProblem::NoSuchVolume { index, count });
        }
        let component = match options.component {
            None if components > 1 => {
                return Err(FileProblem::SeveralComponents { count: components });
            }
            asked => asked.unwrap_or(0),
        };
        if component >= components {
            let (index, count) = (component, components);
            return Err(FileProblem::NoSuchComponent { index, count });
        }
        Ok(match self.meaning {
            Meaning::AsStored => Chosen { volume, component },
            Meaning::PlanarComponents | Meaning::InterleavedVolumes => Chosen {
                volume: component,
                component: volume,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(sizes: &[u64]) -> Result<Layout, FileProblem> {
        Layout::new(sizes, StoredType::U16, ByteOrder::Little)
    }

    #[test]
    fn further_axes_are_volumes() {
        let four = layout(&[3, 4, 5, 6, 1]).unwrap();
        assert_eq!(
            (four.dims, four.volumes, four.volume_bytes()),
            ([3, 4, 5], 6, 120)
        );
        assert_eq!(four.total_bytes, 720);
        let one = layout(&[7]).unwrap();
        assert_eq!((one.dims, one.volumes), ([7, 1, 1], 1));
        let error = four.choose(&ReadOptions::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the file holds 6 volumes; choose one, 0 to 5"
        );
        let chosen = ReadOptions {
            volume: Some(6),
            ..ReadOptions::default()
        };
        let error = four.choose(&chosen).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no volume 6; the file holds 6, counted from 0"
        );
    }

    #[test]
    fn overflow_is_found_with_the_sizes() {
        let error = layout(&[1 << 32, 1 << 31, 2]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "sizes 4294967296 x 2147483648 x 2 need more bytes than 64 bits can count; give the right sizes, or repair the header"
        );
        assert!(
            layout(&[1 << 32, 1 << 30, 1]).is_err(),
            "2^62 samples of 2 bytes are 2^63 bytes"
        );
        assert_eq!(layout(&[1 << 60, 1 << 60, 0]).unwrap().samples, 0);
        assert_eq!(layout(&[0, 1 << 60, 1 << 60, 1]).unwrap().samples, 0);
    }
}
