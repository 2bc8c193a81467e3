//! What a device does of a streamed volume.

use super::{Job, StreamDevice, plan::Plan, source::Filled};
use crate::{
    device::{Buffer, Device, DeviceError, Element, Stream},
    grid::DeviceSample,
    isosurface::{
        IndexWidth, IsosurfaceError, TopologyCounts, counts::PartCounts, partition::ResidentSlabs,
        pieces::MeshPieces,
    },
    mesh::TriangleMesh,
    monitor::add_times,
    partition::{
        budget::{OverBudget, within_budget},
        devices::Stop,
        offsets::Offsets,
        ordered::Outlet,
    },
};
use std::{
    ops::Range,
    sync::mpsc::{Receiver, Sender},
};

/// A part of the mesh, on the host.
pub(super) struct FinishedPart {
    pub mesh: TriangleMesh,
    pub non_finite_cells: u64,
    pub topology: TopologyCounts,
}

/// Why a worker stops.
type StopOf = Stop<OverBudget<IsosurfaceError>>;

/// Stops the worker with an error of the device or of the extraction.
fn failed(error: impl Into<IsosurfaceError>) -> StopOf {
    Stop::Failed(OverBudget::Failed(error.into()))
}

/// Works on every slab whose number is the worker's, counted in steps of as many as there are
/// workers.
pub(super) struct Worker<'a, T> {
    pub job: Job<'a>,
    pub plan: Plan,
    pub device: &'a Device,
    pub filled: Receiver<Filled<T>>,
    /// Where slabs go back that are on the device.
    pub free: Sender<Filled<T>>,
    /// What the slabs have.
    pub offsets: &'a Offsets<PartCounts>,
}

impl<T: DeviceSample> Worker<'_, T> {
    pub fn run(self, outlet: &Outlet<FinishedPart>) -> Result<StreamDevice, StopOf> {
        let stream = self.device.stream().map_err(failed)?;
        let mut report = StreamDevice {
            device: self.device.id(),
            ..StreamDevice::default()
        };
        let mut samples = stream.alloc::<T>(0).map_err(failed)?;
        let mut mask = stream.alloc::<u8>(0).map_err(failed)?;
        while let Ok(filled) = self.filled.recv() {
            samples = upload(&stream, samples, &filled.samples).map_err(failed)?;
            mask = upload(&stream, mask, &filled.mask).map_err(failed)?;
            let (slab, number) = (filled.slab.clone(), filled.number);
            // the receiver is gone when everything has been read
            let _ = self.free.send(filled);
            let resident = ResidentSlabs {
                partition: self.job.partition,
                samples: &samples,
                mask: &mask,
                planes: slab.planes,
            };
            self.extract(
                &resident,
                number,
                slab.cells,
                (&stream, outlet, &mut report),
            )?;
            report.slabs += 1;
        }
        Ok(report)
    }

    /// The parts of a slab, each put to the outlet when it is made.
    fn extract(
        &self,
        resident: &ResidentSlabs<'_, T>,
        number: usize,
        cells: Range<u32>,
        (stream, outlet, report): (&Stream, &Outlet<FinishedPart>, &mut StreamDevice),
    ) -> Result<(), StopOf> {
        let params = self.job.params;
        let budget = self.plan.budget(&self.job, stream);
        let pieces = MeshPieces {
            stream,
            resident,
            params,
            width: self.plan.width,
        };
        let end = cells.end;
        let mut own = PartCounts::default();
        let mut before_slab: Option<PartCounts> = None;
        let done = within_budget(&pieces, cells, &budget, |counted, piece| {
            let before = match before_slab {
                Some(before) => before,
                None => self.offsets.before(number)?,
            };
            before_slab = Some(before);
            let first_vertex = before.plus(own).vertices;
            own = own.plus(counted.counts());
            let ends_slab = piece.end == end;
            if ends_slab {
                self.offsets.publish(number, own);
            }
            let width = self.width(before.plus(own))?;
            let mesh = counted.emit(stream, params, width, first_vertex)?;
            let on_host = mesh.download(stream)?;
            add_times(&mut report.stages, mesh.stage_times()?);
            report.parts += 1;
            let part = FinishedPart {
                mesh: on_host,
                non_finite_cells: mesh.non_finite_cells,
                topology: mesh.topology,
            };
            drop(mesh);
            outlet.put::<IsosurfaceError>(part, ends_slab)
        });
        done.map_err(|error| match error {
            OverBudget::TooLittle { given } => Stop::Failed(OverBudget::TooLittle { given }),
            OverBudget::Failed(Stop::Failed(error)) => failed(error),
            OverBudget::Failed(Stop::OtherFailed) => Stop::OtherFailed,
        })
    }

    /// A width that holds the numbers of a part's vertices, and of those of the next that it names.
    /// (In the file all are alike.)
    fn width(&self, after: PartCounts) -> Result<IndexWidth, IsosurfaceError> {
        let params = self.job.params;
        let width = after.width(params)?;
        let grid = self.job.partition.padded.grid;
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
) -> Result<Buffer<E>, DeviceError> {
    if buffer.len() == elements.len() {
        stream.write(&mut buffer, elements)?;
        return Ok(buffer);
    }
    drop(buffer);
    stream.upload(elements)
}
