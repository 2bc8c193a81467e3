//! The mesh from one bit per sample.

use super::{
    DeviceMesh, DeviceTriangles, IndexWidth, Inside, IsosurfaceError, IsosurfaceParams, StageTimes,
    counts::PartCounts, slab::Slab,
};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream},
    grid::{DeviceSample, gradient_to_world, index_to_world},
    scan::exclusive_small,
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    grid::Grid,
    isosurface::{
        NormalRule,
        fused::{
            Index, TILE, Words, classify_edges, emit_word_triangles, emit_word_vertices,
            emit_word_vertices_and_normals, threshold_bits, threshold_bits_by_fours,
        },
        padded::Padded,
    },
    sample::Sample,
    scan::{pick_four, sum_small},
};
use std::borrow::Cow;

/// Device memory beyond the volume and the mesh, in bytes: for each word its signs, its active edges and its occupied cells,
/// for samples that may be non-finite and for a mask a word more, and for each tile its sums with those of their segments.
fn scratch_bytes<T: Sample>(words: Words, masked: bool) -> u64 {
    let per_sign_word = 4 * (1 + T::MAY_BE_NON_FINITE as u64 + masked as u64);
    words
        .signs()
        .saturating_mul(per_sign_word)
        .saturating_add(words.marked().saturating_mul(20))
        .saturating_add(words.sums().saturating_mul(9))
}

/// The same for a slab.
pub(super) fn scratch_of<T: DeviceSample>(slab: &Slab<'_, T>) -> u64 {
    let words = Words::new(slab.padded.grid, slab.first, slab.last);
    scratch_bytes::<T>(words, !slab.mask.is_empty())
}

/// The same for one plane of cells of a grid, wherever it is.
pub(crate) fn scratch_of_plane<T: DeviceSample>(grid: Grid, masked: bool) -> u64 {
    let nz = grid.nz.min(MOST_PLANES);
    scratch_bytes::<T>(Words::new(Grid { nz, ..grid }, 0, 1), masked)
}

/// Planes of samples, with a border, that the slab of one plane of cells has at most: two at the cells' corners, and one on each side.
const MOST_PLANES: u32 = 4;

/// Whether the samples can be read four at a time: rows begin at multiples of four, and all of the grid is stored and kept.
fn by_fours<T>(slab: &Slab<'_, T>) -> bool {
    let grid = slab.padded.grid;
    slab.padded == Padded::none(grid) && grid.nx.is_multiple_of(4) && slab.mask.is_empty()
}

/// The kernels of a mesh with 32-bit indices.
fn kernels<T: DeviceSample>(by_fours: bool, normals: bool) -> Vec<Cow<'static, str>> {
    vec![
        if by_fours {
            threshold_bits_by_fours::<T>::entry()
        } else {
            threshold_bits::<T>::entry()
        },
        classify_edges::entry(),
        sum_small::entry(),
        pick_four::entry(),
        if normals {
            emit_word_vertices_and_normals::<T>::entry()
        } else {
            emit_word_vertices::<T>::entry()
        },
        emit_word_triangles::<u32>::entry(),
    ]
}

/// A part of a mesh that is counted and not yet made.
pub(crate) struct Counted<'a, T> {
    slab: Slab<'a, T>,
    words: Words,
    below: Buffer<u32>,
    edges: Buffer<u32>,
    occupied: Buffer<u32>,
    places: Buffer<u64>,
    /// Vertices of the part, without those that the next part has.
    vertices: u64,
    triangles: u64,
    non_finite_cells: u64,
    times: StageTimes,
}

/// Finds what the surface crosses in a slab, and counts it. Synchronises the stream.
pub(crate) fn count<'a, T: DeviceSample>(
    stream: &Stream,
    slab: Slab<'a, T>,
    params: &IsosurfaceParams,
) -> Result<Counted<'a, T>, IsosurfaceError> {
    let mut times = StageTimes::start(stream)?;
    stream.prepare(&kernels::<T>(by_fours(&slab), params.normals))?;
    let words = Words::new(slab.padded.grid, slab.first, slab.last);
    let masked = !slab.mask.is_empty();
    let signs = words.signs() as usize;
    let mut below = stream.alloc::<u32>(signs)?;
    let mut finite = stream.alloc::<u32>(if T::MAY_BE_NON_FINITE { signs } else { 0 })?;
    let mut kept = stream.alloc::<u32>(if masked { signs } else { 0 })?;
    let mut exclusions = stream.zeros::<u32>(1)?;
    let launch = Launch::warp_pieces(words.signs().div_ceil(ferrovox_kernels::bits::GROUP as u64));
    if by_fours(&slab) {
        // SAFETY: the slab's samples are those of its grid, and there is a word of each sort for each word of signs.
        unsafe {
            stream.launch::<threshold_bits_by_fours<T>>(
                launch,
                (
                    slab.samples.view(),
                    words,
                    params.iso,
                    below.view_mut(),
                    finite.view_mut(),
                    exclusions.view_mut(),
                ),
            )?;
        }
    } else {
        // SAFETY: as above, of its padded grid.
        unsafe {
            stream.launch::<threshold_bits<T>>(
                launch,
                (
                    slab.samples.view(),
                    slab.mask.view(),
                    slab.padded,
                    words,
                    params.iso,
                    below.view_mut(),
                    finite.view_mut(),
                    kept.view_mut(),
                    exclusions.view_mut(),
                ),
            )?;
        }
    }
    times.end(stream, "signs")?;

    let marked = words.marked() as usize;
    let mut edges = stream.alloc::<u32>(marked * 4)?;
    let mut occupied = stream.alloc::<u32>(marked)?;
    let mut sums = stream.zeros::<u64>(words.sums() as usize)?;
    // SAFETY: the words of signs are there, four elements and one for each marked word, and the sums begin as zero.
    unsafe {
        stream.launch::<classify_edges>(
            tiles_launch(words),
            (
                below.view(),
                finite.view(),
                kept.view(),
                words,
                masked as u32,
                exclusions.view(),
                edges.view_mut(),
                occupied.view_mut(),
                sums.view_mut(),
            ),
        )?;
    }
    times.end(stream, "marks")?;
    exclusive_small(stream, &mut sums)?;
    let places = sums;
    let end_of_triangles = words.triangle_sums() + words.tiles();
    let own_vertices = if slab.last_plane_too {
        words.triangle_sums()
    } else {
        words.last_plane_sums()
    };
    let at = [
        own_vertices,
        words.triangle_sums(),
        end_of_triangles,
        end_of_triangles + 1,
    ];
    let mut picked = stream.alloc::<u64>(at.len())?;
    // SAFETY: the numbers are of elements of the sums, and there is room for four.
    unsafe {
        let args = (places.view(), at, picked.view_mut());
        stream.launch::<pick_four>(Launch::one_block().max_useful_threads(1), args)?;
    }
    times.end(stream, "scan")?;
    let picked = stream.download(&picked)?;
    Ok(Counted {
        slab,
        words,
        below,
        edges,
        occupied,
        places,
        vertices: picked[0],
        triangles: picked[2] - picked[1],
        non_finite_cells: picked[3] - picked[2],
        times,
    })
}

