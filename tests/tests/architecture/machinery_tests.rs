//! Tests of how sources are read and circles found, on small sources.

use std::path::Path;

use crate::graph::{Edges, Knowledge};
use crate::tree::Tree;

fn knowledge(files: &[(&str, &str)]) -> Knowledge {
    Knowledge::of(&Tree::of_files(files))
}

fn shown(edges: &Edges) -> Vec<String> {
    edges
        .keys()
        .map(|(from, to)| format!("{from} -> {to}"))
        .collect()
}

/// What the rooms `a` and `b` know of each other if `a` is `text`.
fn edges_of_a(text: &str) -> Vec<String> {
    shown(
        &knowledge(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", text),
            ("b.rs", "pub struct B; pub fn f() {}"),
        ])
        .between_rooms(),
    )
}

#[test]
fn every_way_to_name_another_module_is_an_edge() {
    for text in [
        "use crate::b::B; struct A(B);",
        "use super::b::B; struct A(B);",
        "use crate::b; struct A(b::B);",
        "use crate::{b as c}; struct A(c::B);",
        "use crate::b::{self, f}; fn g() { f() }",
        "use crate::b::*; fn g(b: B) {}",
        "pub use crate::b::B;",
        "pub(crate) use crate::b;",
        "fn g() { crate::b::f() }",
        "fn g() { super::b::f() }",
        "fn g() { use crate::b::f; f() }",
        "impl From<crate::b::B> for u8 { fn from(_: crate::b::B) -> u8 { 0 } }",
        "fn g() { println!(\"{:?}\", crate::b::f()) }",
        "macro_rules! m { () => { $crate::b::f() } }",
        "mod inner { use super::super::b::B; }",
        "mod inner { fn g(_: crate::b::B) {} }",
        "fn g() { match 0 { _ if crate::b::f() == () => {} _ => {} } }",
        "struct A { #[with(crate::b::f)] x: u8 }",
        "use crate::b::of_a_macro;",
    ] {
        assert_eq!(edges_of_a(text), ["a -> b"], "{text}");
    }
}

#[test]
fn tests_comments_and_visibility_do_not_count() {
    for text in [
        "#[cfg(test)] mod tests { use crate::b::B; }",
        "#[cfg(test)] use crate::b::B;",
        "#[cfg(all(test, unix))] fn g() { crate::b::f() }",
        "#[test] fn g() { crate::b::f() }",
        "struct A; impl A { #[cfg(test)] fn g() { crate::b::f() } }",
        "#[cfg(test)] #[path = \"no_such_file.rs\"] mod tests;",
        "//! [`crate::b::B`]\n/// [`crate::b::f`]\nfn g() {} // crate::b::B",
        "fn g() -> &'static str { \"crate::b::B\" }",
        "pub(in crate) fn g() {}",
        "fn g() { let b = 1; let f = b; other::b::f(); ::b::f() }",
        "fn g(x: u8) { x.b(); assert!(x.b.f) }",
    ] {
        assert_eq!(edges_of_a(text), [""; 0], "{text}");
    }
    assert_eq!(
        edges_of_a("#[cfg(any(test, unix))] use crate::b::B;"),
        ["a -> b"]
    );
    assert_eq!(edges_of_a("#[cfg(not(test))] use crate::b::B;"), ["a -> b"]);
}

#[test]
fn places_have_file_line_and_path() {
    let knowledge = knowledge(&[
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "\n\nuse crate::b::B;"),
        ("b.rs", "pub struct B;"),
    ]);
    let edges = knowledge.between_rooms();
    let place = edges.values().flatten().next().unwrap();
    assert_eq!(
        (place.file.as_path(), place.line, place.path.as_str()),
        (Path::new("a/mod.rs"), 3, "crate::b::B")
    );
}

#[test]
fn a_path_is_followed_through_reexports_and_counts_for_both() {
    let knowledge = knowledge(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::Thing;"),
        ("b.rs", "pub use crate::c::*;"),
        ("c/mod.rs", "mod inside; pub use inside::Thing;"),
        ("c/inside.rs", "pub struct Thing;"),
    ]);
    assert_eq!(
        shown(&knowledge.between_rooms()),
        ["a -> b", "a -> c", "b -> c"]
    );
    assert_eq!(
        shown(&knowledge.between_files),
        ["a.rs -> c/inside.rs", "b.rs -> c/mod.rs"]
    );
}

