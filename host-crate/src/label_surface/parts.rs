//! Extraction of label surfaces in slabs, on one or several devices.
//!
//! The vertices and quads of the surface net are found slab by slab, and collected on the host.
//! The first device relaxes all of them together. Then each slab is processed again, for the
//! triangles of its quads. A slab has the two planes of voxels before its cells and the plane after
//! them as a halo, so that its own cells, and the vertices of those after them, are the same as in
//! one piece.

use super::{
    LabelField, LabelSurfaceError, LabelSurfaceParams,
    extract::{Triangulation, group_pairs},
    fairing::{self, fair_walls},
    field::IndexBits,
    net::{NetCounts, NetQuads, NetVertices},
    relax::Relaxation,
    runs::LabelIndex,
};
use crate::{
    device::{Buffer, Device, DeviceKind, Element, Stream},
    grid::{index_to_world, kernel_grid},
    memory::{self, OutOfMemory},
    mesh::{LabelledMesh, TriangleMesh, Triangles, group_triples},
    monitor::Monitor,
    partition::{
        TooLittleMemory,
        budget::max_fitting,
        devices::{Stop, collect_results},
        ordered::{PartSender, consume_in_order},
    },
};
use ferrovox_kernels::{
    grid::Grid,
    isosurface::interpolate::IndexToWorld,
    label_surface::{Net, move_key},
    sample::Count,
};
use nalgebra::Point3;
use std::ops::Range;

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "walls between labels";

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

/// Surface net of a slab, without its halo.
struct NetPart {
    counts: NetCounts,
    /// Vertices of each quad, relative to the first vertex of the slab.
    quads: Vec<u64>,
    sides: Vec<u32>,
    keys: Vec<u64>,
    origins: Vec<f32>,
    bound: Vec<u8>,
}

/// The surface net of the whole volume.
struct WholeNet {
    /// Numbers of elements before each slab, and in total.
    before: Vec<NetCounts>,
    quads: Vec<u64>,
    sides: Vec<u32>,
    keys: Vec<u64>,
    origins: Vec<f32>,
    bound: Vec<u8>,
}

/// Vertices and triangles of a slab.
struct SurfacePart {
    vertices: Vec<f32>,
    points: Vec<f32>,
    centres: Vec<f32>,
    /// Vertices of each triangle, as an index among those of its kind.
    triangles: Vec<SlabIndex>,
    sides: Vec<u32>,
}

/// A vertex of a triangle, relative to the first one of its kind in the slab.
#[derive(Clone, Copy)]
enum SlabIndex {
    Vertex(u64),
    Point(u64),
    Centre(u64),
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

    fn index_bytes(&self) -> u64 {
        match self.field.index_bits() {
            IndexBits::U8 => 1,
            IndexBits::U16 => 2,
            IndexBits::U32 => 4,
        }
    }

    /// Returns the number of planes of cells.
    fn layers(&self) -> usize {
        self.grid.nz as usize + 1
    }

