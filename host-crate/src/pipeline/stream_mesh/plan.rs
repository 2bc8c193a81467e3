//! Height of the slabs, and the memory for samples and meshes.

use super::{Job, SlabAxis, StreamError, plane_samples};
use crate::{
    device::{Device, Stream},
    grid::DeviceSample,
    isosurface::{
        IndexWidth, IsosurfaceParams, counts::may_need_wide_indices, fused::min_scratch_bytes,
    },
    partition::budget::{Budget, MemorySharing, PieceBytes},
};
use ferrovox_kernels::grid::Grid;

/// Bytes of samples beyond which a larger slab is not faster.
const MAX_SLAB_BYTES: u64 = 64 << 20;
/// Minimum number of slabs per device, unless they become too thin: one is read while another is
/// processed.
const MIN_SLABS_PER_DEVICE: u32 = 4;
/// Number of planes of samples that a slab has in addition to its planes of cells: one for the last
/// cells, and a halo of one on each side.
const EXTRA_PLANES: u64 = 3;

/// Bytes that may be used to count a plane of the mesh, regardless of the budget.
const COUNTING_BYTES: u64 = 64 << 20;

/// Height of the slabs, and bytes of everything that depends on it.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// Budget in bytes, for each memory: the host's and each device's.
    pub memory: u64,
    /// Number of devices that have slabs.
    pub workers: usize,
    /// Planes of cells per slab.
    pub height: u32,
    /// Bytes of one plane of samples and mask.
    plane: u64,
    /// Number of planes of samples of the volume.
    planes: u64,
    /// Bytes per plane of the buffer for reading along y, before rows are transposed.
    read: u64,
    /// Bytes of scratch memory for one plane of cells.
    scratch: u64,
    /// Number of users of the host's memory.
    host_users: u64,
    /// `true` if a slab fits the budget.
    pub slab_fits: bool,
    /// Index width that suffices for the largest mesh of the grid.
    pub width: IndexWidth,
}

/// Returns the index width that suffices for the largest mesh of a grid.
pub(super) fn widest(params: &IsosurfaceParams, grid: Grid) -> IndexWidth {
    if may_need_wide_indices(grid, params.topology) || params.index_width == IndexWidth::Bits64 {
        IndexWidth::Bits64
    } else {
        IndexWidth::Bits32
    }
}

impl Plan {
    /// Chooses the height of the slabs for samples of type `T`.
    pub fn new<T: DeviceSample>(job: &Job<'_>, has_mask: bool) -> Result<Self, StreamError> {
        let cells = job.partition.cell_planes();
        let workers = job.devices.len().min(cells.max(1) as usize);
        let devices = &job.devices[..workers];
        let plane = match cells {
            0 => 0,
            _ => plane_samples(&job.partition)? as u64 * (size_of::<T>() as u64 + has_mask as u64),
        };
        let memory = match job.options.memory {
            Some(bytes) => bytes,
            None => MemorySharing(devices).half_of_free()?,
        };
        let mut plan = Self {
            memory,
            workers,
            height: 1,
            plane: plane.max(1),
            planes: job.partition.padded.stored.nz as u64,
            // samples have at most 8 bytes
            read: match job.along {
                SlabAxis::Z => 0,
                SlabAxis::Y => 8 * u64::from(job.partition.padded.stored.nx),
            },
            scratch: min_scratch_bytes::<T>(job.partition.padded.grid, has_mask),
            host_users: MemorySharing(devices).host_users(),
            slab_fits: true,
            width: widest(job.params, job.partition.padded.grid),
        };
        plan.height = match job.options.slab_height {
            Some(height) => height.max(1),
            None => plan.best_height(job, cells),
        };
        plan.height = plan.height.min(cells.max(1));
        plan.slab_fits = plan.host_budget() >= plan.host_slab_bytes()
            && devices
                .iter()
                .all(|device| plan.device_budget(job, device) >= plan.slab_bytes(plan.height));
        Ok(plan)
    }