/// A launch whose blocks take tiles.
fn tiles_launch(words: Words) -> Launch {
    Launch::pieces(words.tiles()).block_divides(TILE)
}

impl<'a, T: DeviceSample> Counted<'a, T> {
    /// What the part has.
    pub fn counts(&self) -> PartCounts {
        PartCounts {
            vertices: self.vertices,
            triangles: self.triangles,
        }
    }

    /// Makes the part of the mesh, in indices of a width that is enough for the whole mesh, with `first_vertex` vertices before its
    /// own.
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

    /// Makes the part's vertices, and normals if they are wanted. They do not depend on the other parts.
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
            let normals: &mut Buffer<f32> = normals.insert(stream.alloc::<f32>(components)?);
            self.launch_vertices_and_normals(stream, params, &mut positions, normals)?;
        } else if self.vertices > 0 {
            // SAFETY: the marks are those of the words, the places their scan, and there is room for every vertex.
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
                        self.places.view(),
                        slab.last_plane_too as u32,
                        positions.view_mut(),
                    ),
                )?;
            }
        }
        self.times.end(stream, "vertices")?;
        Ok(VerticesMade {
            counted: self,
            positions,
            normals,
        })
    }

    fn launch_vertices_and_normals(
        &self,
        stream: &Stream,
        params: &IsosurfaceParams,
        positions: &mut Buffer<f32>,
        normals: &mut Buffer<f32>,
    ) -> Result<(), DeviceError> {
        let slab = &self.slab;
        let rule = NormalRule {
            gradient_to_world: gradient_to_world(&slab.geometry),
            outward: match params.inside {
                Inside::Above => -1.0,
                Inside::Below => 1.0,
            },
        };
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
                    self.places.view(),
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
            IndexWidth::Bits64 => {
                DeviceTriangles::U64(self.counted.triangles_as(stream, params, first_vertex)?)
            }
            _ => DeviceTriangles::U32(self.counted.triangles_as(stream, params, first_vertex)?),
        };
        let mut times = self.counted.times;
        times.end(stream, "triangles")?;
        Ok(DeviceMesh {
            positions: self.positions,
            normals: self.normals,
            triangles,
            non_finite_cells: self.counted.non_finite_cells,
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
    ) -> Result<Buffer<I>, DeviceError> {
        let mut triangles = stream.alloc::<I>(self.triangles as usize * 3)?;
        if self.triangles == 0 {
            return Ok(triangles);
        }
        // the table's triangles face the below side; a mirroring geometry turns them round once more
        let flip = (params.inside == Inside::Below) != self.slab.geometry.mirrors();
        // SAFETY: the marks are those of the words, the places their scan, and there is room for every triangle.
        unsafe {
            stream.launch::<emit_word_triangles<I>>(
                tiles_launch(self.words),
                (
                    self.below.view(),
                    self.words,
                    self.edges.view(),
                    self.occupied.view(),
                    self.places.view(),
                    first_vertex,
                    flip as u32,
                    triangles.view_mut(),
                ),
            )?;
        }
        Ok(triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrovox_kernels::grid::Grid;

    #[test]
    fn scratch_is_about_a_byte_for_each_voxel_at_most() {
        for n in [64u32, 512, 2048] {
            let grid = Grid {
                nx: n,
                ny: n,
                nz: n,
            };
            let words = Words::new(grid, 0, n - 1);
            let per_voxel = |bytes: u64| bytes as f64 / grid.samples() as f64;
            assert!(per_voxel(scratch_bytes::<u8>(words, false)) < 0.77);
            assert!(per_voxel(scratch_bytes::<u8>(words, true)) < 0.89);
            assert!(per_voxel(scratch_bytes::<f32>(words, false)) < 0.89);
            // a byte, and what there is for each tile
            assert!(per_voxel(scratch_bytes::<f32>(words, true)) < 1.02);
        }
    }
}
