//! Volumes with a sample type known only at run time.

use super::sample::for_sample_types;
use super::{Geometry, Sample, SampleSummary, SampleType, Volume};

macro_rules! declare_any_volume {
    ([$(($variant:ident, $type:ident, $doc:literal),)+]) => {
        /// A volume of any sample type, as file readers return it.
        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyVolume {
            $(
                #[doc = concat!("Samples of type ", stringify!($type), ".")]
                $variant(Volume<$type>),
            )+
        }

        impl<T: Sample> From<Volume<T>> for AnyVolume {
            fn from(volume: Volume<T>) -> Self {
                match T::TYPE {
                    $(SampleType::$variant => Self::$variant(as_typed(volume)),)+
                }
            }
        }
    };
}
for_sample_types! { [declare_any_volume] }

/// Evaluates an expression with the typed volume inside an [`AnyVolume`].
macro_rules! with_volume {
    ($any:expr, $volume:ident => $body:expr) => {
        $crate::grid::for_sample_types! { [$crate::grid::match_volume] $any, $volume => $body }
    };
}
pub(crate) use with_volume;

macro_rules! match_volume {
    (
        [$(($variant:ident, $type:ident, $doc:literal),)+]
        $any:expr, $volume:ident => $body:expr
    ) => {
        match $any {
            $($crate::grid::AnyVolume::$variant($volume) => $body,)+
        }
    };
}
pub(crate) use match_volume;

/// Evaluates an expression with the typed volume inside an [`AnyVolume`] if kernels read its sample
/// type, and `$converted` otherwise.
macro_rules! with_kernel_volume {
    ($any:expr, $volume:ident => $body:expr, _ => $converted:expr) => {
        $crate::for_kernel_sample_types! {
            [$crate::grid::match_kernel_volume] $any, $volume => $body, $converted
        }
    };
}
pub(crate) use with_kernel_volume;

macro_rules! match_kernel_volume {
    (
        [$(($variant:ident, $type:ident)),+]
        $any:expr, $volume:ident => $body:expr, $converted:expr
    ) => {
        match $any {
            $($crate::grid::AnyVolume::$variant($volume) => $body,)+
            _ => $converted,
        }
    };
}
pub(crate) use match_kernel_volume;

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
        fn sample_type<T: Sample>(_: &Volume<T>) -> SampleType {
            T::TYPE
        }
        with_volume!(self, volume => sample_type(volume))
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
        check(1_i64);
        check(1_f32);
        check(1_f64);
    }
}
