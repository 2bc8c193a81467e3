//! Isosurfaces as meshes with shared vertices, by marching cubes with topology information.
//!
//! ```
//! use ferrovox::{device::Device, grid::DeviceVolume, isosurface::{self, IsosurfaceParams}, mesh};
//! use ferrovox::grid::{Geometry, Volume};
//!
//! // one voxel of 1 in a 3 × 3 × 3 volume of -1
//! let mut samples = vec![-1.0f32; 27];
//! samples[13] = 1.0;
//! let volume = Volume::new(samples, [3, 3, 3], Geometry::default())?;
//!
//! let stream = Device::best().stream()?;
//! let on_device = DeviceVolume::upload(&stream, volume.view())?;
//! let surface = isosurface::extract(&stream, &on_device, None, &IsosurfaceParams::default())?;
//! let octahedron = surface.download(&stream)?;
//! let report = mesh::check(&octahedron);
//! assert!(report.is_closed() && report.is_manifold());
//! assert_eq!(report.euler_characteristic(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The entry points differ in the location of volume and mesh:
//!
//! | volume | function | mesh |
//! | --- | --- | --- |
//! | on a device | [`extract`] | on the device |
//! | on a device with little free memory | [`extract_within_budget`] | on the device, in parts |
//! | | [`extract_to_host`] | on the host |
//! | | [`for_each_part`] | passed to a callback part by part |
//! | on the host | [`extract_parts`] | in parts on several devices |
//! | in slabs on several devices | [`extract_slabs`], [`slabs`] | in parts on these devices |
//! | in slabs in several processes | [`count_part`], [`extract_part`] | in parts there |
//! | in a file of any size | [`stream_mesh`](crate::pipeline::stream_mesh) | in a file |
//!
//! All compute the same mesh, bit for bit.

pub(crate) mod budget;
mod close;
pub(crate) mod counts;
mod device_mesh;
mod device_slabs;
mod devices;
mod error;
pub(crate) mod fused;
mod join;
mod params;
pub(crate) mod partition;
mod scan;
mod single_part;
mod slab;
pub(crate) mod slab_mesher;
mod staged;
mod timing;
mod vertices;

pub use crate::grid::Inside;
pub use crate::mesh::DeviceTriangles;
pub use crate::monitor::StageTime;
pub use budget::{HostMesh, extract_to_host, extract_within_budget, for_each_part};
pub use counts::{PartCounts, TopologyCounts};
pub use device_mesh::DeviceMesh;
pub use device_slabs::{DeviceSlab, extract_slabs};
pub use devices::extract_parts;
pub use error::IsosurfaceError;
pub use join::{MeshPart, MeshParts};
pub use params::{
    IndexWidth, IsosurfaceParams, MaskRule, Method, NormalSource, Topology, VertexPlacement,
};
pub use partition::{VolumeSlab, slabs};
pub use single_part::{count_part, extract_part};
pub use timing::StageTimes;

use crate::{
    device::{Buffer, Stream},
    grid::{DeviceSample, DeviceVolume},
};
use partition::{ResidentSlabs, SlabPartition};

/// Extracts the isosurface of `volume` and returns the mesh on the same device.
///
/// `mask`, if given, must have the same grid; cells with a corner at which it is zero emit nothing,
/// or those that [`MaskRule::LastCorner`] excludes.
/// Cells with a non-finite corner emit nothing either, and are counted in
/// [`DeviceMesh::non_finite_cells`].
///
/// Vertices are stored once, in world units ([`DeviceVolume::geometry`]) relative to
/// [`DeviceMesh::origin`], which is not zero far from the world origin, where `f32` coordinates
/// would be imprecise. They are in the order of [the grid's edge
/// slots](ferrovox_kernels::grid::Grid#edge-slots); vertices inside cells follow those on the edges
/// between the two planes of samples. Triangles are in the order of their cells, counter-clockwise
/// as seen from outside. The mesh is manifold, and closed except where the volume, the mask or a
/// non-finite sample ends it. This also holds for samples equal to the isovalue, since vertices
/// keep a distance of [1/1024 voxel](ferrovox_kernels::isosurface::interpolate::MARGIN) from
/// samples.
///
/// Time is linear in the number of samples. Device memory in addition to volume and mesh, released
/// on return: with [`Method::Fused`], 0.75 bytes per voxel for integer samples, 0.875 for `f32`,
/// and 0.125 more with a mask (rows are padded to multiples of 32 samples); with
/// [`Method::Staged`], about 22 bytes per voxel (38 with 64-bit indices). [`Topology::Trilinear`]
/// adds 2 bytes per ambiguous cell with the former, 11 bytes per cell with the latter.
///
/// # Errors
/// [`IsosurfaceError::Iso`] if the isovalue is not finite, [`IsosurfaceError::MaskDims`],
/// [`IsosurfaceError::MaskRule`] if the method does not support the rule, and
/// [`IsosurfaceError::Device`] if the device reports an error.
pub fn extract<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    mask: Option<&DeviceVolume<u8>>,
    params: &IsosurfaceParams,
) -> Result<DeviceMesh, IsosurfaceError> {
    let mesh = extract_if(stream, volume, mask, params, |_| true)?;
    mesh.map_or_else(|| unreachable!("every mesh is accepted"), Ok)
}

