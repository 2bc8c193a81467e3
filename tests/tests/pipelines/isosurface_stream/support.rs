//! Volume files, and their meshes extracted whole and streamed.

use ferrovox::{
    device::Device,
    grid::{AnyVolume, DeviceSample, DeviceVolume, Sample, SampleSummary, Volume},
    io::{
        MeshWriteOptions, MeshWriter, ReadOptions, VolumeReader, VolumeWriteOptions, read_volume,
        write_mesh, write_volume,
    },
    isosurface::{self, IsosurfaceParams},
    monitor::{Monitor, Progress},
    pipeline::stream_mesh::{StreamError, StreamInputs, StreamOptions, StreamReport, stream_mesh},
};
use ferrovox_tests::random;
use std::{fs, path::Path, sync::Mutex};
use tempfile::TempDir;

/// A volume file, an optional mask file, and the meshes extracted from them.
pub struct Files {
    pub folder: TempDir,
    pub volume: &'static str,
    pub masked: bool,
}

/// Result and file of the extraction from the whole volume.
pub struct Whole {
    pub bytes: Vec<u8>,
    pub non_finite_cells: u64,
    pub summary: SampleSummary,
    pub inexact: usize,
}

impl Files {
    pub fn new(volume: AnyVolume, name: &'static str, mask: Option<AnyVolume>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = VolumeWriteOptions::default();
        write_volume(folder.path().join(name), &volume, &options).unwrap();
        let masked = mask.is_some();
        if let Some(mask) = mask {
            write_volume(folder.path().join("mask.nrrd"), &mask, &options).unwrap();
        }
        Self {
            folder,
            volume: name,
            masked,
        }
    }

    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    pub fn whole(&self, params: &IsosurfaceParams, output: &str) -> Whole {
        let read = |name: &str| read_volume(self.path(name), &ReadOptions::default()).unwrap();
        let mask = self.masked.then(|| {
            let mask = read("mask.nrrd").volume.into_f32().0;
            let ones = mask.samples().iter().map(|&sample| u8::from(sample != 0.0));
            Volume::new(ones.collect(), mask.dims(), *mask.geometry()).unwrap()
        });
        let volume = read(self.volume).volume;
        let summary = volume.summary();
        let mut inexact = 0;
        let (mesh, non_finite_cells) = match volume {
            AnyVolume::U8(volume) => extract(volume, mask, params),
            AnyVolume::I8(volume) => extract(volume, mask, params),
            AnyVolume::U16(volume) => extract(volume, mask, params),
            AnyVolume::I16(volume) => extract(volume, mask, params),
            AnyVolume::F32(volume) => extract(volume, mask, params),
            wide => {
                let (volume, conversion) = wide.into_f32();
                inexact = conversion.inexact;
                extract(volume, mask, params)
            }
        };
        let path = self.path(output);
        write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
        Whole {
            bytes: fs::read(path).unwrap(),
            non_finite_cells,
            summary,
            inexact,
        }
    }

    pub fn stream(
        &self,
        devices: &[Device],
        params: &IsosurfaceParams,
        options: &StreamOptions,
        output: &Path,
    ) -> Result<StreamReport, StreamError> {
        let open = |name: &str| VolumeReader::open(self.path(name), &ReadOptions::default());
        let mut volume = open(self.volume)?;
        let mut mask = self.masked.then(|| open("mask.nrrd").unwrap());
        let writer_options = MeshWriteOptions {
            normals: params.normals,
            ..MeshWriteOptions::default()
        };
        let writer = MeshWriter::create(output, &writer_options)?;
        let told = Mutex::new(0);
        let hook = |progress: Progress| {
            let before = std::mem::replace(&mut *told.lock().unwrap(), progress.done);
            assert!(before < progress.done && progress.done <= progress.total);
        };
        let inputs = StreamInputs {
            devices,
            volume: &mut volume,
            mask: mask.as_mut(),
            writer: Some(writer),
            params,
            options,
        };
        let report = stream_mesh(inputs, &Monitor::new().on_progress(&hook))?;
        assert_eq!(told.into_inner().unwrap(), report.slabs);
        Ok(report)
    }

    pub fn assert_same(
        &self,
        label: &str,
        devices: &[Device],
        params: &IsosurfaceParams,
        options: &StreamOptions,
        output: &str,
    ) -> StreamReport {
        let expected = self.whole(params, output);
        let path = self.path(&format!("streamed-{output}"));
        let report = self.stream(devices, params, options, &path).unwrap();
        assert!(
            fs::read(&path).unwrap() == expected.bytes,
            "{label}: {output}"
        );
        assert_eq!(
            report.non_finite_cells, expected.non_finite_cells,
            "{label}"
        );
        assert_eq!(report.inexact_samples, expected.inexact, "{label}");
        let summary = |of: SampleSummary| (of.count, of.non_finite, of.min, of.max);
        assert_eq!(
            summary(report.samples),
            summary(expected.summary),
            "{label}"
        );
        report
    }
}

pub fn extract<T: DeviceSample + Sample>(
    volume: Volume<T>,
    mask: Option<Volume<u8>>,
    params: &IsosurfaceParams,
) -> (ferrovox::mesh::TriangleMesh, u64) {
    let stream = Device::cpu().stream().unwrap();
    let volume = DeviceVolume::upload(&stream, volume.view()).unwrap();
    let mask = mask.map(|mask| DeviceVolume::upload(&stream, mask.view()).unwrap());
    let mesh = isosurface::extract(&stream, &volume, mask.as_ref(), params).unwrap();
    (mesh.download(&stream).unwrap(), mesh.non_finite_cells)
}

pub fn height(planes: u32) -> StreamOptions {
    StreamOptions {
        slab_height: Some(planes),
        ..StreamOptions::default()
    }
}

/// Returns a volume of any sample type, and an isovalue that equals some of its samples.
pub fn any_volume(dims: [usize; 3], seed: u64, which: u64) -> (AnyVolume, f32) {
    match which % 9 {
        0 => (
            random::integers(dims, seed, |bits| bits as u8).into(),
            127.0,
        ),
        1 => (random::integers(dims, seed, |bits| bits as i8).into(), 3.0),
        2 => (
            random::integers(dims, seed, |bits| bits as u16).into(),
            30000.5,
        ),
        3 => (
            random::integers(dims, seed, |bits| bits as i16).into(),
            -12.0,
        ),
        4 => (random::integers(dims, seed, |bits| bits as i32).into(), 1e8),
        5 => {
            let of = |bits| (bits as f64 / u64::MAX as f64 - 0.5) * 3.0;
            (random::integers(dims, seed, of).into(), 0.1)
        }
        6 => (
            random::integers(dims, seed, |bits| (bits | 1) as i64).into(),
            1e18,
        ),
        7 => (random::floats(dims, seed, 0.25, true).into(), 0.25),
        _ => (random::floats(dims, seed, 0.25, false).into(), 0.25),
    }
}

pub const OUTPUTS: [&str; 5] = ["a.ply", "a.obj", "a.stl", "a.vtk", "a.vtp"];
