//! The mesh from one bit per sample: how much of it there is.

use super::{
    ambiguous_launch, can_vectorize, has_few_tiles, kernels, tiles_launch, totals::Totals,
    word_layout,
};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream},
    grid::DeviceSample,
    isosurface::{
        IndexWidth, IsosurfaceError, IsosurfaceParams, StageTimes, TopologyCounts,
        counts::PartCounts, slab::Slab,
    },
    scan::exclusive_small_and_pick,
};
use ferrovox_kernels::{
    isosurface::{
        fused::{
            WordLayout, classify_edges, count_subcases, threshold_bits, threshold_bits_vectorized,
        },
        topology::CellCounts,
    },
    scan::PICKED,
};

/// A part of a mesh that is counted and not yet made.
pub(crate) struct Counted<'a, T> {
    pub(super) slab: Slab<'a, T>,
    pub(super) layout: WordLayout,
    pub(super) below: Buffer<u32>,
    pub(super) edges: Buffer<u32>,
    pub(super) occupied: Buffer<u32>,
    pub(super) parts: Buffer<u16>,
    /// With the sums scanned.
    pub(super) totals: Totals,
    /// Vertices of the part, without those that the next part has.
    pub(super) vertices: u64,
    pub(super) triangles: u64,
    /// Cells whose triangles depend on values; none if the topology does not ask for them.
    pub(super) ambiguous: u64,
    pub(super) topology: TopologyCounts,
    pub(super) non_finite_cells: u64,
    pub(super) times: StageTimes,
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
        let subcases = self.ambiguous.saturating_mul(size_of::<u16>() as u64);
        self.counts().bytes(params, width).saturating_add(subcases)
    }
}

/// Finds what the surface crosses in a slab, and counts it. Synchronises the stream.
pub(crate) fn count<'a, T: DeviceSample>(
    stream: &Stream,
    slab: Slab<'a, T>,
    params: &IsosurfaceParams,
) -> Result<Counted<'a, T>, IsosurfaceError> {
    Ok(enqueue_count(stream, slab, params)?.finish(stream)?)
}

/// A part of a mesh whose counts are under way.
pub(in crate::isosurface) struct PendingCount<'a, T> {
    /// Without its counts.
    counted: Counted<'a, T>,
    picked: Buffer<u64>,
}

impl<'a, T> PendingCount<'a, T> {
    /// Learns the counts. Synchronises the stream.
    pub fn finish(self, stream: &Stream) -> Result<Counted<'a, T>, DeviceError> {
        let picked = stream.download(&self.picked)?;
        let (topology, ambiguous) = match &picked[PICKED..] {
            [totals @ .., ambiguous] => (TopologyCounts::from_totals(totals), *ambiguous),
            [] => (TopologyCounts::default(), 0),
        };
        Ok(Counted {
            vertices: picked[0],
            triangles: picked[2] - ambiguous - picked[1],
            ambiguous,
            topology,
            non_finite_cells: picked[3] - picked[2],
            ..self.counted
        })
    }
}

/// Enqueues what [`count`] does. Nothing is synchronised.
pub(in crate::isosurface) fn enqueue_count<'a, T: DeviceSample>(
    stream: &Stream,
    slab: Slab<'a, T>,
    params: &IsosurfaceParams,
) -> Result<PendingCount<'a, T>, IsosurfaceError> {
    let mut times = StageTimes::start(stream, params.time_stages)?;
    let layout = word_layout(&slab, params.topology);
    let few_tiles = has_few_tiles(stream, layout);
    stream.prepare(&kernels::<T>(can_vectorize(&slab), few_tiles, params))?;
    let masked = !slab.mask.is_empty();
    let sample_words = layout.sample_words() as usize;
    let mut below = stream.alloc::<u32>(sample_words)?;
    let mut finite = stream.alloc::<u32>(if T::MAY_BE_NON_FINITE {
        sample_words
    } else {
        0
    })?;
    let mut unmasked = stream.alloc::<u32>(if masked { sample_words } else { 0 })?;
    let mut totals = Totals::new(stream, layout)?;
    let [counts, ambiguous_tiles, exclusions] = totals.views_mut();
    let launch = Launch::warp_pieces(
        layout
            .sample_words()
            .div_ceil(ferrovox_kernels::bits::GROUP as u64),
    );
    if can_vectorize(&slab) {
        // SAFETY: the slab's samples are those of its grid, and there is a word of each sort for
        // each word of signs.
        unsafe {
            stream.launch::<threshold_bits_vectorized<T>>(
                launch,
                (
                    slab.samples.view(),
                    layout,
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
                    layout,
                    params.iso,
                    below.view_mut(),
                    finite.view_mut(),
                    unmasked.view_mut(),
                    exclusions,
                ),
            )?;
        }
    }
    times.end(stream, "sample_words")?;

    let edge_words = layout.edge_words() as usize;
    let mut edges = stream.alloc::<u32>(edge_words * 4)?;
    let mut occupied = stream.alloc::<u32>(edge_words)?;
    let mut parts = stream.alloc::<u16>(if few_tiles {
        layout.parts() as usize
    } else {
        0
    })?;
    // SAFETY: the words of signs are there, four elements and one for each marked word, one for
    // each part of a tile, and the sums begin as zero.
    unsafe {
        stream.launch::<classify_edges>(
            tiles_launch(layout),
            (
                below.view(),
                finite.view(),
                unmasked.view(),
                layout,
                masked as u32,
                exclusions.as_view(),
                edges.view_mut(),
                occupied.view_mut(),
                parts.view_mut(),
                counts,
                ambiguous_tiles,
            ),
        )?;
    }
    times.end(stream, "classify")?;
    // four places of sums; then, where shapes are asked for, the cells by sort and the listed ones,
    // which are counted on the way
    let mut picked = if layout.trilinear != 0 {
        stream.zeros::<u64>(PICKED + CellCounts::TOTALS + 1)?
    } else {
        stream.alloc::<u64>(PICKED)?
    };
    if layout.trilinear != 0 {
        // SAFETY: samples and words are the slab's, the sums are those just counted, and there is
        // an element for each total.
        unsafe {
            stream.launch::<count_subcases<T>>(
                ambiguous_launch(layout),
                (
                    slab.samples.view(),
                    slab.padded,
                    layout,
                    params.iso,
                    below.view(),
                    occupied.view(),
                    ambiguous_tiles.as_view(),
                    counts,
                    picked.view_mut().slice(PICKED, CellCounts::TOTALS + 1),
                ),
            )?;
        }
        times.end(stream, "subcases counted")?;
    }
    let own_vertices = if slab.last_plane_too {
        layout.triangle_counts_start()
    } else {
        layout.last_plane_counts_start()
    };
    let at: [u64; PICKED] = [
        own_vertices,
        layout.triangle_counts_start(),
        layout.counts_len() - 2,
        layout.counts_len() - 1,
    ];
    exclusive_small_and_pick(stream, counts, at, picked.view_mut().slice(0, PICKED))?;
    times.end(stream, "scan")?;
    let counted = Counted {
        slab,
        layout,
        below,
        edges,
        occupied,
        parts,
        totals,
        vertices: 0,
        triangles: 0,
        ambiguous: 0,
        topology: TopologyCounts::default(),
        non_finite_cells: 0,
        times,
    };
    Ok(PendingCount { counted, picked })
}
