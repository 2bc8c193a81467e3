//! Checks the architecture: dependencies follow the tables of ARCHITECTURE.md, and there are no
//! cycles.
//!
//! - **Packages.** The table under "Layers" has the packages of the workspace in rows. A package
//!   may depend on packages of lower rows that its column "depends on" lists. Development
//!   dependencies are ignored.
//! - **Modules of the library.** The table under "Modules of the library" has a row for each
//!   top-level module of the library `ferrovox`, which may depend on the modules that its row
//!   lists. These must be in lower rows.
//! - **Dependencies of modules** are determined from `use` declarations and from the paths in the
//!   code, including macros. A path is followed through re-exports: a module depends on the module
//!   that the path names and on the one that defines the item. Tests and comments are ignored.
//!   Methods are not resolved, because that would require type inference: a method defined in
//!   another module than its type is a dependency only of the modules that its own module names.
//!
//! A cycle is a strongly connected component with more than one node, in one of three graphs:
//!
//! - **Top-level modules.**
//! - **Modules** below the top level: for every module with child modules, a graph of its children,
//!   each of which represents everything inside it. A parent and a module inside it do not form a
//!   cycle by themselves: a child may use what its parent defines or re-exports, and a parent
//!   consists of its children.
//! - **Files.** A path leads to the file that defines the item, not to a `mod.rs` that re-exports
//!   it. A `mod.rs` does not depend on its children because it re-exports them, and dependencies of
//!   a file on its parents' files are ignored. Each of these cycles is part of a cycle of modules,
//!   but not vice versa, so they are not counted again.
//!
//! **Modules on a volume's path** are the command, `pipeline`, and the modules used by the job's
//! submodule of `pipeline` and by its algorithm, except utilities that any code may use (`memory`,
//! `monitor`, `occupancy`, `union_find`). A mesh and a distance map have at most ten.
//!
//! `cargo test -p ferrovox-tests --test architecture -- --nocapture` prints the counts,
//! and the lines of code of each package.

mod attributes;
mod closures;
mod graph;
mod graph_tests;
mod job_path;
mod language;
mod packages;
mod report;
mod resolve;
mod rules;
mod source;
mod table;
mod table_tests;
mod thread_safety;
mod tokens;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use graph::DependencyGraph;
use packages::Workspace;
use table::{Layers, ModuleTable};
use tree::Tree;

/// The root file of the library `ferrovox`.
const LIBRARY: &str = "host-crate/src/lib.rs";

