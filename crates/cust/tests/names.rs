//! Holds `docs/from-rust-cuda.md` to what it names: the tests of its tables exist, and so do the names, which `tests/conformance-cust`
//! compiles against the published crate and against this one.

const TABLES: &str = include_str!("../../../docs/from-rust-cuda.md");

/// What compiles against both crates.
const CONFORMANCE: [&str; 2] = [
    include_str!("../../../tests/conformance-cust/names.rs"),
    include_str!("../../../tests/conformance-cust/program.rs"),
];

/// The short names of the tests, and the files they are in.
const TESTS: [(&str, &[&str]); 7] = [
    (
        "cpu",
        &[
            include_str!("../../../tests/from-rust-cuda/tests/cpu/half_floats.rs"),
            include_str!("../../../tests/from-rust-cuda/tests/cpu/launches.rs"),
            include_str!("../../../tests/from-rust-cuda/tests/cpu/machine.rs"),
            include_str!("../../../tests/from-rust-cuda/tests/cpu/printing.rs"),
            include_str!("../../../tests/from-rust-cuda/tests/cpu/vectors.rs"),
        ],
    ),
    (
        "ptx",
        &[include_str!(
            "../../cuda_builder/tests/builds/from_rust_cuda.rs"
        )],
    ),
    (
        "fake",
        &[
            include_str!("fake_driver/context_stack.rs"),
            include_str!("fake_driver/contexts.rs"),
            include_str!("fake_driver/graphs.rs"),
            include_str!("fake_driver/heap.rs"),
            include_str!("fake_driver/links.rs"),
            include_str!("fake_driver/memory.rs"),
            include_str!("fake_driver/modules.rs"),
            include_str!("fake_driver/on_device.rs"),
            include_str!("fake_driver/streams.rs"),
            include_str!("fake_driver/unified.rs"),
        ],
    ),
    (
        "gpu",
        &[
            include_str!("gpu/device.rs"),
            include_str!("gpu/graphs.rs"),
            include_str!("gpu/heap.rs"),
            include_str!("gpu/launches.rs"),
            include_str!("gpu/memory.rs"),
            include_str!("gpu/sharing.rs"),
            include_str!("gpu/unified.rs"),
        ],
    ),
    ("vek", &[include_str!("../../cuda_std/tests/with_vek.rs")]),
    ("derive", &[include_str!("derive.rs")]),
    ("nvtx", &[include_str!("nvtx.rs")]),
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

/// The tests that a text names, each with the short name before it.
fn tests(text: &str) -> Vec<(&'static str, String)> {
    let (mut kind, mut found) = (None, Vec::new());
    for (is_name, piece) in pieces(text) {
        if is_name {
            found.extend(kind.map(|kind| (kind, piece.to_owned())));
            continue;
        }
        for word in piece.split(|c: char| !c.is_alphanumeric()) {
            if let Some((known, _)) = TESTS.iter().find(|(known, _)| *known == word) {
                kind = Some(*known);
            } else if word == "documentation" {
                kind = None;
            }
        }
    }
    found
}

/// A test of its file, or a path of the repository.
fn is_there(kind: &str, test: &str) -> bool {
    if test.contains('/') {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        return std::path::Path::new(root).join(test).exists();
    }
    let files = TESTS.iter().find(|(known, _)| *known == kind);
    files.is_some_and(|(_, files)| {
        files
            .iter()
            .any(|text| text.contains(&format!("#[test]\nfn {test}()")))
    })
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn the_tests_that_the_tables_name_exist() {
    let mut counted = 0;
    for heading in [
        "## As it is",
        "## With a line",
        "## As it is, on the host",
        "## With a line, on the host",
    ] {
        let rows = rows(heading);
        assert!(rows.len() > 2, "{heading}: {} rows", rows.len());
        for row in rows {
            let shown_by = row.last().expect("a row has cells");
            for (kind, test) in tests(shown_by) {
                assert!(is_there(kind, &test), "{heading}: no test {kind} {test}");
                counted += 1;
            }
        }
    }
    // those that stand in the text below the table
    let text = TABLES
        .split("What later versions")
        .nth(1)
        .expect("the text");
    let text = text.split("\n## ").next().expect("its end");
    let in_brackets = text
        .split('(')
        .skip(1)
        .filter_map(|part| part.split(')').next());
    for (kind, test) in in_brackets.flat_map(tests) {
        assert!(is_there(kind, &test), "no test {kind} {test}");
        counted += 1;
    }
    assert!(counted > 40, "{counted}");
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
