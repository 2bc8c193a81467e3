//! The voxels that forces act on.

use crate::{
    device::{Buffer, DeviceError, Stream, over},
    grid::{DeviceMask, DevicePoints},
    scan::{ScanError, Scanner},
    skeleton::SkeletonError,
};
use ferrovox_kernels::{
    distance::sites::BitRows,
    grid::Grid,
    operator::Sum,
    skeleton::field::{RUN, TargetRuns, count_mask_bits, mark_target_runs},
};

/// Voxels of a mask, numbered in their order.
#[derive(Debug)]
pub(crate) struct Targets<'a> {
    /// Which.
    pub mask: &'a DeviceMask,
    /// How many come before each word of the mask.
    pub before: Buffer<u64>,
    /// How many there are.
    pub count: u64,
}

impl<'a> Targets<'a> {
    /// Those of a mask. Synchronises the stream.
    pub fn new(stream: &Stream, mask: &'a DeviceMask) -> Result<Self, SkeletonError> {
        let words = mask.bits.len();
        let mut before = stream.alloc::<u64>(words)?;
        let (launch, items) = over(stream, words as u64);
        // SAFETY: there is a count for each word, which the items count.
        unsafe {
            let args = (mask.bits.view(), items, before.view_mut());
            stream.launch::<count_mask_bits>(launch, args)?;
        }
        let mut scanner = Scanner::new(stream)?;
        let count = scanner
            .exclusive_in_place(Sum, &mut before)
            .map_err(of_scan)?
            .download()?;
        Ok(Self {
            mask,
            before,
            count,
        })
    }

    /// Runs of neighbouring voxels along x of which one is a target, and where each begins.
    pub fn runs(&self, stream: &Stream) -> Result<(TargetRuns, DevicePoints), SkeletonError> {
        let bits = self.mask.layout();
        let coarse = Grid {
            nx: bits.grid.nx.div_ceil(RUN),
            ..bits.grid
        };
        let layout = BitRows::new(coarse);
        let mut words = stream.alloc::<u32>(layout.words() as usize)?;
        let (launch, items) = over(stream, layout.words());
        // SAFETY: the words are those of the mask and of a grid of its runs, which the items count.
        unsafe {
            let args = (self.mask.bits.view(), bits, layout, items, words.view_mut());
            stream.launch::<mark_target_runs>(launch, args)?;
        }
        let marks = DeviceMask {
            bits: words,
            grid: coarse,
            geometry: self.mask.geometry,
        };
        let places = DevicePoints::from_sites(stream, &marks)?;
        let count = places.len() as u64;
        Ok((TargetRuns { bits, count }, places))
    }
}

/// A scan in place of 64-bit sums fails only where the device does.
fn of_scan(error: ScanError) -> DeviceError {
    match error {
        ScanError::Device(error) => error,
        other => unreachable!("{other}"),
    }
}
