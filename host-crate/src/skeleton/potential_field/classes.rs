//! Voxels by how deep in the solid they are.

use super::SurfaceNeighbours;
use crate::{
    device::{Stream, over},
    grid::DeviceMask,
    skeleton::{
        SkeletonError,
        cavities::{union, with_bits},
    },
};
use cuda_std::Kernel;
use ferrovox_kernels::skeleton::classes::{classify_voxels, erode};
use serde::Serialize;

/// How many voxels there are of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClassCounts {
    /// Not of the object.
    pub exterior: u64,
    /// With an exterior neighbour, by [`SurfaceNeighbours`]; everything outside the grid is exterior.
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
pub struct VoxelClasses {
    /// Voxels from which the force comes.
    pub surface: DeviceMask,
    /// Voxels next to the surface.
    pub boundary: DeviceMask,
    /// Voxels deeper than that.
    pub interior: DeviceMask,
    /// How many there are.
    pub counts: ClassCounts,
}

impl VoxelClasses {
    /// The voxels on which a force acts: boundary and interior.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn inside(&self, stream: &Stream) -> Result<DeviceMask, SkeletonError> {
        union(stream, &self.boundary, &self.interior)
    }

    /// All voxels of the solid.
    pub(crate) fn solid(&self, stream: &Stream) -> Result<DeviceMask, SkeletonError> {
        union(stream, &self.surface, &self.inside(stream)?)
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
/// use ferrovox::{device::Device, grid::{DeviceMask, Geometry}, skeleton::potential_field::{SurfaceBy, classify}};
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
    let (launch, items) = over(stream, bits.words());
    // SAFETY: all have the words of the grid, which the items count.
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
