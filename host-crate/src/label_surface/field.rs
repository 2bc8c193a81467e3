//! Labels, numbered as kernels take them.

use super::LabelSurfaceError;
use crate::{
    grid::{AnyVolume, Geometry, Sample, distinct, first_fraction, with_volume},
    memory::{self, OutOfMemory, catch_out_of_memory},
    parallel,
};

/// The largest label up to which f64 holds all.
const EXACT: f64 = (1_u64 << 53) as f64;

/// Voxels that a thread numbers at a time.
const PORTION: usize = 1 << 16;

/// The labels of a volume, of which each voxel has the number: 0 for the background, and for labels
/// that are not chosen.
///
/// Numbers have as many bits as they need, whatever the type of the samples was, so that labels are
/// exact and devices hold one byte for a voxel of up to 255 labels.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelField {
    dims: [usize; 3],
    geometry: Geometry,
    labels: Vec<i64>,
    voxels: Vec<u64>,
    missing: Vec<i64>,
    pub(super) numbers: Numbers,
}

/// For each voxel the place of its label, from 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Numbers {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
}

/// A type of numbers.
trait Number: Copy + Send + Sync + bytemuck::Zeroable {
    /// A number that fits.
    fn of(place: u32) -> Self;
    fn place(self) -> u32;
}

macro_rules! numbers {
    ($($number:ty),+) => {
        $(impl Number for $number {
            fn of(place: u32) -> Self {
                place as Self
            }

            fn place(self) -> u32 {
                u32::from(self)
            }
        })+
    };
}

numbers!(u8, u16, u32);

impl LabelField {
    /// The labels of a volume: all but 0, or those of a list, in any order.
    ///
    /// ```
    /// use ferrovox::{grid::{Geometry, Volume}, label_surface::LabelField};
    ///
    /// let volume = Volume::new(vec![0_i32, 70_000, -3, 70_000], [4, 1, 1], Geometry::default())?.into();
    /// let all = LabelField::new(&volume, None)?;
    /// assert_eq!((all.labels(), all.voxels()), (&[-3, 70_000][..], &[1, 2][..]));
    /// let one = LabelField::new(&volume, Some(&[70_000, 8]))?;
    /// assert_eq!((one.labels(), one.missing()), (&[70_000][..], &[8][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Time is linear in the voxels, times the logarithm of the number of labels; memory is one,
    /// two or four bytes for a voxel.
    ///
    /// # Errors
    /// [`LabelSurfaceError`] for samples that are no whole numbers or too large, for a list that is
    /// empty or has 0 in it, and where memory is short.
    pub fn new(volume: &AnyVolume, chosen: Option<&[i64]>) -> Result<Self, LabelSurfaceError> {
        let dims = volume.dims();
        if let Some(&found) = dims.iter().find(|&&n| n >= u32::MAX as usize) {
            return Err(LabelSurfaceError::TooLong { found });
        }
        let fraction = match volume {
            AnyVolume::F32(volume) => first_fraction(volume.samples(), dims),
            AnyVolume::F64(volume) => first_fraction(volume.samples(), dims),
            _ => None,
        };
        if let Some((voxel, value)) = fraction {
            return Err(LabelSurfaceError::Fraction { voxel, value });
        }
        let all = catch_out_of_memory(|| {
            Ok::<_, OutOfMemory>(with_volume!(volume, volume => distinct(volume.samples())))
        })?;
        if let Some(&label) = all.iter().find(|label| label.abs() > EXACT) {
            return Err(LabelSurfaceError::Long { label });
        }
        let mut labels = memory::try_collect("labels", all.iter().map(|&label| label as i64))?;
        labels.retain(|&label| label != 0);
        let mut missing = Vec::new();
        if let Some(chosen) = chosen {
            let mut chosen = memory::try_copy("labels", chosen)?;
            chosen.sort_unstable();
            chosen.dedup();
            if chosen.is_empty() {
                return Err(LabelSurfaceError::NoLabels);
            }
            if chosen.binary_search(&0).is_ok() {
                return Err(LabelSurfaceError::Background);
            }
            missing = memory::try_copy("labels", &chosen)?;
            missing.retain(|label| labels.binary_search(label).is_err());
            labels.retain(|label| chosen.binary_search(label).is_ok());
        }
        let numbered = match labels.len() {
            ..=0xff => numbered::<u8>(volume, &labels).map(|(it, count)| (Numbers::U8(it), count)),
            0x100..=0xffff => {
                numbered::<u16>(volume, &labels).map(|(it, count)| (Numbers::U16(it), count))
            }
            count if u32::try_from(count).is_err() => {
                return Err(LabelSurfaceError::TooMany { count });
            }
            _ => numbered::<u32>(volume, &labels).map(|(it, count)| (Numbers::U32(it), count)),
        };
        let (numbers, voxels) = numbered?;
        Ok(Self {
            dims,
            geometry: *volume.geometry(),
            labels,
            voxels,
            missing,
            numbers,
        })
    }

    /// Voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// Where the grid lies in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The labels that voxels have, in ascending order.
    pub fn labels(&self) -> &[i64] {
        &self.labels
    }

    /// How many voxels each of [`labels`](Self::labels) has.
    pub fn voxels(&self) -> &[u64] {
        &self.voxels
    }

    /// The labels that were asked for and that no voxel has, in ascending order.
    pub fn missing(&self) -> &[i64] {
        &self.missing
    }
}

fn numbered<N: Number>(
    volume: &AnyVolume,
    labels: &[i64],
) -> Result<(Vec<N>, Vec<u64>), OutOfMemory> {
    with_volume!(volume, volume => numbers_of(volume.samples(), labels))
}

/// For each sample the number of its label, and how many of each there are.
fn numbers_of<T: Sample, N: Number>(
    samples: &[T],
    labels: &[i64],
) -> Result<(Vec<N>, Vec<u64>), OutOfMemory> {
    let mut numbers = memory::try_zeroed::<N>("labels", samples.len())?;
    parallel::for_each_chunk_mut(&mut numbers, PORTION, |first, numbers| {
        let mut last: Option<(T, N)> = None;
        for (number, &sample) in numbers.iter_mut().zip(&samples[first..]) {
            *number = match last {
                Some((same, number)) if same == sample => number,
                _ => {
                    let found = labels.binary_search(&(sample.to_f64() as i64));
                    N::of(found.map_or(0, |index| index as u32 + 1))
                }
            };
            last = Some((sample, *number));
        }
    });
    let mut counts = memory::try_zeroed::<u64>("labels", labels.len() + 1)?;
    for number in &numbers {
        counts[number.place() as usize] += 1;
    }
    counts.remove(0);
    Ok((numbers, counts))
}
