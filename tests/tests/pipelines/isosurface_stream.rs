//! A volume that is streamed gives the same file, byte for byte.

use ferrovox::{
    device::{CpuOptions, Device},
    grid::{AnyVolume, DeviceSample, DeviceVolume, Geometry, Sample, SampleSummary, Volume},
    io::{
        FileProblem, MeshWriteOptions, MeshWriter, ReadOptions, VolumeReader, VolumeWriteOptions,
        read_volume, write_mesh, write_volume,
    },
    isosurface::{self, IsosurfaceError, IsosurfaceParams},
    monitor::{CancelFlag, Monitor, Progress},
    partition::TooLittleMemory,
    pipeline::stream_mesh::{
        SlabAxis, StreamError, StreamInputs, StreamOptions, StreamReport, stream_mesh,
    },
};
use ferrovox_tests::{devices, noise::Noise, random};
use proptest::prelude::*;
use std::{fs, path::Path, sync::Mutex};
use tempfile::TempDir;

/// A volume file, perhaps a mask file, and what is made of them.
struct Files {
    folder: TempDir,
    volume: &'static str,
    masked: bool,
}

/// What the whole-volume way says and writes.
struct Whole {
    bytes: Vec<u8>,
    non_finite_cells: u64,
    summary: SampleSummary,
    inexact: usize,
}

impl Files {
    fn new(volume: AnyVolume, name: &'static str, mask: Option<AnyVolume>) -> Self {
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

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn whole(&self, params: &IsosurfaceParams, output: &str) -> Whole {
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

    fn stream(
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
            format: None,
            normals: params.normals,
        };
        let writer = MeshWriter::create(output, &writer_options)?;
        let told = Mutex::new(0);
        let hook = |progress: Progress| {
            let before = std::mem::replace(&mut *told.lock().unwrap(), progress.done);
            assert!(before < progress.done && progress.done <= progress.all);
        };
        let inputs = StreamInputs {
            devices,
            volume: &mut volume,
            mask: mask.as_mut(),
            writer: Some(writer),
            params,
            options,
        };
        let report = stream_mesh(inputs, &Monitor::silent().on_progress(&hook))?;
        assert_eq!(told.into_inner().unwrap(), report.slabs);
        Ok(report)
    }

    fn assert_same(
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

fn extract<T: DeviceSample + Sample>(
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

fn height(planes: u32) -> StreamOptions {
    StreamOptions {
        slab_height: Some(planes),
        ..StreamOptions::default()
    }
}

/// A volume of any sample type, and an isovalue that some of its samples have.
fn any_volume(dims: [usize; 3], seed: u64, which: u64) -> (AnyVolume, f32) {
    match which % 8 {
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
        6 => (random::floats(dims, seed, 0.25, true).into(), 0.25),
        _ => (random::floats(dims, seed, 0.25, false).into(), 0.25),
    }
}

const OUTPUTS: [&str; 5] = ["a.ply", "a.obj", "a.stl", "a.vtk", "a.vtp"];

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(48), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_file_is_the_same(
        dims in prop_oneof![[1usize..10, 1usize..10, 1usize..14], [30usize..70, 1usize..5, 1usize..6]],
        seed in any::<u64>(),
        choice in 0u8..8,
        input in prop_oneof![Just("a.nrrd"), Just("a.nii"), Just("a.nii.gz"), Just("a.npy"), Just("a.mha")],
        planes in 1u32..6,
    ) {
        let mut noise = Noise(seed);
        let (volume, iso) = any_volume(dims, seed, noise.below(8));
        let mask = match noise.below(4) {
            0 => Some(random::mask(dims, seed).into()),
            1 => Some(random::integers(dims, seed, |bits| (bits % 9) as f64).into()),
            _ => None,
        };
        let files = Files::new(volume, input, mask);
        let output = OUTPUTS[noise.below(5) as usize];
        let params = random::params(iso, choice);
        for test in devices::fast() {
            let devices = vec![test.device.clone(); 1 + noise.below(3) as usize];
            files.assert_same(&test.label, &devices, &params, &height(planes), output);
        }
        files.assert_same("all", &Device::all(), &params, &StreamOptions::default(), output);
    }

    #[test]
    fn in_as_little_memory_as_is_said_to_be_enough(
        dims in [2usize..20, 2usize..20, 2usize..20],
        seed in any::<u64>(),
        choice in 0u8..8,
        count in 1usize..4,
    ) {
        let (volume, iso) = any_volume(dims, seed, seed);
        let files = Files::new(volume, "a.nrrd", None);
        let params = random::params(iso, choice);
        for test in devices::fast() {
            let devices = vec![test.device.clone(); count];
            let options = |memory| StreamOptions { memory: Some(memory), ..StreamOptions::default() };
            let path = files.path("never.ply");
            let least = match files.stream(&devices, &params, &options(0), &path) {
                Err(StreamError::Isosurface(IsosurfaceError::Memory(TooLittleMemory { budget: 0, needed: least }))) => least,
                Err(error) => panic!("{error}"),
                Ok(_) => panic!("no memory is too little"),
            };
            prop_assert!(!path.exists());
            files.assert_same(&test.label, &devices, &params, &options(least), "a.ply");
            files.assert_same(&test.label, &devices, &params, &options(least * 2), "a.ply");
        }
    }
}

/// A volume with its axes y and z exchanged: the same samples at the same places in the world.
fn turned(volume: &AnyVolume) -> AnyVolume {
    fn of<T: Sample>(volume: &Volume<T>) -> Volume<T> {
        let [nx, ny, nz] = volume.dims();
        let geometry = volume.geometry();
        let axes = [0, 2, 1].map(|axis| geometry.axes().column(axis).into_owned());
        let axes = nalgebra::Matrix3::from_columns(&axes);
        let geometry = Geometry::new(axes, geometry.origin().coords).unwrap();
        let at = |x, z, y| volume.samples()[(z * ny + y) * nx + x];
        Volume::from_fn([nx, nz, ny], geometry, at).unwrap()
    }
    match volume {
        AnyVolume::U8(volume) => of(volume).into(),
        AnyVolume::I8(volume) => of(volume).into(),
        AnyVolume::U16(volume) => of(volume).into(),
        AnyVolume::I16(volume) => of(volume).into(),
        AnyVolume::I32(volume) => of(volume).into(),
        AnyVolume::F32(volume) => of(volume).into(),
        AnyVolume::F64(volume) => of(volume).into(),
    }
}

/// Sorted, and rounded to what the order of sums does not change.
fn sorted(mesh: &ferrovox::mesh::TriangleMesh) -> Vec<[i64; 3]> {
    let vertices = mesh.vertices.iter();
    let mut sorted: Vec<[i64; 3]> = vertices
        .map(|vertex| vertex.map(|x| (f64::from(x) * 1e3).round() as i64))
        .collect();
    sorted.sort_unstable();
    sorted
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(48), failure_persistence: None, ..ProptestConfig::default() })]

