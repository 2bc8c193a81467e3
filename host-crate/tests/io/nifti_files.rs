//! NIfTI headers built from the field offsets of `nifti1.h` and `nifti2.h`.

use ferrovox::grid::{AnyVolume, Sample, SampleType, Volume};
use ferrovox::io::{
    ByteOrder, ReadOptions, StoredType, VolumeReader, VolumeWriteOptions, read_volume_bytes,
    write_volume,
};
use nalgebra::{Point3, Vector3};

use crate::helpers::{folder, message, oblique, read_bytes, sample_volume};
use crate::nifti_by_python;

/// Little-endian NIfTI-1 file.
pub struct Nifti(pub Vec<u8>);

impl Nifti {
    /// Creates the header of a grid of `dims` (any number of axes) and a datatype code, without
    /// sform and qform.
    pub fn new(dims: &[i16], datatype: i16, bits: i16) -> Self {
        let mut file = Self(vec![0; 352]);
        file.put(0, &348_i32.to_le_bytes());
        file.i16(40, dims.len() as i16);
        for (axis, &dim) in dims.iter().enumerate() {
            file.i16(42 + 2 * axis, dim);
            file.f32(80 + 4 * axis, 1.0);
        }
        file.i16(70, datatype);
        file.i16(72, bits);
        file.f32(108, 352.0);
        file.put(344, b"n+1\0");
        file
    }

