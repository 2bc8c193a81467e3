//! Holds `docs/kernels/from-rust-cuda.md` to the names that it has of the host's part:
//! `tests/conformance-cust` compiles them against the published crate and against this one. (That
//! the tests of its tables exist is a test of `xtask`, which makes them.)

const TABLES: &str = include_str!("../../../docs/kernels/from-rust-cuda.md");

/// What compiles against both crates.
const CONFORMANCE: [&str; 2] = [
    include_str!("../../../tests/conformance-cust/names.rs"),
    include_str!("../../../tests/conformance-cust/program.rs"),
];

/// The cells of the rows under a heading, without the table's own heading.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let section = TABLES
        .lines()
        .skip_while(|line| *line != heading)
        .skip(1)
        .take_while(|line| !line.starts_with('#'));
    let rows = section.filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

/// What stands in a text: words outside of backquotes, and names within.
fn pieces(text: &str) -> impl Iterator<Item = (bool, &str)> {
    text.split('`')
        .enumerate()
        .map(|(i, piece)| (i % 2 == 1, piece))
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn the_names_of_the_host_compile_against_both_crates() {
    let mut counted = 0;
    for row in rows("## As it is, on the host") {
        for (_, name) in pieces(row[1]).filter(|(is_name, _)| *is_name) {
            // `_async` stands for the end of the names beside it
            let known = CONFORMANCE
                .iter()
                .flat_map(|text| words_of(text))
                .any(|word| word == name || (name.starts_with('_') && word.ends_with(name)));
            assert!(known, "{name} is in no file of tests/conformance-cust");
            counted += 1;
        }
    }
    assert!(counted > 70, "{counted}");
}

#[test]
fn what_is_not_there_is_not_there() {
    let names: Vec<_> = rows("## Not there, on the host")
        .into_iter()
        .flat_map(|row| pieces(row[0]).collect::<Vec<_>>())
        .filter(|(is_name, _)| *is_name)
        .flat_map(|(_, name)| words_of(name))
        .collect();
    assert!(names.contains(&"as_1d_texture") && names.contains(&"ExternalMemory"));
    for name in names.iter().filter(|name| name.starts_with("as_")) {
        assert!(!include_str!("../src/util.rs").contains(*name), "{name}");
    }
    for module in ["external", "array", "texture", "surface"] {
        for text in [
            include_str!("../src/lib.rs"),
            include_str!("../src/memory.rs"),
        ] {
            assert!(!text.contains(&format!("mod {module};")), "{module}");
        }
    }
}