/// Extracts the isosurface like [`extract`] if `accepts` returns `true` for the size of the mesh,
/// which is known before memory is allocated for it. Otherwise returns `None`.
///
/// With [`Method::Staged`], `accepts` is not called.
///
/// # Errors
/// The errors of [`extract`].
pub(crate) fn extract_if<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    mask: Option<&DeviceVolume<u8>>,
    params: &IsosurfaceParams,
    accepts: impl FnOnce(PartCounts) -> bool,
) -> Result<Option<DeviceMesh>, IsosurfaceError> {
    check(volume.dims(), mask.map(DeviceVolume::dims), params)?;
    let _current = stream.stay_current()?;
    let no_mask: Buffer<u8>;
    let mask = match mask {
        Some(mask) => mask.samples(),
        None => {
            no_mask = stream.alloc(0)?;
            &no_mask
        }
    };
    match params.method {
        Method::Fused => fused_extract(stream, volume, mask, params, accepts),
        Method::Staged => {
            let origin = volume.geometry().local_origin(volume.dims());
            if !params.close {
                return staged::extract(stream, volume, origin, mask, params).map(Some);
            }
            let closed = close::pad(stream, volume, params)?;
            let mask = close::pad_mask(stream, mask, volume.grid())?;
            staged::extract(stream, &closed, origin, &mask, params).map(Some)
        }
    }
}

fn fused_extract<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    mask: &Buffer<u8>,
    params: &IsosurfaceParams,
    accepts: impl FnOnce(PartCounts) -> bool,
) -> Result<Option<DeviceMesh>, IsosurfaceError> {
    let partition = SlabPartition::new(volume.grid(), *volume.geometry(), params)?;
    if partition.cell_planes() == 0 {
        let empty = DeviceMesh::empty(stream, partition.origin.into(), params)?;
        return Ok(accepts(PartCounts::default()).then_some(empty));
    }
    let resident = ResidentSlabs {
        partition,
        samples: volume.samples(),
        mask,
        planes: 0..volume.dims()[2],
    };
    let slab = resident.slab(0..partition.cell_planes())?;
    stream.require(fused::slab_scratch_bytes(&slab, params.topology))?;
    let counted = fused::count(stream, slab, params)?;
    if !accepts(counted.counts()) {
        return Ok(None);
    }
    let width = counted.counts().width(params)?;
    counted.emit(stream, params, width, 0).map(Some)
}

/// Checks the parameters and the grid of the mask.
pub(crate) fn check(
    dims: [usize; 3],
    mask: Option<[usize; 3]>,
    params: &IsosurfaceParams,
) -> Result<(), IsosurfaceError> {
    if !params.iso.is_finite() {
        return Err(IsosurfaceError::Iso { iso: params.iso });
    }
    if params.mask_rule == MaskRule::LastCorner && params.method != Method::Fused {
        return Err(IsosurfaceError::MaskRule {
            method: params.method.name(),
        });
    }
    match mask {
        Some(mask) if mask != dims => Err(IsosurfaceError::MaskDims { mask, volume: dims }),
        _ => Ok(()),
    }
}