    fn best_height(&self, job: &Job<'_>, cells: u32) -> u32 {
        let height_in = |bytes: u64| {
            let planes = bytes / self.plane;
            planes.saturating_sub(EXTRA_PLANES).min(cells as u64).max(1) as u32
        };
        // a quarter for samples, the rest for several pieces of the mesh at a time
        let devices = job.devices[..self.workers].iter();
        let on_devices = devices.map(|device| height_in(self.device_budget(job, device) / 4));
        let on_host = height_in(self.host_budget() / 4 / (self.workers as u64 + 1));
        let fits = on_devices.fold(on_host, u32::min);
        let useful = cells.div_ceil(MIN_SLABS_PER_DEVICE * self.workers as u32);
        fits.min(height_in(MAX_SLAB_BYTES))
            .min(useful.max(height_in(MAX_SLAB_BYTES / 4)))
    }

    /// Returns the bytes of the samples of a slab.
    fn slab_bytes(&self, height: u32) -> u64 {
        (height as u64 + EXTRA_PLANES)
            .min(self.planes)
            .saturating_mul(self.plane)
    }

    /// Returns the budget of the host alone, in bytes.
    fn host_budget(&self) -> u64 {
        self.memory / self.host_users
    }

    /// Returns the bytes of slabs on the host: one per device, one that is read, and the planes
    /// that consecutive slabs share.
    fn host_slab_bytes(&self) -> u64 {
        let read = (self.height as u64 + EXTRA_PLANES).min(self.planes);
        self.slab_bytes(self.height)
            .saturating_mul(self.workers as u64 + 1)
            .saturating_add(self.plane.saturating_mul(EXTRA_PLANES))
            .saturating_add(self.read.saturating_mul(read))
    }

    fn sharing<'a>(&self, job: &Job<'a>) -> MemorySharing<'a> {
        MemorySharing(&job.devices[..self.workers])
    }

    fn device_budget(&self, job: &Job<'_>, device: &Device) -> u64 {
        self.memory / self.sharing(job).users(device)
    }

    /// Returns the maximum number of parts of the mesh in the host's memory: per device one that is
    /// downloaded and one that is queued, and one that is written.
    fn host_parts(&self) -> u64 {
        2 * self.workers as u64 + 1
    }

    /// Returns the budget of a part of the mesh.
    pub fn budget<'s>(&self, job: &Job<'_>, stream: &'s Stream) -> Budget<'s> {
        let device = self.device_budget(job, stream.device());
        Budget {
            stream,
            device: Some(device.saturating_sub(self.slab_bytes(self.height))),
            result: self.host_budget().saturating_sub(self.host_slab_bytes()) / self.host_parts(),
            keeps_results: false,
        }
    }

    /// Returns `None` if the mesh of one plane can be counted within the budget, or within
    /// [`COUNTING_BYTES`]; otherwise the bytes needed without the mesh, a lower bound.
    pub fn too_large_to_count(&self, job: &Job<'_>) -> Option<u64> {
        // a slab on the host, the planes it shares with the next one, and the slab on the device
        let slabs = self.slab_bytes(1).saturating_mul(2);
        let counting = slabs
            .saturating_add(self.plane.saturating_mul(EXTRA_PLANES))
            .saturating_add(self.scratch);
        let without_mesh = PieceBytes {
            scratch: self.scratch,
            result: 0,
        };
        (counting > self.memory.max(COUNTING_BYTES)).then(|| self.enough(job, without_mesh))
    }

    /// Returns a sufficient budget in bytes if a plane of cells needs at most `max_plane`. It
    /// reserves a quarter for the samples of a slab.
    pub fn enough(&self, job: &Job<'_>, max_plane: PieceBytes) -> u64 {
        let low = Self {
            height: self.height.min(job.options.slab_height.unwrap_or(1)),
            ..*self
        };
        let with_quarter_for_slab = |bytes: u64| bytes.saturating_mul(4).div_ceil(3);
        let mesh = max_plane.result.saturating_mul(self.host_parts());
        let shared = self.plane.saturating_mul(EXTRA_PLANES);
        let host = low
            .host_slab_bytes()
            .saturating_add(mesh)
            .max(with_quarter_for_slab(mesh.saturating_add(shared)));
        let part = max_plane.scratch.saturating_add(max_plane.result);
        let device = low
            .slab_bytes(low.height)
            .saturating_add(part)
            .max(with_quarter_for_slab(part));
        let devices = job.devices[..self.workers].iter();
        devices
            .map(|it| device.saturating_mul(self.sharing(job).users(it)))
            .fold(host.saturating_mul(self.host_users), u64::max)
            .saturating_add(self.host_users)
    }
}
