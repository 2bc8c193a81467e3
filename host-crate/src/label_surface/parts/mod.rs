//! Extraction of label surfaces in slabs, on one or several devices.
//!
//! The vertices and quads of the surface net are found slab by slab, and collected on the host.
//! The first device relaxes all of them together. Then each slab is processed again, for the
//! triangles of its quads. A slab has the two planes of voxels before its cells and the plane after
//! them as a halo, so that its own cells, and the vertices of those after them, are the same as in
//! one piece.

mod budget;
mod triangles;
mod whole_net;

#[cfg(test)]
mod tests;

pub(crate) use budget::check_budget;

use super::{
    LabelField, LabelSurfaceError, LabelSurfaceParams,
    fairing::fair_host_walls,
    field::IndexBits,
    net::{NetCounts, NetQuads, NetVertices},
    runs::LabelIndex,
};
use crate::{
    device::{Device, Element, Stream},
    grid::{index_to_world, kernel_grid},
    memory::{self, OutOfMemory},
    mesh::{LabelledMesh, Triangles},
    monitor::Monitor,
    partition::{
        devices::{Stop, collect_results},
        ordered::{PartSender, consume_in_order},
    },
};
use ferrovox_kernels::{
    grid::Grid, isosurface::interpolate::IndexToWorld, label_surface::Net, sample::Count,
};
use nalgebra::Point3;
use std::ops::Range;

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "walls between labels";

/// The walls between the labels of a volume, extracted in parts.
#[derive(Clone, Debug, Default)]
pub struct LabelWalls {
    /// The walls.
    pub walls: LabelledMesh,
    /// Number of pairs of neighbouring voxels with different labels, each of which has a wall.
    pub wall_count: u64,
    /// Number of pairs of neighbouring voxels with two labels whose wall is not shared.
    pub unshared_wall_count: u64,
    /// Number of slabs that the volume was divided into.
    pub slabs: usize,
}

/// Extracts the walls between the labels of a volume in slabs, on several devices, within a limit
/// of memory. The result is that of [`extract`](super::extract()) and
/// [`download`](super::DeviceLabelSurface::download), the same bits for any slabs and devices.
///
/// A device may be listed several times. `max_bytes` limits the memory of the host, including that
/// of the field, and of each device; the CPU as a device shares the memory of the host. The mesh is
/// held as a whole, since volumes and fairing refer to all of it, in about 700 bytes per pair of
/// neighbouring voxels with different labels; the slabs take the rest. Without a limit, each device
/// has one slab.
///
/// ```
/// use ferrovox::{device::Device, grid::{Geometry, Volume}, monitor::Monitor};
/// use ferrovox::label_surface::{self, LabelField, LabelSurfaceParams};
///
/// let label = |x: usize, y: usize, z: usize| ((x / 5 + y / 4 + z / 3) % 3) as u8;
/// let volume = Volume::from_fn([12; 3], Geometry::default(), label)?;
/// let field = LabelField::new(&volume.into(), None)?;
/// let params = LabelSurfaceParams::default();
/// let devices = [Device::cpu(), Device::cpu()];
/// let parts = label_surface::extract_parts(&devices, &field, &params, None, &Monitor::new())?;
/// let stream = Device::cpu().stream()?;
/// let whole = label_surface::extract(&stream, &field, &params)?;
/// assert_eq!(parts.walls, whole.download(&stream, &field)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`LabelSurfaceError`] if a device reports an error, if the walls do not fit `max_bytes`, and if
/// `monitor` cancels.
pub fn extract_parts(
    devices: &[Device],
    field: &LabelField,
    params: &LabelSurfaceParams,
    max_bytes: Option<u64>,
    monitor: &Monitor<'_>,
) -> Result<LabelWalls, LabelSurfaceError> {
    match field.index_bits() {
        IndexBits::U8 => Parts::new(devices, field, params)?.extract::<u8>(max_bytes, monitor),
        IndexBits::U16 => Parts::new(devices, field, params)?.extract::<u16>(max_bytes, monitor),
        IndexBits::U32 => Parts::new(devices, field, params)?.extract::<u32>(max_bytes, monitor),
    }
}

/// Inputs of the extraction.
struct Parts<'a> {
    devices: &'a [Device],
    field: &'a LabelField,
    params: &'a LabelSurfaceParams,
    grid: Grid,
    origin: Point3<f64>,
    /// Number of pairs of neighbouring voxels with different labels.
    walls: u64,
}

/// The net of a slab with its halo.
struct SlabNet<'a, T: Element> {
    net: NetVertices<'a, T>,
    quads: NetQuads<u64>,
    /// Numbers of elements before the slab, and before the end of the slab.
    start: NetCounts,
    end: NetCounts,
}

impl<'a> Parts<'a> {
    fn new(
        devices: &'a [Device],
        field: &'a LabelField,
        params: &'a LabelSurfaceParams,
    ) -> Result<Self, LabelSurfaceError> {
        if devices.is_empty() {
            return Err(LabelSurfaceError::NoDevices);
        }
        let dims = field.dims();
        Ok(Self {
            devices,
            field,
            params,
            grid: kernel_grid(dims)?,
            origin: field.geometry().local_origin(dims),
            walls: field.runs.count_walls(dims),
        })
    }

