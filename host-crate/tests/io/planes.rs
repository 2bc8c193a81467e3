//! Reading by planes equals reading as a whole, with memory independent of the size of the file.

use std::fs;
use std::ops::Range;

use ferrovox::grid::{AnyVolume, Geometry, Sample, SampleType, Volume};
use ferrovox::io::{
    ByteOrder, FileError, FileProblem, ReadOptions, SelectionProblem, VolumeReader,
    VolumeWriteOptions, read_volume, read_volume_bytes, write_volume,
};
use proptest::prelude::*;

use crate::helpers::{folder, oblique, sample_volume};
use crate::metaimage::mha;
use crate::nifti_files::Nifti;
use crate::nrrd::nrrd;

/// Returns the bytes of a range of planes of any sample type; both ways of reading must agree.
fn plane_bytes(reader: &mut VolumeReader<'_>, z: Range<usize>) -> Result<Vec<u8>, FileError> {
    fn plane_bytes<T: Sample>(
        reader: &mut VolumeReader<'_>,
        z: Range<usize>,
    ) -> Result<Vec<u8>, FileError> {
        let samples = reader.read_planes::<T>(z.clone())?;
        let mut into = vec![T::zeroed(); samples.len()];
        reader.read_planes_into(z, &mut into)?;
        let bytes: &[u8] = bytemuck::cast_slice(&samples);
        assert_eq!(bytes, bytemuck::cast_slice::<T, u8>(&into));
        Ok(bytes.to_vec())
    }
    match reader.sample_type() {
        SampleType::U8 => plane_bytes::<u8>(reader, z),
        SampleType::I8 => plane_bytes::<i8>(reader, z),
        SampleType::U16 => plane_bytes::<u16>(reader, z),
        SampleType::I16 => plane_bytes::<i16>(reader, z),
        SampleType::I32 => plane_bytes::<i32>(reader, z),
        SampleType::I64 => plane_bytes::<i64>(reader, z),
        SampleType::F32 => plane_bytes::<f32>(reader, z),
        SampleType::F64 => plane_bytes::<f64>(reader, z),
    }
}

fn assert_planes(reader: &mut VolumeReader<'_>, whole: &AnyVolume, z: Range<usize>) {
    let plane = reader.plane_len() * whole.sample_type().bytes();
    let found = plane_bytes(reader, z.clone()).unwrap();
    assert!(
        found == whole.bytes()[z.start * plane..z.end * plane],
        "planes {z:?} of {}",
        reader.path().display()
    );
}

/// Returns ascending slabs that overlap by two planes, single planes in descending order, and the
/// whole volume.
fn assert_all_planes(mut reader: VolumeReader<'_>, whole: &AnyVolume) {
    assert_eq!(reader.dims(), whole.dims());
    assert_eq!(reader.geometry(), whole.geometry());
    assert_eq!(reader.sample_type(), whole.sample_type());
    let planes = whole.dims()[2];
    for z in 0..planes {
        assert_planes(&mut reader, whole, z.saturating_sub(2)..planes.min(z + 2));
    }
    for z in (0..planes).rev() {
        assert_planes(&mut reader, whole, z..z + 1);
    }
    assert_planes(&mut reader, whole, 0..planes);
    assert_planes(&mut reader, whole, planes..planes);
}

const FORMATS: [(&str, bool); 7] = [
    ("nii", false),
    ("nii.gz", false),
    ("nrrd", false),
    ("nrrd", true),
    ("mha", false),
    ("mha", true),
    ("npy", false),
];

#[test]
fn every_format_type_and_byte_order() {
    let folder = folder();
    for (extension, compress) in FORMATS {
        for sample_type in SampleType::ALL {
            for byte_order in [ByteOrder::Little, ByteOrder::Big] {
                let path = folder.path().join(format!("volume.{extension}"));
                let options = VolumeWriteOptions {
                    byte_order,
                    compress,
                    ..VolumeWriteOptions::default()
                };
                write_volume(&path, &sample_volume(sample_type, oblique()), &options).unwrap();
                let whole = read_volume(&path, &ReadOptions::default()).unwrap();
                let reader = VolumeReader::open(&path, &ReadOptions::default()).unwrap();
                assert_eq!(reader.header(), &whole.header);
                let packed = compress || extension.ends_with("gz");
                assert_eq!(reader.is_random_access(), !packed, "{extension}");
                assert_all_planes(reader, &whole.volume);
            }
        }
    }
}

