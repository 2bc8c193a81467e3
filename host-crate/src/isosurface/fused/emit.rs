//! Second half of the fused method: emitting the vertices and triangles of a slab.

use super::{CountedPart, ambiguous_launch, has_few_tiles, parts_launch, tiles_launch};
use crate::{
    device::{Buffer, DeviceError, Element, Stream},
    grid::{DeviceSample, index_to_world},
    isosurface::{
        DeviceMesh, DeviceTriangles, IndexWidth, IsosurfaceError, IsosurfaceParams,
        vertices::normal_rule,
    },
};
use ferrovox_kernels::isosurface::fused::{
    MAX_AMBIGUOUS_BLOCK, TILE_PARTS, VertexIndex, emit_ambiguous_triangles,
    emit_cubic_word_vertices, emit_inner_word_vertices, emit_subcases, emit_word_triangles,
    emit_word_vertices, emit_word_vertices_and_normals,
};

impl<'a, T: DeviceSample> CountedPart<'a, T> {
    /// Emits the part of the mesh. `width` is the index width of the whole mesh, and `first_vertex`
    /// the number of vertices of all preceding parts.
    pub fn emit(
        self,
        stream: &Stream,
        params: &IsosurfaceParams,
        width: IndexWidth,
        first_vertex: u64,
    ) -> Result<DeviceMesh, IsosurfaceError> {
        self.emit_vertices(stream, params)?
            .emit_triangles(stream, params, width, first_vertex)
    }

    /// Emits the vertices of the part and, if requested, their normals. They do not depend on other
    /// parts.
    pub fn emit_vertices(
        mut self,
        stream: &Stream,
        params: &IsosurfaceParams,
    ) -> Result<PartWithVertices<'a, T>, IsosurfaceError> {
        let slab = &self.slab;
        let components = self.vertices as usize * 3;
        let mut positions = stream.alloc::<f32>(components)?;
        let mut normals = None;
        if params.normals {
            normals = Some(stream.alloc::<f32>(components)?);
        }
        if params.vertices.is_cubic() {
            self.launch_cubic_vertices(stream, params, &mut positions, &mut normals)?;
        } else if let Some(normals) = &mut normals {
            self.launch_vertices_and_normals(stream, params, &mut positions, normals)?;
        } else if self.vertices > 0 {
            // SAFETY: edges and offsets are those of the layout, and there are three elements per
            // vertex.
            unsafe {
                stream.launch::<emit_word_vertices<T>>(
                    tiles_launch(self.layout),
                    (
                        slab.samples.view(),
                        slab.padded,
                        self.layout,
                        params.iso,
                        index_to_world(&slab.geometry),
                        slab.plane,
                        self.edges.view(),
                        self.totals.counts(),
                        slab.owns_end_plane as u32,
                        positions.view_mut(),
                    ),
                )?;
            }
        }
        self.times.end(stream, "vertices")?;
        let mut subcases = stream.alloc::<u16>(self.ambiguous as usize)?;
        if self.ambiguous > 0 {
            self.launch_subcases(stream, params.iso, &mut subcases)?;
            self.times.end(stream, "subcases")?;
        }
        if self.topology.inner_vertices > 0 {
            self.launch_inner_vertices(stream, params, &subcases, &mut positions, &mut normals)?;
            self.times.end(stream, "inner vertices")?;
        }
        Ok(PartWithVertices {
            counted: self,
            positions,
            normals,
            subcases,
        })
    }

    fn launch_subcases(
        &self,
        stream: &Stream,
        iso: f32,
        subcases: &mut Buffer<u16>,
    ) -> Result<(), DeviceError> {
        let slab = &self.slab;
        // SAFETY: samples and words are those of the slab, the offsets are the scanned counts, and
        // there is one element per ambiguous cell.
        unsafe {
            stream.launch::<emit_subcases<T>>(
                ambiguous_launch(self.layout),
                (
                    slab.samples.view(),
                    slab.padded,
                    self.layout,
                    iso,
                    self.below.view(),
                    self.occupied.view(),
                    self.totals.ambiguous_tiles(),
                    self.totals.counts(),
                    subcases.view_mut(),
                ),
            )
        }
    }

    fn launch_inner_vertices(
        &self,
        stream: &Stream,
        params: &IsosurfaceParams,
        subcases: &Buffer<u16>,
        positions: &mut Buffer<f32>,
        normals: &mut Option<Buffer<f32>>,
    ) -> Result<(), DeviceError> {
        let slab = &self.slab;
        let mut none = stream.alloc::<f32>(0)?;
        let normals = normals.as_mut().unwrap_or(&mut none);
        // SAFETY: as in `launch_subcases`, which wrote `subcases`; and there are three elements per
        // vertex.
        unsafe {
            stream.launch::<emit_inner_word_vertices<T>>(
                ambiguous_launch(self.layout),
                (
                    slab.samples.view(),
                    slab.padded,
                    self.layout,
                    params.iso,
                    index_to_world(&slab.geometry),
                    slab.plane,
                    normal_rule(&slab.geometry, params),
                    self.below.view(),
                    self.occupied.view(),
                    self.totals.ambiguous_tiles(),
                    self.totals.counts(),
                    subcases.view(),
                    positions.view_mut(),
                    normals.view_mut(),
                ),
            )
        }
    }

    fn launch_cubic_vertices(
        &self,
        stream: &Stream,
        params: &IsosurfaceParams,
        positions: &mut Buffer<f32>,
        normals: &mut Option<Buffer<f32>>,
    ) -> Result<(), DeviceError> {
        let slab = &self.slab;
        if self.vertices == 0 {
            return Ok(());
        }
        let mut none = stream.alloc::<f32>(0)?;
        let normals = normals.as_mut().unwrap_or(&mut none);
        // SAFETY: edges and offsets are those of the layout; there are three elements per position,
        // and three per normal or none.
        unsafe {
            stream.launch::<emit_cubic_word_vertices<T>>(
                tiles_launch(self.layout),
                (
                    slab.samples.view(),
                    slab.padded,
                    self.layout,
                    params.iso,
                    index_to_world(&slab.geometry),
                    slab.plane,
                    self.edges.view(),
                    self.totals.counts(),
                    slab.owns_end_plane as u32,
                    positions.view_mut(),
                    normal_rule(&slab.geometry, params),
                    normals.view_mut(),
                ),
            )
        }
    }

    fn launch_vertices_and_normals(
        &self,
        stream: &Stream,
        params: &IsosurfaceParams,
        positions: &mut Buffer<f32>,
        normals: &mut Buffer<f32>,
    ) -> Result<(), DeviceError> {
        let slab = &self.slab;
        let rule = normal_rule(&slab.geometry, params);
        if self.vertices == 0 {
            return Ok(());
        }
        // SAFETY: edges and offsets are those of the layout, and there are three elements per
        // position and per normal.
        unsafe {
            stream.launch::<emit_word_vertices_and_normals<T>>(
                tiles_launch(self.layout),
                (
                    slab.samples.view(),
                    slab.padded,
                    self.layout,
                    params.iso,
                    index_to_world(&slab.geometry),
                    slab.plane,
                    self.edges.view(),
                    self.totals.counts(),
                    slab.owns_end_plane as u32,
                    positions.view_mut(),
                    rule,
                    normals.view_mut(),
                ),
            )
        }
    }
}

