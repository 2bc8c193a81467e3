//! Relaxation of the vertices of a surface net, and adaptation of the enclosed volumes.

use super::{
    LabelSurfaceError, LabelSurfaceParams,
    net::{NetQuads, exclusive_scan},
};
use crate::{
    device::{Buffer, DeviceError, Element, Stream, items_launch},
    scan::Scanner,
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    label_surface::{
        Net, QUADS_PER_RUN, apply_label_pressures, compute_label_pressures, count_incident_quads,
        list_incident_quads, list_relaxation_neighbours, measure_label_quads, relax_label_vertices,
    },
    sample::Count,
};

/// Difference between the enclosed volume of a label and that of its voxels that needs no further
/// step, as a fraction of the latter.
const TOLERANCE: f64 = 1.0 / 512.0;

/// Factors of the two steps of Taubin's filter.
const TAUBIN: [f32; 2] = [0.5, -0.53];

/// Lists of the quads and of the neighbours of each vertex.
struct VertexLists<I: Element> {
    starts: Buffer<u64>,
    quad_counts: Buffer<u32>,
    quads: Buffer<I>,
    neighbour_counts: Buffer<u8>,
    neighbours: Buffer<I>,
}

/// Inputs of the relaxation.
pub(super) struct Relaxation<'a, I: Element> {
    pub stream: &'a Stream,
    pub net: Net,
    pub quads: &'a NetQuads<I>,
    /// Linear part of the index-to-world transform.
    pub matrix: [f64; 9],
    /// Number of voxels of each label, and 0 for the background, which comes first.
    pub voxels: &'a [u64],
    /// 1 for each vertex that shares its cell, else 0.
    pub bound: &'a Buffer<u8>,
    /// Start of each vertex within its cell.
    pub origins: &'a Buffer<f32>,
}

