//! The mesh from one bit per sample: its vertices and triangles.

use super::{Counted, are_few, listed_launch, parts_launch, tiles_launch};
use crate::{
    device::{Buffer, DeviceError, Element, Stream},
    grid::{DeviceSample, index_to_world},
    isosurface::{
        DeviceMesh, DeviceTriangles, IndexWidth, Inside, IsosurfaceError, IsosurfaceParams,
        vertices::normal_rule,
    },
};
use ferrovox_kernels::isosurface::fused::{
    Index, PARTS, SHAPED_BLOCK, emit_cubic_word_vertices, emit_inner_word_vertices,
    emit_shaped_triangles, emit_shapes, emit_word_triangles, emit_word_vertices,
    emit_word_vertices_and_normals,
};

impl<'a, T: DeviceSample> Counted<'a, T> {
    /// Makes the part of the mesh, in indices of a width that is enough for the whole mesh, with
    /// `first_vertex` vertices before its own.
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

    /// Makes the part's vertices, and normals if they are wanted. They do not depend on the other
    /// parts.
    pub fn emit_vertices(
        mut self,
        stream: &Stream,
        params: &IsosurfaceParams,
    ) -> Result<VerticesMade<'a, T>, IsosurfaceError> {
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
            // SAFETY: the marks are those of the words, the places their scan, and there is room
            // for every vertex.
            unsafe {
                stream.launch::<emit_word_vertices<T>>(
                    tiles_launch(self.words),
                    (
                        slab.samples.view(),
                        slab.padded,
                        self.words,
                        params.iso,
                        index_to_world(&slab.geometry),
                        slab.plane,
                        self.edges.view(),
                        self.totals.sums(),
                        slab.last_plane_too as u32,
                        positions.view_mut(),
                    ),
                )?;
            }
        }
        self.times.end(stream, "vertices")?;
        let mut shapes = stream.alloc::<u16>(self.listed as usize)?;
        if self.listed > 0 {
            self.launch_shapes(stream, params.iso, &mut shapes)?;
            self.times.end(stream, "shapes")?;
        }
        if self.topology.inner_vertices > 0 {
            self.launch_inner_vertices(stream, params, &shapes, &mut positions, &mut normals)?;
            self.times.end(stream, "inner vertices")?;
        }
        Ok(VerticesMade {
            counted: self,
            positions,
            normals,
            shapes,
        })
    }

    fn launch_shapes(
        &self,
        stream: &Stream,
        iso: f32,
        shapes: &mut Buffer<u16>,
    ) -> Result<(), DeviceError> {
        let slab = &self.slab;
        // SAFETY: samples and words are the slab's, the places their scan, and there is room for
        // each listed cell.
        unsafe {
            stream.launch::<emit_shapes<T>>(
                listed_launch(self.words),
                (
                    slab.samples.view(),
                    slab.padded,
                    self.words,
                    iso,
                    self.below.view(),
                    self.occupied.view(),
                    self.totals.listed_tiles(),
                    self.totals.sums(),
                    shapes.view_mut(),
                ),
            )
        }
    }

    fn launch_inner_vertices(
        &self,
        stream: &Stream,
        params: &IsosurfaceParams,
        shapes: &Buffer<u16>,
        positions: &mut Buffer<f32>,
        normals: &mut Option<Buffer<f32>>,
    ) -> Result<(), DeviceError> {
        let slab = &self.slab;
        let mut none = stream.alloc::<f32>(0)?;
        let normals = normals.as_mut().unwrap_or(&mut none);
        // SAFETY: as above, the shapes are those of the listed cells, and there is room for every
        // vertex.
        unsafe {
            stream.launch::<emit_inner_word_vertices<T>>(
                listed_launch(self.words),
                (
                    slab.samples.view(),
                    slab.padded,
                    self.words,
                    params.iso,
                    index_to_world(&slab.geometry),
                    slab.plane,
                    normal_rule(&slab.geometry, params),
                    self.below.view(),
                    self.occupied.view(),
                    self.totals.listed_tiles(),
                    self.totals.sums(),
                    shapes.view(),
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
        // SAFETY: as for the positions alone, and there is room for a normal for every vertex, or
        // for none.
        unsafe {
            stream.launch::<emit_cubic_word_vertices<T>>(
                tiles_launch(self.words),
                (
                    slab.samples.view(),
                    slab.padded,
                    self.words,
                    params.iso,
                    index_to_world(&slab.geometry),
                    slab.plane,
                    self.edges.view(),
                    self.totals.sums(),
                    slab.last_plane_too as u32,
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
        // SAFETY: as for the positions alone, and there is room for a normal for every vertex.
        unsafe {
            stream.launch::<emit_word_vertices_and_normals<T>>(
                tiles_launch(self.words),
                (
                    slab.samples.view(),
                    slab.padded,
                    self.words,
                    params.iso,
                    index_to_world(&slab.geometry),
                    slab.plane,
                    self.edges.view(),
                    self.totals.sums(),
                    slab.last_plane_too as u32,
                    positions.view_mut(),
                    rule,
                    normals.view_mut(),
                ),
            )
        }
    }
}

/// A part of a mesh that has its vertices and lacks its triangles.
pub(crate) struct VerticesMade<'a, T> {
    counted: Counted<'a, T>,
    positions: Buffer<f32>,
    normals: Option<Buffer<f32>>,
    shapes: Buffer<u16>,
}

impl<T: DeviceSample> VerticesMade<'_, T> {
    /// Makes the triangles; otherwise as [`Counted::emit`].
    pub fn emit_triangles(
        self,
        stream: &Stream,
        params: &IsosurfaceParams,
        width: IndexWidth,
        first_vertex: u64,
    ) -> Result<DeviceMesh, IsosurfaceError> {
        let triangles = match width {
            IndexWidth::Bits64 => DeviceTriangles::U64(self.counted.triangles_as(
                stream,
                params,
                first_vertex,
                &self.shapes,
            )?),
            _ => DeviceTriangles::U32(self.counted.triangles_as(
                stream,
                params,
                first_vertex,
                &self.shapes,
            )?),
        };
        let mut times = self.counted.times;
        times.end(stream, "triangles")?;
        Ok(DeviceMesh {
            positions: self.positions,
            normals: self.normals,
            triangles,
            non_finite_cells: self.counted.non_finite_cells,
            topology: self.counted.topology,
            times,
        })
    }
}

impl<T: DeviceSample> Counted<'_, T> {
    fn triangles_as<I: Index + Element>(
        &self,
        stream: &Stream,
        params: &IsosurfaceParams,
        first_vertex: u64,
        shapes: &Buffer<u16>,
    ) -> Result<Buffer<I>, DeviceError> {
        let mut triangles = stream.alloc::<I>(self.triangles as usize * 3)?;
        if self.triangles == 0 {
            return Ok(triangles);
        }
        // the table's triangles face the below side; a mirroring geometry turns them round once
        // more
        let flip = (params.inside == Inside::Below) != self.slab.geometry.mirrors();
        let args = (
            self.below.view(),
            self.words,
            self.edges.view(),
            self.occupied.view(),
            self.parts.view(),
            self.totals.sums(),
            first_vertex,
            flip as u32,
            triangles.view_mut(),
        );
        // SAFETY: the marks are those of the words, the places their scan, and there is room for
        // every triangle.
        unsafe {
            if are_few(stream, self.words) {
                stream.launch::<emit_word_triangles<I, PARTS>>(parts_launch(self.words), args)?;
            } else {
                stream.launch::<emit_word_triangles<I, 1>>(tiles_launch(self.words), args)?;
            }
        }
        if self.listed > 0 {
            // SAFETY: as above, and the shapes are those of the listed cells.
            unsafe {
                stream.launch::<emit_shaped_triangles<I>>(
                    listed_launch(self.words).at_most_threads(SHAPED_BLOCK),
                    (
                        self.below.view(),
                        self.words,
                        self.edges.view(),
                        self.occupied.view(),
                        self.totals.listed_tiles(),
                        self.totals.sums(),
                        shapes.view(),
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
