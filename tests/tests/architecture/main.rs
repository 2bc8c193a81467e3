//! Holds the architecture: who may know whom is what the tables of ARCHITECTURE.md say, and nothing
//! goes in a circle.
//!
//! - **Packages.** The table under "Layers" has the packages of the workspace in rows. A package
//!   may depend on packages of lower rows that its column "knows" names. Development dependencies
//!   do not count.
//! - **Rooms.** The modules at the top of the library `ferrovox` are its rooms. The table under
//!   "Rooms of the library" has a row for each, and a room may know the rooms that its row lists.
//!   These stand in lower rows.
//! - **Modules.** What a module knows is read from its `use` declarations and from the paths in its
//!   code, macros included. A path is followed through re-exports: a module knows the module that
//!   the path names and the one that defines the item. Tests and comments do not count. Methods are
//!   not seen, since that would take types: a method that is defined in another module than its
//!   type is found only by what its own module names.
//!
//! There are three counts of circles. In each a circle is a strongly connected component of more
//! than one node.
//!
//! - **Circles of rooms**: nodes are the modules at the top.
//! - **Circles of modules**: the same below the top, at every module that has child modules. Nodes
//!   are its children, and each stands for all that is inside it. A parent and a module within it
//!   do not make a circle by themselves: a child may use what its parent defines or re-exports, and
//!   a parent is made of its children.
//! - **Circles of files**: nodes are files. A path leads to the file that defines the item, not to
//!   a `mod.rs` that re-exports it. A `mod.rs` does not depend on its children for re-exporting
//!   them, and what a file takes from one of its parents' files does not count. Each of these
//!   circles is part of a circle of modules or of rooms, but not the other way round, so they do
//!   not count again.
//!
//! **Rooms on a volume's way** are the command, `pipeline`, and the rooms that a job's module of
//! `pipeline` and its algorithm name, without those that any code may ask (`memory`, `monitor`,
//! `occupancy`, `union_find`). A mesh and a distance map have ten at most.
//!
//! `cargo test -p ferrovox-tests --test architecture -- --nocapture` prints the counts, and the
//! lines of each package's sources.

mod attributes;
mod graph;
mod language;
mod machinery_tests;
mod packages;
mod report;
mod resolve;
mod rules;
mod source;
mod table;
mod table_tests;
mod tokens;
mod tree;
mod way;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use graph::Knowledge;
use packages::Workspace;
use table::{Layers, Rooms};
use tree::Tree;

/// The root file of the library `ferrovox`.
const LIBRARY: &str = "host-crate/src/lib.rs";

#[test]
fn packages_know_only_packages_of_lower_rows() {
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
fn rooms_of_the_library_know_only_what_their_rows_list() {
    let Some(root) = root() else { return };
    let rooms = Rooms::parse(&architecture(&root))
        .expect("the table under \"Rooms of the library\" in ARCHITECTURE.md");
    let knowledge = of_the_library(&root);
    let wrong = rules::rooms(&rooms, knowledge);
    println!(
        "{}\n{}",
        report::summary("ferrovox", knowledge),
        report::rooms(knowledge)
    );
    assert!(
        wrong.is_empty(),
        "\n{} things against the table of rooms:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn modules_of_the_library_have_no_circles() {
    let Some(root) = root() else { return };
    let knowledge = of_the_library(&root);
    let circles = knowledge.circles();
    println!("{}", report::summary("ferrovox", knowledge));
    println!("circles: {}", circles.number());
    assert_eq!(
        circles.number(),
        0,
        "\n{}",
        report::circles(knowledge, &circles)
    );
}

/// The way of a volume to its mesh or its distance map is short enough to be kept in mind.
#[test]
fn a_volume_passes_through_ten_rooms_at_most() {
    let Some(root) = root() else { return };
    let knowledge = of_the_library(&root);
    for (job, algorithm) in way::JOBS {
        let rooms = way::rooms(knowledge, job, algorithm);
        assert!(rooms.contains("device"), "{job} names no device: {rooms:?}");
        let names: Vec<&str> = rooms.iter().map(String::as_str).collect();
        println!("rooms of {job}: {} ({})", rooms.len(), names.join(", "));
        if ["mesh", "distance"].contains(&job) {
            assert!(rooms.len() <= 10, "{job}: {rooms:?}");
        }
    }
}

/// The other packages have no table of rooms, but circles are looked for in them too.
#[test]
fn modules_of_the_other_packages_have_no_circles() {
    let Some(root) = root() else { return };
    let mut wrong = Vec::new();
    for target in Workspace::read(&root).targets {
        if target.source == Path::new(LIBRARY) {
            continue;
        }
        let knowledge = Knowledge::of(&Tree::read(&root, &target.source));
        let circles = knowledge.circles();
        println!("{}", report::summary(&target.package, &knowledge));
        if circles.number() > 0 {
            wrong.push(format!(
                "{}:\n{}",
                target.package,
                report::circles(&knowledge, &circles)
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

/// What is known in the library, read once.
fn of_the_library(root: &Path) -> &'static Knowledge {
    static READ: OnceLock<Knowledge> = OnceLock::new();
    READ.get_or_init(|| Knowledge::of(&Tree::read(root, Path::new(LIBRARY))))
}

fn architecture(root: &Path) -> String {
    fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md can be read")
}

/// The workspace's folder, if the sources are beside this program.
fn root() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests are in a folder of the workspace");
    if !root.join(LIBRARY).is_file() {
        eprintln!("skipped: the sources are not beside this program");
        return None;
    }
    if !packages::has_cargo() {
        eprintln!("skipped: there is no cargo to ask for the packages");
        return None;
    }
    Some(root.to_owned())
}
