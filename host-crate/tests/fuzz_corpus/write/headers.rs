//! Files with text headers of blocks and of attributes.

use super::{File, gzip};

/// Returns Inrimage files, complete and damaged.
pub fn inr_files() -> Vec<File> {
    let file = |fields: &str, blocks: usize, data: &[u8]| {
        let mut bytes = format!("#INRIMAGE-4#{{\n{fields}\n").into_bytes();
        bytes.resize(256 * blocks - 4, b'\n');
        bytes.extend(b"##}\n");
        bytes.extend(data);
        bytes
    };
    let plain = "XDIM=2\nYDIM=1\nZDIM=3\nTYPE=unsigned fixed\nPIXSIZE=8 bits\nCPU=pc\nVX=0.5\nVZ=2";
    let whole = file(plain, 1, &[1, 2, 3, 4, 5, 6]);
    let colours = format!("{plain}\nVDIM=3\nTX=1\nTY=2\nTZ=3");
    let wide = plain
        .replace("unsigned fixed", "float")
        .replace('8', "64")
        .replace("pc", "sun");
    let huge = plain.replace("=2\nYDIM", "=18446744073709551615\nYDIM");
    let large = plain.replace("DIM=", "DIM=9999");
    let cut = whole[..260].to_vec();
    [
        ("gzip.inr.gz", gzip(&whole)),
        ("u8.inr", whole),
        ("cut.inr", cut),
        ("colours.inr", file(&colours, 2, &[7; 18])),
        ("f64.inr", file(&wide, 1, &[64; 48])),
        ("huge.inr", file(&huge, 1, &[0; 9])),
        ("large.inr", file(&large, 1, &[0; 9])),
        (
            "scale.inr",
            file(&format!("{plain}\nSCALE=2**-8"), 1, &[9; 6]),
        ),
    ]
    .map(|(name, bytes)| ("inr", name.to_owned(), bytes))
    .into()
}

/// Returns AFNI headers, each followed by a NUL and the samples.
pub fn afni_files() -> Vec<File> {
    let attribute = |kind: &str, name: &str, count: usize, values: &str| {
        format!("\ntype = {kind}-attribute\nname = {name}\ncount = {count}\n{values}\n")
    };
    let header = |dims: &str, types: &str, place: &str| {
        attribute("string", "BYTEORDER_STRING", 10, "'MSB_FIRST~")
            + &attribute("integer", "DATASET_RANK", 8, " 3 2 0 0 0 0 0 0")
            + &attribute("integer", "DATASET_DIMENSIONS", 5, dims)
            + &attribute("integer", "BRICK_TYPES", 2, types)
            + &attribute("float", "BRICK_FLOAT_FACS", 2, " 0 0.25")
            + place
    };
    let affine = attribute(
        "float",
        "IJK_TO_DICOM_REAL",
        12,
        " -2 0 0 10 0 3 0 20 0 0 4 30",
    );
    let directions = attribute("integer", "ORIENT_SPECIFIC", 3, " 4 1 2")
        + &attribute("float", "ORIGIN", 3, " -54 66 87")
        + &attribute("float", "DELTA", 3, " 3 -2 1");
    let file = |header: String, data: &[u8]| [header.as_bytes(), &[0], data].concat();
    let note = attribute("string", "HISTORY_NOTE", 9, "'it's\n\n it~");
    [
        (
            "i16",
            file(note + &header(" 3 1 2 0 0", " 1 1", &affine), &[1; 24]),
        ),
        (
            "u8",
            file(header(" 3 1 2 0 0", " 0 0", &directions), &[2; 12]),
        ),
        ("rgb", file(header(" 1 1 2 0 0", " 6 6", &affine), &[3; 12])),
        (
            "complex",
            file(header(" 1 1 1 0 0", " 5 5", &affine), &[64; 16]),
        ),
        ("cut", file(header(" 3 1 2 0 0", " 1 1", &affine), &[1; 20])),
        (
            "flat",
            file(
                header(" 3 1 2 0 0", " 1 1", &affine.replace(" 4 30", " 0 30")),
                &[1; 24],
            ),
        ),
        (
            "huge",
            file(
                header(" 9223372036854775807 3 5 0 0", " 3 3", &affine),
                &[1; 24],
            ),
        ),
        (
            "counts",
            file(attribute("float", "DELTA", usize::MAX, " 1 2 3"), &[]),
        ),
    ]
    .map(|(name, bytes)| ("afni", format!("{name}.HEAD"), bytes))
    .into()
}