    /// Slabs along y make the file of the turned volume, whose surface is that of the volume.
    #[test]
    fn slabs_along_y_make_the_same_surface(
        dims in prop_oneof![[1usize..10, 1usize..14, 1usize..10], [30usize..70, 1usize..9, 1usize..6]],
        seed in any::<u64>(),
        choice in 0u8..8,
        input in prop_oneof![Just("a.nrrd"), Just("a.nii"), Just("a.nii.gz"), Just("a.mha")],
        planes in 1u32..6,
    ) {
        let mut noise = Noise(seed);
        let (volume, iso) = any_volume(dims, seed, noise.below(8));
        let mask: Option<AnyVolume> = match noise.below(3) {
            0 => Some(random::mask(dims, seed).into()),
            1 => Some(random::integers(dims, seed, |bits| (bits % 9) as f64).into()),
            _ => None,
        };
        let other = Files::new(turned(&volume), input, mask.as_ref().map(turned));
        let files = Files::new(volume, input, mask);
        let params = random::params(iso, choice);
        let expected = other.whole(&params, "a.ply");
        let options = StreamOptions { along: Some(SlabAxis::Y), ..height(planes) };
        for test in devices::fast() {
            let devices = vec![test.device.clone(); 1 + noise.below(3) as usize];
            let path = files.path("streamed.ply");
            let report = files.stream(&devices, &params, &options, &path).unwrap();
            prop_assert!(fs::read(&path).unwrap() == expected.bytes, "{}", test.label);
            prop_assert_eq!(report.along, SlabAxis::Y);
            prop_assert_eq!(report.non_finite_cells, expected.non_finite_cells);
            prop_assert_eq!(report.inexact_samples, expected.inexact);
            prop_assert_eq!(report.samples.count, expected.summary.count);
        }
        files.whole(&params, "a.ply");
        let read = |files: &Files| ferrovox::io::read_mesh(files.path("a.ply")).unwrap();
        let [mesh, turned] = [&files, &other].map(read);
        prop_assert_eq!(mesh.triangles.len(), turned.triangles.len());
        prop_assert_eq!(sorted(&mesh).len(), sorted(&turned).len());
        let pairs = sorted(&mesh).into_iter().zip(sorted(&turned));
        for (a, b) in pairs {
            let off = (0..3).map(|axis| (a[axis] - b[axis]).abs()).max();
            prop_assert!(off <= Some(1), "{:?} {:?}", a, b);
        }
    }
}

