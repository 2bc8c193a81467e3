//! npy files with handwritten headers, compared with Python.

use ferrovox::grid::{AnyVolume, Geometry, SampleType};
use ferrovox::io::{
    AxisOrder, ByteOrder, ReadOptions, StoredType, VolumeReader, VolumeWriteOptions, read_volume,
    read_volume_bytes, write_volume,
};

use crate::helpers::{folder, message, read_bytes, sample_volume};
use crate::npy_by_python;
use crate::nrrd::nrrd;

/// Returns a version 1.0 file of a header text and data.
pub fn npy(text: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(((text.len() + 1) as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.push(b'\n');
    bytes.extend(data);
    bytes
}

fn header(descr: &str, fortran: bool, shape: &str) -> String {
    let order = if fortran { "True" } else { "False" };
    format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}")
}

/// Returns the elements of an array of this shape in C or Fortran order. Each is the index in C
/// order.
fn elements(shape: &[usize], fortran: bool) -> Vec<u8> {
    let count: usize = shape.iter().product();
    let mut data = vec![0; count];
    for index in 0..count {
        // Index along each axis, the last axis fastest.
        let (mut rest, mut position, mut stride) = (index, 0, 1);
        let mut indices = vec![0; shape.len()];
        for axis in (0..shape.len()).rev() {
            indices[axis] = rest % shape[axis];
            rest /= shape[axis];
        }
        for (index, size) in indices.iter().zip(shape) {
            position += index * stride;
            stride *= size;
        }
        data[if fortran { position } else { index }] = index as u8;
    }
    data
}

/// Reads an array of this shape as a whole and by planes in descending order, which must agree, and
/// returns the dims and the samples.
fn read_array(shape: &[usize], fortran: bool, options: &ReadOptions) -> ([usize; 3], Vec<u8>) {
    let mut text: String = shape.iter().map(|size| format!("{size}, ")).collect();
    text = format!("({text})");
    let bytes = npy(&header("|u1", fortran, &text), &elements(shape, fortran));
    let file = read_volume_bytes("a.npy", &bytes, options).unwrap();
    let array = file.header.array.unwrap();
    assert_eq!(array.axes, options.axes.unwrap_or_default());
    assert_eq!(array.fortran_order, fortran);
    let mut reader = VolumeReader::from_bytes("a.npy", &bytes, options).unwrap();
    let plane = reader.plane_len();
    for z in (0..reader.dims()[2]).rev() {
        let found = reader.read_planes::<u8>(z..z + 1).unwrap();
        assert_eq!(found, file.volume.bytes()[z * plane..(z + 1) * plane]);
    }
    (file.volume.dims(), file.volume.bytes().to_vec())
}

/// The axes have the meaning that the options state, in whichever order the elements are stored.
#[test]
fn the_order_of_the_elements_does_not_change_the_volume() {
    for fortran in [false, true] {
        for axes in [None, Some(AxisOrder::Zyx)] {
            let options = ReadOptions {
                axes,
                ..ReadOptions::default()
            };
            let (dims, samples) = read_array(&[4, 3, 2], fortran, &options);
            assert_eq!(dims, [2, 3, 4]);
            // The samples of a volume are x fastest, as are the elements in C order.
            assert_eq!(samples, (0..24).collect::<Vec<u8>>(), "{fortran}");
            let (dims, samples) = read_array(&[3, 2], fortran, &options);
            assert_eq!((dims, samples), ([2, 3, 1], (0..6).collect()));
        }
        let options = ReadOptions {
            axes: Some(AxisOrder::Xyz),
            ..ReadOptions::default()
        };
        let (dims, samples) = read_array(&[2, 3, 4], fortran, &options);
        assert_eq!(dims, [2, 3, 4]);
        let value = |x: usize, y: usize, z: usize| (12 * x + 4 * y + z) as u8;
        let mut expected = Vec::new();
        for z in 0..4 {
            for y in 0..3 {
                expected.extend([value(0, y, z), value(1, y, z)]);
            }
        }
        assert_eq!(samples, expected, "{fortran}");
        let (dims, samples) = read_array(&[2, 3], fortran, &options);
        assert_eq!((dims, samples), ([2, 3, 1], vec![0, 3, 1, 4, 2, 5]));
    }
}

#[test]
fn volumes_and_components_of_an_array_are_selected_in_either_order() {
    for fortran in [false, true] {
        for volume in 0..6 {
            // Volumes along two axes, the one next to the spatial axes first.
            let options = ReadOptions {
                volume: Some(volume),
                ..ReadOptions::default()
            };
            let (dims, samples) = read_array(&[2, 3, 2, 5, 3], fortran, &options);
            assert_eq!(dims, [3, 5, 2]);
            let first = 30 * volume as u8;
            assert_eq!(samples, (first..first + 30).collect::<Vec<u8>>());
            let options = ReadOptions {
                axes: Some(AxisOrder::Xyz),
                ..options
            };
            let (dims, samples) = read_array(&[3, 2, 2, 3, 2], fortran, &options);
            assert_eq!(dims, [3, 2, 2]);
            // Elements of the shape (x, y, z, 3, 2) in C order.
            let (slow, fast) = (volume % 3, volume / 3);
            let mut expected = Vec::new();
            for [z, y, x] in [0, 1].into_iter().flat_map(|z| {
                [0, 1]
                    .into_iter()
                    .flat_map(move |y| [0, 1, 2].map(|x| [z, y, x]))
            }) {
                expected.push((((x * 2 + y) * 2 + z) * 6 + 2 * slow + fast) as u8);
            }
            assert_eq!(samples, expected, "{fortran} {volume}");
        }
        for component in 0..3 {
            for volume in 0..2 {
                let options = ReadOptions {
                    volume: Some(volume),
                    component: Some(component),
                    ..ReadOptions::default()
                };
                let (dims, samples) = read_array(&[2, 2, 3, 4, 3], fortran, &options);
                assert_eq!(dims, [4, 3, 2]);
                let expected: Vec<u8> = (0..24)
                    .map(|sample| ((volume * 24 + sample) * 3 + component) as u8)
                    .collect();
                assert_eq!(samples, expected, "{fortran}");
            }
        }
    }
}

#[test]
fn fortran_order_is_noted_unless_the_axes_are_stated() {
    let notes = |shape: &str, fortran: bool, axes: Option<AxisOrder>| {
        let options = ReadOptions {
            axes,
            ..ReadOptions::default()
        };
        let bytes = npy(&header("|u1", fortran, shape), &[0; 6]);
        let file = read_volume_bytes("a.npy", &bytes, &options).unwrap();
        file.header.notes
    };
    let found = notes("(3, 2, 1)", true, None);
    assert!(
        found[0].starts_with("the array is in Fortran order, but its axes are taken as (z, y, x)"),
        "{found:?}"
    );
    // With one axis, the order means nothing.
    for (shape, fortran, axes) in [
        ("(3, 2, 1)", false, None),
        ("(6,)", true, None),
        ("(1, 6, 1)", true, None),
        ("(3, 2, 1)", true, Some(AxisOrder::Zyx)),
        ("(3, 2, 1)", true, Some(AxisOrder::Xyz)),
    ] {
        assert!(notes(shape, fortran, axes).is_empty(), "{shape}");
    }
    let options = ReadOptions {
        axes: Some(AxisOrder::Xyz),
        ..ReadOptions::default()
    };
    let other = nrrd(
        "type: uint8\ndimension: 1\nsizes: 2\nencoding: raw",
        &[1, 2],
    );
    let file = read_volume_bytes("a.nrrd", &other, &options).unwrap();
    assert_eq!(
        file.header.notes,
        ["the axes xyz are not used: NRRD defines those of its files"]
    );
}

/// An array larger than the buffer of a pass, packed and not, in a file and with damage.
#[test]
fn long_arrays_in_fortran_order_are_read_in_passes() {
    use std::io::Write;
    let shape = [200, 300, 350];
    let [nz, ny, nx] = shape;
    let mut data = Vec::with_capacity(nz * ny * nx);
    let value = |x: usize, y: usize, z: usize| (x + 7 * y + 31 * z) as u8;
    for x in 0..nx {
        for y in 0..ny {
            data.extend((0..nz).map(|z| value(x, y, z)));
        }
    }
    let plain = npy(&header("|u1", true, "(200, 300, 350)"), &data);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&plain).unwrap();
    let packed = gzip.finish().unwrap();
    let folder = folder();
    for (name, bytes) in [("a.npy", &plain), ("a.npy.gz", &packed)] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let options = ReadOptions::default();
        let file = read_volume(&path, &options).unwrap();
        assert_eq!(file.volume.dims(), [nx, ny, nz]);
        let samples = file.volume.bytes();
        for (x, y, z) in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (349, 299, 199)] {
            assert_eq!(samples[(z * ny + y) * nx + x], value(x, y, z));
        }
        let mut reader = VolumeReader::open(&path, &options).unwrap();
        let plane = nx * ny;
        for z in [0, 1, 150, 199, 3] {
            let found = reader.read_planes::<u8>(z..z + 1).unwrap();
            assert!(found == samples[z * plane..(z + 1) * plane], "{name} {z}");
        }
        std::fs::write(&path, &bytes[..bytes.len() - 1000]).unwrap();
        assert!(read_volume(&path, &options).is_err());
        let longer = [&bytes[..], b"more"].concat();
        std::fs::write(&path, longer).unwrap();
        assert!(read_volume(&path, &options).is_err(), "{name}");
    }
}

