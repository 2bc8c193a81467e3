//! Fields as images store them: values scaled, shifted, rounded and clamped to an integer type.

use super::analytic::sphere_value;
use crate::{grid::Grid, rows::Rows, sample::Sample};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// How values become samples: `value * scale + offset`, rounded to the nearest (halves away from
/// zero) and clamped to what the type can hold. An isosurface at value 0 is one at `offset`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// Levels of the sample for each unit of the value.
    pub scale: f32,
    /// The level of the value 0.
    pub offset: f32,
}

/// A sample type that values can be rounded to.
pub trait Quantised: Sample {
    /// The nearest value of this type: rounded if it is an integer type, and clamped. NaN becomes 0
    /// in integer types.
    fn nearest(value: f32) -> Self;
}

macro_rules! integers {
    ($($integer:ident)+) => {
        $(
            impl Quantised for $integer {
                #[inline(always)]
                fn nearest(value: f32) -> Self {
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
    fn nearest(value: f32) -> Self {
        value
    }
}

impl Levels {
    #[inline(always)]
    fn sample<T: Quantised>(self, value: f32) -> T {
        T::nearest(value * self.scale + self.offset)
    }
}

/// Writes the sphere of [`fill_sphere`](super::fill_sphere) in another sample type, without a copy
/// in `f32` beside it.
///
/// A thread takes runs of neighbouring samples, reads nothing and writes one sample each.
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `rows` is the extent of the samples.
#[kernel(T = [u8, i8, u16, i16, f32])]
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

/// Writes each value in another sample type.
///
/// A thread takes runs of neighbouring samples, reads one value and writes one sample each.
///
/// # Safety
/// `values` and `samples` hold `grid.samples()` elements; `rows` is the extent of the samples.
#[kernel(T = [u8, i8, u16, i16, f32])]
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
