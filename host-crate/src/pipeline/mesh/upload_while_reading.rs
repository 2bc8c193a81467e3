//! Volumes that are copied to one or several devices while they are read from their file, so that
//! they are never in the host's memory as a whole.

use super::MeshJob;
use crate::{
    device::{Buffer, Device, DeviceError, DeviceKind, Stream},
    grid::{
        AnyDeviceVolume, DeviceSample, DeviceVolume, Geometry, Sample, SampleSummary,
        SharedSummary, kernel_grid, with_kernel_sample_type,
    },
    io::{FileError, SharedReader, VolumeReader},
    isosurface::{self, DeviceSlab, IsosurfaceError, IsosurfaceParams, MeshParts, VolumeSlab},
    memory::{self, OutOfMemory},
    partition::{OnDevice, devices::run_workers},
    pipeline::{Level, PipelineError, VolumeSource, at},
};
use std::{
    marker::PhantomData,
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

/// Opens the volume of a job if it can be copied to the devices as it is stored: GPUs extract an
/// isosurface that does not depend on the samples from an uncompressed file, each of them has a
/// part of it, and no other step of the job needs the samples.
pub(super) fn open(job: &MeshJob) -> Result<Option<VolumeReader<'static>>, PipelineError> {
    let source = &job.volume;
    let is_on_gpus = !job.devices.is_empty()
        && (job.devices.iter()).all(|device| device.kind() == DeviceKind::Cuda);
    let needs_samples = job.mask.is_some()
        || !job.filters.components.keeps_all()
        || !matches!(job.level, Level::Iso(_))
        || source.crop.is_some()
        || !source.filter.keeps_all()
        || source.ahead.is_begun();
    if !is_on_gpus || needs_samples || !source.is_file() {
        return Ok(None);
    }
    let reader = source.open()?;
    let is_read_by_kernels = with_kernel_sample_type!(reader.sample_type(), _T => true, _ => false);
    let is_read = is_read_by_kernels && reader.shared().is_some();
    let slabs = isosurface::slabs(reader.dims(), job.surface.close, job.devices.len());
    let has_parts = slabs.is_ok_and(|slabs| slabs.len() == job.devices.len());
    Ok((is_read && (has_parts || job.devices.len() == 1)).then_some(reader))
}

/// Reads all samples of a reader from [`open`], and copies them to the device. The volume has the
/// given geometry.
///
/// Every thread reads parts of the file into memory of the device's driver, and adds them to the
/// summary while they are in its cache; the copies to the device run at the same time.
pub(super) fn read(
    source: &VolumeSource,
    reader: &VolumeReader<'_>,
    geometry: Geometry,
    device: &Device,
) -> Result<(Stream, AnyDeviceVolume, SampleSummary), PipelineError> {
    with_kernel_sample_type!(
        reader.sample_type(),
        T => {
            let read = Reading::<T>::new(source, reader)?;
            let planes = read.planes(device, 0..reader.dims()[2]);
            let (stream, samples) = planes.map_err(|failure| match failure {
                Failure::File(error) => error.into(),
                Failure::Device(error) => at(&source.path)(error),
            })?;
            let volume = DeviceVolume::from_buffer(samples, reader.dims(), geometry);
            Ok((stream, volume.map_err(at(&source.path))?.into(), read.finish()?))
        },
        _ => unreachable!("`open` returns readers of types that kernels read")
    )
}

/// Extraction of the isosurface of a volume whose parts are in the memories of several devices. It
/// releases the volume.
pub(super) type ExtractParts =
    Box<dyn FnOnce(&IsosurfaceParams) -> Result<MeshParts, IsosurfaceError>>;

