//! From a volume file to a mesh file, slab by slab.

mod plan;
mod source;
mod worker;

use super::{
    IsosurfaceError, IsosurfaceParams, StageTime, check,
    pieces::{PlaneNeed, may_be_wide, plane_need},
    together::on_device,
    whole::{Resident, Whole},
};
use crate::{
    device::{Device, Stream},
    grid::{DeviceSample, Geometry, Sample, SampleSummary, SampleType, grid_of},
    io::{FileError, MeshWriter, VolumeReader},
    mesh::Triangles,
    monitor::{Cancelled, Counter, Monitor},
};
use plan::Plan;
use source::{Filled, Planes, Slabs};
use std::{
    sync::mpsc::{Receiver, channel, sync_channel},
    thread,
    time::Duration,
};
use worker::{Made, Stop, Worker};

/// How a volume is streamed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamOptions {
    /// Bytes that the work may take of the host's memory, and of each device's; of one memory, where the CPU is a device.
    /// `None` is half of what is free. Beside these bytes there are what [`MeshWriter`] and [`VolumeReader`] need for themselves,
    /// some 50 MB.
    pub memory: Option<u64>,
    /// Planes of cells in a slab; `None` is as many as memory allows and as make sense.
    pub slab_height: Option<u32>,
    /// Where the samples are in the world, in place of what the file says.
    pub geometry: Option<Geometry>,
}

/// What was streamed.
#[derive(Clone, Debug)]
pub struct StreamReport {
    /// Vertices of the mesh.
    pub vertices: u64,
    /// Triangles of the mesh.
    pub triangles: u64,
    /// Cells left out because a corner of theirs is NaN or infinite.
    pub non_finite_cells: u64,
    /// The samples, as the file has them.
    pub samples: SampleSummary,
    /// Samples that were rounded to become `f32`.
    pub inexact_samples: usize,
    /// Slabs of the volume.
    pub slabs: u64,
    /// What each device did.
    pub devices: Vec<StreamDevice>,
    /// How long slabs were read. Reading, extracting and writing go on at the same time.
    pub reading: Duration,
    /// How long parts of the mesh were written, the end of the file included.
    pub writing: Duration,
}

/// What a device did of a streamed volume.
#[derive(Clone, Debug, Default)]
pub struct StreamDevice {
    /// The device's name.
    pub device: String,
    /// Slabs that it worked on.
    pub slabs: u64,
    /// Parts of the mesh that it made: more than slabs where a part took more memory than there was.
    pub parts: u64,
    /// The time of each stage on the device, of all parts together.
    pub stages: Vec<StageTime>,
}

/// Why a volume was not streamed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A file cannot be read, or not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The extraction failed.
    #[error(transparent)]
    Isosurface(#[from] IsosurfaceError),
}

impl From<Cancelled> for StreamError {
    fn from(error: Cancelled) -> Self {
        Self::Isosurface(crate::device::DeviceError::from(error).into())
    }
}

/// What is known of the volume before it is read.
#[derive(Clone, Copy)]
struct Job<'a> {
    whole: Whole,
    devices: &'a [Device],
    params: &'a IsosurfaceParams,
    options: &'a StreamOptions,
}

