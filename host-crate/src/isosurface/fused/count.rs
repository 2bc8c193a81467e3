//! The mesh from one bit per sample: how much of it there is.

use super::{are_few, by_fours, kernels, listed_launch, tiles_launch, totals::Totals, words_of};
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
        fused::{Words, classify_edges, count_shapes, threshold_bits, threshold_bits_by_fours},
        topology::CellCounts,
    },
    scan::PICKED,
};

/// A part of a mesh that is counted and not yet made.
pub(crate) struct Counted<'a, T> {
    pub(super) slab: Slab<'a, T>,
    pub(super) words: Words,
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
    pub(super) listed: u64,
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
    Ok(begin_count(stream, slab, params)?.finish(stream)?)
}

/// A part of a mesh whose counts are under way.
pub(in crate::isosurface) struct Counting<'a, T> {
    /// Without its counts.
    counted: Counted<'a, T>,
    picked: Buffer<u64>,
}

impl<'a, T> Counting<'a, T> {
    /// Learns the counts. Synchronises the stream.
    pub fn finish(self, stream: &Stream) -> Result<Counted<'a, T>, DeviceError> {
        let picked = stream.download(&self.picked)?;
        let (topology, listed) = match &picked[PICKED..] {
            [totals @ .., listed] => (TopologyCounts::from_totals(totals), *listed),
            [] => (TopologyCounts::default(), 0),
        };
        Ok(Counted {
            vertices: picked[0],
            triangles: picked[2] - listed - picked[1],
            listed,
            topology,
            non_finite_cells: picked[3] - picked[2],
            ..self.counted
        })
    }
}

/// Enqueues what [`count`] does. Nothing is synchronised.
pub(in crate::isosurface) fn begin_count<'a, T: DeviceSample>(
    stream: &Stream,
    slab: Slab<'a, T>,
    params: &IsosurfaceParams,
) -> Result<Counting<'a, T>, IsosurfaceError> {
    let mut times = StageTimes::start(stream, params.time_stages)?;
    let words = words_of(&slab, params.topology);
    let few = are_few(stream, words);
    stream.prepare(&kernels::<T>(by_fours(&slab), few, params))?;
    let masked = !slab.mask.is_empty();
    let signs = words.signs() as usize;
    let mut below = stream.alloc::<u32>(signs)?;
    let mut finite = stream.alloc::<u32>(if T::MAY_BE_NON_FINITE { signs } else { 0 })?;
    let mut kept = stream.alloc::<u32>(if masked { signs } else { 0 })?;
    let mut totals = Totals::new(stream, words)?;
    let [sums, listed_tiles, exclusions] = totals.parts_mut();
    let launch = Launch::warp_pieces(words.signs().div_ceil(ferrovox_kernels::bits::GROUP as u64));
    if by_fours(&slab) {
        // SAFETY: the slab's samples are those of its grid, and there is a word of each sort for
        // each word of signs.
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
    let mut parts = stream.alloc::<u16>(if few { words.parts() as usize } else { 0 })?;
    // SAFETY: the words of signs are there, four elements and one for each marked word, one for
    // each part of a tile, and the sums begin as zero.
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
                parts.view_mut(),
                sums,
                listed_tiles,
            ),
        )?;
    }
    times.end(stream, "marks")?;
    // four places of sums; then, where shapes are asked for, the cells by sort and the listed ones,
    // which are counted on the way
    let mut picked = if words.shaped != 0 {
        stream.zeros::<u64>(PICKED + CellCounts::TOTALS + 1)?
    } else {
        stream.alloc::<u64>(PICKED)?
    };
    if words.shaped != 0 {
        // SAFETY: samples and words are the slab's, the sums are those just counted, and there is
        // an element for each total.
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
    let counted = Counted {
        slab,
        words,
        below,
        edges,
        occupied,
        parts,
        totals,
        vertices: 0,
        triangles: 0,
        listed: 0,
        topology: TopologyCounts::default(),
        non_finite_cells: 0,
        times,
    };
    Ok(Counting { counted, picked })
}
