//! VTI, TIFF and Zarr that are written, npz archives and arrays of 16-bit floats that are read.

use std::fs;
use std::path::Path;

use ferrovox::grid::{AnyVolume, Geometry, SampleType, Volume};
use ferrovox::io::{
    ByteOrder, ReadOptions, SeriesSelector, VolumeFormat, VolumeReader, VolumeWriteOptions,
    read_volume, write_volume,
};

use crate::dicom::samples;
use crate::helpers::{assert_close, folder, oblique, sample_volume};
use crate::{npy_by_python, python};

const NAMES: [&str; 5] = ["a.vti", "a.tif", "b.tiff", "a.zarr.zip", "b.ozx"];

fn aligned() -> Geometry {
    Geometry::from_spacing([0.5, 1.25, 2.0], [-3.0, 10.0, 0.125]).unwrap()
}

#[test]
fn every_type_and_byte_order_is_read_back() {
    let folder = folder();
    for name in NAMES {
        for sample_type in SampleType::ALL {
            for byte_order in [ByteOrder::Little, ByteOrder::Big] {
                let volume = sample_volume(sample_type, aligned());
                let path = folder.path().join(name);
                let options = VolumeWriteOptions {
                    byte_order,
                    ..VolumeWriteOptions::default()
                };
                write_volume(&path, &volume, &options).unwrap();
                let file = read_volume(&path, &ReadOptions::default()).unwrap();
                let case = format!("{name} {sample_type} {byte_order}");
                assert_eq!(file.volume.sample_type(), sample_type, "{case}");
                assert_eq!(file.volume.dims(), volume.dims(), "{case}");
                assert_eq!(file.volume.bytes(), volume.bytes(), "{case}");
                let expected = if name.contains("tif") {
                    Geometry::from_spacing(aligned().spacing().into(), [0.0; 3]).unwrap()
                } else {
                    aligned()
                };
                assert_close(file.volume.geometry(), &expected, 1e-14);
            }
        }
    }
}

#[test]
fn directions_are_stored_by_vti_only() {
    let folder = folder();
    let volume = sample_volume(SampleType::I16, oblique());
    for name in NAMES {
        let path = folder.path().join(name);
        write_volume(&path, &volume, &VolumeWriteOptions::default()).unwrap();
        let file = read_volume(&path, &ReadOptions::default()).unwrap();
        if name == "a.vti" {
            assert_close(file.volume.geometry(), volume.geometry(), 1e-12);
        } else {
            let difference = file.volume.geometry().spacing() - volume.geometry().spacing();
            assert!(difference.norm() < 1e-12, "{name}");
            // Without directions the origin would be a wrong position.
            assert_eq!(file.volume.geometry().origin().coords.norm(), 0.0, "{name}");
        }
    }
}

/// Several chunks along every axis, of which some hold zeros only.
#[test]
fn volumes_of_many_chunks_are_read_back() {
    let folder = folder();
    let volume = Volume::from_fn([150, 70, 140], aligned(), |x, y, z| {
        if x < 70 || z > 130 {
            0
        } else {
            (x + 3 * y + 7 * z) as u16
        }
    });
    let volume = AnyVolume::from(volume.unwrap());
    for name in ["a.zarr.zip", "a.tif", "a.vti"] {
        let path = folder.path().join(name);
        write_volume(&path, &volume, &VolumeWriteOptions::default()).unwrap();
        let file = read_volume(&path, &ReadOptions::default()).unwrap();
        assert!(file.volume.bytes() == volume.bytes(), "{name}");
        let mut reader = VolumeReader::open(&path, &ReadOptions::default()).unwrap();
        let plane = 150 * 70;
        let AnyVolume::U16(expected) = &volume else {
            panic!("u16")
        };
        let expected = &expected.samples()[66 * plane..68 * plane];
        assert!(
            reader.read_planes::<u16>(66..68).unwrap() == expected,
            "{name}"
        );
    }
    let size = |name: &str| fs::metadata(folder.path().join(name)).unwrap().len();
    assert!(2 * size("a.zarr.zip") < size("a.vti"));
}

