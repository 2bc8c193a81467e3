//! First half of the fused method: counting the vertices and triangles of a slab.

use super::{
    ambiguous_launch, can_vectorize, has_few_tiles, kernels, tiles_launch, totals::Totals,
    word_layout,
};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream},
    grid::DeviceSample,
    isosurface::{
        IndexWidth, IsosurfaceError, IsosurfaceParams, MaskRule, StageTimes, TopologyCounts,
        counts::PartCounts, slab::Slab,
    },
    scan::exclusive_small_and_gather,
};
use ferrovox_kernels::{
    isosurface::{
        fused::{
            MASKED_BY_LAST_CORNER, WordLayout, classify_edges, count_subcases, threshold_bits,
            threshold_bits_vectorized,
        },
        topology::CellCounts,
    },
    scan::GATHERED_LEN,
};

/// A part of a mesh that has been counted but not emitted.
pub(crate) struct CountedPart<'a, T> {
    pub(super) slab: Slab<'a, T>,
    pub(super) layout: WordLayout,
    /// One bit per sample: the sample is below the isovalue.
    pub(super) below: Buffer<u32>,
    /// Four elements per word of edges, as [`classify_edges`] writes them: the active edges along
    /// x, y and z, and the number of vertices of the tile before the word.
    pub(super) edges: Buffer<u32>,
    /// One bit per cell: the cell is crossed by the surface.
    pub(super) occupied: Buffer<u32>,
    /// Number of triangles before each part of a tile; empty unless there are few tiles.
    pub(super) parts: Buffer<u16>,
    /// Counts and lists of tiles, with the counts scanned to offsets.
    pub(super) totals: Totals,
    /// Number of vertices of the part, excluding the vertices in its last plane that belong to the
    /// next part.
    pub(super) vertices: u64,
    pub(super) triangles: u64,
    /// Number of ambiguous cells; 0 with
    /// [`Topology::Separated`](super::super::Topology::Separated).
    pub(super) ambiguous: u64,
    pub(super) topology: TopologyCounts,
    pub(super) non_finite_cells: u64,
    pub(super) times: StageTimes,
}

impl<T> CountedPart<'_, T> {
    /// Returns the size of the part.
    pub fn counts(&self) -> PartCounts {
        PartCounts {
            vertices: self.vertices,
            triangles: self.triangles,
        }
    }

    /// Returns the size in bytes of the part, and of the scratch memory that emitting needs in
    /// addition to that of counting.
    pub fn bytes(&self, params: &IsosurfaceParams, width: IndexWidth) -> u64 {
        let subcases = self.ambiguous.saturating_mul(size_of::<u16>() as u64);
        self.counts().bytes(params, width).saturating_add(subcases)
    }
}

/// Counts the vertices and triangles of the surface in a slab. Synchronises the stream.
pub(crate) fn count<'a, T: DeviceSample>(
    stream: &Stream,
    slab: Slab<'a, T>,
    params: &IsosurfaceParams,
) -> Result<CountedPart<'a, T>, IsosurfaceError> {
    Ok(enqueue_count(stream, slab, params)?.finish(stream)?)
}

/// A part of a mesh whose counts have been enqueued.
pub(in crate::isosurface) struct PendingCount<'a, T> {
    /// The part without its counts.
    counted: CountedPart<'a, T>,
    gathered: Buffer<u64>,
}

impl<'a, T> PendingCount<'a, T> {
    /// Reads back the counts. Synchronises the stream.
    pub fn finish(self, stream: &Stream) -> Result<CountedPart<'a, T>, DeviceError> {
        let gathered = stream.download(&self.gathered)?;
        let (topology, ambiguous) = match &gathered[GATHERED_LEN..] {
            [totals @ .., ambiguous] => (TopologyCounts::from_totals(totals), *ambiguous),
            [] => (TopologyCounts::default(), 0),
        };
        Ok(CountedPart {
            vertices: gathered[0],
            triangles: gathered[2] - ambiguous - gathered[1],
            ambiguous,
            topology,
            non_finite_cells: gathered[3] - gathered[2],
            ..self.counted
        })
    }
}

/// Enqueues the work of [`count`] without synchronisation.
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
        // SAFETY: the slab's samples are those of its grid, and each buffer of bits has one element
        // per word of samples.
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
        // SAFETY: as above, for the padded grid.
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
    times.end(stream, "threshold")?;

    let edge_words = layout.edge_words() as usize;
    let mut edges = stream.alloc::<u32>(edge_words * 4)?;
    let mut occupied = stream.alloc::<u32>(edge_words)?;
    let mut parts = stream.alloc::<u16>(if few_tiles {
        layout.parts() as usize
    } else {
        0
    })?;
    // SAFETY: the bits of all samples are present; per word of edges, `edges` has four elements and
    // `occupied` one; `parts` has one per part of a tile; the counts are 0.
    unsafe {
        stream.launch::<classify_edges>(
            tiles_launch(layout),
            (
                below.view(),
                finite.view(),
                unmasked.view(),
                layout,
                match params.mask_rule {
                    MaskRule::AllCorners => masked as u32,
                    MaskRule::LastCorner if masked => MASKED_BY_LAST_CORNER,
                    MaskRule::LastCorner => 0,
                },
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
    // Four offsets, followed, if ambiguous cells are resolved, by the statistics and the number of
    // these cells, which `count_subcases` adds up.
    let mut gathered = if layout.trilinear != 0 {
        stream.zeros::<u64>(GATHERED_LEN + CellCounts::TOTALS + 1)?
    } else {
        stream.alloc::<u64>(GATHERED_LEN)?
    };
    if layout.trilinear != 0 {
        // SAFETY: samples and words are those of the slab, the counts are the result of the
        // previous kernel, and there is one element per total.
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
                    gathered
                        .view_mut()
                        .slice(GATHERED_LEN, CellCounts::TOTALS + 1),
                ),
            )?;
        }
        times.end(stream, "count subcases")?;
    }
    let own_vertices = if slab.owns_end_plane {
        layout.triangle_counts_start()
    } else {
        layout.end_plane_counts_start()
    };
    let at: [u64; GATHERED_LEN] = [
        own_vertices,
        layout.triangle_counts_start(),
        layout.counts_len() - 2,
        layout.counts_len() - 1,
    ];
    exclusive_small_and_gather(
        stream,
        counts,
        at,
        gathered.view_mut().slice(0, GATHERED_LEN),
    )?;
    times.end(stream, "scan")?;
    let counted = CountedPart {
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
    Ok(PendingCount { counted, gathered })
}
