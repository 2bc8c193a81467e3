//! Parts of a mesh as functions of one slab each, for programs that distribute slabs over processes
//! or machines.

use super::{
    DeviceMesh, DeviceSlab, IndexWidth, IsosurfaceError, IsosurfaceParams, PartCounts, check,
    device_slabs::resident_planes,
    fused,
    partition::{ResidentSlabs, SlabPartition},
};
use crate::{
    device::{Buffer, DeviceError},
    grid::{DeviceSample, DeviceVolume, Geometry, kernel_grid},
};

/// Counts the vertices and triangles of a slab's part of the mesh.
///
/// `dims` and `geometry` are those of the whole volume. The result depends only on the arguments,
/// so the slabs can be counted in any order, on any machines. The sums of the counts of the slabs
/// before a slab are arguments of [`extract_part`].
///
/// # Errors
/// [`IsosurfaceError::Iso`], [`IsosurfaceError::MaskDims`], [`IsosurfaceError::SlabOrder`] for
/// cells beyond the volume, [`IsosurfaceError::SlabDims`] and [`IsosurfaceError::MissingPlanes`];
/// errors of the device.
pub fn count_part<T: DeviceSample>(
    dims: [usize; 3],
    geometry: &Geometry,
    slab: &DeviceSlab<'_, T>,
    params: &IsosurfaceParams,
) -> Result<PartCounts, IsosurfaceError> {
    with_slab(dims, geometry, slab, params, |resident| {
        let part = resident.slab(slab.cells.clone())?;
        slab.stream
            .require(fused::slab_scratch_bytes(&part, params.topology))?;
        Ok(fused::count(slab.stream, part, params)?.counts())
    })
}

/// Extracts a slab's part of the mesh.
///
/// `before` are the counts of all slabs before this one, and `total` those of all slabs, which
/// decide on the width of the indices. Indices of vertices count from the first vertex of the whole
/// mesh. The concatenation of the vertices, normals and triangles of all parts is the mesh of
/// [`extract`](super::extract), bit for bit.
///
/// ```
/// use ferrovox::device::Device;
/// use ferrovox::grid::{DeviceVolume, Geometry, Volume};
/// use ferrovox::isosurface::{self, DeviceSlab, IsosurfaceParams, PartCounts};
///
/// let ramp = Volume::from_fn([4, 4, 9], Geometry::default(), |x, _, z| (x + z) as f32)?;
/// let stream = Device::cpu().stream()?;
/// let params = IsosurfaceParams { iso: 3.5, ..IsosurfaceParams::default() };
/// let mut counts = Vec::new();
/// let mut slabs = Vec::new();
/// for slab in isosurface::slabs(ramp.dims(), false, 2)? {
///     let planes = &ramp.samples()[16 * slab.planes.start..16 * slab.planes.end];
///     let dims = [4, 4, slab.planes.len()];
///     let samples = DeviceVolume::from_buffer(stream.upload(planes)?, dims, Geometry::default())?;
///     slabs.push((samples, slab));
/// }
/// let slabs: Vec<_> = slabs
///     .iter()
///     .map(|(samples, slab)| DeviceSlab {
///         stream: &stream,
///         samples,
///         mask: None,
///         first_plane: slab.planes.start,
///         cells: slab.cells.clone(),
///     })
///     .collect();
/// for slab in &slabs {
///     counts.push(isosurface::count_part(ramp.dims(), ramp.geometry(), slab, &params)?);
/// }
/// let total = counts.iter().fold(PartCounts::default(), |sum, &part| sum.plus(part));
/// let (dims, geometry) = (ramp.dims(), ramp.geometry());
/// let second =
///     isosurface::extract_part(dims, geometry, &slabs[1], &params, counts[0], total)?;
/// assert_eq!(second.triangle_count() as u64, counts[1].triangles);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of [`count_part`], and [`IsosurfaceError::IndexWidth`].
pub fn extract_part<T: DeviceSample>(
    dims: [usize; 3],
    geometry: &Geometry,
    slab: &DeviceSlab<'_, T>,
    params: &IsosurfaceParams,
    before: PartCounts,
    total: PartCounts,
) -> Result<DeviceMesh, IsosurfaceError> {
    let width: IndexWidth = total.width(params)?;
    with_slab(dims, geometry, slab, params, |resident| {
        let part = resident.slab(slab.cells.clone())?;
        slab.stream
            .require(fused::slab_scratch_bytes(&part, params.topology))?;
        let counted = fused::count(slab.stream, part, params)?;
        counted.emit(slab.stream, params, width, before.vertices)
    })
}

/// Checks a slab, and calls `work` with its planes.
fn with_slab<T: DeviceSample, R>(
    dims: [usize; 3],
    geometry: &Geometry,
    slab: &DeviceSlab<'_, T>,
    params: &IsosurfaceParams,
    work: impl FnOnce(&ResidentSlabs<'_, T>) -> Result<R, IsosurfaceError>,
) -> Result<R, IsosurfaceError> {
    check(
        slab.samples.dims(),
        slab.mask.map(DeviceVolume::dims),
        params,
    )?;
    let [nx, ny, _] = slab.samples.dims();
    if [nx, ny] != dims[..2] {
        return Err(IsosurfaceError::SlabDims {
            slab: [nx, ny],
            volume: [dims[0], dims[1]],
        });
    }
    let partition = SlabPartition::new(kernel_grid(dims)?, *geometry, params)?;
    let planes = partition.cell_planes();
    if slab.cells.is_empty() || slab.cells.end > planes {
        return Err(IsosurfaceError::SlabOrder {
            planes,
            found: slab.cells.end,
            expected: planes,
        });
    }
    let _current = slab.stream.stay_current()?;
    let no_mask: Result<Buffer<u8>, DeviceError> = slab.stream.alloc(0);
    let no_mask = no_mask?;
    work(&ResidentSlabs {
        partition,
        samples: slab.samples.samples(),
        mask: slab.mask.map_or(&no_mask, DeviceVolume::samples),
        planes: resident_planes(slab),
    })
}
