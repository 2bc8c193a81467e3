//! Extraction from one device in slabs that fit a memory budget.

use super::{
    IndexWidth, IsosurfaceError, IsosurfaceParams, MeshPart, MeshParts, StageTime, TopologyCounts,
    check,
    counts::{PartCounts, may_need_wide_indices},
    partition::{ResidentSlabs, SlabPartition},
    slab_mesher::SlabMesher,
};
use crate::{
    device::{Buffer, DeviceError, Stream},
    grid::{DeviceSample, DeviceVolume},
    memory,
    mesh::{TriangleMesh, Triangles},
    monitor::add_times,
    partition::{
        TooLittleMemory,
        budget::{Budget, OverBudget, min_device_bytes, within_budget},
    },
};

/// Extracts the isosurface of a volume in device memory slab by slab, using at most `memory` bytes
/// of device memory in addition to the volume; `None` uses the free memory. All parts stay on the
/// device, so the budget covers the whole mesh and the scratch memory of one slab.
///
/// Slabs are as high as the budget allows: a single slab if memory suffices for
/// [`extract`](super::extract). Always uses [`Method::Fused`](super::Method::Fused).
///
/// ```
/// use ferrovox::{device::Device, synthetic, isosurface::{self, IsosurfaceParams}};
///
/// let stream = Device::cpu().stream()?;
/// let sphere = synthetic::sphere(&stream, [64; 3], 25.0)?;
/// let params = IsosurfaceParams::default();
/// let parts = isosurface::extract_within_budget(&stream, &sphere, None, &params, Some(600_000))?;
/// assert!(parts.parts.len() > 1);
/// let whole = isosurface::extract(&stream, &sphere, None, &params)?;
/// assert_eq!(parts.join()?, whole.download(&stream)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`extract`](super::extract), and [`IsosurfaceError::Memory`] with the minimum budget.
pub fn extract_within_budget<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    mask: Option<&DeviceVolume<u8>>,
    params: &IsosurfaceParams,
    memory: Option<u64>,
) -> Result<MeshParts, IsosurfaceError> {
    let mut parts = Vec::new();
    let keep = |part| {
        parts.push(part);
        Ok::<_, IsosurfaceError>(())
    };
    run(stream, volume, mask, params, memory, true, keep)?;
    Ok(MeshParts::new(parts, params))
}

/// Extracts like [`extract_within_budget`], but passes each part to `each` as soon as it is
/// complete, in order. If `each` drops the part, its memory is reused for the next one.
///
/// # Errors
/// As for [`extract_within_budget`], and errors returned by `each`, which end the extraction.
pub fn for_each_part<T: DeviceSample, E: From<IsosurfaceError>>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    mask: Option<&DeviceVolume<u8>>,
    params: &IsosurfaceParams,
    memory: Option<u64>,
    each: impl FnMut(MeshPart) -> Result<(), E>,
) -> Result<(), E> {
    run(stream, volume, mask, params, memory, false, each)
}

/// A mesh on the host, with statistics of its extraction.
#[derive(Clone, Debug)]
pub struct HostMesh {
    /// The mesh.
    pub mesh: TriangleMesh,
    /// Number of cells omitted because a corner is NaN or infinite.
    pub non_finite_cells: u64,
    /// Statistics of ambiguous cells.
    pub topology: TopologyCounts,
    /// Number of parts in which the mesh was extracted.
    pub parts: u64,
    /// Time of each stage on the device, summed over all parts.
    pub stages: Vec<StageTime>,
}

/// Extracts like [`extract_within_budget`], but downloads each part as soon as it is complete, and
/// reuses its device memory.
///
/// # Errors
/// As for [`extract_within_budget`].
pub fn extract_to_host<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    mask: Option<&DeviceVolume<u8>>,
    params: &IsosurfaceParams,
    memory: Option<u64>,
) -> Result<HostMesh, IsosurfaceError> {
    let mut host = HostMesh {
        mesh: TriangleMesh {
            normals: params.normals.then(Vec::new),
            ..TriangleMesh::default()
        },
        non_finite_cells: 0,
        topology: TopologyCounts::default(),
        parts: 0,
        stages: Vec::new(),
    };
    for_each_part(stream, volume, mask, params, memory, |part| {
        let found = part.mesh.download(stream)?;
        let mesh = &mut host.mesh;
        mesh.origin = found.origin;
        extend(&mut mesh.vertices, &found.vertices)?;
        if let (Some(normals), Some(more)) = (&mut mesh.normals, found.normals) {
            extend(normals, &more)?;
        }
        match (&mut mesh.triangles, found.triangles) {
            (Triangles::U32(triangles), Triangles::U32(more)) => extend(triangles, &more)?,
            (Triangles::U64(triangles), Triangles::U64(more)) => extend(triangles, &more)?,
            // all parts have the index width of the first
            (triangles, first) => *triangles = first,
        }
        host.non_finite_cells += part.mesh.non_finite_cells;
        host.topology = host.topology.plus(part.mesh.topology);
        host.parts += 1;
        add_times(&mut host.stages, part.mesh.stage_times()?);
        Ok::<_, IsosurfaceError>(())
    })?;
    Ok(host)
}

