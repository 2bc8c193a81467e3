//! From a volume file to a mesh file, slab by slab.
//!
//! | module | contents |
//! | --- | --- |
//! | `types` | inputs, options, report and errors |
//! | `extract` | reader, workers and writer, running concurrently |
//! | `plan` | height of the slabs, and memory |
//! | `source` | reading of slabs, each plane once |
//! | `worker` | extraction on one device |

mod extract;
mod plan;
mod planes;
mod slabs;
mod types;
mod worker;

pub use types::{
    SampleConversion, SlabAxis, StreamDevice, StreamError, StreamInputs, StreamOptions,
    StreamReport,
};

use crate::{
    device::{Device, DeviceError, Stream},
    grid::{DeviceSample, Sample, SampleType, kernel_grid, with_kernel_sample_type},
    io::{MeshWriter, VolumeReader},
    isosurface::{
        IsosurfaceError, IsosurfaceParams, check,
        partition::{ResidentSlabs, SlabPartition},
        slab_mesher::SlabMesher,
    },
    monitor::Monitor,
    partition::{
        TooLittleMemory,
        budget::{OverBudget, PieceBytes, Pieces},
    },
};
use extract::extract_slabs;
use plan::Plan;
use planes::{OpenPlanes, Planes};
use slabs::{SlabBuffer, Slabs};

/// Inputs of the extraction once the slab axis is chosen.
#[derive(Clone, Copy)]
struct Job<'a> {
    along: SlabAxis,
    partition: SlabPartition,
    devices: &'a [Device],
    params: &'a IsosurfaceParams,
    options: &'a StreamOptions,
    monitor: &'a Monitor<'a>,
}

/// Reads a volume file slab by slab, extracts its isosurface, and writes the mesh. The file equals,
/// byte for byte, what [`write_mesh`](crate::io::write_mesh) writes for the mesh that
/// [`extract`](crate::isosurface::extract) returns for the whole volume.
///
/// Reading, extraction on the devices (each on a slab of its own) and writing run concurrently.
/// Neighbouring slabs share planes of samples, which are read once; vertices between slabs are
/// shared like all others. Samples of `i32` and `f64` are converted to `f32` plane by plane.
/// `monitor` reports the progress of the stage `slabs`, and can cancel the work between two slabs.
///
/// **Memory** is bounded by [`StreamOptions`] and does not grow with the volume or the mesh: a
/// slab is counted before it is extracted, and divided if its mesh is too large. It grows with the
/// size of a plane: at least four planes are in memory, in two or more copies. If that does not
/// fit, the volume is divided along y instead of z. The file is then the one that `write_mesh`
/// writes for the volume with its axes y and z exchanged (the same surface with its vertices in
/// another order), and compressed files are decoded from the beginning for each slab.
///
/// The output appears under its name only if everything succeeded.
///
/// ```
/// use ferrovox::device::Device;
/// use ferrovox::io::{MeshWriteOptions, MeshWriter, ReadOptions, VolumeReader,
///     VolumeWriteOptions, write_volume};
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
/// let writer = MeshWriter::create(&output, &MeshWriteOptions { normals: false,
///     ..MeshWriteOptions::default() })?;
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
/// let report = stream_mesh(inputs, &Monitor::new())?;
/// assert_eq!((report.vertices, report.triangles), (16, 18));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StreamError::File`] for errors of files; the errors of
/// [`extract_parts`](crate::isosurface::extract_parts); [`IsosurfaceError::Memory`] with a
/// sufficient number of bytes (the volume is read once more to determine it), or
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
    let request = Request {
        devices,
        params,
        options,
        monitor,
    };
    if let SampleConversion::Indicator(_) = options.conversion {
        return request.run(volume, planes::indicator, mask, writer);
    }
    match volume.sample_type() {
        SampleType::I32 => request.run(volume, planes::from_i32, mask, writer),
        SampleType::I64 => request.run(volume, planes::from_i64, mask, writer),
        SampleType::F64 => request.run(volume, planes::from_f64, mask, writer),
        direct => with_kernel_sample_type!(
            direct,
            T => request.run(volume, planes::direct::<T>, mask, writer),
            _ => unreachable!("the other types are converted above")
        ),
    }
}

/// Inputs of the extraction apart from the volume.
#[derive(Clone, Copy)]
struct Request<'a> {
    devices: &'a [Device],
    params: &'a IsosurfaceParams,
    options: &'a StreamOptions,
    monitor: &'a Monitor<'a>,
}

