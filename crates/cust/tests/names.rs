//! Checks the host names listed in `docs/kernels/from-rust-cuda-host.md`:
//! `crates/tests/conformance-cust` compiles them against Rust-CUDA and against this crate. (`xtask`
//! tests that the tests listed in its tables exist.)

const TABLES: &str = include_str!("../../../docs/kernels/from-rust-cuda-host.md");

/// Sources that compile against both crates.
const CONFORMANCE: [&str; 2] = [
    include_str!("../../tests/conformance-cust/names.rs"),
    include_str!("../../tests/conformance-cust/program.rs"),
];

/// Returns the cells of the table rows under a heading, without the header row.
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

/// Splits a text into names (in backquotes, `true`) and other words (`false`).
fn pieces(text: &str) -> impl Iterator<Item = (bool, &str)> {
    text.split('`')
        .enumerate()
        .map(|(i, piece)| (i % 2 == 1, piece))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn host_names_compile_against_both_crates() {
    let mut counted = 0;
    for row in rows("## Unchanged on the host") {
        for (_, name) in pieces(row[1]).filter(|(is_name, _)| *is_name) {
            // `_async` stands for the suffix of the names next to it
            let is_listed = CONFORMANCE
                .iter()
                .flat_map(|text| words(text))
                .any(|word| word == name || (name.starts_with('_') && word.ends_with(name)));
            assert!(
                is_listed,
                "{name} is in no file of crates/tests/conformance-cust"
            );
            counted += 1;
        }
    }
    assert!(counted > 70, "{counted}");
}

#[test]
fn names_listed_as_missing_do_not_exist() {
    let names: Vec<_> = rows("## Not supported on the host")
        .into_iter()
        .flat_map(|row| pieces(row[0]).collect::<Vec<_>>())
        .filter(|(is_name, _)| *is_name)
        .flat_map(|(_, name)| words(name))
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