/// A part of a mesh whose vertices have been emitted, but not its triangles.
pub(crate) struct PartWithVertices<'a, T> {
    counted: CountedPart<'a, T>,
    positions: Buffer<f32>,
    normals: Option<Buffer<f32>>,
    subcases: Buffer<u16>,
}

impl<T: DeviceSample> PartWithVertices<'_, T> {
    /// Emits the triangles and completes the part: see [`CountedPart::emit`].
    pub fn emit_triangles(
        self,
        stream: &Stream,
        params: &IsosurfaceParams,
        width: IndexWidth,
        first_vertex: u64,
    ) -> Result<DeviceMesh, IsosurfaceError> {
        let triangles = match width {
            IndexWidth::Bits64 => DeviceTriangles::U64(self.counted.emit_triangles_as(
                stream,
                params,
                first_vertex,
                &self.subcases,
            )?),
            _ => DeviceTriangles::U32(self.counted.emit_triangles_as(
                stream,
                params,
                first_vertex,
                &self.subcases,
            )?),
        };
        let mut times = self.counted.times;
        times.end(stream, "triangles")?;
        Ok(DeviceMesh {
            origin: self.counted.slab.origin.into(),
            positions: self.positions,
            normals: self.normals,
            triangles,
            non_finite_cells: self.counted.non_finite_cells,
            topology: self.counted.topology,
            times,
        })
    }
}

impl<T: DeviceSample> CountedPart<'_, T> {
    fn emit_triangles_as<I: VertexIndex + Element>(
        &self,
        stream: &Stream,
        params: &IsosurfaceParams,
        first_vertex: u64,
        subcases: &Buffer<u16>,
    ) -> Result<Buffer<I>, DeviceError> {
        let mut triangles = stream.alloc::<I>(self.triangles as usize * 3)?;
        if self.triangles == 0 {
            return Ok(triangles);
        }
        // triangles of the table face the below side; a mirroring geometry reverses them once more
        let flip = params.faces_above() != self.slab.geometry.mirrors();
        let args = (
            self.below.view(),
            self.layout,
            self.edges.view(),
            self.occupied.view(),
            self.parts.view(),
            self.totals.counts(),
            first_vertex,
            flip as u32,
            triangles.view_mut(),
        );
        // SAFETY: edges and offsets are those of the layout, and there are three elements per
        // triangle.
        unsafe {
            if has_few_tiles(stream, self.layout) {
                stream.launch::<emit_word_triangles<I, TILE_PARTS>>(
                    parts_launch(self.layout),
                    args,
                )?;
            } else {
                stream.launch::<emit_word_triangles<I, 1>>(tiles_launch(self.layout), args)?;
            }
        }
        if self.ambiguous > 0 {
            // SAFETY: as above, and the subcases are those of the ambiguous cells.
            unsafe {
                stream.launch::<emit_ambiguous_triangles<I>>(
                    ambiguous_launch(self.layout).max_threads_per_block(MAX_AMBIGUOUS_BLOCK),
                    (
                        self.below.view(),
                        self.layout,
                        self.edges.view(),
                        self.occupied.view(),
                        self.totals.ambiguous_tiles(),
                        self.totals.counts(),
                        subcases.view(),
                        first_vertex,
                        flip as u32,
                        triangles.view_mut(),
                    ),
                )?;
            }
        }
        Ok(triangles)
    }
}
