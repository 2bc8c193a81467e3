//! Extraction on several devices concurrently, one slab each.

use super::{
    IndexWidth, IsosurfaceError, IsosurfaceParams, MeshPart, MeshParts, check,
    counts::PartCounts,
    fused,
    partition::{ResidentSlabs, SlabPartition},
};
use crate::{
    device::{Device, Stream},
    grid::{DeviceSample, Sample, VolumeView, kernel_grid},
    partition::{
        devices::Stop,
        offsets::{Offsets, Placement},
    },
};
use std::ops::Range;

/// Extracts the isosurface of a volume in host memory on several devices concurrently, one slab per
/// device.
///
/// The slabs have approximately equal numbers of planes of cells; a device may be listed more than
/// once. Each slab is uploaded with one additional plane at each end, and processed by a thread and
/// a stream of its own; the first device uses the calling thread. The triangles of a part depend on
/// the number of vertices of all preceding parts, which is available once all devices have counted
/// theirs; meanwhile each device computes its vertices. Always uses
/// [`Method::Fused`](super::Method::Fused).
///
/// Device memory: the slab's samples, up to one byte per voxel of scratch memory, and the part of
/// the mesh. Time is linear in the number of samples.
///
/// ```
/// use ferrovox::{device::Device, isosurface::{self, IsosurfaceParams}, mesh};
/// use ferrovox::grid::{Geometry, Volume};
///
/// let ball = Volume::from_fn([16; 3], Geometry::default(), |x, y, z| {
///     let square = |c: usize| (c as f32 - 7.5).powi(2);
///     6.0 - (square(x) + square(y) + square(z)).sqrt()
/// })?;
/// let devices = [Device::best(), Device::cpu()];
/// let params = IsosurfaceParams::default();
/// let parts = isosurface::extract_parts(&devices, ball.view(), None, &params)?;
/// assert_eq!(parts.parts.len(), 2);
/// assert!(mesh::check(&parts.join()?).is_closed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`extract`](super::extract), [`IsosurfaceError::NoDevices`], and
/// [`IsosurfaceError::OnDevice`] if a device fails; then there is no mesh.
pub fn extract_parts<T: DeviceSample + Sample>(
    devices: &[Device],
    volume: VolumeView<'_, T>,
    mask: Option<VolumeView<'_, u8>>,
    params: &IsosurfaceParams,
) -> Result<MeshParts, IsosurfaceError> {
    check(volume.dims(), mask.map(|mask| mask.dims()), params)?;
    if devices.is_empty() {
        return Err(IsosurfaceError::NoDevices);
    }
    let partition = SlabPartition::new(kernel_grid(volume.dims())?, *volume.geometry(), params)?;
    let slabs = partition.even(devices.len());
    let devices = &devices[..slabs.len()];
    run_on_devices(devices.iter(), params, |worker, offset| {
        let stream = devices[worker].stream()?;
        let slab = &slabs[worker];
        let plane = partition.plane_len();
        let elements = slab.planes.start * plane..slab.planes.end * plane;
        let samples = stream.upload(&volume.samples()[elements.clone()])?;
        let mask = match mask {
            Some(mask) => stream.upload(&mask.samples()[elements])?,
            None => stream.alloc(0)?,
        };
        let resident = ResidentSlabs {
            partition,
            samples: &samples,
            mask: &mask,
            planes: slab.planes.clone(),
        };
        extract_part(&stream, &resident, slab.cells.clone(), params, offset)
    })
}

/// Position of a worker's part in the mesh, before and after its counts are published.
pub(super) struct PendingOffset<'a> {
    worker: usize,
    offsets: &'a Offsets<PartCounts>,
    params: &'a IsosurfaceParams,
}

impl PendingOffset<'_> {
    /// Returns the position of the part, and the index width of the mesh. Blocks until all workers
    /// have published their counts.
    fn placement(&self) -> Result<(Placement<PartCounts>, IndexWidth), Stop<IsosurfaceError>> {
        let placement = self.offsets.placement(self.worker)?;
        // `run_on_devices` reports a mesh that is too large, which is not the failure of a device
        let width = placement.total.width(self.params);
        Ok((placement, width.map_err(|_| Stop::OtherFailed)?))
    }
}

/// Runs `work` for each device: for the first on this thread, for each other on a thread of its
/// own.
///
/// # Errors
/// The error of the first device that failed, or [`IsosurfaceError::IndexWidth`].
pub(super) fn run_on_devices<'d>(
    devices: impl ExactSizeIterator<Item = &'d Device>,
    params: &IsosurfaceParams,
    work: impl Fn(usize, PendingOffset<'_>) -> Result<MeshPart, Stop<IsosurfaceError>> + Sync,
) -> Result<MeshParts, IsosurfaceError> {
    let offsets = Offsets::new(PartCounts::default(), devices.len(), PartCounts::plus);
    let workers = 0..devices.len();
    let parts = offsets.run_workers(devices, workers, |worker, _| {
        let offset = PendingOffset {
            worker,
            offsets: &offsets,
            params,
        };
        work(worker, offset)
    })?;
    offsets.total().width(params)?;
    Ok(MeshParts::new(parts, params))
}

/// Extracts the part of one worker: counts it, computes its vertices while the counts of all parts
/// are exchanged, then computes its triangles, which need the number of preceding vertices. Blocks
/// until done.
pub(super) fn extract_part<T: DeviceSample>(
    stream: &Stream,
    resident: &ResidentSlabs<'_, T>,
    cells: Range<u32>,
    params: &IsosurfaceParams,
    offset: PendingOffset<'_>,
) -> Result<MeshPart, Stop<IsosurfaceError>> {
    let slab = resident.slab(cells.clone())?;
    stream.require(fused::slab_scratch_bytes(&slab, params.topology))?;
    let counted = fused::count(stream, slab, params)?;
    offset.offsets.publish(offset.worker, counted.counts());
    // overlaps with waiting for the counts of the other parts
    let with_vertices = counted.emit_vertices(stream, params)?;
    let (placement, width) = offset.placement()?;
    let first_vertex = placement.before.vertices;
    let mesh = with_vertices.emit_triangles(stream, params, width, first_vertex)?;
    stream.synchronize()?;
    Ok(MeshPart {
        mesh,
        first_vertex,
        cells,
    })
}
