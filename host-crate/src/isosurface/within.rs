//! A volume on one device, slab by slab, where there is not memory enough for all of it at a time.

use super::{
    IndexWidth, IsosurfaceError, IsosurfaceParams, MeshPart, MeshParts, StageTime, check,
    fused::Counted,
    parts::joined,
    pieces::{Limits, PieceError, in_pieces, may_be_wide, plane_need},
    whole::{Resident, Whole},
};
use crate::{
    device::{Buffer, Stream},
    grid::{DeviceSample, DeviceVolume},
    mesh::{TriangleMesh, Triangles},
    monitor::add_times,
};

/// The isosurface of a volume on a device, made slab by slab in `memory` bytes beyond the volume; `None` is what the device has
/// free. The parts stay on the device, so these bytes are for the whole mesh and the scratch of a slab.
///
/// The slabs are as high as fits: one, if memory is enough for [`extract`](super::extract). The method is always
/// [`Method::Fused`](super::Method::Fused).
///
/// ```
/// use ferrovox::{device::Device, synthetic, isosurface::{self, IsosurfaceParams}};
///
/// let stream = Device::cpu().stream()?;
/// let sphere = synthetic::sphere(&stream, [64; 3], 25.0)?;
/// let params = IsosurfaceParams::default();
/// let parts = isosurface::extract_within(&stream, &sphere, None, &params, Some(600_000))?;
/// assert!(parts.parts.len() > 1);
/// let whole = isosurface::extract(&stream, &sphere, None, &params)?;
/// assert_eq!(parts.download()?, whole.download(&stream)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`extract`](super::extract), and [`IsosurfaceError::TooLittleMemory`] with the least that is enough.
pub fn extract_within<T: DeviceSample>(
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
    Ok(joined(parts, params))
}

/// As [`extract_within`], but each part is handed to `each` as soon as it is made, in order; if it is dropped there, its memory is
/// there for the next.
///
/// # Errors
/// Those of [`extract_within`], and what `each` returns: there are no more parts then.
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
    /// How many parts it was made in.
    pub parts: u64,
    /// The time of each stage on the device, of all parts together.
    pub stages: Vec<StageTime>,
}

/// As [`extract_within`], but each part is copied to the host as soon as it is made, and its device memory is used again.
///
/// # Errors
/// Those of [`extract_within`].
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
        parts: 0,
        stages: Vec::new(),
    };
    for_each_part(stream, volume, mask, params, memory, |part| {
        let found = part.mesh.download(stream)?;
        let mesh = &mut host.mesh;
        mesh.vertices.extend(found.vertices);
        if let (Some(normals), Some(more)) = (&mut mesh.normals, found.normals) {
            normals.extend(more);
        }
        match (&mut mesh.triangles, found.triangles) {
            (Triangles::U32(triangles), Triangles::U32(more)) => triangles.extend(more),
            (Triangles::U64(triangles), Triangles::U64(more)) => triangles.extend(more),
            // the first part tells the width, which is that of all
            (triangles, first) => *triangles = first,
        }
        host.non_finite_cells += part.mesh.non_finite_cells;
        host.parts += 1;
        add_times(&mut host.stages, part.mesh.stage_times()?);
        Ok::<_, IsosurfaceError>(())
    })?;
    Ok(host)
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
    let whole =
        Whole::new(volume.grid(), *volume.geometry(), params).map_err(IsosurfaceError::Device)?;
    let no_mask: Buffer<u8>;
    let mask = match mask {
        Some(mask) => mask.samples(),
        None => {
            no_mask = stream.alloc(0).map_err(IsosurfaceError::Device)?;
            &no_mask
        }
    };
    let resident = Resident {
        whole,
        samples: volume.samples(),
        mask,
        planes: 0..volume.dims()[2],
    };
    let job = Job {
        stream,
        resident: &resident,
        params,
        keeps,
    };
    let mut limits = Limits {
        device: memory,
        mesh: u64::MAX,
        width: IndexWidth::Bits32,
        keeps,
    };
    limits.width = job.width(&limits)?;
    let mut first_vertex = 0;
    let cells = 0..whole.cell_planes();
    let done = in_pieces(
        stream,
        &resident,
        cells,
        params,
        &limits,
        |counted, cells| {
            let vertices = counted.vertices;
            let mesh = counted.emit(stream, params, limits.width, first_vertex)?;
            stream.synchronize().map_err(IsosurfaceError::Device)?;
            let part = MeshPart {
                mesh,
                first_vertex,
                cells,
            };
            first_vertex += vertices;
            each(part)
        },
    );
    job.with_least(done, limits.width)
}

struct Job<'a, T> {
    stream: &'a Stream,
    resident: &'a Resident<'a, T>,
    params: &'a IsosurfaceParams,
    keeps: bool,
}

impl<T: DeviceSample> Job<'_, T> {
    /// The width of the indices. Only where a grid is so large that it matters, all cells are counted for it.
    fn width(&self, limits: &Limits) -> Result<IndexWidth, IsosurfaceError> {
        let whole = &self.resident.whole;
        if self.params.index_width == IndexWidth::Bits64 || !may_be_wide(whole.padded.grid) {
            return self.params.width_for(0, 0);
        }
        let (mut vertices, mut triangles) = (0, 0);
        let count = |counted: Counted<'_, T>, _| {
            vertices += counted.vertices;
            triangles += counted.triangles;
            Ok::<_, IsosurfaceError>(())
        };
        let cells = 0..whole.cell_planes();
        let counted = in_pieces(
            self.stream,
            self.resident,
            cells,
            self.params,
            limits,
            count,
        );
        self.with_least(counted, IndexWidth::Bits64)?;
        self.params.width_for(vertices, triangles)
    }

    /// Where memory is too little, the least that is enough.
    fn with_least<R, E: From<IsosurfaceError>>(
        &self,
        result: Result<R, PieceError<E>>,
        width: IndexWidth,
    ) -> Result<R, E> {
        let given = match result {
            Ok(result) => return Ok(result),
            Err(PieceError::Other(error)) => return Err(error),
            Err(PieceError::TooLittle { given }) => given,
        };
        let (mut least, mut kept) = (0, 0);
        for plane in 0..self.resident.whole.cell_planes() {
            let need = plane_need(self.stream, self.resident, plane, self.params, width)?;
            least = least.max(kept + need.scratch + need.mesh);
            if self.keeps {
                kept += need.mesh;
            }
        }
        Err(IsosurfaceError::TooLittleMemory { given, least }.into())
    }
}