#[test]
fn packages_depend_only_on_lower_rows() {
    let Some(root) = root() else { return };
    let layers =
        Layers::parse(&architecture(&root)).expect("the table under \"Layers\" in ARCHITECTURE.md");
    let workspace = Workspace::read(&root);
    let wrong = rules::packages(&layers, &workspace);
    println!(
        "packages: {}, dependencies between them: {}",
        workspace.packages.len(),
        workspace.dependencies.len()
    );
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn closures_of_kernels_are_inlined() {
    let Some(root) = root() else { return };
    let found = closures::without_attribute(&root);
    let hint = "add #[cuda_std::inline_closures]";
    assert!(found.is_empty(), "{hint} to\n{}", found.join("\n"));
}

#[test]
fn modules_of_the_library_depend_only_on_listed_modules() {
    let Some(root) = root() else { return };
    let table = ModuleTable::parse(&architecture(&root))
        .expect("the table under \"Modules of the library\" in ARCHITECTURE.md");
    let graph = library_graph(&root);
    let wrong = rules::top_level_modules(&table, graph);
    println!(
        "{}\n{}",
        report::summary("ferrovox", graph),
        report::top_level_modules(graph)
    );
    assert!(
        wrong.is_empty(),
        "\n{} violations of the table of modules:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn modules_of_the_library_have_no_cycles() {
    let Some(root) = root() else { return };
    let graph = library_graph(&root);
    let cycles = graph.cycles();
    println!("{}", report::summary("ferrovox", graph));
    println!("cycles: {}", cycles.count());
    assert_eq!(cycles.count(), 0, "\n{}", report::cycles(graph, &cycles));
}

/// The path of a volume to its mesh or its distance map involves few modules.
#[test]
fn a_volume_passes_through_at_most_ten_modules() {
    let Some(root) = root() else { return };
    let graph = library_graph(&root);
    for (job, algorithm) in job_path::JOBS {
        let modules = job_path::modules(graph, job, algorithm);
        assert!(
            modules.contains("device"),
            "{job} does not use a device: {modules:?}"
        );
        let names: Vec<&str> = modules.iter().map(String::as_str).collect();
        println!("modules of {job}: {} ({})", modules.len(), names.join(", "));
        if ["mesh", "distance"].contains(&job) {
            assert!(modules.len() <= 10, "{job}: {modules:?}");
        }
    }
}

/// The other packages have no table of modules, but must have no cycles either.
#[test]
fn modules_of_the_other_packages_have_no_cycles() {
    let Some(root) = root() else { return };
    let mut wrong = Vec::new();
    for target in Workspace::read(&root).targets {
        if target.source == Path::new(LIBRARY) {
            continue;
        }
        let graph = DependencyGraph::build(&Tree::read(&root, &target.source));
        let cycles = graph.cycles();
        println!("{}", report::summary(&target.package, &graph));
        if cycles.count() > 0 {
            wrong.push(format!(
                "{}:\n{}",
                target.package,
                report::cycles(&graph, &cycles)
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The limits of [`language`] hold in all Rust sources of the repository.
#[test]
fn sources_keep_the_limits_on_language() {
    let Some(root) = root() else { return };
    let counts = language::Counts::scan_sources(&root);
    println!("{}", counts.summary());
    let violations = counts.violations();
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

/// Each `unsafe impl Send` and `unsafe impl Sync` has an argument in the documentation.
#[test]
fn promises_of_thread_safety_are_documented() {
    let Some(root) = root() else { return };
    let promises = thread_safety::promises(&root);
    let page = fs::read_to_string(root.join(thread_safety::PAGE)).expect("the page can be read");
    let documented = thread_safety::documented_promises(&page).expect("the table can be parsed");
    println!("unsafe impl Send or Sync: {}", promises.len());
    let missing: Vec<_> = promises.difference(&documented).collect();
    let stale: Vec<_> = documented.difference(&promises).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "{}: not documented: {missing:#?}; not in the sources: {stale:#?}",
        thread_safety::PAGE
    );
}

/// ARCHITECTURE.md fits on a page, and no document is too long to be read in one go.
#[test]
fn documents_keep_their_sizes() {
    let Some(root) = root() else { return };
    let size = |page: &Path| fs::metadata(page).expect("a page can be read").len();
    let architecture = size(&root.join("ARCHITECTURE.md"));
    println!("ARCHITECTURE.md: {architecture} bytes");
    assert!(architecture <= 12 * 1024, "{architecture} bytes");
    let mut folders = vec![root.join("docs")];
    let mut too_long = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the documents can be read") {
            let page = entry.expect("an entry of a folder can be read").path();
            if page.is_dir() {
                folders.push(page);
            } else if page.extension().is_some_and(|extension| extension == "md")
                && size(&page) > 20 * 1024
            {
                too_long.push(format!("{}: {} bytes", page.display(), size(&page)));
            }
        }
    }
    assert!(too_long.is_empty(), "over 20 KB:\n{}", too_long.join("\n"));
}

/// Returns the dependency graph of the library, built once.
fn library_graph(root: &Path) -> &'static DependencyGraph {
    static READ: OnceLock<DependencyGraph> = OnceLock::new();
    READ.get_or_init(|| DependencyGraph::build(&Tree::read(root, Path::new(LIBRARY))))
}

fn architecture(root: &Path) -> String {
    fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md can be read")
}

/// Returns the directory of the workspace, if the sources are available.
fn root() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests are in a folder of the workspace");
    if !root.join(LIBRARY).is_file() {
        test_cases::report_skip(format_args!("the sources are not available"));
        return None;
    }
    if !packages::has_cargo() {
        test_cases::report_skip(format_args!("cargo is not available"));
        return None;
    }
    Some(root.to_owned())
}
