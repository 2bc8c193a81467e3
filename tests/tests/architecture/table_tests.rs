//! Tests of the table parser and of the rules.

use crate::graph::DependencyGraph;
use crate::packages::{Dependency, Package, Workspace};
use crate::rules;
use crate::table::{AllowedDependencies, Layers, ModuleTable};
use crate::tree::Tree;

const MODULES: &str = "\
# Title
## Modules of the library
Text.

| module | contents | depends on |
| --- | --- | --- |
| `top` | all `things` | everything below |
| `a`, `b` | two | `c`, not `d`'s neighbour |
| `c` | one | `d` |
| `d` | one | nothing |

| another | table |
## Next
";

#[test]
fn the_table_of_modules_is_parsed() {
    let table = ModuleTable::parse(&MODULES.replace(", not `d`'s neighbour", "")).unwrap();
    assert_eq!(table.rows.len(), 4);
    assert_eq!(table.rows[0].allowed, AllowedDependencies::AllBelow);
    assert_eq!(table.rows[1].names, ["a", "b"]);
    for (from, to, allowed) in [
        ("top", "d", true),
        ("a", "c", true),
        ("b", "c", true),
        ("a", "b", false),
        ("a", "d", false),
        ("c", "a", false),
        ("d", "top", false),
    ] {
        assert_eq!(table.allow(from, to), allowed, "{from} {to}");
    }
}

#[test]
fn invalid_tables_of_modules_are_errors() {
    let error = |from: &str, to: &str| {
        ModuleTable::parse(&MODULES.replace(from, to))
            .err()
            .unwrap()
    };
    assert_eq!(
        error("| `d` |", "| `e` |"),
        "`a`, `b` depends on `d`, which has no row"
    );
    assert_eq!(
        error("| nothing |", "| `c` |"),
        "`d` depends on `c`, which is not in a lower row"
    );
    assert_eq!(
        error("| `d` | one", "| `d`, `c` | one"),
        "`c` occurs twice in the table of modules"
    );
    assert_eq!(
        error("## Modules of", "## Classes of"),
        "no heading \"Modules of the library\""
    );
    assert!(
        error("| module | contents |", "| module |")
            .starts_with("the table under \"Modules of the library\" has 2 columns instead of 3")
    );
    assert!(
        error("| one | nothing |", "| nothing |")
            .starts_with("a row under \"Modules of the library\" has 2 cells")
    );
}

#[test]
fn dependencies_of_modules_are_checked() {
    let table = "## Modules of the library\n| module | contents | depends on |\n|-|-|-|\n| `a` | | `b` |\n| `b` | | nothing |\n| `gone` | | nothing |";
    let graph = DependencyGraph::build(&Tree::from_files(&[
        ("lib.rs", "mod a; mod b; mod new;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::a::A; pub struct B;"),
        ("new.rs", ""),
    ]));
    assert_eq!(
        rules::top_level_modules(&ModuleTable::parse(table).unwrap(), &graph),
        [
            "`new` has no row in the table of modules",
            "the table of modules has a row for `gone`, which is not a top-level module of the library",
            "`b` must not depend on `a`:\n      b.rs:1: crate::a::A",
        ]
    );
}

#[test]
fn dependencies_of_packages_are_checked() {
    let table = "## Layers\n| folder | package | library | depends on |\n|-|-|-|-|\n| `top/` | | | everything below |\n| `crates/mid/` | | | `low` |\n\
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
            "new (directory `new/`) has no row in the table of layers",
            "the table of layers has a row for `gone/`, which contains no package of the workspace",
        ]
    );
    let bad = vec![dependency("low", "top"), dependency("mid", "low_macros")];
    assert_eq!(
        rules::packages(&layers, &workspace(bad))[2..],
        [
            "low depends on top, which is in a higher row",
            "mid depends on low_macros, but its row does not list `low_macros`"
        ]
    );
}