/// Reads the planes that each of several devices needs for its part of the surface, as [`read`]
/// does, to all of them at the same time if there are enough threads.
pub(super) fn read_parts(
    source: &VolumeSource,
    reader: &VolumeReader<'_>,
    geometry: Geometry,
    close: bool,
    devices: &[Device],
) -> Result<(ExtractParts, SampleSummary), PipelineError> {
    let (dims, path) = (reader.dims(), &source.path);
    let slabs = isosurface::slabs(dims, close, devices.len());
    let slabs = slabs.map_err(at::<DeviceError>(path))?;
    with_kernel_sample_type!(
        reader.sample_type(),
        T => {
            let read = Reading::<T>::new(source, reader)?;
            let results = run_workers(devices.iter().zip(&slabs), |worker, (device, slab)| {
                let planes = read.planes(device, slab.planes.clone());
                let (stream, samples) = planes.map_err(|failure| match failure {
                    Failure::File(error) => error.into(),
                    Failure::Device(error) => {
                        let error = OnDevice::new(devices, worker, error.into());
                        at(path)(IsosurfaceError::from(error))
                    }
                })?;
                let part = [dims[0], dims[1], slab.planes.len()];
                let samples = DeviceVolume::from_buffer(samples, part, Geometry::default());
                Ok::<_, PipelineError>((stream, samples.map_err(at(path))?, slab.clone()))
            });
            let results = results.map_err(at(path))?;
            let parts = results.into_iter().collect::<Result<Vec<_>, _>>()?;
            let extract = move |params: &_| extract(dims, &geometry, &parts, params);
            Ok((Box::new(extract), read.finish()?))
        },
        _ => unreachable!("`open` returns readers of types that kernels read")
    )
}

fn extract<T: DeviceSample>(
    dims: [usize; 3],
    geometry: &Geometry,
    parts: &[(Stream, DeviceVolume<T>, VolumeSlab)],
    params: &IsosurfaceParams,
) -> Result<MeshParts, IsosurfaceError> {
    let mut slabs = Vec::with_capacity(parts.len());
    for (stream, samples, slab) in parts {
        slabs.push(DeviceSlab {
            stream,
            samples,
            mask: None,
            first_plane: slab.planes.start,
            cells: slab.cells.clone(),
        });
    }
    isosurface::extract_slabs(dims, geometry, &slabs, params)
}

/// A volume that is read on several threads, and the summary of its samples.
struct Reading<'r, T> {
    source: &'r VolumeSource,
    dims: [usize; 3],
    samples: SharedReader<'r>,
    summary: SharedSummary,
    /// `true` once a part cannot be read, so that the others are not needed.
    has_failed: AtomicBool,
    sample_type: PhantomData<T>,
}

/// Reason why planes cannot be read to a device.
enum Failure {
    File(FileError),
    Device(DeviceError),
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

impl<'r, T: DeviceSample + Sample> Reading<'r, T> {
    fn new(source: &'r VolumeSource, reader: &'r VolumeReader<'_>) -> Result<Self, PipelineError> {
        let dims = reader.dims();
        kernel_grid(dims).map_err(source.error())?;
        let summary = SharedSummary::new(dims.iter().product());
        let Some(samples) = reader.shared() else {
            unreachable!("`open` returns readers with shared access only");
        };
        Ok(Self {
            source,
            dims,
            samples,
            summary: summary.map_err(source.error::<OutOfMemory>())?,
            has_failed: AtomicBool::new(false),
            sample_type: PhantomData,
        })
    }

    /// Reads planes to a device, on a new stream. They are incomplete if another part has failed.
    fn planes(
        &self,
        device: &Device,
        planes: Range<usize>,
    ) -> Result<(Stream, Buffer<T>), Failure> {
        let read = || {
            let stream = device.stream()?;
            let samples = device.load_kernels_during(|| self.elements(&stream, planes))?;
            stream.synchronize()?;
            Ok((stream, samples))
        };
        read().inspect_err(|_| self.has_failed.store(true, Relaxed))
    }

    fn elements(&self, stream: &Stream, planes: Range<usize>) -> Result<Buffer<T>, Failure> {
        let plane = self.dims[0] * self.dims[1];
        let mut buffer = stream.alloc::<T>(planes.len() * plane)?;
        let failure = Mutex::new(None);
        let fill = |first: usize, samples: &mut [T]| {
            if self.has_failed.load(Relaxed) {
                return false;
            }
            match self.samples.read(first, samples) {
                Ok(()) => {
                    self.summary.add(first, samples);
                    true
                }
                Err(error) => {
                    self.has_failed.store(true, Relaxed);
                    *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    false
                }
            }
        };
        stream.fill_with(&mut buffer, planes.start * plane, fill)?;
        let failure = failure.into_inner();
        match failure.unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(Failure::File(error)),
            None => Ok(buffer),
        }
    }