/// Where planes along z are more than the budget, slabs go along y by themselves.
#[test]
fn large_planes_are_cut_across_y() {
    let dims = [40, 300, 6];
    let volume = random::floats(dims, 5, 0.25, false);
    let files = Files::new(volume.into(), "a.nrrd", None);
    let other = files.path("other.ply");
    let options = |memory| StreamOptions {
        memory: Some(memory),
        ..StreamOptions::default()
    };
    let params = random::params(0.25, 1);
    for test in devices::fast() {
        let devices = [test.device.clone()];
        let of = |memory| files.stream(&devices, &params, &options(memory), &other);
        assert_eq!(of(32 << 20).unwrap().along, SlabAxis::Z, "{}", test.label);
        let report = of(400_000).unwrap();
        assert_eq!(report.along, SlabAxis::Y, "{}", test.label);
        assert!(report.slabs > 4 && report.vertices > 10_000);
    }
}

#[test]
fn under_checked_mode() {
    let volume = random::floats([9, 8, 11], 4, 0.25, true);
    let mask = random::mask([9, 8, 11], 4);
    let files = Files::new(volume.into(), "a.nrrd", Some(mask.into()));
    for test in devices::all() {
        let devices = vec![test.device.clone(); 2];
        let report = files.assert_same(
            &test.label,
            &devices,
            &random::params(0.25, 7),
            &height(3),
            "a.ply",
        );
        assert_eq!(report.slabs, 4, "12 planes of cells");
        let slabs: Vec<u64> = report.devices.iter().map(|device| device.slabs).collect();
        assert_eq!(slabs, [2, 2]);
    }
}

/// A part that takes too much memory is cut again.
#[test]
fn a_dense_slab_is_cut_again() {
    // empty but for a few planes of noise
    let noisy = random::floats([40, 40, 64], 8, 0.0, false);
    let volume = Volume::from_fn([40, 40, 64], Geometry::default(), |x, y, z| match z {
        30..36 => noisy.get([x, y, z]).unwrap(),
        _ => 1.0,
    })
    .unwrap();
    let files = Files::new(volume.into(), "a.nrrd", None);
    let options = StreamOptions {
        memory: Some(3 << 19),
        ..StreamOptions::default()
    };
    let params = random::params(0.0, 4);
    let report = files.assert_same("cpu", &[Device::cpu()], &params, &options, "a.ply");
    assert!(report.slabs > 1);
    assert!(report.devices[0].parts > report.slabs, "{report:?}");
}

#[test]
fn thin_volumes_and_no_cells() {
    for (dims, close) in [
        ([5, 4, 1], false),
        ([5, 4, 1], true),
        ([1, 4, 6], false),
        ([1, 1, 1], true),
        ([5, 4, 2], false),
    ] {
        let files = Files::new(random::floats(dims, 2, 0.0, true).into(), "a.nrrd", None);
        let params = random::params(0.0, if close { 6 } else { 4 });
        let devices = vec![Device::cpu(); 3];
        files.assert_same("cpu", &devices, &params, &StreamOptions::default(), "a.ply");
    }
}

/// A device that fails at its first kernel: it is asked for blocks without threads.
fn failing() -> Device {
    Device::cpu_with(CpuOptions {
        block: 0,
        ..CpuOptions::default()
    })
}

