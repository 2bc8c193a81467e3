//! Extraction of a volume whose slabs are in the memories of several devices.

use super::{
    IsosurfaceError, IsosurfaceParams, MeshPart, MeshParts, check,
    counts::PartCounts,
    devices::{extract_part, run_on_devices},
    fused,
    partition::{ResidentSlabs, SlabPartition},
};
use crate::{
    device::{DeviceKind, Stream},
    grid::{DeviceSample, DeviceVolume, Geometry, kernel_grid},
    partition::devices::OnDevice,
};
use std::ops::Range;

/// A slab of a volume that already is in device memory.
pub struct DeviceSlab<'a, T> {
    /// Stream that processes the slab.
    pub stream: &'a Stream,
    /// Planes of samples of the whole volume, at least [those that the cells
    /// need](super::VolumeSlab::planes). Its geometry is ignored.
    pub samples: &'a DeviceVolume<T>,
    /// Mask of the same planes.
    pub mask: Option<&'a DeviceVolume<u8>>,
    /// Index of the first plane of `samples` in the whole volume.
    pub first_plane: usize,
    /// Planes of cells to be meshed, as in [`VolumeSlab::cells`](super::VolumeSlab::cells).
    pub cells: Range<u32>,
}

/// Extracts the isosurface of a volume whose slabs are distributed over the memories of several
/// devices, on all devices concurrently.
///
/// `dims` and `geometry` are those of the whole volume. The slabs must be consecutive, from the
/// first to the last plane of cells; [`slabs`](super::slabs) computes such slabs. Otherwise as
/// [`extract_parts`](super::extract_parts). Returns when all devices have finished.
///
/// ```
/// use ferrovox::device::Device;
/// use ferrovox::grid::{DeviceVolume, Geometry, Volume};
/// use ferrovox::isosurface::{self, DeviceSlab, IsosurfaceParams};
///
/// let ramp = Volume::from_fn([4, 4, 9], Geometry::default(), |_, _, z| z as f32)?;
/// let stream = Device::cpu().stream()?;
/// let mut resident = Vec::new();
/// for slab in isosurface::slabs(ramp.dims(), false, 2)? {
///     let planes = &ramp.samples()[16 * slab.planes.start..16 * slab.planes.end];
///     let dims = [4, 4, slab.planes.len()];
///     let samples = DeviceVolume::from_buffer(stream.upload(planes)?, dims, Geometry::default())?;
///     resident.push((samples, slab));
/// }
/// let slabs: Vec<_> = resident
///     .iter()
///     .map(|(samples, slab)| DeviceSlab {
///         stream: &stream,
///         samples,
///         mask: None,
///         first_plane: slab.planes.start,
///         cells: slab.cells.clone(),
///     })
///     .collect();
/// let params = IsosurfaceParams { iso: 3.5, ..IsosurfaceParams::default() };
/// let parts = isosurface::extract_slabs(ramp.dims(), ramp.geometry(), &slabs, &params)?;
/// assert_eq!((parts.vertex_count(), parts.triangle_count()), (16, 18));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`extract_parts`](super::extract_parts), and [`IsosurfaceError::SlabOrder`],
/// [`IsosurfaceError::SlabDims`], [`IsosurfaceError::MaskDims`] and
/// [`IsosurfaceError::MissingPlanes`].
pub fn extract_slabs<T: DeviceSample>(
    dims: [usize; 3],
    geometry: &Geometry,
    slabs: &[DeviceSlab<'_, T>],
    params: &IsosurfaceParams,
) -> Result<MeshParts, IsosurfaceError> {
    check(dims, None, params)?;
    if slabs.is_empty() {
        return Err(IsosurfaceError::NoDevices);
    }
    let partition = SlabPartition::new(kernel_grid(dims)?, *geometry, params)?;
    check_slabs(&partition, dims, slabs)?;
    if partition.cell_planes() == 0 {
        return Ok(MeshParts::new(Vec::new(), params));
    }
    let devices = slabs.iter().map(|slab| slab.stream.device());
    let no_masks = slabs.iter().map(|slab| slab.stream.alloc::<u8>(0));
    let no_masks = no_masks.collect::<Result<Vec<_>, _>>()?;
    let resident = |worker: usize| {
        let slab = &slabs[worker];
        ResidentSlabs {
            partition,
            samples: slab.samples.samples(),
            mask: slab.mask.map_or(&no_masks[worker], DeviceVolume::samples),
            planes: resident_planes(slab),
        }
    };
    if devices.clone().all(|it| it.kind() == DeviceKind::Cuda) {
        let all = (0..slabs.len()).map(resident).collect::<Vec<_>>();
        return enqueue_from_this_thread(slabs, &all, params);
    }
    run_on_devices(devices, params, |worker, offset| {
        let slab = &slabs[worker];
        let (stream, cells) = (slab.stream, slab.cells.clone());
        extract_part(stream, &resident(worker), cells, params, offset)
    })
}

/// Extracts parts on devices that execute asynchronously, enqueuing all work from this thread,
/// which takes less time than starting a thread per device.
fn enqueue_from_this_thread<T: DeviceSample>(
    slabs: &[DeviceSlab<'_, T>],
    resident: &[ResidentSlabs<'_, T>],
    params: &IsosurfaceParams,
) -> Result<MeshParts, IsosurfaceError> {
    let on = |worker: usize| {
        let devices = slabs.iter().map(|slab| slab.stream.device());
        move |error: IsosurfaceError| OnDevice::new(devices, worker, error)
    };
    let mut counting = Vec::with_capacity(slabs.len());
    for (worker, (it, resident)) in slabs.iter().zip(resident).enumerate() {
        let begin = || {
            let _current = it.stream.stay_current()?;
            let slab = resident.slab(it.cells.clone())?;
            it.stream
                .require(fused::slab_scratch_bytes(&slab, params.topology))?;
            fused::enqueue_count(it.stream, slab, params)
        };
        counting.push(begin().map_err(on(worker))?);
    }
    let mut total = PartCounts::default();
    let mut pending_parts = Vec::with_capacity(slabs.len());
    for (worker, (it, counting)) in slabs.iter().zip(counting).enumerate() {
        let finish = || {
            let _current = it.stream.stay_current()?;
            let counted = counting.finish(it.stream)?;
            let counts = counted.counts();
            Ok((counts, counted.emit_vertices(it.stream, params)?))
        };
        let (counts, with_vertices) = finish().map_err(on(worker))?;
        pending_parts.push((total.vertices, with_vertices));
        total = total.plus(counts);
    }
    let width = total.width(params)?;
    let mut parts = Vec::with_capacity(slabs.len());
    for (worker, (it, (first_vertex, with_vertices))) in slabs.iter().zip(pending_parts).enumerate()
    {
        let finish = || {
            let _current = it.stream.stay_current()?;
            with_vertices.emit_triangles(it.stream, params, width, first_vertex)
        };
        let mesh = finish().map_err(on(worker))?;
        parts.push(MeshPart {
            mesh,
            first_vertex,
            cells: it.cells.clone(),
        });
    }
    for (worker, it) in slabs.iter().enumerate() {
        let done = it.stream.synchronize();
        done.map_err(|error| on(worker)(error.into()))?;
    }
    Ok(MeshParts::new(parts, params))
}

pub(super) fn resident_planes<T: DeviceSample>(slab: &DeviceSlab<'_, T>) -> Range<usize> {
    slab.first_plane..slab.first_plane.saturating_add(slab.samples.dims()[2])
}

fn check_slabs<T: DeviceSample>(
    partition: &SlabPartition,
    dims: [usize; 3],
    slabs: &[DeviceSlab<'_, T>],
) -> Result<(), IsosurfaceError> {
    let planes = partition.cell_planes();
    let order = |found, expected| {
        Err(IsosurfaceError::SlabOrder {
            planes,
            found,
            expected,
        })
    };
    let mut next = 0;
    for slab in slabs {
        let cells = &slab.cells;
        if cells.start != next || cells.end < next || (cells.is_empty() && planes > 0) {
            return order(cells.start, next);
        }
        next = cells.end;
        let [nx, ny, _] = slab.samples.dims();
        if [nx, ny] != dims[..2] {
            return Err(IsosurfaceError::SlabDims {
                slab: [nx, ny],
                volume: [dims[0], dims[1]],
            });
        }
        if let Some(mask) = slab.mask
            && mask.dims() != slab.samples.dims()
        {
            return Err(IsosurfaceError::MaskDims {
                mask: mask.dims(),
                volume: slab.samples.dims(),
            });
        }
        if !cells.is_empty() && next <= planes {
            let (needed, resident) = (partition.slab(cells.clone()).planes, resident_planes(slab));
            if needed.start < resident.start || needed.end > resident.end {
                return Err(IsosurfaceError::MissingPlanes { needed, resident });
            }
        }
    }
    if next == planes {
        Ok(())
    } else {
        order(next, planes)
    }
}
