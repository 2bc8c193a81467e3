//! Tests of the source parser and the detection of cycles on small sources.

use std::path::Path;

use crate::graph::{DependencyGraph, Edges};
use crate::tree::Tree;

fn graph(files: &[(&str, &str)]) -> DependencyGraph {
    DependencyGraph::build(&Tree::from_files(files))
}

fn display(edges: &Edges) -> Vec<String> {
    edges
        .keys()
        .map(|(from, to)| format!("{from} -> {to}"))
        .collect()
}

/// Returns the edges between the modules `a` and `b` if `text` is the source of `a`.
fn edges_of_a(text: &str) -> Vec<String> {
    display(
        &graph(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", text),
            ("b.rs", "pub struct B; pub fn f() {}"),
        ])
        .top_level_edges(),
    )
}

#[test]
fn every_kind_of_reference_is_an_edge() {
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
fn tests_comments_and_visibility_are_ignored() {
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
fn locations_have_file_line_and_path() {
    let graph = graph(&[
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "\n\nuse crate::b::B;"),
        ("b.rs", "pub struct B;"),
    ]);
    let edges = graph.top_level_edges();
    let location = edges.values().flatten().next().unwrap();
    assert_eq!(
        (
            location.file.as_path(),
            location.line,
            location.path.as_str()
        ),
        (Path::new("a/mod.rs"), 3, "crate::b::B")
    );
}

#[test]
fn a_reexported_path_depends_on_both_modules() {
    let graph = graph(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::Thing;"),
        ("b.rs", "pub use crate::c::*;"),
        ("c/mod.rs", "mod inside; pub use inside::Thing;"),
        ("c/inside.rs", "pub struct Thing;"),
    ]);
    assert_eq!(
        display(&graph.top_level_edges()),
        ["a -> b", "a -> c", "b -> c"]
    );
    assert_eq!(
        display(&graph.between_files),
        ["a.rs -> c/inside.rs", "b.rs -> c/mod.rs"]
    );
}

#[test]
fn mutually_dependent_top_level_modules_are_a_cycle() {
    let cycle = graph(&[
        ("lib.rs", "pub mod a; pub mod b; pub mod c;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "pub struct C(crate::a::A);"),
    ]);
    assert_eq!(cycle.cycles().top_level, [["a", "b", "c"]]);
    let line = graph(&[
        ("lib.rs", "pub mod a; pub mod b; pub mod c;"),
        ("a.rs", "use crate::{b::B, c::C};"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "pub struct C;"),
    ]);
    assert_eq!(line.cycles().count(), 0);
}

#[test]
fn a_parent_and_its_child_are_not_a_cycle() {
    let graph = graph(&[
        ("lib.rs", "mod a;"),
        (
            "a/mod.rs",
            "mod x; mod y; pub use x::X; pub struct Params; pub fn run() { y::go() }",
        ),
        ("a/x.rs", "use super::Params; pub struct X(Params);"),
        ("a/y.rs", "use super::{Params, X}; pub fn go() {}"),
    ]);
    let cycles = graph.cycles();
    assert_eq!((cycles.count(), cycles.files.len()), (0, 0));
    // `super::X` is defined in x.rs, regardless of re-exports
    assert_eq!(display(&graph.siblings["a"]), ["a::y -> a::x"]);
    assert_eq!(
        display(&graph.between_files),
        ["a/mod.rs -> a/y.rs", "a/y.rs -> a/x.rs"]
    );
    assert_eq!(graph.cycles_with_parents(), 1);
}

#[test]
fn mutually_dependent_children_are_a_cycle() {
    let graph = graph(&[
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
    let cycles = graph.cycles();
    assert_eq!(cycles.top_level, [[""; 0]; 0]);
    assert_eq!(cycles.nested, [["a::error", "a::params"]]);
    assert_eq!(cycles.files, [["a/error.rs", "a/params.rs"]]);
}

#[test]
fn a_module_represents_everything_inside_it() {
    let graph = graph(&[
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
    let cycles = graph.cycles();
    assert_eq!(cycles.nested, [["a::field", "a::run"]]);
    assert_eq!(cycles.files.len(), 0);
}

#[test]
fn module_files_are_found_in_all_locations() {
    let tree = Tree::from_files(&[
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
fn macros_resolve_to_their_definition() {
    let graph = graph(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        (
            "a.rs",
            "#[macro_export] macro_rules! exported { () => {} } macro_rules! kept { () => {} } pub(crate) use kept;",
        ),
        ("b.rs", "fn g() { crate::exported!() }"),
        ("c.rs", "use crate::a::kept; fn g() { kept!() }"),
    ]);
    assert_eq!(display(&graph.top_level_edges()), ["b -> a", "c -> a"]);
}

#[test]
fn cyclic_imports_terminate() {
    let graph = graph(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "pub use crate::b::*; pub use crate::b::x;"),
        ("b.rs", "pub use crate::a::*; pub use crate::a::x;"),
    ]);
    assert_eq!(graph.cycles().top_level, [["a", "b"]]);
}