#[test]
fn empty_volumes_are_files_except_tiff() {
    let folder = folder();
    let empty = Volume::<f32>::new(vec![], [3, 0, 2], Geometry::default()).unwrap();
    for name in ["a.vti", "a.zarr.zip"] {
        let path = folder.path().join(name);
        write_volume(&path, &empty.clone().into(), &VolumeWriteOptions::default()).unwrap();
        let file = read_volume(&path, &ReadOptions::default()).unwrap();
        assert_eq!(file.volume.dims(), [3, 0, 2], "{name}");
    }
    let path = folder.path().join("a.tif");
    let error = write_volume(&path, &empty.into(), &VolumeWriteOptions::default()).unwrap_err();
    assert!(error.to_string().contains("3 x 0 x 2"), "{error}");
    let path = folder.path().join("a.zarr");
    let error = write_volume(
        &path,
        &sample_volume(SampleType::U8, aligned()),
        &VolumeWriteOptions::default(),
    );
    assert!(error.unwrap_err().to_string().contains(".zarr.zip"));
}

/// VTK, tifffile and zarr read what is written, and archives of NumPy are read.
#[test]
fn volumes_equal_those_of_vtk_tifffile_zarr_and_numpy() {
    let (input, output) = (folder(), folder());
    for sample_type in SampleType::ALL {
        for (order, byte_order) in [("le", ByteOrder::Little), ("be", ByteOrder::Big)] {
            for extension in ["vti", "tif", "zarr.zip"] {
                let name = format!("{sample_type}-{order}.{extension}");
                let options = VolumeWriteOptions {
                    byte_order,
                    ..VolumeWriteOptions::default()
                };
                let volume = sample_volume(sample_type, aligned());
                write_volume(input.path().join(name), &volume, &options).unwrap();
            }
        }
    }
    let packages = ["numpy", "vtk", "tifffile", "zarr"];
    let paths = [input.path(), output.path()];
    let Some(lines) = python::run("volumes", &packages, &paths) else {
        return;
    };
    let mut count = 0;
    for line in lines.lines() {
        count += 1;
        let words: Vec<&str> = line.split('\t').collect();
        let [kind, name, expected, ref numbers @ ..] = words[..] else {
            panic!("{line}")
        };
        let (_, found) = npy_by_python::read(Path::new(expected)).expect("Python");
        if kind == "written" {
            let options = ReadOptions {
                series: (numbers[0] != "-").then(|| SeriesSelector(numbers[0].to_owned())),
                ..ReadOptions::default()
            };
            let file = read_volume(name, &options).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(samples(&file.volume), found, "{name} {numbers:?}");
            let is_archive = file.header.format == VolumeFormat::Npz;
            assert_eq!(is_archive, name.ends_with("npz"), "{name}");
            continue;
        }
        let path = input.path().join(name);
        let file = read_volume(&path, &ReadOptions::default()).unwrap();
        assert_eq!(samples(&file.volume), found, "{name}");
        let geometry = file.volume.geometry();
        let expected = file.volume.dims().map(|count| count as f64);
        let (spacing, origin) = (geometry.spacing(), geometry.origin().coords);
        let expected = [expected, spacing.into(), origin.into()].concat();
        for (number, expected) in numbers.iter().zip(expected) {
            if *number != "-" {
                let number: f64 = number.parse().unwrap();
                assert!((number - expected).abs() < 1e-9, "{line}");
            }
        }
    }
    assert!(count >= 57, "{count}");
}

#[test]
fn arrays_of_an_archive_are_selected_by_name_or_number() {
    let folder = folder();
    let path = folder.path().join("a.npz");
    // Two arrays, stored: written by numpy.savez with fixed contents.
    let array = |value: u8| {
        let text = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 2), }\n";
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend([value, value + 1]);
        bytes
    };
    fs::write(
        &path,
        crate::zip::zip(&[("b.npy", array(5)), ("a.npy", array(7))]),
    )
    .unwrap();
    let read = |series: Option<&str>| {
        let options = ReadOptions {
            series: series.map(|text| SeriesSelector(text.to_owned())),
            ..ReadOptions::default()
        };
        let file = read_volume(&path, &options).map_err(|error| error.to_string())?;
        Ok::<_, String>(file.volume.bytes().to_vec())
    };
    assert_eq!(read(Some("b")).unwrap(), [5, 6]);
    assert_eq!(read(Some("1")).unwrap(), [7, 8]);
    for series in [None, Some("c"), Some("0"), Some("3")] {
        let error = read(series).unwrap_err();
        assert!(
            error.contains("2 arrays: a, b; select one with --series"),
            "{error}"
        );
    }
}