#[test]
fn arrays_with_fewer_and_more_axes_are_read() {
    let line = read_bytes("a.npy", &npy(&header("|u1", false, "(4,)"), &[0; 4])).unwrap();
    assert_eq!(line.volume.dims(), [4, 1, 1]);
    let scalar = read_bytes("a.npy", &npy(&header("|u1", false, "()"), &[9])).unwrap();
    assert_eq!(scalar.volume.dims(), [1, 1, 1]);
    let one = read_bytes(
        "a.npy",
        &npy(&header("|u1", false, "(1, 2, 2, 2)"), &[0; 8]),
    )
    .unwrap();
    assert_eq!(one.volume.dims(), [2, 2, 2]);
    let found = message(
        "a.npy",
        &npy(&header("|u1", false, "(5, 2, 2, 2)"), &[0; 40]),
    );
    assert!(found.contains("the file holds 5 volumes"), "{found}");
}

#[test]
fn all_dtypes_are_read_or_rejected() {
    for (descr, stored, order) in [
        ("|b1", StoredType::U8, ByteOrder::Little),
        ("|u1", StoredType::U8, ByteOrder::Little),
        ("|i1", StoredType::I8, ByteOrder::Little),
        ("<u2", StoredType::U16, ByteOrder::Little),
        (">i2", StoredType::I16, ByteOrder::Big),
        (">u4", StoredType::U32, ByteOrder::Big),
        ("<i4", StoredType::I32, ByteOrder::Little),
        ("<i8", StoredType::I64, ByteOrder::Little),
        (">u8", StoredType::U64, ByteOrder::Big),
        ("<f4", StoredType::F32, ByteOrder::Little),
        (">f8", StoredType::F64, ByteOrder::Big),
    ] {
        let bytes = npy(&header(descr, false, "(2,)"), &vec![0; 2 * stored.bytes()]);
        let file = read_bytes("a.npy", &bytes).unwrap();
        assert_eq!(
            (file.header.stored_type, file.header.byte_order),
            (stored, order),
            "{descr}"
        );
    }
    let file = read_bytes(
        "a.npy",
        &npy(
            &header(">i8", false, "(1,)"),
            &[255, 255, 255, 255, 255, 255, 255, 254],
        ),
    )
    .unwrap();
    let AnyVolume::I32(volume) = &file.volume else {
        panic!("i32 samples")
    };
    assert_eq!(volume.samples(), [-2]);
    for descr in ["<f16", "|O", "|S7", "<U3", "<M8[s]"] {
        let found = message("a.npy", &npy(&header(descr, false, "(1,)"), &[0; 12]));
        assert!(
            found.contains("is not supported") && found.contains("npy dtype"),
            "{found}"
        );
    }
    let record = "{'descr': [('a', '<f4'), ('b', '<i2')], 'fortran_order': False, 'shape': (1,)}";
    assert!(message("a.npy", &npy(record, &[0; 6])).contains("is not supported"));
}