#[test]
fn whoever_fails_is_named_and_the_file_stays_as_it_was() {
    let files = Files::new(
        random::floats([9, 9, 30], 3, 0.0, false).into(),
        "a.nii.gz",
        None,
    );
    let output = files.path("out.ply");
    fs::write(&output, "before").unwrap();
    let params = random::params(0.0, 4);
    let untouched = || {
        assert_eq!(fs::read_to_string(&output).unwrap(), "before");
        // the volume and the output alone
        assert_eq!(fs::read_dir(files.folder.path()).unwrap().count(), 2);
    };
    for place in 0..3 {
        let mut devices = vec![Device::cpu(); 3];
        devices[place] = failing();
        let error = files
            .stream(&devices, &params, &height(2), &output)
            .unwrap_err();
        let expected = format!("cpu (device {} of 3)", place + 1);
        assert!(error.to_string().contains(&expected), "{error}");
        untouched();
    }

    // a file that ends too early, found out in the midst of it
    let path = files.path("a.nii.gz");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let error = files
        .stream(
            &[Device::cpu(), Device::cpu()],
            &params,
            &height(2),
            &output,
        )
        .unwrap_err();
    assert!(matches!(error, StreamError::File(_)), "{error}");
    assert!(error.to_string().contains("a.nii.gz"), "{error}");
    untouched();
}

#[test]
fn normals_that_the_writer_wants_must_be_made() {
    let files = Files::new(random::floats([5; 3], 3, 0.0, false).into(), "a.nrrd", None);
    let mut volume = VolumeReader::open(files.path("a.nrrd"), &ReadOptions::default()).unwrap();
    let options = MeshWriteOptions {
        format: None,
        normals: true,
    };
    let writer = MeshWriter::create(files.path("out.ply"), &options).unwrap();
    let inputs = StreamInputs {
        devices: &[Device::cpu()],
        volume: &mut volume,
        mask: None,
        writer: Some(writer),
        params: &random::params(0.0, 0),
        options: &StreamOptions::default(),
    };
    let error = stream_mesh(inputs, &Monitor::silent()).unwrap_err();
    assert!(
        matches!(&error, StreamError::File(error) if matches!(error.problem, FileProblem::Mesh(_))),
        "{error}"
    );
    assert!(!files.path("out.ply").exists());
}

#[test]
fn bad_input_is_told() {
    let files = Files::new(
        random::floats([5; 3], 3, 0.0, false).into(),
        "a.nrrd",
        Some(random::mask([5, 5, 4], 3).into()),
    );
    let run = |devices: &[Device], iso| {
        let params = random::params(iso, 0);
        let path = files.path("out.ply");
        match files.stream(devices, &params, &StreamOptions::default(), &path) {
            Err(StreamError::Isosurface(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    let cpu = [Device::cpu()];
    assert!(matches!(run(&cpu, 0.0), IsosurfaceError::MaskDims { .. }));
    assert!(matches!(run(&cpu, f32::NAN), IsosurfaceError::Iso { .. }));
    let files = Files::new(random::floats([5; 3], 3, 0.0, false).into(), "a.nrrd", None);
    let error = files.stream(
        &[],
        &random::params(0.0, 0),
        &StreamOptions::default(),
        &files.path("out.ply"),
    );
    assert!(matches!(
        error,
        Err(StreamError::Isosurface(IsosurfaceError::NoDevices))
    ));
}

/// Stopped by whoever is told of the first slab: an error, and no file.
#[test]
fn a_stream_is_cancelled_between_slabs() {
    let files = Files::new(
        random::floats([9, 9, 30], 3, 0.0, false).into(),
        "a.nrrd",
        None,
    );
    for already in [false, true] {
        let mut volume = VolumeReader::open(files.path("a.nrrd"), &ReadOptions::default()).unwrap();
        let path = files.path("out.ply");
        let options = MeshWriteOptions {
            normals: false,
            ..MeshWriteOptions::default()
        };
        let cancel = CancelFlag::new();
        if already {
            cancel.cancel();
        }
        let hook = |progress: Progress| {
            assert!(!already && progress.done == 1);
            cancel.cancel();
        };
        let monitor = Monitor::silent().on_progress(&hook).cancelled_by(&cancel);
        let inputs = StreamInputs {
            devices: &[Device::cpu(), Device::cpu()],
            volume: &mut volume,
            mask: None,
            writer: Some(MeshWriter::create(&path, &options).unwrap()),
            params: &random::params(0.0, 0),
            options: &height(2),
        };
        let error = stream_mesh(inputs, &monitor).unwrap_err();
        assert_eq!(error.to_string(), "cancelled");
        assert!(!path.exists());
    }
}