#[test]
fn two_rooms_that_know_each_other_are_a_circle() {
    let circle = knowledge(&[
        ("lib.rs", "pub mod a; pub mod b; pub mod c;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "pub struct C(crate::a::A);"),
    ]);
    assert_eq!(circle.circles().of_rooms, [["a", "b", "c"]]);
    let line = knowledge(&[
        ("lib.rs", "pub mod a; pub mod b; pub mod c;"),
        ("a.rs", "use crate::{b::B, c::C};"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "pub struct C;"),
    ]);
    assert_eq!(line.circles().number(), 0);
}

#[test]
fn a_parent_and_its_child_are_no_circle() {
    let knowledge = knowledge(&[
        ("lib.rs", "mod a;"),
        (
            "a/mod.rs",
            "mod x; mod y; pub use x::X; pub struct Params; pub fn run() { y::go() }",
        ),
        ("a/x.rs", "use super::Params; pub struct X(Params);"),
        ("a/y.rs", "use super::{Params, X}; pub fn go() {}"),
    ]);
    let circles = knowledge.circles();
    assert_eq!((circles.number(), circles.of_files.len()), (0, 0));
    // `super::X` is in x.rs, whoever re-exports it
    assert_eq!(shown(&knowledge.siblings["a"]), ["a::y -> a::x"]);
    assert_eq!(
        shown(&knowledge.between_files),
        ["a/mod.rs -> a/y.rs", "a/y.rs -> a/x.rs"]
    );
    assert_eq!(knowledge.circles_with_parents(), 1);
}

#[test]
fn children_that_know_each_other_through_their_parent_are_a_circle() {
    let knowledge = knowledge(&[
        ("lib.rs", "mod a;"),
        (
            "a/mod.rs",
            "mod error; mod params; pub use error::Error; pub use params::Params;",
        ),
        ("a/error.rs", "use super::Params; pub struct Error(Params);"),
        (
            "a/params.rs",
            "use super::Error; pub struct Params; fn check() -> Result<(), Error> { Ok(()) }",
        ),
    ]);
    let circles = knowledge.circles();
    assert_eq!(circles.of_rooms, [[""; 0]; 0]);
    assert_eq!(circles.of_modules, [["a::error", "a::params"]]);
    assert_eq!(circles.of_files, [["a/error.rs", "a/params.rs"]]);
}

#[test]
fn a_module_stands_for_all_inside_it() {
    let knowledge = knowledge(&[
        ("lib.rs", "mod a;"),
        ("a/mod.rs", "mod run; mod field;"),
        (
            "a/run.rs",
            "use super::field::progress::Progress; pub struct Run;",
        ),
        ("a/field/mod.rs", "pub mod progress; mod forces;"),
        ("a/field/progress.rs", "pub struct Progress;"),
        ("a/field/forces.rs", "use crate::a::run::Run;"),
    ]);
    let circles = knowledge.circles();
    assert_eq!(circles.of_modules, [["a::field", "a::run"]]);
    assert_eq!(circles.of_files.len(), 0);
}

#[test]
fn files_are_found_beside_in_folders_and_by_attribute() {
    let tree = Tree::of_files(&[
        ("lib.rs", "mod a; #[path = \"other/c.rs\"] mod b;"),
        ("a.rs", "mod x; mod within { mod y; }"),
        ("a/x.rs", ""),
        ("a/within/y.rs", ""),
        ("other/c.rs", "mod z;"),
        ("other/z.rs", ""),
    ]);
    let mut paths: Vec<String> = (0..tree.modules.len()).map(|id| tree.path(id)).collect();
    paths.sort();
    assert_eq!(
        paths,
        [
            "a",
            "a::within",
            "a::within::y",
            "a::x",
            "b",
            "b::z",
            "crate"
        ]
    );
}

#[test]
fn macros_are_found_where_they_are_defined() {
    let knowledge = knowledge(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        (
            "a.rs",
            "#[macro_export] macro_rules! exported { () => {} } macro_rules! kept { () => {} } pub(crate) use kept;",
        ),
        ("b.rs", "fn g() { crate::exported!() }"),
        ("c.rs", "use crate::a::kept; fn g() { kept!() }"),
    ]);
    assert_eq!(shown(&knowledge.between_rooms()), ["b -> a", "c -> a"]);
}

#[test]
fn imports_that_lead_to_each_other_end() {
    let knowledge = knowledge(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "pub use crate::b::*; pub use crate::b::x;"),
        ("b.rs", "pub use crate::a::*; pub use crate::a::x;"),
    ]);
    assert_eq!(knowledge.circles().of_rooms, [["a", "b"]]);
}