/// Counts the vertices and triangles of a mesh, in parts that fit in device memory.
pub(crate) fn mesh_counts<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    mask: Option<&DeviceVolume<u8>>,
    params: &IsosurfaceParams,
) -> Result<PartCounts, IsosurfaceError> {
    check(volume.dims(), mask.map(DeviceVolume::dims), params)?;
    let partition = SlabPartition::new(volume.grid(), *volume.geometry(), params)?;
    let no_mask = stream.alloc(0)?;
    let mesher = SlabMesher {
        stream,
        resident: &ResidentSlabs {
            partition,
            samples: volume.samples(),
            mask: mask.map_or(&no_mask, DeviceVolume::samples),
            planes: 0..volume.dims()[2],
        },
        params,
        width: IndexWidth::Bits32,
    };
    // counting keeps no results on the device
    let budget = Budget {
        stream,
        device: None,
        result: u64::MAX,
        keeps_results: false,
    };
    let mut all = PartCounts::default();
    let counted = within_budget(
        &mesher,
        0..partition.cell_planes(),
        &budget,
        |counted, _| {
            all = all.plus(counted.counts());
            Ok::<_, IsosurfaceError>(())
        },
    );
    report_min_budget(counted, &mesher, false)?;
    Ok(all)
}

/// Appends a part of the mesh.
fn extend<T: Clone>(list: &mut Vec<T>, part: &[T]) -> Result<(), DeviceError> {
    Ok(memory::try_extend("the mesh", list, part)?)
}

fn run<T: DeviceSample, E: From<IsosurfaceError>>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    mask: Option<&DeviceVolume<u8>>,
    params: &IsosurfaceParams,
    memory: Option<u64>,
    keeps: bool,
    mut each: impl FnMut(MeshPart) -> Result<(), E>,
) -> Result<(), E> {
    check(volume.dims(), mask.map(DeviceVolume::dims), params)?;
    let (grid, geometry) = (volume.grid(), *volume.geometry());
    let partition = SlabPartition::new(grid, geometry, params).map_err(IsosurfaceError::Device)?;
    let no_mask: Buffer<u8>;
    let mask = match mask {
        Some(mask) => mask.samples(),
        None => {
            no_mask = stream.alloc(0).map_err(IsosurfaceError::Device)?;
            &no_mask
        }
    };
    let mut mesher = SlabMesher {
        stream,
        resident: &ResidentSlabs {
            partition,
            samples: volume.samples(),
            mask,
            planes: 0..volume.dims()[2],
        },
        params,
        width: IndexWidth::Bits32,
    };
    let budget = Budget {
        stream,
        device: memory,
        result: u64::MAX,
        keeps_results: keeps,
    };
    mesher.width = width(&mesher, &budget)?;
    let mut first_vertex = 0;
    let cells = 0..partition.cell_planes();
    let done = within_budget(&mesher, cells, &budget, |counted, cells| {
        let vertices = counted.counts().vertices;
        let mesh = counted.emit(stream, params, mesher.width, first_vertex)?;
        stream.synchronize().map_err(IsosurfaceError::Device)?;
        let part = MeshPart {
            mesh,
            first_vertex,
            cells,
        };
        first_vertex += vertices;
        each(part)
    });
    report_min_budget(done, &mesher, keeps)
}

/// Returns the index width of the mesh. Counts all cells only if the grid is large enough to need
/// wide indices.
fn width<T: DeviceSample>(
    mesher: &SlabMesher<'_, '_, T>,
    budget: &Budget<'_>,
) -> Result<IndexWidth, IsosurfaceError> {
    let (partition, params) = (&mesher.resident.partition, mesher.params);
    let mut all = PartCounts::default();
    if params.index_width == IndexWidth::Bits64
        || !may_need_wide_indices(partition.padded.grid, params.topology)
    {
        return all.width(params);
    }
    let cells = 0..partition.cell_planes();
    let counted = within_budget(mesher, cells, budget, |counted, _| {
        all = all.plus(counted.counts());
        Ok::<_, IsosurfaceError>(())
    });
    let wide = SlabMesher {
        width: IndexWidth::Bits64,
        ..*mesher
    };
    report_min_budget(counted, &wide, budget.keeps_results)?;
    all.width(params)
}

/// Converts an exceeded budget to an error with the minimum budget.
fn report_min_budget<R, T: DeviceSample, E: From<IsosurfaceError>>(
    result: Result<R, OverBudget<E>>,
    mesher: &SlabMesher<'_, '_, T>,
    keeps: bool,
) -> Result<R, E> {
    let given = match result {
        Ok(result) => return Ok(result),
        Err(OverBudget::Failed(error)) => return Err(error),
        Err(OverBudget::TooLittle { budget }) => budget,
    };
    let cells = 0..mesher.resident.partition.cell_planes();
    let error = TooLittleMemory {
        needed: min_device_bytes(mesher, cells, keeps)?,
        budget: given,
    };
    Err(IsosurfaceError::from(error).into())
}