    /// Estimates the bytes of an extraction in slabs of `height` planes of cells, in the memory
    /// that needs most.
    fn bytes(&self, height: usize, index_bytes: u64) -> u64 {
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
    fn slab_height(
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
        fair_walls(&mut walls, self.field, &geometry, self.params)?;
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

    fn find_net<T: Count + Element + LabelIndex>(
        &self,
        slabs: &[Range<usize>],
        monitor: &Monitor<'_>,
    ) -> Result<WholeNet, LabelSurfaceError> {
        let work = |stream: &Stream, slab: &Range<usize>| {
            self.with_slab::<T, _>(stream, slab, |found| {
                let first_plane = self.planes(slab).start as u64;
                found.part(stream, first_plane)
            })
        };
        let mut whole = WholeNet {
            before: memory::try_copy(PURPOSE, &[NetCounts::default()])?,
            quads: Vec::new(),
            sides: Vec::new(),
            keys: Vec::new(),
            origins: Vec::new(),
            bound: Vec::new(),
        };
        self.for_each_slab(slabs, monitor, work, |part: NetPart| {
            let before = whole.before.last().copied().unwrap_or_default();
            memory::try_reserve(PURPOSE, &mut whole.before, 1)?;
            whole.before.push(before.plus(&part.counts));
            memory::try_reserve_amortized(PURPOSE, &mut whole.quads, part.quads.len())?;
            let vertices = part.quads.iter().map(|vertex| before.vertices + vertex);
            whole.quads.extend(vertices);
            memory::try_extend(PURPOSE, &mut whole.sides, &part.sides)?;
            memory::try_extend(PURPOSE, &mut whole.keys, &part.keys)?;
            memory::try_extend(PURPOSE, &mut whole.origins, &part.origins)?;
            memory::try_extend(PURPOSE, &mut whole.bound, &part.bound)?;
            Ok(())
        })?;
        Ok(whole)
    }

    /// Relaxes the vertices of the whole net on the first device, and returns their positions
    /// within their cells.
    fn relax<I: Count + Element>(
        &self,
        whole: WholeNet,
        narrow: impl Fn(u64) -> I,
    ) -> Result<Vec<f32>, LabelSurfaceError> {
        let stream = self.devices[0].stream()?;
        let narrow = whole.quads.iter().map(|vertex| narrow(*vertex));
        let vertices = memory::try_collect(PURPOSE, narrow)?;
        let quads = NetQuads {
            vertices: stream.upload(&vertices)?,
            sides: stream.upload(&whole.sides)?,
            keys: stream.upload(&whole.keys)?,
        };
        let (origins, bound) = (stream.upload(&whole.origins)?, stream.upload(&whole.bound)?);
        drop((vertices, whole));
        let relaxation = Relaxation {
            stream: &stream,
            net: Net::new(self.grid, self.params.contact.kernel_rule()),
            quads: &quads,
            matrix: self.to_world().matrix,
            voxels: &self.field.kernel_voxels()?,
            bound: &bound,
            origins: &origins,
        };
        Ok(stream.download(&relaxation.run(self.params)?)?)
    }

    fn to_world(&self) -> IndexToWorld {
        index_to_world(&self.field.geometry().relative_to(self.origin))
    }

    /// Emits the vertices and triangles of all slabs, for positions of vertices within their cells.
    fn triangulate<T: Count + Element + LabelIndex>(
        &self,
        slabs: &[Range<usize>],
        before: &[NetCounts],
        within: &[f32],
        monitor: &Monitor<'_>,
    ) -> Result<LabelledMesh, LabelSurfaceError> {
        let total = before.last().copied().unwrap_or_default();
        let work = |stream: &Stream, slab: &Range<usize>| {
            self.with_slab::<T, _>(stream, slab, |found| {
                let index = slabs.partition_point(|other| other.start < slab.start);
                self.triangulate_slab(stream, &found, before[index].vertices, within)
            })
        };
        let fixed = (total.vertices + total.points) as usize;
        let mut vertices = memory::try_zeroed::<f32>(PURPOSE, fixed * 3)?;
        let mut triangles = Vec::new();
        let mut sides = Vec::new();
        let mut firsts = before.iter();
        self.for_each_slab(slabs, monitor, work, |part: SurfacePart| {
            let first = firsts.next().copied().unwrap_or_default();
            let first_point = total.vertices + first.points;
            let first_centre = vertices.len() as u64 / 3;
            copy_to(&mut vertices, first.vertices, &part.vertices);
            copy_to(&mut vertices, first_point, &part.points);
            memory::try_extend(PURPOSE, &mut vertices, &part.centres)?;
            memory::try_reserve_amortized(PURPOSE, &mut triangles, part.triangles.len())?;
            triangles.extend(part.triangles.iter().map(|index| match *index {
                SlabIndex::Vertex(vertex) => first.vertices + vertex,
                SlabIndex::Point(point) => first_point + point,
                SlabIndex::Centre(centre) => first_centre + centre,
            }));
            memory::try_extend(PURPOSE, &mut sides, &part.sides)?;
            Ok(())
        })?;
        Ok(LabelledMesh {
            mesh: TriangleMesh {
                origin: self.origin.into(),
                vertices: group_triples(vertices),
                normals: None,
                triangles: Triangles::U64(group_triples(triangles)),
            },
            labels: memory::try_copy("labels", self.field.labels())?,
            sides: group_pairs(sides)?,
        })
    }

    fn triangulate_slab<T: Count + Element>(
        &self,
        stream: &Stream,
        found: &SlabNet<'_, T>,
        first_vertex: u64,
        within: &[f32],
    ) -> Result<SurfacePart, LabelSurfaceError> {
        let SlabNet {
            net,
            quads,
            start,
            end,
        } = found;
        // positions of the slab's vertices and of those in the next plane of cells
        let mut own = memory::try_zeroed::<f32>(PURPOSE, net.vertices as usize * 3)?;
        let (to, from) = (start.vertices as usize * 3, first_vertex as usize * 3);
        let len = (own.len() - to).min(within.len() - from);
        own[to..to + len].copy_from_slice(&within[from..from + len]);
        let own = stream.upload(&own)?;
        let triangulation = Triangulation {
            net,
            to_world: self.to_world(),
            flip: self.field.geometry().mirrors(),
        };
        let (surface, offsets) = triangulation.run(quads, &own)?;
        let offset =
            |list: &Buffer<u64>, quad: u64, total: u64| -> Result<u64, LabelSurfaceError> {
                let list = stream.download(list)?;
                Ok(list.get(quad as usize).copied().unwrap_or(total))
            };
        let triangle_total = surface.sides.len() as u64 / 2;
        let centre_start = net.vertices + net.points;
        let centre_total = surface.positions.len() as u64 / 3 - centre_start;
        let triangle = |quad| offset(&offsets.triangles, quad, triangle_total);
        let centre = |quad| offset(&offsets.centres, quad, centre_total);
        let (first, last) = (triangle(start.quads)?, triangle(end.quads)?);
        let (first_centre, last_centre) = (centre(start.quads)?, centre(end.quads)?);
        let positions = stream.download(&surface.positions)?;
        let slice = |from: u64, to: u64| {
            memory::try_copy(PURPOSE, &positions[from as usize * 3..to as usize * 3])
        };
        let triangles = stream.download(&surface.triangles)?;
        let kind = |&index: &u64| {
            if index < net.vertices {
                SlabIndex::Vertex(index - start.vertices)
            } else if index < centre_start {
                SlabIndex::Point(index - net.vertices - start.points)
            } else {
                SlabIndex::Centre(index - centre_start - first_centre)
            }
        };
        let own = &triangles[first as usize * 3..last as usize * 3];
        let sides = stream.download(&surface.sides)?;
        Ok(SurfacePart {
            vertices: slice(start.vertices, end.vertices)?,
            points: slice(net.vertices + start.points, net.vertices + end.points)?,
            centres: slice(centre_start + first_centre, centre_start + last_centre)?,
            triangles: memory::try_collect(PURPOSE, own.iter().map(kind))?,
            sides: memory::try_copy(PURPOSE, &sides[first as usize * 2..last as usize * 2])?,
        })
    }
}

impl<T: Count + Element> SlabNet<'_, T> {
    /// Downloads the net without its halo. `first_plane` is the index of the first plane of voxels
    /// of the slab in the volume.
    fn part(&self, stream: &Stream, first_plane: u64) -> Result<NetPart, LabelSurfaceError> {
        let Self {
            net, start, end, ..
        } = self;
        let (origins, bound) = net.place()?;
        let quads = start.quads as usize..end.quads as usize;
        let vertices = start.vertices as usize..end.vertices as usize;
        let first_cell = first_plane * net.net.words_per_plane() * 32;
        let all = stream.download(&self.quads.vertices)?;
        let relative = all[quads.start * 4..quads.end * 4].iter();
        let all_keys = stream.download(&self.quads.keys)?;
        let keys = all_keys[quads.clone()].iter();
        Ok(NetPart {
            counts: end.minus(start),
            quads: memory::try_collect(PURPOSE, relative.map(|vertex| vertex - start.vertices))?,
            sides: part(stream, &self.quads.sides, quads.start * 2..quads.end * 2)?,
            keys: memory::try_collect(PURPOSE, keys.map(|key| move_key(*key, first_cell)))?,
            origins: part(stream, &origins, vertices.start * 3..vertices.end * 3)?,
            bound: part(stream, &bound, vertices)?,
        })
    }
}

/// Downloads a range of a buffer.
fn part<T: Element>(
    stream: &Stream,
    buffer: &Buffer<T>,
    range: Range<usize>,
) -> Result<Vec<T>, LabelSurfaceError> {
    Ok(memory::try_copy(PURPOSE, &stream.download(buffer)?[range])?)
}

/// Copies coordinates into those of vertices from index `first` on.
fn copy_to(vertices: &mut [f32], first: u64, coordinates: &[f32]) {
    let first = first as usize * 3;
    vertices[first..first + coordinates.len()].copy_from_slice(coordinates);
}

/// Converts triangles to 32-bit indices, which must fit.
fn narrow(triangles: &[[u64; 3]]) -> Result<Vec<[u32; 3]>, OutOfMemory> {
    let narrow = triangles.iter().map(|it| it.map(|vertex| vertex as u32));
    memory::try_collect(PURPOSE, narrow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{grid::Volume, label_surface::extract};

    /// Slabs of one and more planes of cells, with ambiguous cells and points on faces at their
    /// borders.
    #[test]
    fn slabs_of_any_height_give_the_same_bits() {
        let mut state = 7_u32;
        let mut random = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        for dims in [[7, 6, 9], [1, 1, 5], [33, 4, 1]] {
            let [nx, ny, nz] = dims;
            let samples = (0..nx * ny * nz).map(|_| (random() % 4) as u8).collect();
            let volume = Volume::new(samples, dims, Default::default()).unwrap();
            let field = LabelField::new(&volume.into(), None).unwrap();
            let stream = Device::cpu().stream().unwrap();
            for params in [LabelSurfaceParams::raw(), LabelSurfaceParams::default()] {
                let whole = extract(&stream, &field, &params).unwrap();
                let unshared = whole.unshared_wall_count();
                let whole = whole.download(&stream, &field).unwrap();
                let devices = [Device::cpu(), Device::cpu()];
                let parts = Parts::new(&devices, &field, &params).unwrap();
                for height in 1..=parts.layers() {
                    let found = parts.extract_slabs::<u8>(height, &Monitor::new()).unwrap();
                    assert!(
                        found.walls == whole,
                        "{dims:?}, {height} planes, {params:?}"
                    );
                    assert_eq!(found.unshared_wall_count, unshared);
                    assert_eq!(found.slabs, parts.layers().div_ceil(height));
                }
            }
        }
    }
}
