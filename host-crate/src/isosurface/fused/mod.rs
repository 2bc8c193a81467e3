//! The mesh from one bit per sample: what there is of it.

mod count;
mod emit;
mod totals;

pub(super) use count::begin_count;
pub(crate) use count::{Counted, count};

use super::{IsosurfaceParams, Topology, VertexPlacement, slab::Slab};
use crate::{
    device::{Launch, Stream},
    grid::DeviceSample,
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    grid::Grid,
    isosurface::{
        fused::{
            PARTS, TILE, Words, classify_edges, count_shapes, emit_cubic_word_vertices,
            emit_inner_word_vertices, emit_shaped_triangles, emit_shapes, emit_word_triangles,
            emit_word_vertices, emit_word_vertices_and_normals, threshold_bits,
            threshold_bits_by_fours,
        },
        padded::Padded,
    },
    sample::Sample,
    scan::sum_small,
};
use std::borrow::Cow;

/// Device memory beyond the volume and the mesh, in bytes: for each word its signs, its active
/// edges and its occupied cells, for samples that may be non-finite and for a mask a word more, and
/// for each tile its sums with those of their segments.
fn scratch_bytes<T: Sample>(words: Words, masked: bool) -> u64 {
    let per_sign_word = 4 * (1 + T::MAY_BE_NON_FINITE as u64 + masked as u64);
    words
        .signs()
        .saturating_mul(per_sign_word)
        .saturating_add(words.marked().saturating_mul(20))
        .saturating_add(words.sums().saturating_mul(9))
        .saturating_add(words.listed_tiles().saturating_mul(8))
        .saturating_add(words.parts().saturating_mul(2))
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

/// Planes of samples, with a border, that the slab of one plane of cells has at most: two at the
/// cells' corners, and one on each side.
const MOST_PLANES: u32 = 4;

/// Whether the samples can be read four at a time: rows begin at multiples of four, and all of the
/// grid is stored and kept.
fn by_fours<T>(slab: &Slab<'_, T>) -> bool {
    let grid = slab.padded.grid;
    slab.padded == Padded::none(grid) && grid.nx.is_multiple_of(4) && slab.mask.is_empty()
}

/// The kernels of a mesh with 32-bit indices.
fn kernels<T: DeviceSample>(
    by_fours: bool,
    few_tiles: bool,
    params: &IsosurfaceParams,
) -> Vec<Cow<'static, str>> {
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
        match few_tiles {
            true => emit_word_triangles::<u32, PARTS>::entry(),
            false => emit_word_triangles::<u32, 1>::entry(),
        },
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

/// A launch whose blocks take tiles.
fn tiles_launch(words: Words) -> Launch {
    Launch::pieces(words.tiles()).block_divides(TILE)
}

/// A launch whose blocks take parts of tiles.
fn parts_launch(words: Words) -> Launch {
    Launch::pieces(words.parts()).block_divides(TILE)
}

/// Whether tiles are so few that a device waits for the last of them, so that blocks are to share
/// each.
fn are_few(stream: &Stream, words: Words) -> bool {
    words.tiles() < u64::from(stream.device().limits().multiprocessors) * 4
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
