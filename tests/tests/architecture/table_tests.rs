//! Tests of how tables are read and held.

use crate::graph::Knowledge;
use crate::packages::{Dependency, Package, Workspace};
use crate::rules;
use crate::table::{Layers, MayKnow, Rooms};
use crate::tree::Tree;

const ROOMS: &str = "\
# Title
## Rooms of the library
Text.

| room | holds | may know |
| --- | --- | --- |
| `top` | all `things` | everything below |
| `a`, `b` | two | `c`, not `d`'s neighbour |
| `c` | one | `d` |
| `d` | one | nothing |

| another | table |
## Next
";

#[test]
fn the_table_of_rooms_is_read() {
    let rooms = Rooms::parse(&ROOMS.replace(", not `d`'s neighbour", "")).unwrap();
    assert_eq!(rooms.rows.len(), 4);
    assert_eq!(rooms.rows[0].may_know, MayKnow::EverythingBelow);
    assert_eq!(rooms.rows[1].names, ["a", "b"]);
    for (from, to, allowed) in [
        ("top", "d", true),
        ("a", "c", true),
        ("b", "c", true),
        ("a", "b", false),
        ("a", "d", false),
        ("c", "a", false),
        ("d", "top", false),
    ] {
        assert_eq!(rooms.allow(from, to), allowed, "{from} {to}");
    }
}

#[test]
fn a_table_of_rooms_that_is_wrong_is_refused() {
    let refused = |from: &str, to: &str| Rooms::parse(&ROOMS.replace(from, to)).err().unwrap();
    assert_eq!(
        refused("| `d` |", "| `e` |"),
        "`a`, `b` may know `d`, which has no row"
    );
    assert_eq!(
        refused("| nothing |", "| `c` |"),
        "`d` may know `c`, which is not in a lower row"
    );
    assert_eq!(
        refused("| `d` | one", "| `d`, `c` | one"),
        "`c` is in the table of rooms twice"
    );
    assert_eq!(
        refused("## Rooms of", "## Halls of"),
        "no heading \"Rooms of the library\""
    );
    assert!(
        refused("| holds |", "| has |")
            .starts_with("the table under \"Rooms of the library\" has the columns")
    );
    assert!(
        refused("| one | nothing |", "| nothing |")
            .starts_with("a row under \"Rooms of the library\" has 2 cells")
    );
}

#[test]
fn rooms_are_held_to_their_rows() {
    let table = "## Rooms of the library\n| room | holds | may know |\n|-|-|-|\n| `a` | | `b` |\n| `b` | | nothing |\n| `gone` | | nothing |";
    let knowledge = Knowledge::of(&Tree::of_files(&[
        ("lib.rs", "mod a; mod b; mod new;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::a::A; pub struct B;"),
        ("new.rs", ""),
    ]));
    assert_eq!(
        rules::rooms(&Rooms::parse(table).unwrap(), &knowledge),
        [
            "`new` has no row in the table of rooms",
            "the table of rooms has `gone`, which is no module at the top of the library",
            "`b` may not know `a`:\n      b.rs:1: crate::a::A",
        ]
    );
}

#[test]
fn packages_are_held_to_their_rows() {
    let table = "## Layers\n| folder | package | library | knows |\n|-|-|-|-|\n| `top/` | | | everything below |\n| `crates/mid/` | | | `low` |\n\
                 | `low/`, `low_macros/` | | | nothing |\n| `gone/` | | | |";
    let layers = Layers::parse(table).unwrap();
    let package = |name: &str, folder: &str| Package {
        name: name.into(),
        folder: folder.into(),
        library: name.into(),
    };
    let dependency = |from: &str, to: &str| Dependency {
        from: from.into(),
        to: to.into(),
    };
    let workspace = |dependencies| Workspace {
        packages: vec![
            package("top", "top"),
            package("mid", "crates/mid"),
            package("low", "low"),
            package("low_macros", "low_macros"),
            package("new", "new"),
        ],
        dependencies,
        targets: Vec::new(),
    };
    let good = vec![
        dependency("top", "low_macros"),
        dependency("mid", "low"),
        dependency("low", "low_macros"),
    ];
    let of_the_table = rules::packages(&layers, &workspace(good));
    assert_eq!(
        of_the_table,
        [
            "new (folder `new/`) has no row in the table of layers",
            "the table of layers has `gone/`, where no package of the workspace is",
        ]
    );
    let bad = vec![dependency("low", "top"), dependency("mid", "low_macros")];
    assert_eq!(
        rules::packages(&layers, &workspace(bad))[2..],
        [
            "low depends on top, which stands in a row above it",
            "mid depends on low_macros, but its row does not name `low_macros`"
        ]
    );
}