/// Reads a volume file slab by slab, extracts its isosurface, and writes the mesh on: the file is byte for byte what
/// [`write_mesh`](crate::io::write_mesh) writes of what [`extract`](super::extract) makes of the whole volume.
///
/// The next slab is read while the devices work, each on a slab of its own, and while the parts before are written. Slabs have a
/// plane of samples in common on each side, which is read once; vertices between slabs are shared as all others. Samples
/// of `i32` and `f64` become `f32` plane by plane. `mask`, if given, has the same grid, and samples of any type. `monitor` is
/// told of the stage `slabs`, and can stop the work between two of them.
///
/// Memory does not grow with the volume: `options` bound it. Nor does it grow with the mesh: what a slab takes is known before it
/// is made, and it is cut again if that is too much. Nothing appears under the output's name unless all went well.
///
/// ```
/// use ferrovox::device::Device;
/// use ferrovox::io::{MeshWriteOptions, MeshWriter, ReadOptions, VolumeReader, VolumeWriteOptions, write_volume};
/// use ferrovox::isosurface::{self, IsosurfaceParams, StreamOptions};
/// use ferrovox::grid::{Geometry, Volume};
/// use ferrovox::monitor::Monitor;
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
/// let devices = [Device::best()];
/// let report = isosurface::stream(&devices, &mut reader, None, writer, &params, &options, &Monitor::silent())?;
/// assert_eq!((report.vertices, report.triangles), (16, 18));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StreamError::File`] for what is wrong with a file; those of [`extract_parts`](super::extract_parts), and
/// [`IsosurfaceError::TooLittleMemory`] with bytes that are enough (to find them, the volume is read once more).
pub fn stream(
    devices: &[Device],
    volume: &mut VolumeReader<'_>,
    mask: Option<&mut VolumeReader<'_>>,
    writer: MeshWriter,
    params: &IsosurfaceParams,
    options: &StreamOptions,
    monitor: &Monitor<'_>,
) -> Result<StreamReport, StreamError> {
    check(volume.dims(), mask.as_ref().map(|mask| mask.dims()), params)?;
    if devices.is_empty() {
        return Err(IsosurfaceError::NoDevices.into());
    }
    let geometry = options.geometry.unwrap_or(*volume.geometry());
    let grid = grid_of(volume.dims()).map_err(IsosurfaceError::Device)?;
    let whole = Whole::new(grid, geometry, params).map_err(IsosurfaceError::Device)?;
    let job = Job {
        whole,
        devices,
        params,
        options,
    };
    let mask = mask.map(source::mask);
    match volume.sample_type() {
        SampleType::U8 => run(job, source::direct::<u8>(volume), mask, writer, monitor),
        SampleType::I8 => run(job, source::direct::<i8>(volume), mask, writer, monitor),
        SampleType::U16 => run(job, source::direct::<u16>(volume), mask, writer, monitor),
        SampleType::I16 => run(job, source::direct::<i16>(volume), mask, writer, monitor),
        SampleType::F32 => run(job, source::direct::<f32>(volume), mask, writer, monitor),
        SampleType::I32 => run(job, source::from_i32(volume), mask, writer, monitor),
        SampleType::F64 => run(job, source::from_f64(volume), mask, writer, monitor),
    }
}

fn run<T: DeviceSample + Sample>(
    job: Job<'_>,
    volume: Planes<'_, T>,
    mask: Option<Planes<'_, u8>>,
    writer: MeshWriter,
    monitor: &Monitor<'_>,
) -> Result<StreamReport, StreamError> {
    let plan = Plan::new::<T>(&job, mask.is_some())?;
    let mut slabs = Slabs::new(job.whole, volume, mask);
    match run_planned(job, plan, &mut slabs, writer, monitor) {
        Ok(report) => Ok(report),
        Err(Failure::Error(error)) => Err(error),
        Err(Failure::TooLittle) => {
            let least = plan.enough(&job, largest_plane(&job, &mut slabs)?);
            let given = plan.memory;
            Err(IsosurfaceError::TooLittleMemory { given, least }.into())
        }
    }
}

enum Failure {
    Error(StreamError),
    TooLittle,
}

impl<E: Into<StreamError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

fn run_planned<T: DeviceSample + Sample>(
    job: Job<'_>,
    plan: Plan,
    slabs: &mut Slabs<'_, T>,
    mut writer: MeshWriter,
    monitor: &Monitor<'_>,
) -> Result<StreamReport, Failure> {
    if !plan.holds_a_slab {
        return Err(Failure::TooLittle);
    }
    let workers = plan.workers;
    let count = job.whole.cell_planes().div_ceil(plan.height) as u64;
    let counter = monitor.counter("slabs", count);
    let mut writing = Duration::ZERO;
    let mut non_finite_cells = 0;
    let (read, worked, written) = thread::scope(|scope| {
        let (free, emptied) = channel();
        for _ in 0..workers + 1 {
            // the receiver is there
            let _ = free.send(Filled::default());
        }
        let (mut to_workers, mut made, mut threads) = (Vec::new(), Vec::new(), Vec::new());
        let turns: Vec<_> = (0..workers).map(|_| channel()).collect();
        // the first worker begins with nothing before it
        let _ = turns[0].0.send(Default::default());
        let senders: Vec<_> = turns.iter().map(|(sender, _)| sender.clone()).collect();
        let turns = turns.into_iter().map(|(_, receiver)| receiver);
        for ((number, turn), next) in turns.enumerate().zip(senders.into_iter().cycle().skip(1)) {
            let (to_worker, filled) = sync_channel(0);
            let (parts, from_worker) = sync_channel(1);
            to_workers.push(to_worker);
            made.push(from_worker);
            let worker = Worker {
                job,
                plan,
                device: &job.devices[number],
                filled,
                free: free.clone(),
                turn,
                next,
                made: parts,
            };
            threads.push(scope.spawn(move || worker.run()));
        }
        drop(free);
        let slabs = &mut *slabs;
        let reader = scope.spawn(move || slabs.read_all(plan.height, emptied, &to_workers));
        let written = write_all(&mut writer, made, &counter, count, &mut |part| {
            non_finite_cells += part.non_finite_cells;
            writing += part.writing;
        });
        let read = reader.join();
        let worked: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        (read, worked, written)
    });
    let panicked = |panic| -> ! { std::panic::resume_unwind(panic) };
    let reading = read.unwrap_or_else(|panic| panicked(panic))?;
    let ids: Vec<String> = job.devices[..workers].iter().map(Device::id).collect();
    let mut devices = Vec::new();
    let mut too_little = false;
    for (number, result) in worked.into_iter().enumerate() {
        match result.unwrap_or_else(|panic| panicked(panic)) {
            Ok(report) => devices.push(report),
            Err(Stop::Failed(error)) => return Err(on_device(&ids, number, error).into()),
            Err(Stop::TooLittle) => too_little = true,
            Err(Stop::OtherFailed) => {}
        }
    }
    if too_little {
        return Err(Failure::TooLittle);
    }
    written?;
    let seen = slabs.seen();
    let start = std::time::Instant::now();
    let counts = writer.finish()?;
    Ok(StreamReport {
        vertices: counts.vertices,
        triangles: counts.triangles,
        non_finite_cells,
        samples: seen.summary,
        inexact_samples: seen.inexact,
        slabs: count,
        devices,
        reading,
        writing: writing + start.elapsed(),
    })
}

