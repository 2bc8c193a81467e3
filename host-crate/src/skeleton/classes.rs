//! Voxels by how deep in the solid they are.

use super::{SkeletonError, SurfaceBy};
use crate::{
    device::{Buffer, DeviceError, Stream, over},
    grid::DeviceMask,
};
use cuda_std::Kernel;
use ferrovox_kernels::skeleton::classes::{erode, join_masks, separate_classes};
use serde::Serialize;

/// How many voxels there are of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClassCounts {
    /// Not of the object.
    pub exterior: u64,
    /// With an exterior neighbour, by [`SurfaceBy`]; everything outside the grid is exterior.
    pub surface: u64,
    /// Not of the surface, with a surface voxel among the 26 neighbours.
    pub boundary: u64,
    /// The rest.
    pub interior: u64,
}

impl ClassCounts {
    /// Voxels of the object.
    pub fn object(&self) -> u64 {
        self.surface + self.boundary + self.interior
    }
}

/// The classes of a solid's voxels, on a device. Every voxel of the solid is in one of the masks.
#[derive(Debug)]
pub struct Classes {
    /// Voxels from which the force comes.
    pub surface: DeviceMask,
    /// Voxels next to the surface.
    pub boundary: DeviceMask,
    /// Voxels deeper than that.
    pub interior: DeviceMask,
    /// How many there are.
    pub counts: ClassCounts,
}

impl Classes {
    /// The voxels on which a force acts: boundary and interior.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn inside(&self, stream: &Stream) -> Result<DeviceMask, SkeletonError> {
        joined(stream, &self.boundary, &self.interior)
    }

    /// All voxels of the solid.
    pub(crate) fn solid(&self, stream: &Stream) -> Result<DeviceMask, SkeletonError> {
        joined(stream, &self.surface, &self.inside(stream)?)
    }
}

/// A mask of the same grid.
fn like(mask: &DeviceMask, bits: Buffer<u32>) -> DeviceMask {
    DeviceMask {
        bits,
        grid: mask.grid,
        geometry: mask.geometry,
    }
}

/// Classifies the voxels of a solid.
///
/// Two passes over the words of the mask, of 32 voxels each, and four countings. It takes four bits
/// of device memory for a voxel, of which three stay. Synchronises the stream.
///
/// # Errors
/// Errors of the device. A mask without any voxel is not an error here.
///
/// ```
/// use ferrovox::{device::Device, grid::{DeviceMask, Geometry}, skeleton::{SurfaceBy, classify}};
///
/// let stream = Device::best().stream()?;
/// let cube = DeviceMask::upload(&stream, &[1; 5 * 5 * 5], [5; 3], Geometry::default())?;
/// let counts = classify(&stream, &cube, SurfaceBy::Corners)?.counts;
/// assert_eq!((counts.surface, counts.boundary, counts.interior), (98, 26, 1));
/// # Ok::<(), ferrovox::skeleton::SkeletonError>(())
/// ```
pub fn classify(
    stream: &Stream,
    solid: &DeviceMask,
    surface: SurfaceBy,
) -> Result<Classes, SkeletonError> {
    stream.prepare(&[erode::entry(), separate_classes::entry()])?;
    let bits = solid.layout();
    let words = solid.bits.len();
    let mut inner = stream.alloc::<u32>(words)?;
    let mut masks = [
        stream.alloc::<u32>(words)?,
        stream.alloc::<u32>(words)?,
        stream.alloc::<u32>(words)?,
    ];
    let (launch, items) = over(stream, bits.words());
    // SAFETY: all have the words of the grid, which the items count.
    unsafe {
        let faces = u32::from(surface == SurfaceBy::Faces);
        let args = (solid.bits.view(), bits, items, faces, inner.view_mut());
        stream.launch::<erode>(launch, args)?;
        let [surface, boundary, interior] = &mut masks;
        let args = (
            solid.bits.view(),
            inner.view(),
            bits,
            items,
            surface.view_mut(),
            boundary.view_mut(),
            interior.view_mut(),
        );
        stream.launch::<separate_classes>(launch, args)?;
    }
    let [surface, boundary, interior] = masks.map(|bits| like(solid, bits));
    let mut counts = ClassCounts {
        surface: surface.count(stream)?,
        boundary: boundary.count(stream)?,
        interior: interior.count(stream)?,
        ..ClassCounts::default()
    };
    counts.exterior = solid.grid.samples() - counts.object();
    Ok(Classes {
        surface,
        boundary,
        interior,
        counts,
    })
}

/// A solid together with its cavities: the voxels that no path of face neighbours joins to the
/// outside without a voxel of the solid. What is outside the grid is outside, so nothing at the
/// grid's border is a cavity.
///
/// As [`DeviceMask::enclosed_by`], in time and memory.
///
/// # Errors
/// Errors of the device.
pub fn fill_cavities(stream: &Stream, solid: &DeviceMask) -> Result<DeviceMask, SkeletonError> {
    let bits = solid.layout();
    let mut filled = stream.alloc::<u32>(solid.bits.len())?;
    // in a grid of one plane every voxel is at the border; `enclosed_by` takes it for a picture
    let flat = solid.dims().contains(&1);
    let cavities = if flat {
        None
    } else {
        Some(DeviceMask::enclosed_by(stream, solid)?)
    };
    let other = cavities.as_ref().unwrap_or(solid);
    join(stream, solid, other, bits.words(), &mut filled)?;
    Ok(like(solid, filled))
}

/// The voxels of two masks of one grid.
fn joined(stream: &Stream, a: &DeviceMask, b: &DeviceMask) -> Result<DeviceMask, SkeletonError> {
    let mut both = stream.alloc::<u32>(a.bits.len())?;
    join(stream, a, b, a.layout().words(), &mut both)?;
    Ok(like(a, both))
}

fn join(
    stream: &Stream,
    a: &DeviceMask,
    b: &DeviceMask,
    words: u64,
    both: &mut Buffer<u32>,
) -> Result<(), DeviceError> {
    let (launch, items) = over(stream, words);
    // SAFETY: all three have the words of the grid, which the items count.
    unsafe {
        let args = (a.bits.view(), b.bits.view(), items, both.view_mut());
        stream.launch::<join_masks>(launch, args)
    }
}
