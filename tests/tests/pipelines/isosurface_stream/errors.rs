//! Streams that fail or are cancelled leave no file.

use super::support::{Files, height};
use ferrovox::{
    device::{CpuOptions, Device},
    io::{FileProblem, MeshWriteOptions, MeshWriter, ReadOptions, VolumeReader},
    isosurface::IsosurfaceError,
    monitor::{CancelFlag, Monitor, Progress},
    pipeline::stream_mesh::{StreamError, StreamInputs, StreamOptions, stream_mesh},
};
use ferrovox_tests::random;
use std::fs;

/// Returns a device that fails at its first kernel, as its blocks have no threads.
fn failing_device() -> Device {
    Device::cpu_with(CpuOptions {
        block: 0,
        ..CpuOptions::default()
    })
}

#[test]
fn failing_device_is_reported_and_the_file_is_unchanged() {
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
        // only the volume and the output
        assert_eq!(fs::read_dir(files.folder.path()).unwrap().count(), 2);
    };
    for place in 0..3 {
        let mut devices = vec![Device::cpu(); 3];
        devices[place] = failing_device();
        let error = files
            .stream(&devices, &params, &height(2), &output)
            .unwrap_err();
        let expected = format!("cpu (device {} of 3)", place + 1);
        assert!(error.to_string().contains(&expected), "{error}");
        untouched();
    }

    // a truncated file, which is detected during the extraction
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
fn writer_with_normals_requires_normals() {
    let files = Files::new(random::floats([5; 3], 3, 0.0, false).into(), "a.nrrd", None);
    let mut volume = VolumeReader::open(files.path("a.nrrd"), &ReadOptions::default()).unwrap();
    let options = MeshWriteOptions {
        normals: true,
        ..MeshWriteOptions::default()
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
    let error = stream_mesh(inputs, &Monitor::new()).unwrap_err();
    assert!(
        matches!(&error, StreamError::File(error) if matches!(error.problem, FileProblem::Mesh(_))),
        "{error}"
    );
    assert!(!files.path("out.ply").exists());
}

#[test]
fn invalid_input_is_an_error() {
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

/// A progress callback that cancels at the first slab: an error, and no file.
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
        let monitor = Monitor::new().on_progress(&hook).cancelled_by(&cancel);
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