#[test]
fn damaged_headers_are_reported_with_the_field() {
    for (text, fact) in [
        ("", "damaged npy header"),
        (
            "{'descr': '<f4', 'fortran_order': False}",
            "damaged npy header",
        ),
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
            "damaged npy header",
        ),
        ("(((", "expected '{', found"),
        (
            "{'descr': '|u1', 'descr': '|i1', 'fortran_order': False, 'shape': (8,)}",
            "the key \"descr\" appears twice",
        ),
    ] {
        let found = message("a.npy", &npy(text, &[0; 8]));
        assert!(found.contains(fact), "{text}: {found}");
    }
    assert!(
        message("a.npy", b"\x93NUMPY\x01")
            .contains("the npy header ends after 7 bytes instead of at least 10")
    );
    assert!(
        message("a.npy", b"\x93NUMPY\x01\x00\x50\x00{")
            .contains("the npy header ends after 11 bytes instead of at least 90")
    );
    // A length of 4 GiB.
    let found = message("a.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}");
    assert!(found.contains("it has 4294967295 bytes of text"), "{found}");
    assert!(message("a.npy", b"NUMPY").contains("not a npy file"));
}

#[test]
fn written_files_are_read_by_another_library() {
    let folder = folder();
    let path = folder.path().join("volume.npy");
    let volume = sample_volume(SampleType::F64, Geometry::default());
    for byte_order in [ByteOrder::Little, ByteOrder::Big] {
        write_volume(
            &path,
            &volume,
            &VolumeWriteOptions {
                byte_order,
                compress: false,
                ..VolumeWriteOptions::default()
            },
        )
        .unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!((bytes.len() - 60 * 8) % 64, 0, "the samples are aligned");
        let Some((shape, samples)) = npy_by_python::read(&path) else {
            return;
        };
        assert_eq!(shape, [5, 4, 3]);
        assert_eq!(bytemuck::cast_slice::<f64, u8>(&samples), volume.bytes());
    }
}