    pub fn put(&mut self, offset: usize, bytes: &[u8]) {
        self.0[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    pub fn i16(&mut self, offset: usize, value: i16) {
        self.put(offset, &value.to_le_bytes());
    }

    pub fn f32(&mut self, offset: usize, value: f32) {
        self.put(offset, &value.to_le_bytes());
    }

    pub fn samples(mut self, bytes: &[u8]) -> Vec<u8> {
        self.0.extend_from_slice(bytes);
        self.0
    }
}

#[test]
fn identity_and_zero_slopes_are_not_applied() {
    for (slope, intercept) in [
        (0.0, 0.0),
        (0.0, 5.0),
        (1.0, 0.0),
        (f32::NAN, 0.0),
        (f32::NAN, f32::NAN),
    ] {
        let mut file = Nifti::new(&[2], 2, 8);
        file.f32(112, slope);
        file.f32(116, intercept);
        let read = read_bytes("a.nii", &file.samples(&[3, 4])).unwrap();
        assert_eq!(
            read.volume.sample_type(),
            SampleType::U8,
            "{slope} {intercept}"
        );
        assert_eq!(read.header.scaling, None);
    }
}

#[test]
fn qform_determines_the_geometry() {
    let mut file = Nifti::new(&[2, 2, 2], 2, 8);
    file.f32(76, -1.0); // qfac
    file.f32(80, 2.0);
    file.f32(84, 3.0);
    file.f32(88, 4.0);
    file.i16(252, 1); // qform_code
    file.f32(256, 1.0); // b: half a turn about x
    file.f32(268, 100.0);
    file.f32(272, 200.0);
    file.f32(276, 300.0);
    let read = read_bytes("a.nii", &file.samples(&[0; 8])).unwrap();
    // A rotation by 180 degrees about x negates y and z, and qfac negates z again.
    let world = read
        .volume
        .geometry()
        .index_to_world(Point3::new(1.0, 1.0, 1.0));
    assert!(
        (world - Point3::new(102.0, 197.0, 304.0)).norm() < 1e-9,
        "{world}"
    );
    assert!(read.volume.geometry().mirrors());
}

#[test]
fn spacing_is_used_and_noted_without_sform_and_qform() {
    let mut file = Nifti::new(&[2, 2], 2, 8);
    file.f32(80, 0.25);
    file.f32(84, -0.5);
    let read = read_bytes("a.nii", &file.samples(&[0; 4])).unwrap();
    assert_eq!(read.volume.dims(), [2, 2, 1]);
    assert_eq!(
        read.volume.geometry().spacing(),
        Vector3::new(0.25, 0.5, 1.0)
    );
    let notes = read.header.notes;
    assert!(notes[0].contains("pixdim[2] is -0.5, which is no spacing: it is taken as 0.5"));
    assert!(notes[1].contains("there is no usable sform or qform"));
    assert_eq!(notes.len(), 2, "{notes:?}");
}

#[test]
fn several_volumes_need_a_selection() {
    let one = Nifti::new(&[2, 1, 1, 1], 2, 8).samples(&[1, 2]);
    assert_eq!(read_bytes("a.nii", &one).unwrap().volume.bytes(), [1, 2]);

    let three = Nifti::new(&[2, 1, 1, 3], 2, 8).samples(&[1, 2, 3, 4, 5, 6]);
    assert_eq!(
        message("t.nii", &three),
        "t.nii: the file holds 3 volumes; select one from 0 to 2"
    );
    for volume in 0..3 {
        let options = ReadOptions {
            volume: Some(volume),
            ..ReadOptions::default()
        };
        let read = read_volume_bytes("t.nii", &three, &options).unwrap();
        assert_eq!(
            read.volume.bytes(),
            [1 + 2 * volume as u8, 2 + 2 * volume as u8]
        );
        assert_eq!((read.header.volume, read.header.volumes), (volume, 3));
    }
    let options = ReadOptions {
        volume: Some(3),
        ..ReadOptions::default()
    };
    let error = read_volume_bytes("t.nii", &three, &options).unwrap_err();
    assert!(
        error.to_string().contains("no volume 3; it holds 3"),
        "{error}"
    );
    // A file that is truncated in a later volume is rejected whichever volume is selected.
    let options = ReadOptions {
        volume: Some(0),
        ..ReadOptions::default()
    };
    let error = read_volume_bytes("t.nii", &three[..three.len() - 1], &options).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("need 6 bytes, but the file has only 5"),
        "{error}"
    );
}

#[test]
fn wide_integers_are_narrowed_or_rejected() {
    let bytes: Vec<u8> = [7_i64, -8]
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .collect();
    let read = read_bytes("a.nii", &Nifti::new(&[2], 1024, 64).samples(&bytes)).unwrap();
    let AnyVolume::I32(volume) = &read.volume else {
        panic!("i32 samples")
    };
    assert_eq!(volume.samples(), [7, -8]);
    assert_eq!(read.header.stored_type, StoredType::I64);

    let bytes: Vec<u8> = [7_u32, 3_000_000_000]
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .collect();
    let wide = Nifti::new(&[2], 768, 32).samples(&bytes);
    check_wide(&wide, &[7.0, 3_000_000_000.0]);
    // The tests of NRRD cover text and both byte orders.
    let large = [0_i64, 1 << 53, -(1 << 60), i64::from(i32::MAX) + 1];
    let bytes: Vec<u8> = large.iter().flat_map(|it| it.to_le_bytes()).collect();
    let wide = Nifti::new(&[2, 2], 1024, 64).samples(&bytes);
    check_wide(&wide, &large.map(|it| it as f64));
    let exact = [0_i64, 5, (1 << 53) + 1, i64::MIN];
    let bytes: Vec<u8> = exact.iter().flat_map(|it| it.to_le_bytes()).collect();
    let file = Nifti::new(&[2, 2], 1024, 64).samples(&bytes);
    match read_bytes("a.nii", &file).unwrap().volume {
        AnyVolume::I64(volume) => assert_eq!(volume.samples(), exact),
        other => panic!("{}", other.sample_type()),
    }
    let bytes: Vec<u8> = [0, 1, 2, (1_u64 << 63) + 1]
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .collect();
    assert_eq!(
        message("a.nii", &Nifti::new(&[2, 2], 1280, 64).samples(&bytes)),
        "a.nii: sample 3, at voxel 1, 1, 0, is 9223372036854775809, which neither i32, f64 nor i64 represents exactly; \
         reduce the u64 samples, or convert them to f64 if rounding is acceptable"
    );
}

/// Checks integers that are read as f64, as a whole and by planes.
fn check_wide(file: &[u8], expected: &[f64]) {
    let read = read_bytes("a.nii", file).unwrap();
    let AnyVolume::F64(volume) = &read.volume else {
        panic!("f64 samples")
    };
    assert_eq!(volume.samples(), expected);
    let mut reader = VolumeReader::from_bytes("a.nii", file, &ReadOptions::default()).unwrap();
    assert_eq!(reader.read_planes::<f64>(0..1).unwrap(), expected);
}

#[test]
fn header_extensions_are_skipped() {
    let mut file = Nifti::new(&[2], 2, 8);
    file.put(348, &[1, 0, 0, 0]);
    file.f32(108, 368.0);
    let mut bytes = file.samples(&[0xEE; 16]);
    bytes.extend([5, 6]);
    assert_eq!(read_bytes("a.nii", &bytes).unwrap().volume.bytes(), [5, 6]);
}

#[test]
fn damaged_headers_are_reported_with_the_field() {
    let zero_axes = Nifti::new(&[], 2, 8).samples(&[]);
    assert!(
        message("a.nii", &zero_axes).contains("dim[0], the number of axes, is 0"),
        "{}",
        message("a.nii", &zero_axes)
    );
    let mut many = Nifti::new(&[1], 2, 8);
    many.i16(40, 9);
    assert!(message("a.nii", &many.samples(&[0])).contains("dim[0], the number of axes, is 9"));
    let negative = Nifti::new(&[2, -3, 1], 2, 8).samples(&[0; 6]);
    assert!(message("a.nii", &negative).contains("dim[2] is -3; use a size of at least 0"));
    let long = Nifti::new(&[2], 1536, 128).samples(&[0; 32]);
    assert_eq!(
        message("a.nii", &long),
        "a.nii: NIfTI datatype 1536 (float128) is not supported; convert the samples to an integer of 8 to 64 bits, float32 or float64"
    );
    let mut offset = Nifti::new(&[2], 2, 8);
    offset.f32(108, 17.0);
    assert!(
        message("a.nii", &offset.samples(&[0; 2]))
            .contains("vox_offset, the offset of the samples, is 17; use at least 352")
    );
    let mut far = Nifti::new(&[2], 2, 8);
    far.f32(108, 1e9);
    assert!(
        message("a.nii", &far.samples(&[0; 2])).contains("the NIfTI header ends after 354 bytes")
    );
    let mut analyze = Nifti::new(&[2], 2, 8);
    analyze.put(344, &[0; 4]);
    assert!(
        message("a.nii", &analyze.samples(&[0; 2]))
            .contains("expected the magic \"n+1\" or \"n+2\"")
    );
}

/// Compares written files with an independent reader, also of NIfTI-2.
#[test]
fn written_files_are_read_by_another_program() {
    let folder = folder();
    let path = folder.path().join("volume.nii");
    let long = Volume::from_fn([1, 40_000, 1], oblique(), |_, y, _| y as f32).unwrap();
    let volumes = SampleType::ALL.map(|it| sample_volume(it, oblique()));
    for volume in volumes.into_iter().chain([long.into()]) {
        for byte_order in [ByteOrder::Little, ByteOrder::Big] {
            let options = VolumeWriteOptions {
                byte_order,
                ..VolumeWriteOptions::default()
            };
            write_volume(&path, &volume, &options).unwrap();
            let Some(read) = nifti_by_python::read(&path) else {
                return;
            };
            let case = format!("{} {byte_order}", volume.sample_type());
            let [nx, ny, nz] = volume.dims().map(|n| n as f64);
            assert_eq!(read["dim"], [3.0, nx, ny, nz, 1.0, 1.0, 1.0, 1.0], "{case}");
            let spacing = volume.geometry().spacing();
            for axis in 0..3 {
                assert!(
                    (read["pixdim"][axis + 1] - spacing[axis]).abs() < 1e-6,
                    "{case}"
                );
            }
            assert_eq!(read["codes"], [0.0, 1.0], "{case}: qform and sform");
            let affine = volume.geometry().affine();
            for (index, value) in read["srow"].iter().enumerate() {
                let expected = affine[(index / 4, index % 4)];
                assert!(
                    (value - expected).abs() < 1e-5,
                    "{case}: {value} {expected}"
                );
            }
            assert_eq!(read["scaling"], [1.0, 0.0], "{case}");
            assert_eq!(read["samples"], to_f64(&volume), "{case}");
        }
    }
}

fn to_f64(volume: &AnyVolume) -> Vec<f64> {
    fn convert<T: Sample>(volume: &Volume<T>) -> Vec<f64> {
        volume.samples().iter().map(|it| it.to_f64()).collect()
    }
    match volume {
        AnyVolume::U8(volume) => convert(volume),
        AnyVolume::I8(volume) => convert(volume),
        AnyVolume::U16(volume) => convert(volume),
        AnyVolume::I16(volume) => convert(volume),
        AnyVolume::I32(volume) => convert(volume),
        AnyVolume::I64(volume) => convert(volume),
        AnyVolume::F32(volume) => convert(volume),
        AnyVolume::F64(volume) => convert(volume),
    }
}