/// Reads bytes both ways.
fn assert_same(name: &str, bytes: &[u8], options: &ReadOptions) {
    let whole = read_volume_bytes(name, bytes, options).unwrap();
    let reader = VolumeReader::from_bytes(name, bytes, options).unwrap();
    assert_all_planes(reader, &whole.volume);
}

#[test]
fn scaled_samples() {
    for (datatype, bits, data) in [
        (4_i16, 16_i16, (0..24_u8).collect::<Vec<_>>()),
        (2, 8, (0..12).collect()),
        (
            64,
            64,
            (0..12).flat_map(|i| f64::from(i).to_le_bytes()).collect(),
        ),
        (
            1024,
            64,
            (0..12)
                .flat_map(|i| i64::from(i - 6).to_le_bytes())
                .collect(),
        ),
    ] {
        let mut file = Nifti::new(&[2, 2, 3], datatype, bits);
        file.put(112, &0.37_f32.to_le_bytes());
        file.put(116, &(-5.5_f32).to_le_bytes());
        let bytes = file.samples(&data);
        let whole = read_volume_bytes("a.nii", &bytes, &ReadOptions::default()).unwrap();
        assert!(whole.header.scaling.is_some());
        assert_same("a.nii", &bytes, &ReadOptions::default());
    }
}

#[test]
fn text_and_skips() {
    let default = ReadOptions::default();
    let ascii = "type: short\ndimension: 3\nsizes: 2 1 4\nencoding: ascii";
    assert_same("a.nrrd", &nrrd(ascii, b"1 -2\n3,4 5 6 +7 8\n"), &default);
    let wide = "type: uint64\ndimension: 3\nsizes: 1 1 4\nendian: big\nencoding: ascii";
    assert_same("a.nrrd", &nrrd(wide, b"1 2 3 2147483647"), &default);
    let hex = "type: ushort\ndimension: 3\nsizes: 1 2 3\nendian: big\nencoding: hex";
    assert_same(
        "a.nrrd",
        &nrrd(hex, b"0001 0203\n0405 06070809 0A0b"),
        &default,
    );
    let skip = "type: uchar\ndimension: 3\nsizes: 2 1 3\nencoding: raw\nline skip: 1\nbyte skip: 3";
    assert_same("a.nrrd", &nrrd(skip, b"a line\nxyzabcdef"), &default);
    let last = "type: uchar\ndimension: 3\nsizes: 2 1 3\nencoding: raw\nbyte skip: -1";
    assert_same(
        "a.nrrd",
        &nrrd(last, b"what stands before abcdef"),
        &default,
    );
    let text = "NDims = 3\nDimSize = 1 1 3\nElementType = MET_FLOAT\nBinaryData = False";
    assert_same("a.mha", &mha(text, b"0.5 1e3 -7"), &default);
}

#[test]
fn one_volume_of_several_is_selected() {
    let lines = "type: int\ndimension: 4\nsizes: 2 2 3 4\nendian: little\nencoding: ";
    let samples: Vec<u8> = (0..48_i32).flat_map(|i| (i * i).to_le_bytes()).collect();
    let text: String = (0..48).map(|i| format!("{} ", i * i)).collect();
    for volume in 0..4 {
        let options = ReadOptions {
            volume: Some(volume),
            ..ReadOptions::default()
        };
        assert_same("a.nrrd", &nrrd(&format!("{lines}raw"), &samples), &options);
        assert_same(
            "a.nrrd",
            &nrrd(&format!("{lines}ascii"), text.as_bytes()),
            &options,
        );
    }
}

#[test]
fn detached_files() {
    let folder = folder();
    let header = folder.path().join("a.nhdr");
    let lines = "NRRD0004\ntype: short\ndimension: 3\nsizes: 3 2 5\nendian: big\nencoding: raw\nbyte skip: 7\ndata file: a.raw\n";
    fs::write(&header, lines).unwrap();
    let data: Vec<u8> = (0..67).collect();
    fs::write(folder.path().join("a.raw"), &data).unwrap();
    let whole = read_volume(&header, &ReadOptions::default()).unwrap();
    let reader = VolumeReader::open(&header, &ReadOptions::default()).unwrap();
    assert!(reader.is_random_access());
    assert_all_planes(reader, &whole.volume);
    // A truncated data file is found and named before a plane is read.
    fs::write(folder.path().join("a.raw"), &data[..66]).unwrap();
    let whole = read_volume(&header, &ReadOptions::default()).unwrap_err();
    let opened = VolumeReader::open(&header, &ReadOptions::default())
        .err()
        .expect("cut");
    assert_eq!(opened.to_string(), whole.to_string());
    assert!(opened.to_string().contains("data file a.raw"), "{opened}");
}

