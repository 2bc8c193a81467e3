//! Points from volumes and from masks.

use super::{
    DeviceMask, DevicePoints, DeviceSample, DeviceVolume, GridError,
    device_mask_constructors::{check_level, pack, pack_entry},
};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream},
    scan::exclusive_small_and_gather,
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    distance::{
        crossings::{count_crossings, emit_crossings},
        sites::{BitRows, Range, TILE, count_tiles, emit_centres},
    },
    scan::{GATHERED_LEN, scan_small},
};

/// Returns a launch with one tile per block.
fn tiles_launch(tiles: u64) -> Launch {
    Launch::pieces(tiles).block_divides(TILE)
}

/// Replaces counts by their exclusive prefix sums, and returns the last sum. The last count must be
/// 0, so that this is the total. Synchronises the stream.
fn scan_counts(stream: &Stream, counts: &mut Buffer<u64>) -> Result<u64, DeviceError> {
    let last = counts.len() as u64 - 1;
    let mut gathered = stream.alloc::<u64>(GATHERED_LEN)?;
    exclusive_small_and_gather(
        stream,
        counts.view_mut(),
        [last; GATHERED_LEN],
        gathered.view_mut(),
    )?;
    Ok(stream.download(&gathered)?[0])
}

impl DevicePoints {
    /// Computes the points where a volume crosses a level on its grid edges, by linear
    /// interpolation between the two samples: one point on each edge with one end at or above the
    /// level and the other below. Edges with an end that is not finite have none.
    ///
    /// Points are ordered like [the edges of the grid](ferrovox_kernels::grid::Grid#edge-slots).
    /// Samples are read once, and again at the ends of the crossed edges. Memory: 0.25 bytes per
    /// voxel in addition to the points. Synchronises the stream.
    ///
    /// # Errors
    /// [`GridError::Level`] for a level that is not finite; errors of the device.
    pub fn from_crossings<T: DeviceSample>(
        stream: &Stream,
        volume: &DeviceVolume<T>,
        level: f32,
    ) -> Result<Self, GridError> {
        check_level(level)?;
        stream.prepare(&[
            pack_entry(volume),
            count_crossings::entry(),
            scan_small::entry(),
            emit_crossings::<T>::entry(),
        ])?;
        let bits = BitRows::new(volume.grid());
        if bits.per_plane() > u64::from(u32::MAX - TILE) {
            let len = bits.per_plane() as usize;
            return Err(DeviceError::TooLarge { len, size: 4 }.into());
        }
        let finite_above = Range {
            high: f32::MAX,
            ..Range::at_least(level)
        };
        let mut below = stream.alloc::<u32>(bits.words() as usize)?;
        let above = pack(stream, volume, finite_above, Some(&mut below))?;
        let tiles = bits.tiles_per_plane() * u64::from(bits.grid.nz);
        let mut counts = stream.zeros::<u64>(2 * tiles as usize + 1)?;
        // SAFETY: the bits are those of the grid, and there are two counts for each tile.
        unsafe {
            let args = (above.view(), below.view(), bits, counts.view_mut());
            stream.launch::<count_crossings>(tiles_launch(tiles), args)?;
        }
        let points = scan_counts(stream, &mut counts)?;
        let mut coordinates = stream.alloc::<f32>(points as usize * 3)?;
        if points > 0 {
            // SAFETY: as above, the sums are those of the counts, and there is room for every
            // point.
            unsafe {
                stream.launch::<emit_crossings<T>>(
                    tiles_launch(tiles),
                    (
                        volume.samples().view(),
                        above.view(),
                        below.view(),
                        bits,
                        level,
                        counts.view(),
                        coordinates.view_mut(),
                    ),
                )?;
            }
        }
        Ok(Self {
            coordinates,
            dims: volume.dims(),
            geometry: *volume.geometry(),
        })
    }

    /// Computes the centres of the voxels of a mask, in voxel order. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn from_mask(stream: &Stream, mask: &DeviceMask) -> Result<Self, GridError> {
        let bits = mask.layout();
        let tiles = bits.tiles();
        let mut counts = stream.zeros::<u64>(tiles as usize + 1)?;
        // SAFETY: the words are those of the grid, and there is a count for each tile.
        unsafe {
            let args = (mask.bits.view(), bits, counts.view_mut());
            stream.launch::<count_tiles>(tiles_launch(tiles), args)?;
        }
        let points = scan_counts(stream, &mut counts)?;
        let mut coordinates = stream.alloc::<f32>(points as usize * 3)?;
        if points > 0 {
            let offsets = counts.view();
            // SAFETY: as above, the sums are those of the counts, and there is room for every
            // point.
            unsafe {
                let args = (mask.bits.view(), bits, offsets, coordinates.view_mut());
                stream.launch::<emit_centres>(tiles_launch(tiles), args)?;
            }
        }
        Ok(Self {
            coordinates,
            dims: mask.dims(),
            geometry: mask.geometry,
        })
    }
}
