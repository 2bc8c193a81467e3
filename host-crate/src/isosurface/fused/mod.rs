//! The fused method: extraction from one bit per sample.

mod count;
mod emit;
mod totals;

pub(super) use count::enqueue_count;
pub(crate) use count::{CountedPart, count};

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
            TILE_PARTS, TILE_WORDS, WordLayout, classify_edges, count_subcases,
            emit_ambiguous_triangles, emit_cubic_word_vertices, emit_inner_word_vertices,
            emit_subcases, emit_word_triangles, emit_word_vertices, emit_word_vertices_and_normals,
            threshold_bits, threshold_bits_vectorized,
        },
        padded::PaddedGrid,
    },
    sample::Sample,
    scan::scan_small,
};
use std::borrow::Cow;

/// Returns the device memory in bytes in addition to volume and mesh: for each word its below bits,
/// active edges and occupied cells, one word more each for samples that may be non-finite and for a
/// mask, and for each tile its counts and the sums of their segments.
fn scratch_bytes<T: Sample>(layout: WordLayout, masked: bool) -> u64 {
    let per_sign_word = 4 * (1 + T::MAY_BE_NON_FINITE as u64 + masked as u64);
    layout
        .sample_words()
        .saturating_mul(per_sign_word)
        .saturating_add(layout.edge_words().saturating_mul(20))
        .saturating_add(layout.counts_len().saturating_mul(9))
        .saturating_add(layout.ambiguous_tiles_len().saturating_mul(8))
        .saturating_add(layout.parts().saturating_mul(2))
}

/// Returns the scratch memory of a slab in bytes. Subcases are added after counting: see
/// [`CountedPart::bytes`].
pub(super) fn slab_scratch_bytes<T: DeviceSample>(slab: &Slab<'_, T>, topology: Topology) -> u64 {
    scratch_bytes::<T>(word_layout(slab, topology), !slab.mask.is_empty())
}

fn word_layout<T>(slab: &Slab<'_, T>, topology: Topology) -> WordLayout {
    let trilinear = topology == Topology::Trilinear;
    WordLayout::new(slab.padded.grid, slab.first, slab.end, trilinear)
}

/// Returns the scratch memory, in bytes, of the thinnest slab of a grid: an upper bound on that of
/// one plane of cells.
pub(crate) fn min_scratch_bytes<T: DeviceSample>(grid: Grid, masked: bool) -> u64 {
    let nz = grid.nz.min(MAX_SLAB_PLANES);
    scratch_bytes::<T>(WordLayout::new(Grid { nz, ..grid }, 0, 1, true), masked)
}

/// Maximum number of planes of samples, border included, of a slab of one plane of cells: two at
/// the corners of the cells, and one on each side.
const MAX_SLAB_PLANES: u32 = 4;

/// Returns `true` if four samples can be read in one access: rows begin at multiples of four, all
/// samples of the grid are stored, and there is no mask.
fn can_vectorize<T>(slab: &Slab<'_, T>) -> bool {
    let grid = slab.padded.grid;
    slab.padded == PaddedGrid::unpadded(grid) && grid.nx.is_multiple_of(4) && slab.mask.is_empty()
}

/// Returns the names of the kernels of a mesh with 32-bit indices.
fn kernels<T: DeviceSample>(
    can_vectorize: bool,
    few_tiles: bool,
    params: &IsosurfaceParams,
) -> Vec<Cow<'static, str>> {
    let mut kernels = vec![
        if can_vectorize {
            threshold_bits_vectorized::<T>::entry()
        } else {
            threshold_bits::<T>::entry()
        },
        classify_edges::entry(),
        scan_small::entry(),
        match (params.vertices, params.normals) {
            (VertexPlacement::Root, _) => emit_cubic_word_vertices::<T>::entry(),
            (VertexPlacement::Linear, true) => emit_word_vertices_and_normals::<T>::entry(),
            (VertexPlacement::Linear, false) => emit_word_vertices::<T>::entry(),
        },
        if few_tiles {
            emit_word_triangles::<u32, TILE_PARTS>::entry()
        } else {
            emit_word_triangles::<u32, 1>::entry()
        },
    ];
    if params.topology == Topology::Trilinear {
        kernels.extend([
            count_subcases::<T>::entry(),
            emit_subcases::<T>::entry(),
            emit_inner_word_vertices::<T>::entry(),
            emit_ambiguous_triangles::<u32>::entry(),
        ]);
    }
    kernels
}

/// Returns a launch of one block per tile.
fn tiles_launch(layout: WordLayout) -> Launch {
    Launch::pieces(layout.tiles()).block_divides(TILE_WORDS)
}

/// Returns a launch of one block per part of a tile.
fn parts_launch(layout: WordLayout) -> Launch {
    Launch::pieces(layout.parts()).block_divides(TILE_WORDS)
}

/// Returns `true` if there are so few tiles that blocks should share them; otherwise most
/// multiprocessors would idle while the last tiles are processed.
fn has_few_tiles(stream: &Stream, layout: WordLayout) -> bool {
    layout.tiles() < u64::from(stream.device().limits().multiprocessors) * 4
}

/// Returns a launch over the tiles with ambiguous cells, of which there may be few.
fn ambiguous_launch(layout: WordLayout) -> Launch {
    Launch::pieces(layout.tiles().min(MAX_AMBIGUOUS_BLOCKS)).block_divides(TILE_WORDS)
}

/// Maximum number of blocks for ambiguous cells: a few times the number of blocks that a large GPU
/// runs concurrently.
const MAX_AMBIGUOUS_BLOCKS: u64 = 2048;

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
            let layout = WordLayout::new(grid, 0, n - 1, true);
            let per_voxel = |bytes: u64| bytes as f64 / grid.samples() as f64;
            assert!(per_voxel(scratch_bytes::<u8>(layout, false)) < 0.77);
            assert!(per_voxel(scratch_bytes::<u8>(layout, true)) < 0.89);
            assert!(per_voxel(scratch_bytes::<f32>(layout, false)) < 0.89);
            // one byte, and the counts of each tile
            assert!(per_voxel(scratch_bytes::<f32>(layout, true)) < 1.02);
        }
    }
}