#[test]
fn wrong_requests_are_named() {
    let folder = folder();
    for extension in ["nii", "nii.gz"] {
        let path = folder.path().join(format!("v.{extension}"));
        let volume = sample_volume(SampleType::I16, Geometry::default());
        write_volume(&path, &volume, &VolumeWriteOptions::default()).unwrap();
        let mut reader = VolumeReader::open(&path, &ReadOptions::default()).unwrap();
        let error = reader.read_planes::<i16>(3..6).unwrap_err().to_string();
        assert!(
            error.ends_with("the volume has no planes 3..6; it has 5, counted from 0"),
            "{error}"
        );
        #[allow(clippy::reversed_empty_ranges)]
        let reversed = reader.read_planes::<i16>(3..2).unwrap_err();
        assert!(matches!(
            reversed.problem,
            FileProblem::Selection(SelectionProblem::NoSuchPlanes { .. })
        ));
        let error = reader.read_planes::<u16>(0..1).unwrap_err().to_string();
        assert!(
            error.ends_with("the samples are i16, not u16; request i16"),
            "{error}"
        );
        let error = reader.read_planes_into(0..1, &mut [0_i16; 11]).unwrap_err();
        assert!(matches!(error.problem, FileProblem::Volume(_)), "{error}");
        // None of the errors makes the reader unusable.
        assert_all_planes(reader, &volume);
    }
}

#[test]
fn damage_is_found_where_it_is() {
    let folder = folder();
    let path = folder.path().join("v.nii.gz");
    let noise = |x: usize, y: usize, z: usize| {
        ((x * 7919 + y * 104_729 + z * 1_299_709).wrapping_mul(2_654_435_761) >> 13) as u16
    };
    let volume = Volume::from_fn([64, 64, 64], Geometry::default(), noise).unwrap();
    write_volume(
        &path,
        &volume.clone().into(),
        &VolumeWriteOptions::default(),
    )
    .unwrap();
    let mut bytes = fs::read(&path).unwrap();
    // The checksum is in the last eight bytes.
    let place = bytes.len() - 6;
    bytes[place] ^= 1;
    let whole = read_volume_bytes("v.nii.gz", &bytes, &ReadOptions::default()).unwrap_err();
    let mut reader = VolumeReader::from_bytes("v.nii.gz", &bytes, &ReadOptions::default()).unwrap();
    for z in 0..63 {
        let planes = reader.read_planes::<u16>(z..z + 1).unwrap();
        assert_eq!(planes, volume.samples()[z * 4096..(z + 1) * 4096]);
    }
    for _ in 0..2 {
        let error = reader.read_planes::<u16>(62..64).unwrap_err();
        assert_eq!(error.to_string(), whole.to_string());
    }
    // Planes before the damage stay readable.
    assert_eq!(
        reader.read_planes::<u16>(0..1).unwrap(),
        volume.samples()[..4096]
    );
}

/// Extension and compression.
fn format() -> impl Strategy<Value = (&'static str, bool)> {
    proptest::sample::select(&FORMATS[..])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_ranges_of_any_volume(
        (extension, compress) in format(),
        dims in [1_usize..7, 1_usize..7, 1_usize..20],
        big in any::<bool>(),
        overlap in 0_usize..6,
        ranges in proptest::collection::vec((0_usize..20, 0_usize..20), 1..12),
        seed in any::<u32>(),
    ) {
        let folder = folder();
        let path = folder.path().join(format!("v.{extension}"));
        let volume = Volume::from_fn(dims, Geometry::default(), |x, y, z| {
            f32::from_bits(seed.wrapping_mul((x + 7 * (y + 7 * z)) as u32 | 1))
        }).unwrap();
        let byte_order = if big { ByteOrder::Big } else { ByteOrder::Little };
        write_volume(&path, &volume.clone().into(), &VolumeWriteOptions { byte_order, compress, ..VolumeWriteOptions::default() }).unwrap();
        let mut reader = VolumeReader::open(&path, &ReadOptions::default()).unwrap();
        reader.set_overlap(overlap);
        let plane = dims[0] * dims[1];
        for (a, b) in ranges {
            let (a, b) = (a.min(dims[2]), b.min(dims[2]));
            let z = a.min(b)..a.max(b);
            let found = reader.read_planes::<f32>(z.clone()).unwrap();
            let expected = &volume.samples()[z.start * plane..z.end * plane];
            prop_assert_eq!(
                bytemuck::cast_slice::<f32, u8>(&found),
                bytemuck::cast_slice::<f32, u8>(expected)
            );
        }
    }
}
