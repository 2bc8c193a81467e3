//! From a volume file to a mesh file, slab by slab.

mod plan;
mod source;
mod types;
mod worker;

pub use types::{
    SampleConversion, SlabAxis, StreamDevice, StreamError, StreamInputs, StreamOptions,
    StreamReport,
};

use crate::{
    device::{Device, DeviceError, Stream, no_thread},
    grid::{DeviceSample, Sample, SampleType, grid_of},
    io::{MeshCounts, MeshWriter, VolumeReader},
    isosurface::{
        IsosurfaceError, IsosurfaceParams, TopologyCounts, check,
        counts::PartCounts,
        partition::{ResidentSlabs, SlabPartition},
        pieces::MeshPieces,
    },
    mesh::Triangles,
    monitor::Monitor,
    partition::{
        TooLittleMemory,
        budget::{Need, OverBudget, Pieces},
        devices::{Stop, finished},
        exchange::Guard,
        offsets::Offsets,
        ordered::in_order,
    },
};
use plan::Plan;
use source::{Filled, Opening, Planes, Slabs};
use std::{
    sync::mpsc::{channel, sync_channel},
    thread,
    time::{Duration, Instant},
};
use worker::{FinishedPart, Worker};

/// What is known of the volume before it is read.
#[derive(Clone, Copy)]
struct Job<'a> {
    along: SlabAxis,
    partition: SlabPartition,
    devices: &'a [Device],
    params: &'a IsosurfaceParams,
    options: &'a StreamOptions,
    monitor: &'a Monitor<'a>,
}

/// Reads a volume file slab by slab, extracts its isosurface, and writes the mesh on: the file is
/// byte for byte what [`write_mesh`](crate::io::write_mesh) writes of what
/// [`extract`](crate::isosurface::extract) makes of the whole volume.
///
/// The next slab is read while the devices work, each on a slab of its own, and while the parts
/// before are written. Slabs have a plane of samples in common on each side, which is read once;
/// vertices between slabs are shared as all others. Samples of `i32` and `f64` become `f32` plane
/// by plane. `monitor` gets the progress of the stage `slabs`, and can cancel the work between two
/// of them.
///
/// Memory does not grow with the volume: [`StreamOptions`] bound it. It grows with a plane of it,
/// of which four at least are there at a time, twice or more. Where that is too much, planes are
/// cut across y in place of z: then the file is what `write_mesh` writes of the volume with its
/// axes y and z exchanged, the same surface with its vertices in another order, and what is
/// compressed is decoded from its beginning for each slab. Nor does it grow with the mesh: what a
/// slab takes is known before it is made, and it is cut again if that is too much. Nothing appears
/// under the output's name unless all went well.
///
/// ```
/// use ferrovox::device::Device;
/// use ferrovox::io::{MeshWriteOptions, MeshWriter, ReadOptions, VolumeReader, VolumeWriteOptions, write_volume};
/// use ferrovox::grid::{Geometry, Volume};
/// use ferrovox::isosurface::IsosurfaceParams;
/// use ferrovox::monitor::Monitor;
/// use ferrovox::pipeline::stream_mesh::{StreamInputs, StreamOptions, stream_mesh};
///
/// let folder = tempfile::tempdir()?;
/// let (input, output) = (folder.path().join("ramp.nrrd"), folder.path().join("ramp.ply"));
/// let ramp = Volume::from_fn([4, 4, 10], Geometry::default(), |_, _, z| z as f32)?;
/// write_volume(&input, &ramp.into(), &VolumeWriteOptions::default())?;
///
/// let mut reader = VolumeReader::open(&input, &ReadOptions::default())?;
/// let writer = MeshWriter::create(&output, &MeshWriteOptions { normals: false, ..MeshWriteOptions::default() })?;
/// let params = IsosurfaceParams { iso: 3.5, ..IsosurfaceParams::default() };
/// let options = StreamOptions { memory: Some(1 << 20), ..StreamOptions::default() };
/// let inputs = StreamInputs {
///     devices: &[Device::best()],
///     volume: &mut reader,
///     mask: None,
///     writer: Some(writer),
///     params: &params,
///     options: &options,
/// };
/// let report = stream_mesh(inputs, &Monitor::silent())?;
/// assert_eq!((report.vertices, report.triangles), (16, 18));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StreamError::File`] for what is wrong with a file; those of
/// [`extract_parts`](crate::isosurface::extract_parts), and [`IsosurfaceError::Memory`] with bytes
/// that are enough (to find them, the volume is read once more), or
/// [`IsosurfaceError::PlaneTooLarge`] before anything is read.
pub fn stream_mesh(
    inputs: StreamInputs<'_, '_>,
    monitor: &Monitor<'_>,
) -> Result<StreamReport, StreamError> {
    let StreamInputs {
        devices,
        volume,
        mask,
        writer,
        params,
        options,
    } = inputs;
    check(volume.dims(), mask.as_ref().map(|mask| mask.dims()), params)?;
    if devices.is_empty() {
        return Err(IsosurfaceError::NoDevices.into());
    }
    monitor.check()?;
    let work = Work {
        devices,
        params,
        options,
        monitor,
    };
    if let SampleConversion::Indicator(_) = options.conversion {
        return work.run(volume, source::indicator, mask, writer);
    }
    match volume.sample_type() {
        SampleType::U8 => work.run(volume, source::direct::<u8>, mask, writer),
        SampleType::I8 => work.run(volume, source::direct::<i8>, mask, writer),
        SampleType::U16 => work.run(volume, source::direct::<u16>, mask, writer),
        SampleType::I16 => work.run(volume, source::direct::<i16>, mask, writer),
        SampleType::F32 => work.run(volume, source::direct::<f32>, mask, writer),
        SampleType::I32 => work.run(volume, source::from_i32, mask, writer),
        SampleType::F64 => work.run(volume, source::from_f64, mask, writer),
    }
}