/// What is told of a part that has been written.
struct Written {
    non_finite_cells: u64,
    writing: Duration,
}

/// Writes the parts in the order of their slabs. Stops where one does not come: whoever failed says why.
fn write_all(
    writer: &mut MeshWriter,
    made: Vec<Receiver<Made>>,
    counter: &Counter<'_>,
    slabs: u64,
    tell: &mut dyn FnMut(Written),
) -> Result<(), StreamError> {
    for slab in 0..slabs {
        loop {
            let Ok(part) = made[(slab % made.len() as u64) as usize].recv() else {
                return Ok(());
            };
            let start = std::time::Instant::now();
            let (vertices, normals) = (&part.mesh.vertices, part.mesh.normals.as_deref());
            match &part.mesh.triangles {
                Triangles::U32(triangles) => writer.append(vertices, normals, triangles)?,
                Triangles::U64(triangles) => writer.append(vertices, normals, triangles)?,
            }
            tell(Written {
                non_finite_cells: part.non_finite_cells,
                writing: start.elapsed(),
            });
            if part.ends_slab {
                break;
            }
        }
        counter.add(1)?;
    }
    Ok(())
}

/// What the plane of cells takes that takes most: the volume is read again, a plane of cells at a time.
fn largest_plane<T: DeviceSample + Sample>(
    job: &Job<'_>,
    slabs: &mut Slabs<'_, T>,
) -> Result<PlaneNeed, StreamError> {
    let stream: Stream = job.devices[0].stream().map_err(IsosurfaceError::Device)?;
    let width = plan::widest(job.params, may_be_wide(job.whole.padded.grid));
    let mut most = PlaneNeed {
        scratch: 0,
        mesh: 0,
    };
    let mut filled = Filled::default();
    slabs.start_again();
    for slab in job.whole.slabs_of(1) {
        slabs.fill(&slab, &mut filled)?;
        let upload = || {
            Ok((
                stream.upload(&filled.samples)?,
                stream.upload(&filled.mask)?,
            ))
        };
        let (samples, mask) = upload().map_err(IsosurfaceError::Device)?;
        let resident = Resident {
            whole: job.whole,
            samples: &samples,
            mask: &mask,
            planes: slab.planes.clone(),
        };
        let need = plane_need(&stream, &resident, slab.cells.start, job.params, width)?;
        most.scratch = most.scratch.max(need.scratch);
        most.mesh = most.mesh.max(need.mesh);
    }
    Ok(most)
}

/// A number of samples that memory can be addressed for.
fn plane_samples(whole: &Whole) -> Result<usize, StreamError> {
    let [nx, ny] = [whole.padded.stored.nx, whole.padded.stored.ny].map(|n| n as usize);
    nx.checked_mul(ny)
        .filter(|samples| *samples < isize::MAX as usize / 64)
        .ok_or_else(|| {
            let error = crate::device::DeviceError::TooLarge {
                len: nx.saturating_mul(ny),
                size: 8,
            };
            IsosurfaceError::Device(error).into()
        })
}
