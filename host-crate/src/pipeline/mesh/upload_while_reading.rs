//! Volumes that are copied to a device while they are read from their file, so that they are never
//! in the host's memory as a whole.

use super::MeshJob;
use crate::{
    device::{Device, DeviceError, DeviceKind, Stream},
    grid::{
        AnyDeviceVolume, DeviceSample, DeviceVolume, Geometry, Sample, SampleSummary,
        SharedSummary, kernel_grid, with_kernel_sample_type,
    },
    io::VolumeReader,
    memory::OutOfMemory,
    pipeline::{Level, PipelineError, VolumeSource, at},
};
use std::sync::{Mutex, PoisonError};

/// Opens the volume of a job if it can be copied to the device as it is stored: one GPU extracts an
/// isosurface that does not depend on the samples from an uncompressed file, and no other step of
/// the job needs the samples.
pub(super) fn open(job: &MeshJob) -> Result<Option<VolumeReader<'static>>, PipelineError> {
    let source = &job.volume;
    let is_one_gpu = matches!(&job.devices[..], [device] if device.kind() == DeviceKind::Cuda);
    let needs_samples = job.mask.is_some()
        || !job.filters.components.keeps_all()
        || !matches!(job.level, Level::Iso(_))
        || source.crop.is_some()
        || !source.filter.keeps_all()
        || source.ahead.is_begun();
    if !is_one_gpu || needs_samples || !source.is_file() {
        return Ok(None);
    }
    let reader = source.open()?;
    let is_read_by_kernels = with_kernel_sample_type!(reader.sample_type(), _T => true, _ => false);
    Ok((is_read_by_kernels && reader.shared().is_some()).then_some(reader))
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
    let stream = device.stream().map_err(source.error())?;
    let (volume, summary) = device.load_kernels_during(|| {
        with_kernel_sample_type!(
            reader.sample_type(),
            T => read_as::<T>(source, reader, geometry, &stream),
            _ => unreachable!("`open` returns readers of types that kernels read")
        )
    })?;
    stream
        .synchronize()
        .map_err(source.error::<DeviceError>())?;
    Ok((stream, volume, summary))
}

fn read_as<T: DeviceSample + Sample>(
    source: &VolumeSource,
    reader: &VolumeReader<'_>,
    geometry: Geometry,
    stream: &Stream,
) -> Result<(AnyDeviceVolume, SampleSummary), PipelineError>
where
    AnyDeviceVolume: From<DeviceVolume<T>>,
{
    let (dims, path) = (reader.dims(), &source.path);
    kernel_grid(dims).map_err(at(path))?;
    let count = dims.iter().product();
    let mut buffer = stream.alloc::<T>(count).map_err(at(path))?;
    let summary = SharedSummary::new(count).map_err(at::<OutOfMemory>(path))?;
    let Some(shared) = reader.shared() else {
        unreachable!("`open` returns readers with shared access only");
    };
    let failure = Mutex::new(None);
    let fill = |first: usize, samples: &mut [T]| match shared.read(first, samples) {
        Ok(()) => {
            summary.add(first, samples);
            true
        }
        Err(error) => {
            let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
            *failure = Some(error);
            false
        }
    };
    stream.fill_with(&mut buffer, fill).map_err(at(path))?;
    let failure = failure.into_inner();
    if let Some(error) = failure.unwrap_or_else(PoisonError::into_inner) {
        return Err(error.into());
    }
    let volume = DeviceVolume::from_buffer(buffer, dims, geometry).map_err(at(path))?;
    Ok((volume.into(), summary.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Volume,
        io::{ReadOptions, VolumeWriteOptions, write_volume},
    };

    #[test]
    fn samples_and_summary_are_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let sample = |x: usize, y: usize, z: usize| ((x * 31 + y * 7 + z * 3) % 251) as f32 / 3.0;
        // nothing, one sample, and several requests, the last of which is incomplete
        for dims in [[0, 5, 3], [1, 1, 1], [128, 70, 71]] {
            let volume = Volume::from_fn(dims, Geometry::default(), sample).unwrap();
            let source = VolumeSource::new(folder.path().join("v.npy"));
            let any = volume.clone().into();
            write_volume(&source.path, &any, &VolumeWriteOptions::default()).unwrap();
            for device in Device::all() {
                let reader = VolumeReader::open(&source.path, &ReadOptions::default()).unwrap();
                let (stream, found, summary) =
                    read(&source, &reader, Geometry::default(), &device).unwrap();
                let AnyDeviceVolume::F32(found) = found else {
                    panic!("samples of another type");
                };
                assert_eq!(found.dims(), dims);
                assert_eq!(stream.download(found.samples()).unwrap(), volume.samples());
                assert_eq!(summary, any.summary());
            }
        }
    }

    #[test]
    fn file_that_became_shorter_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let volume = Volume::from_fn([64, 64, 200], Geometry::default(), |x, _, _| x as f32);
        let source = VolumeSource::new(folder.path().join("v.npy"));
        let any = volume.unwrap().into();
        write_volume(&source.path, &any, &VolumeWriteOptions::default()).unwrap();
        let reader = VolumeReader::open(&source.path, &ReadOptions::default()).unwrap();
        let file = std::fs::File::options().write(true).open(&source.path);
        file.unwrap().set_len(2 << 20).unwrap();
        let found = read(&source, &reader, Geometry::default(), &Device::cpu());
        let error = found.err().unwrap().to_string();
        assert!(
            error.contains("v.npy") && error.contains("changed"),
            "{error}"
        );
    }
}
