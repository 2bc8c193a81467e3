//! A volume on one device, slab by slab within a budget of memory.

use super::{
    IndexWidth, IsosurfaceError, IsosurfaceParams, MeshPart, MeshParts, StageTime, TopologyCounts,
    check,
    counts::{PartCounts, may_need_wide_indices},
    partition::{ResidentSlabs, SlabPartition},
    pieces::MeshPieces,
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

/// The isosurface of a volume on a device, made slab by slab in `memory` bytes beyond the volume;
/// `None` is what the device has free. The parts stay on the device, so these bytes are for the
/// whole mesh and the scratch of a slab.
///
/// The slabs are as high as fits: one, if memory is enough for [`extract`](super::extract). The
/// method is always [`Method::Fused`](super::Method::Fused).
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
/// Those of [`extract`](super::extract), and [`IsosurfaceError::Memory`] with the least that is
/// enough.
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

/// As [`extract_within_budget`], but each part is handed to `each` as soon as it is made, in order;
/// if it is dropped there, its memory is there for the next.
///
/// # Errors
/// Those of [`extract_within_budget`], and what `each` returns: there are no more parts then.
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

/// A mesh on the host, and how it was made.
#[derive(Clone, Debug)]
pub struct HostMesh {
    /// The mesh.
    pub mesh: TriangleMesh,
    /// How many cells were left out because a corner of theirs is NaN or infinite.
    pub non_finite_cells: u64,
    /// What ambiguous cells were found to be.
    pub topology: TopologyCounts,
    /// How many parts it was made in.
    pub parts: u64,
    /// The time of each stage on the device, of all parts together.
    pub stages: Vec<StageTime>,
}

/// As [`extract_within_budget`], but each part is copied to the host as soon as it is made, and its
/// device memory is used again.
///
/// # Errors
/// Those of [`extract_within_budget`].
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
        extend(&mut mesh.vertices, &found.vertices)?;
        if let (Some(normals), Some(more)) = (&mut mesh.normals, found.normals) {
            extend(normals, &more)?;
        }
        match (&mut mesh.triangles, found.triangles) {
            (Triangles::U32(triangles), Triangles::U32(more)) => extend(triangles, &more)?,
            (Triangles::U64(triangles), Triangles::U64(more)) => extend(triangles, &more)?,
            // the width of the first part is that of all
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

/// How much of a mesh there will be, counted in pieces that fit the device's memory.
pub(crate) fn mesh_counts<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    mask: Option<&DeviceVolume<u8>>,
    params: &IsosurfaceParams,
) -> Result<PartCounts, IsosurfaceError> {
    check(volume.dims(), mask.map(DeviceVolume::dims), params)?;
    let partition = SlabPartition::new(volume.grid(), *volume.geometry(), params)?;
    let no_mask = stream.alloc(0)?;
    let pieces = MeshPieces {
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
    // what is counted is not made
    let budget = Budget {
        stream,
        device: None,
        result: u64::MAX,
        keeps_results: false,
    };
    let mut all = PartCounts::default();
    let counted = within_budget(
        &pieces,
        0..partition.cell_planes(),
        &budget,
        |counted, _| {
            all = all.plus(counted.counts());
            Ok::<_, IsosurfaceError>(())
        },
    );
    with_least(counted, &pieces, false)?;
    Ok(all)
}

/// Puts a part of the mesh behind those before.
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
    let mut pieces = MeshPieces {
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
    pieces.width = width(&pieces, &budget)?;
    let mut first_vertex = 0;
    let cells = 0..partition.cell_planes();
    let done = within_budget(&pieces, cells, &budget, |counted, cells| {
        let vertices = counted.counts().vertices;
        let mesh = counted.emit(stream, params, pieces.width, first_vertex)?;
        stream.synchronize().map_err(IsosurfaceError::Device)?;
        let part = MeshPart {
            mesh,
            first_vertex,
            cells,
        };
        first_vertex += vertices;
        each(part)
    });
    with_least(done, &pieces, keeps)
}

/// The width of the indices. Only where a grid is so large that it matters, all cells are counted
/// for it.
fn width<T: DeviceSample>(
    pieces: &MeshPieces<'_, '_, T>,
    budget: &Budget<'_>,
) -> Result<IndexWidth, IsosurfaceError> {
    let (partition, params) = (&pieces.resident.partition, pieces.params);
    let mut all = PartCounts::default();
    if params.index_width == IndexWidth::Bits64
        || !may_need_wide_indices(partition.padded.grid, params.topology)
    {
        return all.width(params);
    }
    let cells = 0..partition.cell_planes();
    let counted = within_budget(pieces, cells, budget, |counted, _| {
        all = all.plus(counted.counts());
        Ok::<_, IsosurfaceError>(())
    });
    let wide = MeshPieces {
        width: IndexWidth::Bits64,
        ..*pieces
    };
    with_least(counted, &wide, budget.keeps_results)?;
    all.width(params)
}

/// Where memory is too little, the least that is enough.
fn with_least<R, T: DeviceSample, E: From<IsosurfaceError>>(
    result: Result<R, OverBudget<E>>,
    pieces: &MeshPieces<'_, '_, T>,
    keeps: bool,
) -> Result<R, E> {
    let given = match result {
        Ok(result) => return Ok(result),
        Err(OverBudget::Failed(error)) => return Err(error),
        Err(OverBudget::TooLittle { budget }) => budget,
    };
    let cells = 0..pieces.resident.partition.cell_planes();
    let error = TooLittleMemory {
        needed: min_device_bytes(pieces, cells, keeps)?,
        budget: given,
    };
    Err(IsosurfaceError::from(error).into())
}
