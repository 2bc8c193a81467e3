//! What a device does of a streamed volume.

use super::{Job, StreamDevice, plan::Plan, source::Filled};
use crate::{
    device::{Buffer, Device, Element, Stream},
    grid::DeviceSample,
    isosurface::{
        IndexWidth, IsosurfaceError,
        pieces::{PieceError, in_pieces},
        together::PartCounts,
        whole::Resident,
    },
    mesh::TriangleMesh,
    monitor::add_times,
};
use std::sync::mpsc::{Receiver, Sender, SyncSender};

/// A part of the mesh, on the host.
pub(super) struct Made {
    pub mesh: TriangleMesh,
    pub non_finite_cells: u64,
    /// Whether it is the last of its slab.
    pub ends_slab: bool,
}

/// Why a worker stops.
pub(super) enum Stop {
    Failed(IsosurfaceError),
    /// Memory does not hold what one plane of cells takes.
    TooLittle,
    OtherFailed,
}

impl<E: Into<IsosurfaceError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Works on every slab whose number is the worker's, counted in steps of as many as there are workers.
pub(super) struct Worker<'a, T> {
    pub job: Job<'a>,
    pub plan: Plan,
    pub device: &'a Device,
    pub filled: Receiver<Filled<T>>,
    /// Where slabs go back that are on the device.
    pub free: Sender<Filled<T>>,
    /// What the parts before the worker's next slab have.
    pub turn: Receiver<PartCounts>,
    /// Who works on the slab after it.
    pub next: Sender<PartCounts>,
    pub made: SyncSender<Made>,
}

impl<T: DeviceSample> Worker<'_, T> {
    pub fn run(self) -> Result<StreamDevice, Stop> {
        let stream = self.device.stream()?;
        let mut report = StreamDevice {
            device: self.device.id(),
            ..StreamDevice::default()
        };
        let (mut samples, mut mask) = (stream.alloc::<T>(0)?, stream.alloc::<u8>(0)?);
        while let Ok(filled) = self.filled.recv() {
            samples = upload(&stream, samples, &filled.samples)?;
            mask = upload(&stream, mask, &filled.mask)?;
            let slab = filled.slab.clone();
            // nobody needs it when everything has been read
            let _ = self.free.send(filled);
            let resident = Resident {
                whole: self.job.whole,
                samples: &samples,
                mask: &mask,
                planes: slab.planes,
            };
            self.extract(&stream, &resident, slab.cells, &mut report)?;
            report.slabs += 1;
        }
        Ok(report)
    }

    fn extract(
        &self,
        stream: &Stream,
        resident: &Resident<'_, T>,
        cells: std::ops::Range<u32>,
        report: &mut StreamDevice,
    ) -> Result<(), Stop> {
        let params = self.job.params;
        let limits = self.plan.limits(&self.job, self.device);
        let end = cells.end;
        let mut before: Option<PartCounts> = None;
        let done = in_pieces(
            stream,
            resident,
            cells,
            params,
            &limits,
            |counted, piece| {
                let first = match before {
                    Some(before) => before,
                    None => self.turn.recv().map_err(|_| Stop::OtherFailed)?,
                };
                let after = PartCounts {
                    vertices: first.vertices + counted.vertices,
                    triangles: first.triangles + counted.triangles,
                };
                before = Some(after);
                let ends_slab = piece.end == end;
                if ends_slab {
                    // after the last slab there is nobody
                    let _ = self.next.send(after);
                }
                let width = self.width(after)?;
                let mesh = counted.emit(stream, params, width, first.vertices)?;
                let on_host = mesh.download(stream)?;
                add_times(&mut report.stages, mesh.stage_times()?);
                report.parts += 1;
                let made = Made {
                    mesh: on_host,
                    non_finite_cells: mesh.non_finite_cells,
                    ends_slab,
                };
                drop(mesh);
                self.made.send(made).map_err(|_| Stop::OtherFailed)
            },
        );
        done.map_err(|error| match error {
            PieceError::TooLittle { .. } => Stop::TooLittle,
            PieceError::Other(stop) => stop,
        })
    }

    /// A width that holds the numbers of a part's vertices, and of those of the next that it names. (In the file all are alike.)
    fn width(&self, after: PartCounts) -> Result<IndexWidth, IsosurfaceError> {
        let params = self.job.params;
        let width = params.width_for(after.vertices, after.triangles)?;
        let grid = self.job.whole.padded.grid;
        let next_plane = 2 * grid.nx as u64 * grid.ny as u64;
        if after.vertices + next_plane > u32::MAX as u64 {
            return Ok(IndexWidth::Bits64);
        }
        Ok(width)
    }
}

/// The elements on the device, in the same memory if there are as many.
fn upload<E: Element>(
    stream: &Stream,
    mut buffer: Buffer<E>,
    elements: &[E],
) -> Result<Buffer<E>, Stop> {
    if buffer.len() == elements.len() {
        stream.write(&mut buffer, elements)?;
        return Ok(buffer);
    }
    drop(buffer);
    Ok(stream.upload(elements)?)
}
