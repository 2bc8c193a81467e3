//! Volumes with a sample type known only at run time.

use super::{Geometry, Sample, SampleSummary, SampleType, Volume};

/// A volume of any sample type, as file readers return it.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyVolume {
    /// Samples of type u8.
    U8(Volume<u8>),
    /// Samples of type i8.
    I8(Volume<i8>),
    /// Samples of type u16.
    U16(Volume<u16>),
    /// Samples of type i16.
    I16(Volume<i16>),
    /// Samples of type i32.
    I32(Volume<i32>),
    /// Samples of type f32.
    F32(Volume<f32>),
    /// Samples of type f64.
    F64(Volume<f64>),
}

/// Evaluates an expression with the typed volume inside an [`AnyVolume`].
macro_rules! with_volume {
    ($any:expr, $volume:ident => $body:expr) => {
        match $any {
            $crate::grid::AnyVolume::U8($volume) => $body,
            $crate::grid::AnyVolume::I8($volume) => $body,
            $crate::grid::AnyVolume::U16($volume) => $body,
            $crate::grid::AnyVolume::I16($volume) => $body,
            $crate::grid::AnyVolume::I32($volume) => $body,
            $crate::grid::AnyVolume::F32($volume) => $body,
            $crate::grid::AnyVolume::F64($volume) => $body,
        }
    };
}
pub(crate) use with_volume;

impl AnyVolume {
    /// Returns the number of samples along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        with_volume!(self, volume => volume.dims())
    }

    /// Returns the position of the grid in the world.
    pub fn geometry(&self) -> &Geometry {
        with_volume!(self, volume => volume.geometry())
    }

    /// Replaces the geometry and keeps the samples.
    #[must_use]
    pub fn with_geometry(self, geometry: Geometry) -> Self {
        with_volume!(self, volume => volume.with_geometry(geometry).into())
    }

    /// Returns the sample type.
    pub fn sample_type(&self) -> SampleType {
        match self {
            Self::U8(_) => SampleType::U8,
            Self::I8(_) => SampleType::I8,
            Self::U16(_) => SampleType::U16,
            Self::I16(_) => SampleType::I16,
            Self::I32(_) => SampleType::I32,
            Self::F32(_) => SampleType::F32,
            Self::F64(_) => SampleType::F64,
        }
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        with_volume!(self, volume => volume.samples().len())
    }

    /// Returns `true` if a dim is zero.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes of the samples, in native byte order.
    pub fn bytes(&self) -> &[u8] {
        with_volume!(self, volume => bytemuck::cast_slice(volume.samples()))
    }

    /// Returns the range, the mean and the number of non-finite samples.
    pub fn summary(&self) -> SampleSummary {
        with_volume!(self, volume => volume.summary())
    }
}

impl<T: Sample> From<Volume<T>> for AnyVolume {
    fn from(volume: Volume<T>) -> Self {
        match T::TYPE {
            SampleType::U8 => Self::U8(as_typed(volume)),
            SampleType::I8 => Self::I8(as_typed(volume)),
            SampleType::U16 => Self::U16(as_typed(volume)),
            SampleType::I16 => Self::I16(as_typed(volume)),
            SampleType::I32 => Self::I32(as_typed(volume)),
            SampleType::F32 => Self::F32(as_typed(volume)),
            SampleType::F64 => Self::F64(as_typed(volume)),
        }
    }
}

/// Casts a volume to `T`, which is the same type as `U`.
fn as_typed<T: Sample, U: Sample>(volume: Volume<T>) -> Volume<U> {
    assert_eq!(
        T::TYPE,
        U::TYPE,
        "a type of samples has a variant of its own"
    );
    let (dims, geometry) = (volume.dims(), *volume.geometry());
    let samples = bytemuck::allocation::cast_vec(volume.into_samples());
    Volume::new(samples, dims, geometry).expect("as many samples as before")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_dispatched() {
        fn check<T: Sample>(one: T) {
            let any =
                AnyVolume::from(Volume::new(vec![one; 2], [2, 1, 1], Geometry::default()).unwrap());
            assert_eq!(any.sample_type(), T::TYPE);
            assert_eq!(any.dims(), [2, 1, 1]);
            assert_eq!(any.len(), 2);
            assert_eq!(any.bytes().len(), 2 * T::TYPE.bytes());
            assert_eq!(any.summary().max, Some(1.0));
        }
        check(1_u8);
        check(1_i8);
        check(1_u16);
        check(1_i16);
        check(1_i32);
        check(1_f32);
        check(1_f64);
    }
}
