//! Quantised fields, as images store them: values scaled, shifted, rounded and clamped to an
//! integer type.

use super::analytic::sphere_value;
use crate::{grid::Grid, rows::Rows, sample::Sample};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Conversion of values to samples: `value * scale + offset`, rounded to nearest (halves away from
/// zero) and clamped to the range of the type. The isosurface at value 0 is that at sample
/// `offset`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// Sample levels per unit of the value.
    pub scale: f32,
    /// Sample level of the value 0.
    pub offset: f32,
}

/// A sample type to which values can be rounded.
pub trait Quantised: Sample {
    /// Converts a value to this type: integer types round and clamp it, and map NaN to 0.
    fn from_value(value: f32) -> Self;
}

macro_rules! integers {
    ($($integer:ident)+) => {
        $(
            impl Quantised for $integer {
                #[inline(always)]
                fn from_value(value: f32) -> Self {
                    // `as` clamps
                    GpuFloat::round(value) as $integer
                }
            }
        )+
    };
}

integers!(u8 i8 u16 i16);

impl Quantised for f32 {
    #[inline(always)]
    fn from_value(value: f32) -> Self {
        value
    }
}

impl Levels {
    #[inline(always)]
    fn sample<T: Quantised>(self, value: f32) -> T {
        T::from_value(value * self.scale + self.offset)
    }
}

/// Writes the sphere of [`fill_sphere`](super::fill_sphere) in another sample type, without an
/// intermediate `f32` copy.
///
/// **Mapping:** runs of neighbouring samples per thread; no shared memory. **Traffic** per sample:
/// one write.
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `rows` is the extent of the samples.
#[kernel(T = crate::sample::sample_types!, baseline)]
pub unsafe fn fill_sphere_as<T: Quantised>(
    grid: Grid,
    rows: Rows,
    centre: [f32; 3],
    radius: f32,
    levels: Levels,
    samples: ViewMut<T>,
) {
    rows.for_each_run(|run| {
        for x in run.start..run.end {
            let value = sphere_value([x, run.y, run.z], centre, radius);
            samples.write(grid.sample(x, run.y, run.z), levels.sample(value));
        }
    });
}

/// Converts each value to another sample type.
///
/// **Mapping:** runs of neighbouring samples per thread; no shared memory. **Traffic** per sample:
/// one read, one write.
///
/// # Safety
/// `values` and `samples` hold `grid.samples()` elements; `rows` is the extent of the samples.
#[kernel(T = crate::sample::sample_types!, baseline)]
pub unsafe fn quantise<T: Quantised>(
    grid: Grid,
    rows: Rows,
    levels: Levels,
    values: View<f32>,
    samples: ViewMut<T>,
) {
    rows.for_each_run(|run| {
        for x in run.start..run.end {
            let at = grid.sample(x, run.y, run.z);
            samples.write(at, levels.sample(values.read(at)));
        }
    });
}
