//! Memory that an extraction in slabs needs.

use super::{
    super::{LabelField, LabelSurfaceError, LabelSurfaceParams, fairing, field::IndexBits},
    Parts,
};
use crate::{
    device::{Device, DeviceKind},
    partition::{TooLittleMemory, budget::max_fitting},
};
use ferrovox_kernels::label_surface::Net;

/// Bytes of scratch memory per word of 32 cells: masks, counts and offsets.
const WORD_BYTES: u64 = 64;

/// Bytes per quad of a slab: vertices, labels and keys on the device and on the host, triangles.
const SLAB_QUAD_BYTES: u64 = 320;

/// Bytes per quad of the surface net on the host, before it is relaxed.
const NET_QUAD_BYTES: u64 = 64;

/// Bytes per quad on the device that relaxes all vertices.
const RELAXATION_QUAD_BYTES: u64 = 160;

/// Bytes of memory per wall between two voxels that the mesh and its simplification need.
const SIMPLIFICATION_BYTES: u64 = 800;

/// Planes of voxels of a slab in addition to its planes of cells.
const HALO_PLANES: usize = 3;

/// Checks that the walls of a field can be extracted, and simplified if `simplifies`, within
/// `budget` bytes.
///
/// # Errors
/// [`LabelSurfaceError::Budget`] with the bytes that are needed.
pub(crate) fn check_budget(
    devices: &[Device],
    field: &LabelField,
    params: &LabelSurfaceParams,
    budget: u64,
    simplifies: bool,
) -> Result<(), LabelSurfaceError> {
    let parts = Parts::new(devices, field, params)?;
    let mut needed = parts.bytes(1, parts.index_bytes());
    if simplifies {
        needed = needed.max(field.runs.bytes() + parts.walls * SIMPLIFICATION_BYTES);
    }
    if needed > budget {
        return Err(TooLittleMemory { needed, budget }.into());
    }
    Ok(())
}

impl Parts<'_> {
    pub(super) fn index_bytes(&self) -> u64 {
        match self.field.index_bits() {
            IndexBits::U8 => 1,
            IndexBits::U16 => 2,
            IndexBits::U32 => 4,
        }
    }

    /// Estimates the bytes of an extraction in slabs of `height` planes of cells, in the memory
    /// that needs most.
    pub(super) fn bytes(&self, height: usize, index_bytes: u64) -> u64 {
        let has_cpu = self.devices.iter().any(|it| it.kind() == DeviceKind::Cpu);
        let planes = (height.min(self.layers()) + HALO_PLANES) as u64;
        let voxels = u64::from(self.grid.nx) * u64::from(self.grid.ny) * planes;
        let words = Net::new(self.grid, 0).words_per_plane() * (planes + 1);
        // as many as on average in each plane, and twice as many for uneven ones
        let quads = self.walls.div_ceil(self.layers() as u64) * planes * 2;
        let slab = voxels * index_bytes + words * WORD_BYTES + quads * SLAB_QUAD_BYTES;
        let users = if has_cpu { self.devices.len() } else { 1 } as u64;
        let in_slabs = self.walls * NET_QUAD_BYTES + slab * users;
        let relaxed = self.walls * (RELAXATION_QUAD_BYTES + NET_QUAD_BYTES);
        let faired = self.walls * fairing::BYTES_PER_WALL;
        self.field.runs.bytes() + in_slabs.max(relaxed).max(faired)
    }

    /// Returns the number of planes of cells per slab: as many as fit the memory, and at most an
    /// equal share for each device.
    pub(super) fn slab_height(
        &self,
        max_bytes: Option<u64>,
        index_bytes: u64,
    ) -> Result<usize, LabelSurfaceError> {
        let share = self.layers().div_ceil(self.devices.len());
        let Some(budget) = max_bytes else {
            return Ok(share);
        };
        let needed = self.bytes(1, index_bytes);
        if needed > budget {
            return Err(TooLittleMemory { needed, budget }.into());
        }
        let fits = |height: u64| self.bytes(height as usize, index_bytes) <= budget;
        Ok(max_fitting(share as u64, fits) as usize)
    }
}
