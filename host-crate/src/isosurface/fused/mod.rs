//! The mesh from one bit per sample: what there is of it.

mod emit;
mod totals;

use super::{
    IndexWidth, IsosurfaceError, IsosurfaceParams, StageTimes, Topology, TopologyCounts,
    VertexPlacement, counts::PartCounts, slab::Slab,
};
use crate::{
    device::{Buffer, Launch, Stream},
    grid::DeviceSample,
    scan::exclusive_small_and_pick,
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    grid::Grid,
    isosurface::{
        fused::{
            TILE, Words, classify_edges, count_shapes, emit_cubic_word_vertices,
            emit_inner_word_vertices, emit_shaped_triangles, emit_shapes, emit_word_triangles,
            emit_word_vertices, emit_word_vertices_and_normals, threshold_bits,
            threshold_bits_by_fours,
        },
        padded::Padded,
        topology::CellCounts,
    },
    sample::Sample,
    scan::{PICKED, sum_small},
};
use std::borrow::Cow;
use totals::Totals;

/// Device memory beyond the volume and the mesh, in bytes: for each word its signs, its active edges and its occupied cells,
/// for samples that may be non-finite and for a mask a word more, and for each tile its sums with those of their segments.
fn scratch_bytes<T: Sample>(words: Words, masked: bool) -> u64 {
    let per_sign_word = 4 * (1 + T::MAY_BE_NON_FINITE as u64 + masked as u64);
    words
        .signs()
        .saturating_mul(per_sign_word)
        .saturating_add(words.marked().saturating_mul(20))
        .saturating_add(words.sums().saturating_mul(9))
        .saturating_add(words.listed_tiles().saturating_mul(8))
}

/// The same for a slab. Shapes come to it, once their cells are counted: see [`Counted::bytes`].
pub(super) fn scratch_of<T: DeviceSample>(slab: &Slab<'_, T>, topology: Topology) -> u64 {
    scratch_bytes::<T>(words_of(slab, topology), !slab.mask.is_empty())
}

fn words_of<T>(slab: &Slab<'_, T>, topology: Topology) -> Words {
    let shaped = topology == Topology::Trilinear;
    Words::new(slab.padded.grid, slab.first, slab.last, shaped)
}

/// The same for one plane of cells of a grid, wherever it is.
pub(crate) fn scratch_of_plane<T: DeviceSample>(grid: Grid, masked: bool) -> u64 {
    let nz = grid.nz.min(MOST_PLANES);
    scratch_bytes::<T>(Words::new(Grid { nz, ..grid }, 0, 1, true), masked)
}

/// Planes of samples, with a border, that the slab of one plane of cells has at most: two at the cells' corners, and one on each side.
const MOST_PLANES: u32 = 4;

/// Whether the samples can be read four at a time: rows begin at multiples of four, and all of the grid is stored and kept.
fn by_fours<T>(slab: &Slab<'_, T>) -> bool {
    let grid = slab.padded.grid;
    slab.padded == Padded::none(grid) && grid.nx.is_multiple_of(4) && slab.mask.is_empty()
}

/// The kernels of a mesh with 32-bit indices.
fn kernels<T: DeviceSample>(by_fours: bool, params: &IsosurfaceParams) -> Vec<Cow<'static, str>> {
    let mut kernels = vec![
        if by_fours {
            threshold_bits_by_fours::<T>::entry()
        } else {
            threshold_bits::<T>::entry()
        },
        classify_edges::entry(),
        sum_small::entry(),
        match (params.vertices, params.normals) {
            (VertexPlacement::Root, _) => emit_cubic_word_vertices::<T>::entry(),
            (VertexPlacement::Linear, true) => emit_word_vertices_and_normals::<T>::entry(),
            (VertexPlacement::Linear, false) => emit_word_vertices::<T>::entry(),
        },
        emit_word_triangles::<u32>::entry(),
    ];
    if params.topology == Topology::Trilinear {
        kernels.extend([
            count_shapes::<T>::entry(),
            emit_shapes::<T>::entry(),
            emit_inner_word_vertices::<T>::entry(),
            emit_shaped_triangles::<u32>::entry(),
        ]);
    }
    kernels
}

/// A part of a mesh that is counted and not yet made.
pub(crate) struct Counted<'a, T> {
    slab: Slab<'a, T>,
    words: Words,
    below: Buffer<u32>,
    edges: Buffer<u32>,
    occupied: Buffer<u32>,
    /// With the sums scanned.
    totals: Totals,
    /// Vertices of the part, without those that the next part has.
    vertices: u64,
    triangles: u64,
    /// Cells whose triangles depend on values; none if the topology does not ask for them.
    listed: u64,
    topology: TopologyCounts,
    non_finite_cells: u64,
    times: StageTimes,
}