impl<I: Count + Element> Relaxation<'_, I> {
    /// Returns the relaxed positions of the vertices within their cells.
    pub fn run(&self, params: &LabelSurfaceParams) -> Result<Buffer<f32>, LabelSurfaceError> {
        let stream = self.stream;
        let mut positions = stream.alloc::<f32>(self.origins.len())?;
        stream.copy(self.origins, &mut positions)?;
        let is_raw = params.smoothing_steps == 0 && params.volume_steps == 0;
        if is_raw || self.quads.len() == 0 {
            return Ok(positions);
        }
        stream.prepare(&[
            count_incident_quads::<I>::entry(),
            list_incident_quads::<I>::entry(),
            list_relaxation_neighbours::<I>::entry(),
            relax_label_vertices::<I>::entry(),
            measure_label_quads::<I>::entry(),
            compute_label_pressures::entry(),
            apply_label_pressures::<I>::entry(),
        ])?;
        let lists = self.list()?;
        if params.smoothing_steps > 0 {
            positions = self.smooth(&lists, positions, params.smoothing_steps)?;
        }
        if params.volume_steps > 0 {
            self.adapt_volumes(&lists, &mut positions, params.volume_steps)?;
        }
        Ok(positions)
    }

    /// Builds the lists of quads and neighbours.
    fn list(&self) -> Result<VertexLists<I>, LabelSurfaceError> {
        let stream = self.stream;
        let vertices = self.bound.len();
        let mut counts = stream.zeros::<u64>(vertices)?;
        let (launch, items) = items_launch(stream, self.quads.len());
        // SAFETY: four corners per quad, which are vertices.
        unsafe {
            let args = (self.quads.vertices.view(), items, counts.view_mut());
            stream.launch::<count_incident_quads<I>>(launch, args)?;
        }
        let (starts, elements) = exclusive_scan(&mut Scanner::new(stream)?, stream, &counts)?;
        drop(counts);
        let mut quad_counts = stream.zeros::<u32>(vertices)?;
        let mut quads = stream.alloc::<I>(elements as usize)?;
        let mut neighbours = stream.alloc::<I>(elements as usize)?;
        let mut neighbour_counts = stream.alloc::<u8>(vertices)?;
        // SAFETY: the starts are the scanned counts, and the lists have as many elements.
        unsafe {
            let args = (
                self.quads.vertices.view(),
                items,
                starts.view(),
                quad_counts.view_mut(),
                quads.view_mut(),
            );
            stream.launch::<list_incident_quads<I>>(launch, args)?;
        }
        let (launch, items) = items_launch(stream, vertices as u64);
        // SAFETY: as above; a vertex has at most as many neighbours as quads.
        unsafe {
            let args = (
                items,
                self.quads.vertices.view(),
                self.quads.keys.view(),
                starts.view(),
                quad_counts.view(),
                quads.view_mut(),
                neighbours.view_mut(),
                neighbour_counts.view_mut(),
            );
            stream.launch::<list_relaxation_neighbours<I>>(launch, args)?;
        }
        Ok(VertexLists {
            starts,
            quad_counts,
            quads,
            neighbour_counts,
            neighbours,
        })
    }

    /// Applies `steps` double steps of Taubin's filter.
    fn smooth(
        &self,
        lists: &VertexLists<I>,
        mut positions: Buffer<f32>,
        steps: u32,
    ) -> Result<Buffer<f32>, DeviceError> {
        let stream = self.stream;
        let mut next = stream.alloc::<f32>(positions.len())?;
        let (launch, items) = items_launch(stream, self.bound.len() as u64);
        for _ in 0..steps {
            for factor in TAUBIN {
                // SAFETY: lists and flags per vertex, three coordinates per vertex in distinct
                // arrays.
                unsafe {
                    let args = (
                        items,
                        lists.starts.view(),
                        lists.neighbour_counts.view(),
                        lists.neighbours.view(),
                        self.bound.view(),
                        self.origins.view(),
                        positions.view(),
                        factor,
                        next.view_mut(),
                    );
                    stream.launch::<relax_label_vertices<I>>(launch, args)?;
                }
                std::mem::swap(&mut positions, &mut next);
            }
        }
        Ok(positions)
    }

    /// Moves walls such that each label encloses the volume of its voxels, in at most `steps`
    /// steps.
    fn adapt_volumes(
        &self,
        lists: &VertexLists<I>,
        positions: &mut Buffer<f32>,
        steps: u32,
    ) -> Result<(), DeviceError> {
        let stream = self.stream;
        let labels = self.voxels.len();
        let voxels = stream.upload(self.voxels)?;
        let mut sums = stream.zeros::<u64>(labels * 2)?;
        let mut pressures = stream.zeros::<f32>(labels)?;
        let mut areas = stream.alloc::<f32>(self.quads.len() as usize * 3)?;
        let (quad_launch, quad_items) =
            items_launch(stream, self.quads.len().div_ceil(QUADS_PER_RUN));
        let (label_launch, label_items) = items_launch(stream, labels as u64);
        let (launch, items) = items_launch(stream, self.bound.len() as u64);
        for _ in 0..steps {
            let mut unequal = stream.zeros::<u64>(1)?;
            // SAFETY: quads, sides, keys and areas per quad, positions per vertex, and sums and
            // pressures per label, including the background.
            unsafe {
                let args = (
                    self.net,
                    quad_items,
                    self.quads.len(),
                    self.quads.vertices.view(),
                    self.quads.sides.view(),
                    self.quads.keys.view(),
                    positions.view(),
                    self.matrix,
                    areas.view_mut(),
                    sums.view_mut(),
                );
                stream.launch::<measure_label_quads<I>>(quad_launch, args)?;
                let args = (
                    label_items,
                    voxels.view(),
                    TOLERANCE,
                    sums.view_mut(),
                    pressures.view_mut(),
                    unequal.view_mut(),
                );
                stream.launch::<compute_label_pressures>(label_launch, args)?;
            }
            if stream.download(&unequal)?.first() == Some(&0) {
                break;
            }
            // SAFETY: lists per vertex, whose elements are quads; three coordinates per vertex.
            unsafe {
                let args = (
                    items,
                    lists.starts.view(),
                    lists.quad_counts.view(),
                    lists.quads.view(),
                    self.quads.sides.view(),
                    areas.view(),
                    pressures.view(),
                    self.bound.view(),
                    self.origins.view(),
                    positions.view_mut(),
                );
                stream.launch::<apply_label_pressures<I>>(launch, args)?;
            }
        }
        Ok(())
    }
}
