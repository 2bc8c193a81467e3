//! Fields of NRRD headers: spellings, repetitions and damage.

use crate::helpers::{message, read_bytes};
use crate::nrrd::{SMALL, nrrd};

/// The first colon of a line decides, as in teem, unless the word before it is no field.
#[test]
fn fields_and_key_value_pairs_are_told_apart() {
    let read = |line: &str| {
        let lines = format!("type: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: raw\n{line}");
        read_bytes("a.nrrd", &nrrd(&lines, &[0; 6]))
    };
    let fact = "spacings has \":=x\", which is not a valid number";
    let found = read("spacings: 2 3 4 :=x").unwrap_err().to_string();
    assert!(found.contains(fact), "{found}");
    for line in [
        "spacings:=2 3 4",
        "my spacings: of today:=2 3 4",
        "DICOM:0018:=1",
        "content: a:=b",
    ] {
        let file = read(line).unwrap();
        assert_eq!(file.volume.geometry().spacing().x, 1.0, "{line}");
    }
    for (lines, fact) in [
        (
            "line skip: 0\nlineskip: 1",
            "the field \"line skip\" appears twice",
        ),
        (
            "byteskip: 0\nbyte skip: 0",
            "the field \"byte skip\" appears twice",
        ),
        (
            "datafile: a\ndata file: b",
            "the field \"data file\" appears twice",
        ),
        (
            "axis mins: 0 0 0\naxismins: 1 1 1",
            "the field \"axis mins\" appears twice",
        ),
    ] {
        let found = read(lines).unwrap_err().to_string();
        assert!(found.contains(fact), "{lines}: {found}");
    }
}

#[test]
fn damaged_headers_are_reported_with_the_field() {
    let with = |line: &str| message("a.nrrd", &nrrd(&format!("{SMALL}\n{line}"), &[0; 6]));
    for (line, fact) in [
        (
            "spacings: 1 1",
            "spacings has 2 entries, but dimension is 3",
        ),
        ("kinds: domain", "kinds has 1 entries, but dimension is 3"),
        (
            "space directions: (1,0,0)",
            "space directions has 1 entries, but dimension is 3",
        ),
        (
            "space directions: (1,0,0) (0,1,0) 5",
            "is not a list of vectors",
        ),
        (
            "space directions: (1,0,0) (1,0,0) (0,0,1)",
            "determinant 0e0",
        ),
        (
            "space directions: (1,0,0,0) (0,1,0,0) (0,0,1,0)",
            "a vector of 4 numbers",
        ),
        ("space origin: (1,2,inf)", "coefficient inf"),
        ("space: right-anterior-superior-time", "is not supported"),
        ("endian: middle", "endian is \"middle\""),
        ("byte skip: many", "byte skip is \"many\""),
        ("byte skip: -2", "\"byte skip\" is -2"),
        ("type: uint8", "the field \"type\" appears twice"),
        (
            "what is this",
            "the line \"what is this\" is neither a field nor a comment",
        ),
        (
            "data file: slice%03d.raw 1 9 1",
            "sizes 2 x 1 x 3 cannot be divided among 9 data files",
        ),
        ("data file: slice%s.raw 1 3 1", "is not a file name pattern"),
        ("data file: LIST x", "LIST \"x\" is not a number of axes"),
    ] {
        assert!(with(line).contains(fact), "{line}: {}", with(line));
    }
    for (header, fact) in [
        (
            "dimension: 3\nsizes: 1 1 1\nencoding: raw",
            "no field \"type\"",
        ),
        (
            "type: uint8\nsizes: 1 1 1\nencoding: raw",
            "no field \"dimension\"",
        ),
        (
            "type: uint8\ndimension: 3\nencoding: raw",
            "no field \"sizes\"",
        ),
        (
            "type: uint8\ndimension: 3\nsizes: 1 1 1",
            "no field \"encoding\"",
        ),
        (
            "type: uint8\ndimension: 3\nsizes: 1 1\nencoding: raw",
            "sizes has 2 entries",
        ),
        (
            "type: uint8\ndimension: 3\nsizes: 1 -1 1\nencoding: raw",
            "sizes has \"-1\"",
        ),
        (
            "type: uint8\ndimension: 99\nsizes: 1\nencoding: raw",
            "dimension is 99; use 1 to 16",
        ),
        (
            "type: block\ndimension: 1\nsizes: 1\nencoding: raw",
            "NRRD type \"block\" is not supported",
        ),
        (
            "type: uint8\ndimension: 1\nsizes: 1\nencoding: lzma",
            "NRRD encoding \"lzma\" is not supported",
        ),
        (
            "type: int16\ndimension: 1\nsizes: 1\nencoding: raw",
            "no field \"endian\"",
        ),
    ] {
        let found = message("a.nrrd", &nrrd(header, &[0; 6]));
        assert!(found.contains(fact), "{header}: {found}");
    }
    assert!(
        message("a.nrrd", b"NRRD0009\ntype: uint8\n")
            .contains("NRRD version \"NRRD0009\" is not supported")
    );
}