    /// Returns the number of planes of cells.
    fn layers(&self) -> usize {
        self.grid.nz as usize + 1
    }

    fn extract<T: Count + Element + LabelIndex>(
        &self,
        max_bytes: Option<u64>,
        monitor: &Monitor<'_>,
    ) -> Result<LabelWalls, LabelSurfaceError> {
        let height = self.slab_height(max_bytes, size_of::<T>() as u64)?;
        self.extract_slabs::<T>(height, monitor)
    }

    /// Extracts the walls in slabs of `height` planes of cells.
    fn extract_slabs<T: Count + Element + LabelIndex>(
        &self,
        height: usize,
        monitor: &Monitor<'_>,
    ) -> Result<LabelWalls, LabelSurfaceError> {
        let layers = self.layers();
        let slabs = (0..layers).step_by(height);
        let slabs = slabs.map(|start| start..layers.min(start + height));
        let slabs = memory::try_collect(PURPOSE, slabs)?;
        if self.grid.samples() == 0 {
            return Ok(LabelWalls::default());
        }
        let mut whole = self.find_net::<T>(&slabs, monitor)?;
        let before = std::mem::take(&mut whole.before);
        let end = before.last().copied().unwrap_or_default();
        let is_narrow = end.fits_narrow_indices();
        let within = if is_narrow {
            self.relax(whole, |vertex| vertex as u32)?
        } else {
            self.relax(whole, |vertex| vertex)?
        };
        let mut walls = self.triangulate::<T>(&slabs, &before, &within, monitor)?;
        drop(within);
        if is_narrow && let Triangles::U64(wide) = &walls.mesh.triangles {
            walls.mesh.triangles = Triangles::U32(narrow(wide)?);
        }
        let geometry = self.field.geometry().relative_to(self.origin);
        fair_host_walls(
            &self.devices[0],
            &mut walls,
            self.field,
            &geometry,
            self.params,
        )?;
        Ok(LabelWalls {
            walls,
            wall_count: end.quads - end.unshared,
            unshared_wall_count: end.unshared,
            slabs: slabs.len(),
        })
    }

    /// Runs `work` for each slab on the devices, and passes the results to `consume` in order.
    fn for_each_slab<P: Send>(
        &self,
        slabs: &[Range<usize>],
        monitor: &Monitor<'_>,
        work: impl Fn(&Stream, &Range<usize>) -> Result<P, LabelSurfaceError> + Sync,
        mut consume: impl FnMut(P) -> Result<(), LabelSurfaceError>,
    ) -> Result<(), LabelSurfaceError> {
        let counter = monitor.counter("label slabs", slabs.len() as u64);
        let step = self.devices.len();
        let run = |worker: usize, device: &Device, sender: PartSender<P>| {
            let stream = device.stream()?;
            for slab in slabs.iter().skip(worker).step_by(step) {
                sender.send(work(&stream, slab).map_err(Stop::Failed)?, true)?;
            }
            Ok::<_, Stop<LabelSurfaceError>>(())
        };
        let consume = |_, part: P| consume(part);
        let outcome = consume_in_order(self.devices, slabs.len(), 0, &counter, run, consume)?;
        collect_results(self.devices, outcome.workers)?;
        outcome.consumed
    }

    /// Returns the planes of voxels of a slab of planes of cells, with its halo.
    fn planes(&self, slab: &Range<usize>) -> Range<usize> {
        slab.start.saturating_sub(2)..(slab.end + 1).min(self.grid.nz as usize)
    }

    /// Finds the net of a slab with its halo, and passes it to `work`.
    fn with_slab<T: Count + Element + LabelIndex, R>(
        &self,
        stream: &Stream,
        slab: &Range<usize>,
        work: impl FnOnce(SlabNet<'_, T>) -> Result<R, LabelSurfaceError>,
    ) -> Result<R, LabelSurfaceError> {
        let planes = self.planes(slab);
        let labels = stream.upload(&self.field.decode_planes::<T>(planes.clone())?)?;
        let grid = Grid {
            nz: planes.len() as u32,
            ..self.grid
        };
        let net = Net::new(grid, self.params.contact.kernel_rule());
        let net = net.with_first_plane(planes.start as u32);
        let net = NetVertices::find(stream, &labels, net)?;
        let counts = net.count_quads()?;
        let layers = [slab.start, slab.end].map(|layer| layer - planes.start);
        let [start, end] = net.count_before(layers, &counts)?;
        let quads = net.emit_quads::<u64>(counts)?;
        work(SlabNet {
            net,
            quads,
            start,
            end,
        })
    }

    fn to_world(&self) -> IndexToWorld {
        index_to_world(&self.field.geometry().relative_to(self.origin))
    }
}

/// Converts triangles to 32-bit indices, which must fit.
fn narrow(triangles: &[[u64; 3]]) -> Result<Vec<[u32; 3]>, OutOfMemory> {
    let narrow = triangles.iter().map(|it| it.map(|vertex| vertex as u32));
    memory::try_collect(PURPOSE, narrow)
}
