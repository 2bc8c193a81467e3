//! Files of points and skeletons.

use super::{File, gzip};

pub fn points() -> Vec<File> {
    let array = |shape: &str, data: &[u8]| {
        let text = format!("{{'descr': '<f4', 'fortran_order': True, 'shape': {shape}}}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(data);
        bytes
    };
    let text = b"# x y z\n1 2 3\r\n\n-1.5,\t2e1 ,+3 0.5 normal\n7,8,9".to_vec();
    let large = b"1e308 -1e308 1e-308\n1e999 0 nan\n".to_vec();
    [
        (
            "table.csv",
            b"name;X (mm);Y (mm);Z (mm)\n\"a\";1;2;3\n".to_vec(),
        ),
        ("packed.xyz", gzip(&text)),
        ("text.xyz", text),
        ("large.xyz", large),
        ("binary.xyz", b"1 2\xff 3\n\0\0\0".to_vec()),
        ("rows.npy", array("(2, 3)", &[63; 24])),
        ("none.npy", array("(0, 3)", &[])),
        ("many.npy", array("(6148914691236517205, 3)", &[0; 24])),
        ("flat.npy", array("(6,)", &[0; 24])),
    ]
    .map(|(name, bytes)| ("points", name.to_owned(), bytes))
    .into()
}

/// Returns SWC files: two trees, parents after their children, and damage.
pub fn skeletons() -> Vec<File> {
    let tree = "# a tree\n1 1 0 0 0 2.5 -1\n2 3 0.5 -1e2 3 1 1\n3 3 0 4 3 1 2 # a fork\n4 3 0 -4 3 1 2\n5 6 0 5 3 1 3\n";
    let two =
        "9 0 1 1 1 0 7\r\n\t7 5 1 1 2 -1 30\r\n\r\n0 6 2 2 2 1 -1 more words\r\n30 0 4 4 4 1 -1";
    let circle = "1 0 0 0 0 1 -1\n2 0 1 0 0 1 4\n3 0 2 0 0 1 2\n4 0 3 0 0 1 3\n5 0 3 0 0 1 4\n";
    [
        ("tree.swc", tree),
        ("two.swc", two),
        ("circle.swc", circle),
        ("itself.swc", "1 0 0 0 0 1 1\n"),
        ("twice.swc", "1 0 0 0 0 1 -1\n1 0 1 0 0 1 -1\n"),
        ("orphan.swc", "1 0 0 0 0 1 -1\n2 0 1 0 0 1 3\n"),
        ("far.swc", "9223372036854775807 0 1e308 -1e308 1e-310 1e308 -1\n2 0 -1e308 0 0 1 9223372036854775807\n"),
        ("no-number.swc", "1 0 nan inf 1e400 1 -1\n"),
        ("short.swc", "1 0 0 0 0 1\n"),
        ("none.swc", "# nothing\n"),
    ]
    .map(|(name, text)| ("swc", name.to_owned(), text.as_bytes().to_vec()))
    .into()
}
