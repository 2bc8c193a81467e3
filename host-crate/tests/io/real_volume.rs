//! The T1 template in the repository. The expected numbers were computed from the bytes of the file
//! with the standard library of Python (gzip and struct), independently of this library.

use ferrovox::grid::{AnyVolume, SampleType};
use ferrovox::io::{Compression, ReadOptions, StoredType, VolumeFormat, read_volume};
use nalgebra::{Matrix3, Point3};

use crate::helpers::mni152;

#[test]
fn mni152_is_read_right() {
    let file = read_volume(mni152(), &ReadOptions::default()).unwrap();
    assert_eq!(file.header.format, VolumeFormat::Nifti);
    assert_eq!(file.header.version.as_deref(), Some("NIfTI-1"));
    assert_eq!(file.header.compression, Compression::Gzip);
    assert_eq!(file.header.stored_type, StoredType::U8);
    assert_eq!(file.header.scaling, None);
    assert_eq!(file.header.notes, Vec::<String>::new());

    assert_eq!(file.volume.dims(), [197, 233, 189]);
    assert_eq!(file.volume.sample_type(), SampleType::U8);
    // The sform: spacing 1 mm, no rotation, the first sample at (-98, -134, -72).
    assert_eq!(file.volume.geometry().axes(), &Matrix3::identity());
    assert_eq!(
        file.volume.geometry().origin(),
        Point3::new(-98.0, -134.0, -72.0)
    );

    let AnyVolume::U8(volume) = &file.volume else {
        panic!("u8 samples")
    };
    let samples = [[98, 134, 72], [50, 100, 90], [120, 60, 110]].map(|index| volume.get(index));
    assert_eq!(samples, [Some(71), Some(135), Some(223)]);
    let sum: u64 = volume
        .samples()
        .iter()
        .map(|&sample| u64::from(sample))
        .sum();
    assert_eq!(sum, 333_468_829);
    let summary = volume.summary();
    assert_eq!((summary.min, summary.max), (Some(0.0), Some(255.0)));
    assert_eq!(summary.non_finite, 0);
    assert_eq!(summary.mean, Some(333_468_829.0 / (197.0 * 233.0 * 189.0)));
}