impl<'a> Request<'a> {
    /// Divides a volume along the requested axis; by default along z, or along y if slabs along z
    /// exceed the memory.
    fn plan<T: DeviceSample>(
        self,
        volume: &VolumeReader<'_>,
        has_mask: bool,
    ) -> Result<(Job<'a>, Plan), StreamError> {
        let geometry = self.options.geometry.unwrap_or(*volume.geometry());
        let divide = |along: SlabAxis| -> Result<_, StreamError> {
            let grid = kernel_grid(along.turn(volume.dims()))?;
            let geometry = geometry.permute_axes(along.turn([0, 1, 2]));
            let job = Job {
                along,
                partition: SlabPartition::new(grid, geometry, self.params)?,
                devices: self.devices,
                params: self.params,
                options: self.options,
                monitor: self.monitor,
            };
            let plan = Plan::new::<T>(&job, has_mask)?;
            // bytes needed if not even one plane can be counted within the budget, else 0
            Ok((plan.too_large_to_count(&job).unwrap_or(0), job, plan))
        };
        let (missing, job, plan) = divide(self.options.along.unwrap_or_default())?;
        if !plan.slab_fits && self.options.along.is_none() {
            let (missing_y, job_y, plan_y) = divide(SlabAxis::Y)?;
            if plan_y.slab_fits || missing_y < missing {
                return Ok((job_y, plan_y));
            }
        }
        Ok((job, plan))
    }

    fn run<T: DeviceSample + Sample>(
        self,
        volume: &mut VolumeReader<'_>,
        open: OpenPlanes<T>,
        mask: Option<&mut VolumeReader<'_>>,
        writer: Option<MeshWriter>,
    ) -> Result<StreamReport, StreamError> {
        let (job, plan) = self.plan::<T>(volume, mask.is_some())?;
        let mask = mask.map(|mask| planes::mask(mask, job.along));
        let planes = open(volume, job.along, self.options);
        run(job, plan, planes, mask, writer)
    }
}

/// Extracts the surface. If the budget is too small, the error states a sufficient one.
fn run<T: DeviceSample + Sample>(
    job: Job<'_>,
    plan: Plan,
    volume: Planes<'_, T>,
    mask: Option<Planes<'_, u8>>,
    writer: Option<MeshWriter>,
) -> Result<StreamReport, StreamError> {
    let mut slabs = Slabs::new(job.partition, volume, mask);
    match extract_slabs(job, plan, &mut slabs, writer) {
        Ok(report) => Ok(report),
        Err(OverBudget::Failed(error)) => Err(error),
        Err(OverBudget::TooLittle { budget }) => {
            if let Some(needed) = plan.too_large_to_count(&job) {
                let stored = job.partition.padded.stored;
                return Err(IsosurfaceError::PlaneTooLarge {
                    plane: [stored.nx as usize, stored.ny as usize],
                    needed,
                    budget,
                }
                .into());
            }
            let error = TooLittleMemory {
                needed: plan.enough(&job, max_plane_bytes(&job, &mut slabs)?),
                budget,
            };
            Err(IsosurfaceError::from(error).into())
        }
    }
}

/// Returns the maximum bytes that a plane of cells needs. Reads the volume again, one plane of
/// cells at a time.
fn max_plane_bytes<T: DeviceSample + Sample>(
    job: &Job<'_>,
    slabs: &mut Slabs<'_, T>,
) -> Result<PieceBytes, StreamError> {
    let stream: Stream = job.devices[0].stream()?;
    let width = plan::widest(job.params, job.partition.padded.grid);
    let mut max = PieceBytes::default();
    let mut filled = SlabBuffer::default();
    slabs.rewind();
    for slab in job.partition.slabs_with_height(1) {
        job.monitor.check()?;
        slabs.fill(&slab, &mut filled)?;
        let (samples, mask) = (
            stream.upload(&filled.samples)?,
            stream.upload(&filled.mask)?,
        );
        let mesher = SlabMesher {
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
        let plane = mesher.plane_bytes(slab.cells.start)?;
        max.scratch = max.scratch.max(plane.scratch);
        max.result = max.result.max(plane.result);
    }
    Ok(max)
}

/// Returns the number of samples of a plane, if several planes of them can be addressed.
fn plane_samples(partition: &SlabPartition) -> Result<usize, DeviceError> {
    let [nx, ny] = [partition.padded.stored.nx, partition.padded.stored.ny].map(|n| n as usize);
    nx.checked_mul(ny)
        .filter(|samples| *samples < isize::MAX as usize / 64)
        .ok_or(DeviceError::TooLarge {
            len: nx.saturating_mul(ny),
            size: 8,
        })
}
