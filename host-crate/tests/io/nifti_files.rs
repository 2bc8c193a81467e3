//! NIfTI headers built from the field offsets of `nifti1.h` and `nifti2.h`.

use ferrovox::grid::{AnyVolume, Sample, SampleType};
use ferrovox::io::{
    ByteOrder, ReadOptions, Scaling, StoredType, VolumeReader, VolumeWriteOptions,
    read_volume_bytes, write_volume,
};
use nalgebra::{Point3, Vector3};
use nifti::volume::NiftiVolume;
use nifti::{InMemNiftiVolume, NiftiObject};

use crate::helpers::{folder, message, oblique, read_bytes, sample_volume};

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

fn f32_samples(volume: &AnyVolume) -> &[f32] {
    match volume {
        AnyVolume::F32(volume) => volume.samples(),
        other => panic!("samples of {}", other.sample_type()),
    }
}

#[test]
fn scaled_samples_are_f32_and_the_header_has_the_scaling() {
    let mut file = Nifti::new(&[3, 1, 1], 4, 16);
    file.f32(112, 0.5);
    file.f32(116, -10.0);
    let bytes: Vec<u8> = [-2_i16, 0, 7]
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .collect();
    let read = read_bytes("a.nii", &file.samples(&bytes)).unwrap();
    assert_eq!(f32_samples(&read.volume), [-11.0, -10.0, -6.5]);
    assert_eq!(
        read.header.scaling,
        Some(Scaling {
            slope: 0.5,
            intercept: -10.0
        })
    );
    assert_eq!(read.header.stored_type, StoredType::I16);
}

#[test]
fn scaled_f64_samples_stay_f64() {
    let mut file = Nifti::new(&[1], 64, 64);
    file.f32(112, 2.0);
    let read = read_bytes("a.nii", &file.samples(&0.1_f64.to_le_bytes())).unwrap();
    let AnyVolume::F64(volume) = &read.volume else {
        panic!("f64 samples")
    };
    assert_eq!(volume.samples(), [0.2]);
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
    let bytes: Vec<u8> = [0, 1, 2, (1_u64 << 53) + 1]
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .collect();
    assert_eq!(
        message("a.nii", &Nifti::new(&[2, 2], 1280, 64).samples(&bytes)),
        "a.nii: sample 3, at voxel 1, 1, 0, is 9007199254740993, which neither i32 nor f64 represents exactly; \
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
fn scaled_long_integers_are_f64() {
    for (datatype, bits, bytes) in [
        (8, 32, 16_777_217_i32.to_le_bytes().to_vec()),
        (768, 32, 16_777_217_u32.to_le_bytes().to_vec()),
        (1024, 64, 16_777_217_i64.to_le_bytes().to_vec()),
        (1280, 64, 16_777_217_u64.to_le_bytes().to_vec()),
    ] {
        let mut file = Nifti::new(&[1], datatype, bits);
        file.f32(112, 1.0);
        file.f32(116, 2.0);
        let bytes = file.samples(&bytes);
        let read = read_bytes("a.nii", &bytes).unwrap();
        assert_eq!(read.volume.sample_type(), SampleType::F64);
        assert_eq!(read.volume.summary().max, Some(16_777_219.0));
        let mut reader =
            VolumeReader::from_bytes("a.nii", &bytes, &ReadOptions::default()).unwrap();
        assert_eq!(reader.read_planes::<f64>(0..1).unwrap(), [16_777_219.0]);
    }
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

/// Compares written files with the `nifti` crate's own volume reader.
#[test]
fn written_files_are_read_by_another_library() {
    check_with_nifti_crate(SampleType::U8, |data| data.into_nifti_typed_data::<u8>());
    check_with_nifti_crate(SampleType::I8, |data| data.into_nifti_typed_data::<i8>());
    check_with_nifti_crate(SampleType::U16, |data| data.into_nifti_typed_data::<u16>());
    check_with_nifti_crate(SampleType::I16, |data| data.into_nifti_typed_data::<i16>());
    check_with_nifti_crate(SampleType::I32, |data| data.into_nifti_typed_data::<i32>());
    check_with_nifti_crate(SampleType::F32, |data| data.into_nifti_typed_data::<f32>());
    check_with_nifti_crate(SampleType::F64, |data| data.into_nifti_typed_data::<f64>());
}

fn check_with_nifti_crate<T: Sample>(
    sample_type: SampleType,
    into_samples: impl Fn(InMemNiftiVolume) -> nifti::Result<Vec<T>>,
) {
    let folder = folder();
    let path = folder.path().join("volume.nii.gz");
    let volume = sample_volume(sample_type, oblique());
    for byte_order in [ByteOrder::Little, ByteOrder::Big] {
        write_volume(
            &path,
            &volume,
            &VolumeWriteOptions {
                byte_order,
                compress: true,
                ..VolumeWriteOptions::default()
            },
        )
        .unwrap();
        let header = nifti::NiftiHeader::from_file(&path).unwrap();
        assert_eq!(header.dim, [3, 3, 4, 5, 1, 1, 1, 1]);
        assert_eq!(header.pixdim[1..4], [0.7, 1.3, 2.9]);
        assert_eq!((header.sform_code, header.qform_code), (1, 0));
        let other = nifti::ReaderOptions::new()
            .read_file(&path)
            .unwrap()
            .into_volume();
        assert_eq!(other.dim(), [3, 4, 5]);
        let samples = into_samples(other).unwrap();
        assert_eq!(
            bytemuck::cast_slice::<T, u8>(&samples),
            volume.bytes(),
            "{sample_type} {byte_order}"
        );
    }
}