/// What is to be done, with any volume.
#[derive(Clone, Copy)]
struct Work<'a> {
    devices: &'a [Device],
    params: &'a IsosurfaceParams,
    options: &'a StreamOptions,
    monitor: &'a Monitor<'a>,
}

impl<'a> Work<'a> {
    /// Cuts a volume along the axis that was asked for; else along z, or along y if memory is too
    /// little for slabs along z.
    fn planned<T: DeviceSample>(
        self,
        volume: &VolumeReader<'_>,
        masked: bool,
    ) -> Result<(Job<'a>, Plan), StreamError> {
        let geometry = self.options.geometry.unwrap_or(*volume.geometry());
        let cut = |along: SlabAxis| -> Result<_, StreamError> {
            let grid = grid_of(along.turn(volume.dims()))?;
            let geometry = geometry.turned(along.turn([0, 1, 2]));
            let job = Job {
                along,
                partition: SlabPartition::new(grid, geometry, self.params)?,
                devices: self.devices,
                params: self.params,
                options: self.options,
                monitor: self.monitor,
            };
            let plan = Plan::new::<T>(&job, masked)?;
            // what even the counting of a plane lacks
            Ok((plan.too_large_to_count(&job).unwrap_or(0), job, plan))
        };
        let (lacks, job, plan) = cut(self.options.along.unwrap_or_default())?;
        if !plan.holds_a_slab && self.options.along.is_none() {
            let (less, other, of_other) = cut(SlabAxis::Y)?;
            if of_other.holds_a_slab || less < lacks {
                return Ok((other, of_other));
            }
        }
        Ok((job, plan))
    }

    fn run<T: DeviceSample + Sample>(
        self,
        volume: &mut VolumeReader<'_>,
        open: Opening<T>,
        mask: Option<&mut VolumeReader<'_>>,
        writer: Option<MeshWriter>,
    ) -> Result<StreamReport, StreamError> {
        let (job, plan) = self.planned::<T>(volume, mask.is_some())?;
        let mask = mask.map(|mask| source::mask(mask, job.along));
        let planes = open(volume, job.along, self.options);
        run(job, plan, planes, mask, writer)
    }
}

fn run<T: DeviceSample + Sample>(
    job: Job<'_>,
    plan: Plan,
    volume: Planes<'_, T>,
    mask: Option<Planes<'_, u8>>,
    writer: Option<MeshWriter>,
) -> Result<StreamReport, StreamError> {
    let mut slabs = Slabs::new(job.partition, volume, mask);
    match run_planned(job, plan, &mut slabs, writer) {
        Ok(report) => Ok(report),
        Err(OverBudget::Failed(error)) => Err(error),
        Err(OverBudget::TooLittle { given }) => {
            if let Some(needed) = plan.too_large_to_count(&job) {
                let stored = job.partition.padded.stored;
                return Err(IsosurfaceError::PlaneTooLarge {
                    plane: [stored.nx as usize, stored.ny as usize],
                    needed,
                    budget: given,
                }
                .into());
            }
            let error = TooLittleMemory {
                needed: plan.enough(&job, largest_plane(&job, &mut slabs)?),
                budget: given,
            };
            Err(IsosurfaceError::from(error).into())
        }
    }
}

