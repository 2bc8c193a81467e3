//! Voxel classification: surface, boundary and interior.

use super::SurfaceNeighbours;
use crate::{
    device::{Stream, items_launch},
    grid::DeviceMask,
    skeleton::{
        SkeletonError,
        cavities::{union, with_bits},
    },
};
use cuda_std::Kernel;
use ferrovox_kernels::skeleton::classes::{classify_voxels, erode};
use serde::Serialize;

/// Number of voxels per class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClassCounts {
    /// Voxels outside the object.
    pub exterior: u64,
    /// Object voxels with an exterior neighbour, in the sense of [`SurfaceNeighbours`]; everything
    /// outside the grid is exterior.
    pub surface: u64,
    /// Voxels not on the surface that have a surface voxel among their 26 neighbours.
    pub boundary: u64,
    /// All other voxels of the object.
    pub interior: u64,
}

impl ClassCounts {
    /// Returns the number of voxels of the object.
    pub fn object(&self) -> u64 {
        self.surface + self.boundary + self.interior
    }
}

/// Voxel classes of a solid, on a device. Each voxel of the solid belongs to exactly one mask.
#[derive(Debug)]
pub struct VoxelClasses {
    /// Surface voxels, the sources of the force.
    pub surface: DeviceMask,
    /// Boundary voxels, which are adjacent to the surface.
    pub boundary: DeviceMask,
    /// Interior voxels.
    pub interior: DeviceMask,
    /// Number of voxels of each class.
    pub counts: ClassCounts,
}

impl VoxelClasses {
    /// Returns the voxels that have a force: boundary and interior.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn inside(&self, stream: &Stream) -> Result<DeviceMask, SkeletonError> {
        union(stream, &self.boundary, &self.interior)
    }

    /// Returns all voxels of the solid.
    pub(crate) fn solid(&self, stream: &Stream) -> Result<DeviceMask, SkeletonError> {
        union(stream, &self.surface, &self.inside(stream)?)
    }
}

/// Classifies the voxels of a solid.
///
/// Makes two passes over the words of the mask, 32 voxels each, and counts four masks. Takes four
/// bits of device memory per voxel, of which three remain. Synchronises the stream.
///
/// # Errors
/// Errors of the device. An empty mask is not an error.
///
/// ```
/// use ferrovox::device::Device;
/// use ferrovox::grid::{DeviceMask, Geometry};
/// use ferrovox::skeleton::potential_field::{SurfaceNeighbours, classify};
///
/// let stream = Device::best().stream()?;
/// let cube = DeviceMask::upload(&stream, &[1; 5 * 5 * 5], [5; 3], Geometry::default())?;
/// let counts = classify(&stream, &cube, SurfaceNeighbours::Corners)?.counts;
/// assert_eq!((counts.surface, counts.boundary, counts.interior), (98, 26, 1));
/// # Ok::<(), ferrovox::skeleton::SkeletonError>(())
/// ```
pub fn classify(
    stream: &Stream,
    solid: &DeviceMask,
    surface: SurfaceNeighbours,
) -> Result<VoxelClasses, SkeletonError> {
    stream.prepare(&[erode::entry(), classify_voxels::entry()])?;
    let bits = solid.layout();
    let words = solid.bits.len();
    let mut inner = stream.alloc::<u32>(words)?;
    let mut masks = [
        stream.alloc::<u32>(words)?,
        stream.alloc::<u32>(words)?,
        stream.alloc::<u32>(words)?,
    ];
    let (launch, items) = items_launch(stream, bits.words());
    // SAFETY: all masks have one word per item.
    unsafe {
        let faces = u32::from(surface == SurfaceNeighbours::Faces);
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
        stream.launch::<classify_voxels>(launch, args)?;
    }
    let [surface, boundary, interior] = masks.map(|bits| with_bits(solid, bits));
    let mut counts = ClassCounts {
        surface: surface.count(stream)?,
        boundary: boundary.count(stream)?,
        interior: interior.count(stream)?,
        ..ClassCounts::default()
    };
    counts.exterior = solid.grid.samples() - counts.object();
    Ok(VoxelClasses {
        surface,
        boundary,
        interior,
        counts,
    })
}
