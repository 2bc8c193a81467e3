//! How high slabs are, and how much memory is for what.

use super::{Job, SlabAxis, StreamError, plane_samples};
use crate::{
    device::{Device, Stream},
    grid::DeviceSample,
    isosurface::{
        IndexWidth, IsosurfaceParams, counts::may_need_wide_indices, fused::min_scratch_bytes,
    },
    partition::budget::{Budget, Need, Sharing},
};
use ferrovox_kernels::grid::Grid;

/// Bytes of a slab beyond which a higher one would not be quicker.
const SLAB: u64 = 64 << 20;
/// Slabs for each device at least, if they are not too thin: so that one is read while another is
/// worked on.
const SLABS: u32 = 4;
/// Planes of samples that a slab has more than planes of cells: one for the last cells, one around
/// on each side.
const AROUND: u64 = 3;

/// Bytes that may be taken to find out what a plane of the mesh needs, however small the budget is.
const COUNTING: u64 = 64 << 20;

#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// Bytes that may be taken: by the host and by each device, or by one memory for all.
    pub memory: u64,
    pub workers: usize,
    /// Planes of cells of a slab.
    pub height: u32,
    /// Bytes of a plane of samples and mask.
    plane: u64,
    /// Planes of samples.
    planes: u64,
    /// Bytes of a plane's part of what is read at a time before it is put in its place.
    read: u64,
    /// Bytes of scratch memory for a plane of cells.
    scratch: u64,
    /// How many work in the host's memory.
    in_host_memory: u64,
    /// Whether slabs fit the memory at all.
    pub holds_a_slab: bool,
    /// The width that no index exceeds.
    pub width: IndexWidth,
}

/// The width that no index exceeds.
pub(super) fn widest(params: &IsosurfaceParams, grid: Grid) -> IndexWidth {
    if may_need_wide_indices(grid, params.topology) || params.index_width == IndexWidth::Bits64 {
        IndexWidth::Bits64
    } else {
        IndexWidth::Bits32
    }
}

impl Plan {
    pub fn new<T: DeviceSample>(job: &Job<'_>, masked: bool) -> Result<Self, StreamError> {
        let cells = job.partition.cell_planes();
        let workers = job.devices.len().min(cells.max(1) as usize);
        let devices = &job.devices[..workers];
        let plane = match cells {
            0 => 0,
            _ => plane_samples(&job.partition)? as u64 * (size_of::<T>() as u64 + masked as u64),
        };
        let memory = match job.options.memory {
            Some(bytes) => bytes,
            None => Sharing(devices).half_of_free()?,
        };
        let mut plan = Self {
            memory,
            workers,
            height: 1,
            plane: plane.max(1),
            planes: job.partition.padded.stored.nz as u64,
            // samples of up to 8 bytes
            read: match job.along {
                SlabAxis::Z => 0,
                SlabAxis::Y => 8 * u64::from(job.partition.padded.stored.nx),
            },
            scratch: min_scratch_bytes::<T>(job.partition.padded.grid, masked),
            in_host_memory: Sharing(devices).host(),
            holds_a_slab: true,
            width: widest(job.params, job.partition.padded.grid),
        };
        plan.height = match job.options.slab_height {
            Some(height) => height.max(1),
            None => plan.best_height(job, cells),
        };
        plan.height = plan.height.min(cells.max(1));
        plan.holds_a_slab = plan.host() >= plan.host_slabs()
            && devices
                .iter()
                .all(|device| plan.of_device(job, device) >= plan.slab(plan.height));
        Ok(plan)
    }

    fn best_height(&self, job: &Job<'_>, cells: u32) -> u32 {
        let height_in = |bytes: u64| {
            let planes = bytes / self.plane;
            planes.saturating_sub(AROUND).min(cells as u64).max(1) as u32
        };
        // a quarter for samples; the rest is for the mesh, of which there are more pieces at a time
        let devices = job.devices[..self.workers].iter();
        let on_devices = devices.map(|device| height_in(self.of_device(job, device) / 4));
        let on_host = height_in(self.host() / 4 / (self.workers as u64 + 1));
        let fits = on_devices.fold(on_host, u32::min);
        let useful = cells.div_ceil(SLABS * self.workers as u32);
        fits.min(height_in(SLAB))
            .min(useful.max(height_in(SLAB / 4)))
    }

    /// Bytes of the samples of a slab.
    fn slab(&self, height: u32) -> u64 {
        (height as u64 + AROUND)
            .min(self.planes)
            .saturating_mul(self.plane)
    }

    /// Bytes of the host's memory that may be taken.
    fn host(&self) -> u64 {
        self.memory / self.in_host_memory
    }

    /// Bytes of the host's memory for slabs: one for each device, one that is read, and the planes
    /// that two have in common.
    fn host_slabs(&self) -> u64 {
        let read = (self.height as u64 + AROUND).min(self.planes);
        self.slab(self.height)
            .saturating_mul(self.workers as u64 + 1)
            .saturating_add(self.plane.saturating_mul(AROUND))
            .saturating_add(self.read.saturating_mul(read))
    }

    fn sharing<'a>(&self, job: &Job<'a>) -> Sharing<'a> {
        Sharing(&job.devices[..self.workers])
    }

    fn of_device(&self, job: &Job<'_>, device: &Device) -> u64 {
        self.memory / self.sharing(job).of(device)
    }

    /// Parts of the mesh that are in the host's memory at a time: of each device one that is made
    /// and one that waits, and one that is written.
    fn host_parts(&self) -> u64 {
        2 * self.workers as u64 + 1
    }

    /// What a part of the mesh may take.
    pub fn budget<'s>(&self, job: &Job<'_>, stream: &'s Stream) -> Budget<'s> {
        let device = self.of_device(job, stream.device());
        Budget {
            stream,
            device: Some(device.saturating_sub(self.slab(self.height))),
            result: self.host().saturating_sub(self.host_slabs()) / self.host_parts(),
            keeps: false,
        }
    }

    /// Whether the planes are so large that what the mesh of one needs cannot be found out within
    /// the budget: then the bytes without it.
    pub fn too_large_to_count(&self, job: &Job<'_>) -> Option<u64> {
        // a slab as it is read, what it has in common with the next, and the slab on the device
        let slabs = self.slab(1).saturating_mul(2);
        let counting = slabs
            .saturating_add(self.plane.saturating_mul(AROUND))
            .saturating_add(self.scratch);
        let without_mesh = Need {
            scratch: self.scratch,
            result: 0,
        };
        (counting > self.memory.max(COUNTING)).then(|| self.enough(job, without_mesh))
    }

    /// Bytes that are enough for a plane of cells at a time that takes so much. A slab may be
    /// higher: it leaves three quarters.
    pub fn enough(&self, job: &Job<'_>, most: Need) -> u64 {
        let low = Self {
            height: self.height.min(job.options.slab_height.unwrap_or(1)),
            ..*self
        };
        let three_quarters = |bytes: u64| bytes.saturating_mul(4).div_ceil(3);
        let mesh = most.result.saturating_mul(self.host_parts());
        let common = self.plane.saturating_mul(AROUND);
        let host = low
            .host_slabs()
            .saturating_add(mesh)
            .max(three_quarters(mesh.saturating_add(common)));
        let part = most.scratch.saturating_add(most.result);
        let device = low
            .slab(low.height)
            .saturating_add(part)
            .max(three_quarters(part));
        let devices = job.devices[..self.workers].iter();
        devices
            .map(|of| device.saturating_mul(self.sharing(job).of(of)))
            .fold(host.saturating_mul(self.in_host_memory), u64::max)
            .saturating_add(self.in_host_memory)
    }
}