impl<T> Counted<'_, T> {
    /// What the part has.
    pub fn counts(&self) -> PartCounts {
        PartCounts {
            vertices: self.vertices,
            triangles: self.triangles,
        }
    }

    /// Bytes of the part, and of what is needed to make it beyond what was needed to count it.
    pub fn bytes(&self, params: &IsosurfaceParams, width: IndexWidth) -> u64 {
        let shapes = self.listed.saturating_mul(size_of::<u16>() as u64);
        self.counts().bytes(params, width).saturating_add(shapes)
    }
}

/// Finds what the surface crosses in a slab, and counts it. Synchronises the stream.
pub(crate) fn count<'a, T: DeviceSample>(
    stream: &Stream,
    slab: Slab<'a, T>,
    params: &IsosurfaceParams,
) -> Result<Counted<'a, T>, IsosurfaceError> {
    let mut times = StageTimes::start(stream, params.time_stages)?;
    stream.prepare(&kernels::<T>(by_fours(&slab), params))?;
    let words = words_of(&slab, params.topology);
    let masked = !slab.mask.is_empty();
    let signs = words.signs() as usize;
    let mut below = stream.alloc::<u32>(signs)?;
    let mut finite = stream.alloc::<u32>(if T::MAY_BE_NON_FINITE { signs } else { 0 })?;
    let mut kept = stream.alloc::<u32>(if masked { signs } else { 0 })?;
    let mut totals = Totals::new(stream, words)?;
    let [sums, listed_tiles, exclusions] = totals.parts_mut();
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
                    exclusions,
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
                    exclusions,
                ),
            )?;
        }
    }
    times.end(stream, "signs")?;

    let marked = words.marked() as usize;
    let mut edges = stream.alloc::<u32>(marked * 4)?;
    let mut occupied = stream.alloc::<u32>(marked)?;
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
                exclusions.as_view(),
                edges.view_mut(),
                occupied.view_mut(),
                sums,
                listed_tiles,
            ),
        )?;
    }
    times.end(stream, "marks")?;
    // four places of sums; then, where shapes are asked for, the cells by sort and the listed ones, which are counted on the way
    let mut picked = match words.shaped != 0 {
        true => stream.zeros::<u64>(PICKED + CellCounts::TOTALS + 1)?,
        false => stream.alloc::<u64>(PICKED)?,
    };
    if words.shaped != 0 {
        // SAFETY: samples and words are the slab's, the sums are those just counted, and there is an element for each total.
        unsafe {
            stream.launch::<count_shapes<T>>(
                listed_launch(words),
                (
                    slab.samples.view(),
                    slab.padded,
                    words,
                    params.iso,
                    below.view(),
                    occupied.view(),
                    listed_tiles.as_view(),
                    sums,
                    picked.view_mut().slice(PICKED, CellCounts::TOTALS + 1),
                ),
            )?;
        }
        times.end(stream, "shapes counted")?;
    }
    let own_vertices = if slab.last_plane_too {
        words.triangle_sums()
    } else {
        words.last_plane_sums()
    };
    let at: [u64; PICKED] = [
        own_vertices,
        words.triangle_sums(),
        words.sums() - 2,
        words.sums() - 1,
    ];
    exclusive_small_and_pick(stream, sums, at, picked.view_mut().slice(0, PICKED))?;
    times.end(stream, "scan")?;
    let picked = stream.download(&picked)?;
    let (topology, listed) = match &picked[PICKED..] {
        [totals @ .., listed] => (TopologyCounts::from_totals(totals), *listed),
        [] => (TopologyCounts::default(), 0),
    };
    Ok(Counted {
        slab,
        words,
        below,
        edges,
        occupied,
        totals,
        vertices: picked[0],
        triangles: picked[2] - listed - picked[1],
        listed,
        topology,
        non_finite_cells: picked[3] - picked[2],
        times,
    })
}

/// A launch whose blocks take tiles.
fn tiles_launch(words: Words) -> Launch {
    Launch::pieces(words.tiles()).block_divides(TILE)
}

/// A launch whose blocks take those tiles that have listed cells, of which there may be few.
fn listed_launch(words: Words) -> Launch {
    Launch::pieces(words.tiles().min(MOST_BLOCKS)).block_divides(TILE)
}

/// Blocks for listed cells at most: a few times what a large GPU has at work together.
const MOST_BLOCKS: u64 = 2048;

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
            let words = Words::new(grid, 0, n - 1, true);
            let per_voxel = |bytes: u64| bytes as f64 / grid.samples() as f64;
            assert!(per_voxel(scratch_bytes::<u8>(words, false)) < 0.77);
            assert!(per_voxel(scratch_bytes::<u8>(words, true)) < 0.89);
            assert!(per_voxel(scratch_bytes::<f32>(words, false)) < 0.89);
            // a byte, and what there is for each tile
            assert!(per_voxel(scratch_bytes::<f32>(words, true)) < 1.02);
        }
    }
}
