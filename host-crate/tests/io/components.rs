//! Samples with several components, and volumes stored as components.

use ferrovox::grid::{AnyVolume, Sample};
use ferrovox::io::{ReadOptions, VolumeFile, VolumeReader, read_volume_bytes};

use crate::helpers::message;
use crate::metaimage::mha;
use crate::nifti_files::Nifti;
use crate::npy_files::npy;
use crate::nrrd::nrrd;

fn component(index: u64) -> ReadOptions {
    ReadOptions {
        component: Some(index),
        ..ReadOptions::default()
    }
}

fn samples<T: Sample>(volume: &AnyVolume) -> Vec<T> {
    assert_eq!(volume.sample_type(), T::TYPE);
    bytemuck::cast_slice(volume.bytes()).to_vec()
}

/// Reads a file as a whole and by planes, which must agree.
fn read<T: Sample>(name: &str, bytes: &[u8], options: &ReadOptions) -> (Vec<T>, VolumeFile) {
    let file = read_volume_bytes(name, bytes, options).unwrap();
    let found = samples::<T>(&file.volume);
    let mut reader = VolumeReader::from_bytes(name, bytes, options).unwrap();
    let planes = reader.dims()[2];
    let mut by_planes = Vec::new();
    for z in 0..planes {
        by_planes.extend(reader.read_planes::<T>(z..z + 1).unwrap());
    }
    assert!(by_planes == found);
    assert_eq!(reader.header(), &file.header);
    (found, file)
}

/// Checks a file of 2 x 1 x 2 samples of u8 with three components, whose values count from 0.
fn check_three(name: &str, bytes: &[u8]) {
    for index in 0..3 {
        let (found, file) = read::<u8>(name, bytes, &component(index));
        let index = index as u8;
        assert_eq!(found, [index, 3 + index, 6 + index, 9 + index], "{name}");
        assert_eq!(file.volume.dims(), [2, 1, 2]);
        assert_eq!((file.header.components, file.header.volumes), (3, 1));
        assert_eq!(file.header.component, u64::from(index));
    }
    assert_eq!(
        message(name, bytes),
        format!("{name}: each sample has 3 components; select one from 0 to 2")
    );
    let error = read_volume_bytes(name, bytes, &component(3)).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{name}: the samples have no component 3; each has 3, counted from 0")
    );
    // Truncated within a component that is not selected.
    let error = read_volume_bytes(name, &bytes[..bytes.len() - 1], &component(0));
    assert!(error.is_err(), "{name}");
}

#[test]
fn colours_and_vectors_have_three_components() {
    let data: Vec<u8> = (0..12).collect();
    check_three("a.nii", &Nifti::new(&[2, 1, 2], 128, 24).samples(&data));
    let lines = "type: uint8\ndimension: 4\nsizes: 3 2 1 2\nkinds: vector domain domain domain\nencoding: raw";
    check_three("a.nrrd", &nrrd(lines, &data));
    // without its last character the last number is another; so one that has a character only
    let text = b"00 1 2 3 4 5 6 7 8 9 10 11 ";
    let cut = &text[..text.len() - 4];
    let file = nrrd(&lines.replace("raw", "ascii"), text);
    assert_eq!(read::<u8>("a.nrrd", &file, &component(2)).0, [2, 5, 8, 11]);
    let file = nrrd(&lines.replace("raw", "ascii"), cut);
    assert!(read_volume_bytes("a.nrrd", &file, &component(2)).is_err());
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packer, &data).unwrap();
    let packed = packer.finish().unwrap();
    check_three("a.nrrd", &nrrd(&lines.replace("raw", "gzip"), &packed));
    let lines = "NDims = 3\nDimSize = 2 1 2\nElementType = MET_UCHAR\nElementNumberOfChannels = 3";
    check_three("a.mha", &mha(lines, &data));
}

#[test]
fn complex_numbers_have_two_components() {
    let data: Vec<u8> = [1.0_f32, -1.0, 2.0, -2.0]
        .iter()
        .flat_map(|it| it.to_le_bytes())
        .collect();
    let nifti = Nifti::new(&[2], 32, 64).samples(&data);
    let array = npy(
        "{'descr': '<c8', 'fortran_order': False, 'shape': (2,)}",
        &data,
    );
    for (name, bytes) in [("a.nii", nifti), ("a.npy", array)] {
        assert_eq!(read::<f32>(name, &bytes, &component(0)).0, [1.0, 2.0]);
        assert_eq!(read::<f32>(name, &bytes, &component(1)).0, [-1.0, -2.0]);
        assert!(message(name, &bytes).contains("each sample has 2 components"));
    }
}

/// Intent codes of `nifti1.h`: none, a statistic with parameters per voxel, estimates and names,
/// matrices, vectors, points, triangles, quaternions, and those of GIFTI.
const INTENTS: [i16; 20] = [
    0, 2, 3, 24, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 2001, 2002,
    2003, 2004, 2005,
];

/// Reads volume `volume` and component `component`.
fn part(volume: u64, component: u64) -> ReadOptions {
    ReadOptions {
        volume: Some(volume),
        component: Some(component),
        ..ReadOptions::default()
    }
}

