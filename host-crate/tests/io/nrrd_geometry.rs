//! Axes, spacings and origins of NRRD files.

use nalgebra::{Point3, Vector3};

use crate::helpers::{message, read_bytes};
use crate::nrrd::{SMALL, nrrd};

#[test]
fn a_place_that_is_half_stated() {
    let read = |lines: &str| {
        let file = read_bytes("a.nrrd", &nrrd(&format!("{SMALL}\n{lines}"), &[0; 6])).unwrap();
        let place = Point3::new(1.0, 1.0, 1.0);
        (
            file.volume.geometry().index_to_world(place),
            file.header.notes,
        )
    };
    // The axes are those of the space.
    for (space, signs) in [
        ("RAS", [1.0, 1.0]),
        ("LAS", [-1.0, 1.0]),
        ("LPS", [-1.0, -1.0]),
    ] {
        for directions in ["", "\nspace directions: none none none"] {
            let lines = format!("space: {space}\nspace origin: (10,20,30){directions}");
            let (world, notes) = read(&lines);
            assert_eq!(world, Point3::new(signs[0] * 11.0, signs[1] * 21.0, 31.0));
            assert!(
                notes[0]
                    .starts_with("there are no space directions: the axes are taken to run along"),
                "{notes:?}"
            );
        }
    }
    // NaN means unknown.
    let directions = "space directions: (1,0,0) (0,1,0) (0,0,1)";
    let lines = format!("space: LPS\n{directions}\nspace origin: (nan,nan,nan)");
    let (world, notes) = read(&lines);
    assert_eq!(world, Point3::new(-1.0, -1.0, 1.0));
    let note = "space origin is nan, which stands for an unknown one: it is taken as 0";
    assert_eq!(notes, [note]);
}

#[test]
fn lps_and_las_are_turned_to_ras() {
    let header = |space: &str| {
        format!(
            "# a comment\ntype: uint8\ndimension: 3\nspace: {space}\nsizes: 2 2 2\n\
             space directions: (0,2,0) (3,0,0) (0,0,-4)\nkinds: domain domain domain\nencoding: raw\n\
             space origin: (10,20,30)\nnote:=kept: aside"
        )
    };
    for (space, signs) in [
        ("right-anterior-superior", [1.0, 1.0]),
        ("RAS", [1.0, 1.0]),
        ("left-anterior-superior", [-1.0, 1.0]),
        ("left-posterior-superior", [-1.0, -1.0]),
        ("LPS", [-1.0, -1.0]),
    ] {
        let file = read_bytes("a.nrrd", &nrrd(&header(space), &[0; 8])).unwrap();
        // In the file's space: (10 + 3·j, 20 + 2·i, 30 - 4·k) at i = 1, j = 2, k = 3.
        let world = file
            .volume
            .geometry()
            .index_to_world(Point3::new(1.0, 2.0, 3.0));
        assert_eq!(
            world,
            Point3::new(signs[0] * 16.0, signs[1] * 22.0, 18.0),
            "{space}"
        );
        assert_eq!(file.header.notes, Vec::<String>::new());
    }
    let file = read_bytes("a.nrrd", &nrrd(&header("scanner-xyz"), &[0; 8])).unwrap();
    let world = file
        .volume
        .geometry()
        .index_to_world(Point3::new(1.0, 2.0, 3.0));
    assert_eq!(world, Point3::new(16.0, 22.0, 18.0));
    assert!(
        file.header.notes[0].contains("scanner-xyz"),
        "{:?}",
        file.header.notes
    );
}

#[test]
fn spacings_without_directions() {
    let header = format!("{SMALL}\nspacings: 0.5 nan 2");
    let file = read_bytes("a.nrrd", &nrrd(&header, &[1, 2, 3, 4, 5, 6])).unwrap();
    assert_eq!(
        file.volume.geometry().spacing(),
        Vector3::new(0.5, 1.0, 2.0)
    );
    assert_eq!(file.volume.bytes(), [1, 2, 3, 4, 5, 6]);
    let note = "spacings has nan for axis 1, which stands for an unknown one: it is taken as 1";
    assert_eq!(file.header.notes, [note]);
    let header = format!("{SMALL}\nspacings: 0.5 1 -2");
    let file = read_bytes("a.nrrd", &nrrd(&header, &[0; 6])).unwrap();
    assert_eq!(file.volume.geometry().axes()[(2, 2)], -2.0);
    let note = "spacings has -2 for axis 2: the axis is taken to run the other way";
    assert_eq!(file.header.notes, [note]);
    let header = format!("{SMALL}\nspacings: 0.5 0 2");
    assert!(message("a.nrrd", &nrrd(&header, &[0; 6])).contains("the spacing of axis 1 is 0"));
}

#[test]
fn images_and_lines_are_thin_volumes() {
    let plane = "type: uint8\ndimension: 2\nspace: RAS\nsizes: 2 2\nspace directions: (0,0,2) (0,3,0)\nspace origin: (1,1,1)\nencoding: raw";
    let file = read_bytes("a.nrrd", &nrrd(plane, &[0; 4])).unwrap();
    assert_eq!(file.volume.dims(), [2, 2, 1]);
    let geometry = file.volume.geometry();
    assert_eq!(geometry.spacing(), Vector3::new(2.0, 3.0, 1.0));
    assert_eq!(
        geometry.index_to_world(Point3::new(1.0, 1.0, 0.0)),
        Point3::new(1.0, 4.0, 3.0)
    );
}

#[test]
fn axes_that_are_not_space() {
    // Components before the spatial axes need a selection, however the header declares them.
    let rgb = "type: uint8\ndimension: 4\nsizes: 3 2 2 2\nkinds: RGB-color domain domain domain\nencoding: raw";
    assert_eq!(
        message("a.nrrd", &nrrd(rgb, &[0; 24])),
        "a.nrrd: each sample has 3 components; select one from 0 to 2"
    );
    let none = "type: uint8\ndimension: 4\nspace: RAS\nsizes: 3 2 2 2\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\nencoding: raw";
    assert!(message("a.nrrd", &nrrd(none, &[0; 24])).contains("has 3 components"));
    let middle = "type: uint8\ndimension: 4\nsizes: 2 2 3 2\nkinds: domain domain list domain\nencoding: raw";
    assert!(
        message("a.nrrd", &nrrd(middle, &[0; 24]))
            .contains("axis 2 (kind \"list\", size 3) between two spatial axes")
    );
    // An axis of size 1 is dropped.
    let single =
        "type: uint8\ndimension: 4\nsizes: 1 2 2 2\nkinds: vector space space space\nencoding: raw";
    assert_eq!(
        read_bytes("a.nrrd", &nrrd(single, &[0; 8]))
            .unwrap()
            .volume
            .dims(),
        [2, 2, 2]
    );
    // Time after the spatial axes counts volumes.
    let time = "type: uint8\ndimension: 4\nsizes: 2 2 2 3\nkinds: domain domain domain time\nencoding: raw";
    assert!(message("a.nrrd", &nrrd(time, &[0; 24])).contains("the file holds 3 volumes"));
}
