//! Isosurfaces as meshes with shared vertices: marching cubes with topology information.
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
//! | the volume is | function | the mesh is |
//! | --- | --- | --- |
//! | on a device | [`extract`] | on the device |
//! | on a device that has little memory left | [`extract_within_budget`], [`extract_to_host`], [`for_each_part`] | there in parts, on the host, or handed on part by part |
//! | on the host | [`extract_parts`] | in parts on several devices |
//! | in slabs on several devices | [`extract_slabs`], with [`slabs`] | in parts on these |
//! | in a file, perhaps larger than memory | [`stream_mesh`](crate::pipeline::stream_mesh::stream_mesh) | in a file |
//!
//! The mesh is the same, bit for bit.

pub(crate) mod budget;
mod close;
pub(crate) mod counts;
mod device_mesh;
mod devices;
mod error;
pub(crate) mod fused;
mod join;
mod params;
pub(crate) mod partition;
pub(crate) mod pieces;
mod scan;
mod slab;
mod staged;
mod timing;
mod vertices;

pub use crate::grid::Inside;
pub use crate::mesh::DeviceTriangles;
pub use crate::monitor::StageTime;
pub use budget::{HostMesh, extract_to_host, extract_within_budget, for_each_part};
pub use counts::TopologyCounts;
pub use device_mesh::DeviceMesh;
pub use devices::{DeviceSlab, extract_parts, extract_slabs};
pub use error::IsosurfaceError;
pub use join::{MeshPart, MeshParts};
pub use params::{IndexWidth, IsosurfaceParams, Method, NormalSource, Topology, VertexPlacement};
pub use partition::{VolumeSlab, slabs};
pub use timing::StageTimes;

use crate::{
    device::{Buffer, Stream},
    grid::{DeviceSample, DeviceVolume},
};
use partition::{ResidentSlabs, SlabPartition};

/// The isosurface of a volume on a device, as a mesh that stays there.
///
/// `mask`, if given, has the same grid; cells with a corner where it is zero emit nothing. Cells
/// with a non-finite corner emit nothing either, and are counted in
/// [`DeviceMesh::non_finite_cells`].
///
/// Vertices are in world units ([`DeviceVolume::geometry`]), each once, in the order of
/// [the grid's edge slots](ferrovox_kernels::grid::Grid#edge-slots); those inside cells follow the
/// edges between the cells' planes of samples. Triangles are in the order of their cells,
/// counter-clockwise as seen from outside. The mesh is closed but where the volume, a mask or a
/// non-finite sample ends it, and manifold; where a sample equals the isovalue too, since no vertex
/// comes nearer to a sample than
/// [1/1024 of a voxel](ferrovox_kernels::isosurface::interpolate::MARGIN).
///
/// Work is linear in the samples. Device memory beyond the volume and the mesh, freed when it
/// returns: for [`Method::Fused`] 0.75 bytes per voxel of an integer type, 0.875 of `f32`, and
/// 0.125 more with a mask (rows count as whole words of 32 samples); for [`Method::Staged`] about
/// 22 bytes per voxel (38 with 64-bit indices). [`Topology::Trilinear`] takes 2 bytes for each
/// ambiguous cell with the first, 11 for every cell with the second.
///
/// # Errors
/// [`IsosurfaceError::Iso`] for an isovalue that is not finite, [`IsosurfaceError::MaskDims`], and
/// [`IsosurfaceError::Device`] for whatever the device reports.
pub fn extract<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    mask: Option<&DeviceVolume<u8>>,
    params: &IsosurfaceParams,
) -> Result<DeviceMesh, IsosurfaceError> {
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
        Method::Fused => fused_extract(stream, volume, mask, params),
        Method::Staged if params.close => {
            let closed = close::pad(stream, volume, params)?;
            let mask = close::pad_mask(stream, mask, volume.grid())?;
            staged::extract(stream, &closed, &mask, params)
        }
        Method::Staged => staged::extract(stream, volume, mask, params),
    }
}

fn fused_extract<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    mask: &Buffer<u8>,
    params: &IsosurfaceParams,
) -> Result<DeviceMesh, IsosurfaceError> {
    let partition = SlabPartition::new(volume.grid(), *volume.geometry(), params)?;
    if partition.cell_planes() == 0 {
        return Ok(DeviceMesh::empty(stream, params)?);
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
    let width = counted.counts().width(params)?;
    counted.emit(stream, params, width, 0)
}

/// Whether the parameters make sense, and a mask fits.
pub(crate) fn check(
    dims: [usize; 3],
    mask: Option<[usize; 3]>,
    params: &IsosurfaceParams,
) -> Result<(), IsosurfaceError> {
    if !params.iso.is_finite() {
        return Err(IsosurfaceError::Iso { iso: params.iso });
    }
    match mask {
        Some(mask) if mask != dims => Err(IsosurfaceError::MaskDims { mask, volume: dims }),
        _ => Ok(()),
    }
}
