//! Targets of the force.

use crate::{
    device::{Buffer, DeviceError, Stream, items_launch},
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

/// Voxels of a mask, numbered in mask order.
#[derive(Debug)]
pub(crate) struct Targets<'a> {
    /// Mask of the targets.
    pub mask: &'a DeviceMask,
    /// Number of targets before each word of the mask.
    pub before: Buffer<u64>,
    /// Number of targets.
    pub count: u64,
}

impl<'a> Targets<'a> {
    /// Numbers the voxels of a mask. Synchronises the stream.
    pub fn new(stream: &Stream, mask: &'a DeviceMask) -> Result<Self, SkeletonError> {
        let words = mask.bits.len();
        let mut before = stream.alloc::<u64>(words)?;
        let (launch, items) = items_launch(stream, words as u64);
        // SAFETY: there is one count per word and item.
        unsafe {
            let args = (mask.bits.view(), items, before.view_mut());
            stream.launch::<count_mask_bits>(launch, args)?;
        }
        let mut scanner = Scanner::new(stream)?;
        let count = scanner
            .exclusive_in_place(Sum, &mut before)
            .map_err(device_error)?
            .download()?;
        Ok(Self {
            mask,
            before,
            count,
        })
    }

    /// Returns the runs of lattice points along x that contain a target, and their positions.
    pub fn runs(&self, stream: &Stream) -> Result<(TargetRuns, DevicePoints), SkeletonError> {
        let bits = self.mask.layout();
        let coarse = Grid {
            nx: bits.grid.nx.div_ceil(RUN),
            ..bits.grid
        };
        let layout = BitRows::new(coarse);
        let mut words = stream.alloc::<u32>(layout.words() as usize)?;
        let (launch, items) = items_launch(stream, layout.words());
        // SAFETY: the words are those of the mask and of the grid of its runs; there is one item
        // per word of the latter.
        unsafe {
            let args = (self.mask.bits.view(), bits, layout, items, words.view_mut());
            stream.launch::<mark_target_runs>(launch, args)?;
        }
        let marks = DeviceMask {
            bits: words,
            grid: coarse,
            geometry: self.mask.geometry,
        };
        let run_coords = DevicePoints::from_mask(stream, &marks)?;
        let count = run_coords.len() as u64;
        Ok((TargetRuns { bits, count }, run_coords))
    }
}

/// Extracts the device error; an in-place scan of 64-bit sums has no other error.
fn device_error(error: ScanError) -> DeviceError {
    match error {
        ScanError::Device(error) => error,
        other => unreachable!("{other}"),
    }
}