/// Checks all volumes and components of a file of 2 x 1 x 2 samples that count from 0 in storage
/// order: 2 time steps of 3 components, repeated `repeats` times.
fn check_series(name: &str, bytes: &[u8], repeats: u64) {
    for volume in 0..2 * repeats {
        let (time, repeat) = (volume % 2, volume / 2);
        for component in 0..3 {
            let (found, file) = read::<u8>(name, bytes, &part(volume, component));
            // Index [.., time, component, repeat] of an array in Fortran order, as in nibabel.
            let first = 4 * (time + 2 * (component + 3 * repeat)) as u8;
            assert_eq!(
                found,
                [0, 1, 2, 3].map(|it| first + it),
                "{volume} {component}"
            );
            let header = file.header;
            assert_eq!((header.volumes, header.components), (2 * repeats, 3));
            assert_eq!((header.volume, header.component), (volume, component));
        }
    }
    let error = |options| {
        read_volume_bytes(name, bytes, &options)
            .unwrap_err()
            .to_string()
    };
    assert!(error(part(2 * repeats, 0)).contains(&format!("no volume {}", 2 * repeats)));
    assert!(error(part(0, 3)).contains("no component 3; each has 3"));
    assert!(error(component(0)).contains(&format!("holds {} volumes", 2 * repeats)));
}

#[test]
fn fifth_axis_of_nifti_holds_components_whatever_the_intent() {
    for intent in INTENTS {
        for (dims, repeats) in [(&[2, 1, 2, 2, 3][..], 1), (&[2, 1, 2, 2, 3, 2], 2)] {
            let mut file = Nifti::new(dims, 2, 8);
            file.i16(68, intent);
            let bytes = file.samples(&(0..24 * repeats as u8).collect::<Vec<_>>());
            check_series("a.nii", &bytes, repeats);
        }
        let mut file = Nifti::new(&[2, 1, 2, 1, 3], 2, 8);
        file.i16(68, intent);
        let bytes = file.samples(&(0..12).collect::<Vec<u8>>());
        assert!(message("a.nii", &bytes).contains("each sample has 3 components"));
        let (found, file) = read::<u8>("a.nii", &bytes, &component(1));
        assert_eq!(found, [4, 5, 6, 7]);
        assert_eq!((file.header.components, file.header.volumes), (3, 1));
    }
}

#[test]
fn components_of_complex_vectors_count_the_parts_first() {
    let bytes: Vec<u8> = (0..12).flat_map(|it| (it as f32).to_le_bytes()).collect();
    let file = Nifti::new(&[1, 1, 1, 2, 3], 32, 64).samples(&bytes);
    for time in 0..2 {
        for index in 0..6 {
            let (found, _) = read::<f32>("a.nii", &file, &part(time, index));
            let (imaginary, component) = (index % 2, index / 2);
            let expected = 2 * (time + 2 * component) + imaginary;
            assert_eq!(found, [expected as f32], "{time} {index}");
        }
    }
}

#[test]
fn interleaved_volumes_are_read() {
    let lines = "type: uint8\ndimension: 4\nsizes: 3 2 1 2\nkinds: list domain domain domain\nencoding: raw";
    let bytes = nrrd(lines, &(0..12).collect::<Vec<u8>>());
    assert!(message("a.nrrd", &bytes).contains("the file holds 3 volumes"));
    let options = ReadOptions {
        volume: Some(2),
        ..ReadOptions::default()
    };
    let (found, file) = read::<u8>("a.nrrd", &bytes, &options);
    assert_eq!(found, [2, 5, 8, 11]);
    assert_eq!((file.header.components, file.header.volumes), (1, 3));
    // Several volumes of samples with several components.
    let lines = "type: uint8\ndimension: 5\nsizes: 2 1 1 2 3\nkinds: complex domain domain domain time\nencoding: raw";
    let bytes = nrrd(lines, &(0..12).collect::<Vec<u8>>());
    let options = ReadOptions {
        volume: Some(2),
        component: Some(1),
        ..ReadOptions::default()
    };
    assert_eq!(read::<u8>("a.nrrd", &bytes, &options).0, [9, 11]);
}

#[test]
fn last_axis_of_an_array_holds_the_components() {
    let data: Vec<u8> = (0..12).collect();
    let of = |fortran: &str| {
        let text = format!("{{'descr': '|u1', 'fortran_order': {fortran}, 'shape': (2, 1, 2, 3)}}");
        npy(&text, &data)
    };
    let (found, file) = read::<u8>("a.npy", &of("False"), &component(1));
    assert_eq!((found, file.volume.dims()), (vec![1, 4, 7, 10], [2, 1, 2]));
    let (found, file) = read::<u8>("a.npy", &of("True"), &component(1));
    // The first axis is z, and it is the fastest in the file.
    assert_eq!((found, file.volume.dims()), (vec![4, 6, 5, 7], [2, 1, 2]));
    let empty = npy(
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1, 2, 0)}",
        &[],
    );
    let error = read_volume_bytes("a.npy", &empty, &component(1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a.npy: the samples have no component 1; each has 0, counted from 0"
    );
}
