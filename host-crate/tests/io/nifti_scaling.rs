//! NIfTI's scaling: sample types, exactness, overflow.

use ferrovox::grid::{AnyVolume, SampleType};
use ferrovox::io::{FileProblem, ReadOptions, SampleProblem, Scaling, StoredType, VolumeReader};

use crate::helpers::{message, read_bytes};
use crate::nifti_files::Nifti;

fn f32_samples(volume: &AnyVolume) -> &[f32] {
    match volume {
        AnyVolume::F32(volume) => volume.samples(),
        other => panic!("samples of {}", other.sample_type()),
    }
}

fn f64_samples(volume: &AnyVolume) -> &[f64] {
    match volume {
        AnyVolume::F64(volume) => volume.samples(),
        other => panic!("samples of {}", other.sample_type()),
    }
}

/// Returns a file of samples along x with a slope and an intercept.
fn scaled<const N: usize>(
    datatype: i16,
    [slope, intercept]: [f32; 2],
    samples: impl IntoIterator<Item = [u8; N]>,
) -> Vec<u8> {
    let bytes: Vec<u8> = samples.into_iter().flatten().collect();
    let mut file = Nifti::new(&[(bytes.len() / N) as i16], datatype, 8 * N as i16);
    file.f32(112, slope);
    file.f32(116, intercept);
    file.samples(&bytes)
}

/// Reads a file of f64 samples as a whole and by planes, which must agree.
fn read_f64(file: &[u8]) -> Vec<f64> {
    let whole = read_bytes("a.nii", file).unwrap();
    let samples = f64_samples(&whole.volume).to_vec();
    let mut reader = VolumeReader::from_bytes("a.nii", file, &ReadOptions::default()).unwrap();
    assert_eq!(reader.sample_type(), SampleType::F64);
    let planes = reader.read_planes::<f64>(0..1).unwrap();
    let bits = |samples: &[f64]| samples.iter().map(|it| it.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&planes), bits(&samples));
    samples
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
fn scaled_samples_that_f32_would_merge_stay_distinct() {
    // 24 consecutive samples, which f32 rounds to one at 2^30
    let file = scaled(
        512,
        [1.0, 1_073_741_824.0],
        (0..24_u16).map(u16::to_le_bytes),
    );
    let expected: Vec<f64> = (0..24).map(|it| 1_073_741_824.0 + f64::from(it)).collect();
    assert_eq!(read_f64(&file), expected);
    let file = scaled(4, [1.0, 1e8], [-3_i16, 5, 6].map(i16::to_le_bytes));
    assert_eq!(
        read_f64(&file),
        [99_999_997.0, 100_000_005.0, 100_000_006.0]
    );
    // A product that f32 rounds.
    let file = scaled(2, [0.1, 0.0], [[3_u8], [7]]);
    let slope = f64::from(0.1_f32);
    assert_eq!(read_f64(&file), [3.0 * slope, 7.0 * slope]);
}

#[test]
fn scaled_floats_beyond_f32_are_finite() {
    let samples = [1.5_f32, -3e38, f32::INFINITY];
    let file = scaled(16, [1e30, 0.0], samples.map(f32::to_le_bytes));
    let slope = f64::from(1e30_f32);
    let expected = [1.5 * slope, f64::from(-3e38_f32) * slope, f64::INFINITY];
    assert_eq!(read_f64(&file), expected);
    let summary = read_bytes("a.nii", &file).unwrap().volume.summary();
    assert_eq!(
        (summary.min, summary.max),
        (Some(expected[1]), Some(expected[0]))
    );
}

#[test]
fn overflow_of_a_scaled_sample_names_the_first_one() {
    // 2 x 2 samples, of which the last two overflow
    let samples = [1.0, 1e200, 1e300, -1e300].map(f64::to_le_bytes);
    let mut file = Nifti::new(&[2, 2], 64, 64);
    file.f32(112, 1e30);
    let bytes = file.samples(samples.as_flattened());
    let text = "sample 2, at voxel 0, 1, 0, is stored as 1e300; times the slope 1.0000000150474662e30 plus the intercept 0e0 it \
        exceeds the range of f64; correct the slope and the intercept in the header";
    assert_eq!(message("a.nii", &bytes), format!("a.nii: {text}"));
    let mut reader = VolumeReader::from_bytes("a.nii", &bytes, &ReadOptions::default()).unwrap();
    let error = reader.read_planes::<f64>(0..1).unwrap_err();
    assert!(matches!(
        error.problem,
        FileProblem::Sample(SampleProblem::ScalingOverflow {
            index: 2,
            voxel: [0, 1, 0],
            ..
        })
    ));
}

#[test]
fn exact_scalings_of_short_integers_are_f32() {
    for (datatype, scaling) in [(4, [1.0, -1024.0]), (512, [0.25, 3.0]), (4, [-2.0, 0.0])] {
        let file = scaled(datatype, scaling, [1_i16, 200].map(i16::to_le_bytes));
        let read = read_bytes("a.nii", &file).unwrap();
        let expected = [1.0, 200.0].map(|it| scaling[0] * it + scaling[1]);
        assert_eq!(f32_samples(&read.volume), expected);
    }
}
