//! Worker of one device: extracts the mesh of its slabs.

use super::{Job, StreamDevice, plan::Plan, slabs::SlabBuffer};
use crate::{
    device::{Buffer, Device, DeviceError, Element, Stream},
    grid::DeviceSample,
    isosurface::{
        IndexWidth, IsosurfaceError, TopologyCounts, counts::PartCounts, partition::ResidentSlabs,
        slab_mesher::SlabMesher,
    },
    mesh::{EdgeBalance, TriangleMesh},
    monitor::add_times,
    partition::{
        budget::{OverBudget, within_budget},
        devices::Stop,
        offsets::Offsets,
        ordered::PartSender,
    },
};
use std::{
    ops::Range,
    sync::mpsc::{Receiver, Sender},
};

/// A part of the mesh on the host.
pub(super) struct FinishedPart {
    pub mesh: TriangleMesh,
    /// Edge balance of its triangles.
    pub balance: EdgeBalance,
    pub non_finite_cells: u64,
    pub topology: TopologyCounts,
}

/// Reason why a worker stops early.
type WorkerStop = Stop<OverBudget<IsosurfaceError>>;

/// Converts an error of the device or of the extraction.
fn failed(error: impl Into<IsosurfaceError>) -> WorkerStop {
    Stop::Failed(OverBudget::Failed(error.into()))
}

/// Processes every n-th slab of a volume, where n is the number of workers.
pub(super) struct Worker<'a, T> {
    pub job: Job<'a>,
    pub plan: Plan,
    pub device: &'a Device,
    /// Slabs that have been read.
    pub filled: Receiver<SlabBuffer<T>>,
    /// Returns the buffers of slabs that have been uploaded.
    pub free: Sender<SlabBuffer<T>>,
    /// Counts of the slabs.
    pub offsets: &'a Offsets<PartCounts>,
}

impl<T: DeviceSample> Worker<'_, T> {
    /// Processes slabs until the reader closes the channel.
    pub fn run(self, sender: &PartSender<FinishedPart>) -> Result<StreamDevice, WorkerStop> {
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
            // fails once everything has been read
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
                (&stream, sender, &mut report),
            )?;
            report.slabs += 1;
        }
        Ok(report)
    }

    /// Extracts the parts of a slab and sends each to the consumer.
    fn extract(
        &self,
        resident: &ResidentSlabs<'_, T>,
        number: usize,
        cells: Range<u32>,
        (stream, sender, report): (&Stream, &PartSender<FinishedPart>, &mut StreamDevice),
    ) -> Result<(), WorkerStop> {
        let params = self.job.params;
        let budget = self.plan.budget(&self.job, stream);
        let mesher = SlabMesher {
            stream,
            resident,
            params,
            width: self.plan.width,
        };
        let end = cells.end;
        let mut slab_counts = PartCounts::default();
        let mut before_slab: Option<PartCounts> = None;
        let done = within_budget(&mesher, cells, &budget, |counted, piece| {
            let before = match before_slab {
                Some(before) => before,
                None => self.offsets.before(number)?,
            };
            before_slab = Some(before);
            let first_vertex = before.plus(slab_counts).vertices;
            slab_counts = slab_counts.plus(counted.counts());
            let ends_slab = piece.end == end;
            if ends_slab {
                self.offsets.publish(number, slab_counts);
            }
            let width = self.width(before.plus(slab_counts))?;
            let mesh = counted.emit(stream, params, width, first_vertex)?;
            let on_host = mesh.download(stream)?;
            add_times(&mut report.stages, mesh.stage_times()?);
            report.parts += 1;
            let part = FinishedPart {
                balance: EdgeBalance::from_triangles(&on_host.triangles),
                mesh: on_host,
                non_finite_cells: mesh.non_finite_cells,
                topology: mesh.topology,
            };
            drop(mesh);
            sender.send::<IsosurfaceError>(part, ends_slab)
        });
        done.map_err(|error| match error {
            OverBudget::TooLittle { budget } => Stop::Failed(OverBudget::TooLittle { budget }),
            OverBudget::Failed(Stop::Failed(error)) => failed(error),
            OverBudget::Failed(Stop::OtherFailed) => Stop::OtherFailed,
        })
    }

    /// Returns an index width for the vertices of a part and those of the next part that it refers
    /// to. (All indices of the file have one width.)
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

/// Copies elements to the device, into the same buffer if it has the right length.
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