fn run_planned<T: DeviceSample + Sample>(
    job: Job<'_>,
    plan: Plan,
    slabs: &mut Slabs<'_, T>,
    mut writer: Option<MeshWriter>,
) -> Result<StreamReport, OverBudget<StreamError>> {
    let too_little = OverBudget::TooLittle { given: plan.memory };
    if !plan.holds_a_slab {
        return Err(too_little);
    }
    let workers = plan.workers;
    let count = job.partition.cell_planes().div_ceil(plan.height) as usize;
    let counter = job.monitor.counter("slabs", count as u64);
    let offsets = Offsets::new(PartCounts::default(), count, PartCounts::plus);
    let mut writing = Duration::ZERO;
    let mut counts = MeshCounts::default();
    let mut non_finite_cells = 0;
    let mut topology = TopologyCounts::default();
    let mut write = |_, part: FinishedPart| -> Result<(), StreamError> {
        let start = Instant::now();
        let (vertices, normals) = (&part.mesh.vertices, part.mesh.normals.as_deref());
        if let Some(writer) = &mut writer {
            match &part.mesh.triangles {
                Triangles::U32(triangles) => writer.append(vertices, normals, triangles)?,
                Triangles::U64(triangles) => writer.append(vertices, normals, triangles)?,
            }
        }
        counts.vertices += vertices.len() as u64;
        counts.triangles += part.mesh.triangles.len() as u64;
        non_finite_cells += part.non_finite_cells;
        topology = topology.plus(part.topology);
        writing += start.elapsed();
        Ok(())
    };
    let made = thread::scope(|scope| {
        let (free, emptied) = channel();
        for _ in 0..workers + 1 {
            // the receiver is there
            let _ = free.send(Filled::default());
        }
        let (mut to_workers, mut jobs) = (Vec::new(), Vec::new());
        for device in &job.devices[..workers] {
            let (to_worker, filled) = sync_channel(0);
            to_workers.push(to_worker);
            let worker = Worker {
                job,
                plan,
                device,
                filled,
                free: free.clone(),
                offsets: &offsets,
            };
            jobs.push((worker, offsets.guard()));
        }
        drop(free);
        let slabs = &mut *slabs;
        let read = move || slabs.read_all(plan.height, emptied, &to_workers);
        let reader = thread::Builder::new().spawn_scoped(scope, read);
        let reader = reader.map_err(|error| no_thread(&error))?;
        let run = |_, (worker, guard): (Worker<'_, T>, Guard<'_, _>), outlet| {
            let done = Worker::run(worker, &outlet)?;
            guard.done();
            Ok(done)
        };
        let outcome = in_order(jobs, count, 1, &counter, run, &mut write);
        // without workers the reader sees that nobody takes what it reads
        Ok((reader.join(), outcome?))
    });
    let (read, outcome) = made.map_err(|error: DeviceError| failed(error))?;
    let read = read.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let reading = read.map_err(failed)?;
    let mut is_too_little = false;
    let mut reason = |stop| match stop {
        Stop::Failed(OverBudget::Failed(error)) => Stop::Failed(error),
        Stop::Failed(OverBudget::TooLittle { .. }) => {
            is_too_little = true;
            Stop::OtherFailed
        }
        Stop::OtherFailed => Stop::OtherFailed,
    };
    let results = outcome.workers.into_iter();
    let results = results.map(|result| result.map_err(&mut reason)).collect();
    let devices =
        finished(job.devices, results).map_err(|error| failed(IsosurfaceError::from(error)))?;
    if is_too_little {
        return Err(too_little);
    }
    outcome.consumed.map_err(OverBudget::Failed)?;
    let seen = slabs.seen();
    let start = Instant::now();
    if let Some(writer) = writer {
        counts = writer.finish().map_err(failed)?;
    }
    Ok(StreamReport {
        vertices: counts.vertices,
        triangles: counts.triangles,
        non_finite_cells,
        topology,
        samples: seen.summary,
        inexact_samples: seen.inexact,
        slabs: count as u64,
        along: job.along,
        devices,
        reading,
        writing: writing + start.elapsed(),
    })
}

fn failed(error: impl Into<StreamError>) -> OverBudget<StreamError> {
    OverBudget::Failed(error.into())
}

/// What the plane of cells takes that takes most: the volume is read again, a plane of cells at a
/// time.
fn largest_plane<T: DeviceSample + Sample>(
    job: &Job<'_>,
    slabs: &mut Slabs<'_, T>,
) -> Result<Need, StreamError> {
    let stream: Stream = job.devices[0].stream()?;
    let width = plan::widest(job.params, job.partition.padded.grid);
    let mut most = Need::default();
    let mut filled = Filled::default();
    slabs.start_again();
    for slab in job.partition.slabs_of_height(1) {
        job.monitor.check()?;
        slabs.fill(&slab, &mut filled)?;
        let (samples, mask) = (
            stream.upload(&filled.samples)?,
            stream.upload(&filled.mask)?,
        );
        let pieces = MeshPieces {
            stream: &stream,
            resident: &ResidentSlabs {
                partition: job.partition,
                samples: &samples,
                mask: &mask,
                planes: slab.planes.clone(),
            },
            params: job.params,
            width,
        };
        let need = pieces.need(slab.cells.start)?;
        most.scratch = most.scratch.max(need.scratch);
        most.result = most.result.max(need.result);
    }
    Ok(most)
}

/// A number of samples that memory can be addressed for.
fn plane_samples(partition: &SlabPartition) -> Result<usize, DeviceError> {
    let [nx, ny] = [partition.padded.stored.nx, partition.padded.stored.ny].map(|n| n as usize);
    nx.checked_mul(ny)
        .filter(|samples| *samples < isize::MAX as usize / 64)
        .ok_or(DeviceError::TooLarge {
            len: nx.saturating_mul(ny),
            size: 8,
        })
}