    /// Returns the summary of all samples. Those at the ends of parts are read again.
    fn finish(self) -> Result<SampleSummary, PipelineError> {
        let (samples, source) = (self.samples, self.source);
        self.summary.finish(|summary, range| {
            let chunk = memory::try_zeroed::<T>("samples between two parts", range.len());
            let mut chunk = chunk.map_err(source.error::<OutOfMemory>())?;
            samples.read(range.start, &mut chunk)?;
            summary.add(range.start, &chunk);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Volume,
        io::{ReadOptions, VolumeWriteOptions, write_volume},
    };

    /// Writes a volume to a file `v.npy` in a folder.
    fn source(folder: &tempfile::TempDir, volume: &Volume<f32>) -> VolumeSource {
        let source = VolumeSource::new(folder.path().join("v.npy"));
        let options = VolumeWriteOptions::default();
        write_volume(&source.path, &volume.clone().into(), &options).unwrap();
        source
    }

    fn open_file(source: &VolumeSource) -> VolumeReader<'static> {
        VolumeReader::open(&source.path, &ReadOptions::default()).unwrap()
    }

    fn wave(dims: [usize; 3]) -> Volume<f32> {
        let sample = |x: usize, y: usize, z: usize| ((x * 31 + y * 7 + z * 3) % 251) as f32 / 3.0;
        Volume::from_fn(dims, Geometry::default(), sample).unwrap()
    }

    #[test]
    fn samples_and_summary_are_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        // nothing, one sample, and several requests, the last of which is incomplete
        for dims in [[0, 5, 3], [1, 1, 1], [128, 70, 71]] {
            let volume = wave(dims);
            let source = source(&folder, &volume);
            for device in Device::all() {
                let reader = open_file(&source);
                let (stream, found, summary) =
                    read(&source, &reader, Geometry::default(), &device).unwrap();
                let AnyDeviceVolume::F32(found) = found else {
                    panic!("samples of another type");
                };
                assert_eq!(found.dims(), dims);
                assert_eq!(stream.download(found.samples()).unwrap(), volume.samples());
                assert_eq!(summary, SampleSummary::from_samples(volume.samples()));
            }
        }
    }

    #[test]
    fn parts_have_the_surface_and_the_summary_of_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let shift = |[x, y, z]: [usize; 3]| {
            let from_middle = |at: usize, n: usize| (at as f32 - n as f32 / 2.1).powi(2);
            from_middle(x, 90) + from_middle(y, 70) + from_middle(z, 80)
        };
        let sample = |x, y, z| 35.0 - shift([x, y, z]).sqrt();
        let volume = Volume::from_fn([90, 70, 80], Geometry::default(), sample).unwrap();
        let source = source(&folder, &volume);
        for close in [false, true] {
            let params = IsosurfaceParams {
                iso: 2.5,
                close,
                ..IsosurfaceParams::default()
            };
            let cpu = [Device::cpu()];
            let whole = isosurface::extract_parts(&cpu, volume.view(), None, &params);
            let whole = whole.unwrap().join().unwrap();
            let gpus: Vec<_> = Device::all()
                .into_iter()
                .filter(|device| device.kind() == DeviceKind::Cuda)
                .collect();
            let repeated = |device: &Device| vec![device.clone(); 3];
            let lists = Device::all().iter().map(repeated).collect::<Vec<_>>();
            for devices in lists.into_iter().chain([gpus]) {
                if devices.is_empty() {
                    continue;
                }
                let reader = open_file(&source);
                let geometry = Geometry::default();
                let (extract, summary) =
                    read_parts(&source, &reader, geometry, close, &devices).unwrap();
                assert_eq!(summary, SampleSummary::from_samples(volume.samples()));
                assert!(extract(&params).unwrap().join().unwrap() == whole);
            }
        }
    }

    #[test]
    fn file_that_became_shorter_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(&folder, &wave([64, 64, 200]));
        let reader = open_file(&source);
        let file = std::fs::File::options().write(true).open(&source.path);
        file.unwrap().set_len(2 << 20).unwrap();
        let (geometry, cpu) = (Geometry::default(), Device::cpu());
        let whole = read(&source, &reader, geometry, &cpu).err();
        let parts = read_parts(&source, &reader, geometry, false, &[cpu.clone(), cpu]).err();
        for error in [whole, parts] {
            let error = error.unwrap().to_string();
            assert!(
                error.contains("v.npy") && error.contains("changed"),
                "{error}"
            );
        }
    }
}
