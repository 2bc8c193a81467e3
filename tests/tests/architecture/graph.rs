//! Who knows whom, and the circles in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use crate::resolve::{Resolved, Target};
use crate::tree::{ModuleId, Tree};

/// A place in the source where one module names another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    pub file: PathBuf,
    pub line: usize,
    /// The path as it is written.
    pub path: String,
}

/// Edges of a graph, with the places that make them.
pub type Edges = BTreeMap<(String, String), BTreeSet<Place>>;

/// What is known in a crate.
#[derive(Default)]
pub struct Knowledge {
    /// Names of the modules at the top.
    pub rooms: BTreeSet<String>,
    pub modules: usize,
    pub files: usize,
    pub lines: usize,
    /// Edges between the children of a module, by the module's path; each child stands for all that
    /// is inside it.
    pub siblings: BTreeMap<String, Edges>,
    /// Edges between files, without those to a parent's file.
    pub between_files: Edges,
    /// Edges between files, all of them.
    pub between_all_files: Edges,
}

/// Circles, each as the names of its nodes, in order of names.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Circles {
    pub of_rooms: Vec<Vec<String>>,
    pub of_modules: Vec<Vec<String>>,
    pub of_files: Vec<Vec<String>>,
}

impl Circles {
    /// How many there are. A circle of files is part of one of rooms or of modules, and does not
    /// count again.
    pub fn number(&self) -> usize {
        self.of_rooms.len() + self.of_modules.len()
    }
}

/// The path of the crate itself in [`Knowledge::siblings`].
const TOP: &str = "crate";

impl Knowledge {
    /// What the modules of `tree` know.
    pub fn of(tree: &Tree) -> Self {
        let mut knowledge = Self {
            rooms: tree.modules[0].children.keys().cloned().collect(),
            modules: tree.modules.len(),
            files: tree.files.len(),
            lines: tree.lines,
            ..Self::default()
        };
        for (id, module) in tree.modules.iter().enumerate() {
            for import in module.imports.iter().filter(|import| import.written) {
                let mut resolved = tree.resolve_import(id, import);
                if import.public {
                    resolved.leave_out_what_is_inside(tree, id);
                } else {
                    // the paths that begin with the module's name say what is taken from it
                    resolved
                        .targets
                        .retain(|target| matches!(target, Target::ItemOf(_)));
                }
                let ending = if import.name.is_none() { "::*" } else { "" };
                let path = format!("{}{ending}", import.path.join("::"));
                knowledge.add(
                    tree,
                    id,
                    &resolved,
                    Place {
                        file: tree.files[module.file].clone(),
                        line: import.line,
                        path,
                    },
                );
            }
            for mention in module
                .mentions
                .iter()
                .filter(|mention| !tree.begins_with_an_imported_item(id, mention))
            {
                let resolved = tree.resolve_mention(id, mention);
                let file = tree.files[module.file].clone();
                knowledge.add(
                    tree,
                    id,
                    &resolved,
                    Place {
                        file,
                        line: mention.line,
                        path: mention.path.join("::"),
                    },
                );
            }
        }
        knowledge
    }

    /// Edges between rooms.
    pub fn between_rooms(&self) -> Edges {
        self.siblings.get(TOP).cloned().unwrap_or_default()
    }

    /// All circles.
    pub fn circles(&self) -> Circles {
        let below = self.siblings.iter().filter(|(path, _)| *path != TOP);
        Circles {
            of_rooms: circles(&self.between_rooms()),
            of_modules: below.flat_map(|(_, edges)| circles(edges)).collect(),
            of_files: circles(&self.between_files),
        }
    }

    /// Circles of files if what a file takes from its parents' files counts, and that a parent
    /// re-exports does not.
    pub fn circles_with_parents(&self) -> usize {
        circles(&self.between_all_files).len()
    }

    fn add(&mut self, tree: &Tree, from: ModuleId, resolved: &Resolved, place: Place) {
        let has_items = resolved
            .targets
            .iter()
            .any(|target| matches!(target, Target::ItemOf(_)));
        let mut known = BTreeSet::new();
        for target in &resolved.targets {
            match *target {
                Target::ItemOf(id) => known.insert(id),
                Target::Module(id) if !has_items => known.insert(id),
                Target::Module(_) => false,
            };
        }
        for &to in &known {
            self.add_file_edge(tree, from, to, &place);
        }
        if !known.is_empty() {
            known.extend(&resolved.named);
        }
        for &to in &known {
            self.add_sibling_edge(tree, from, to, &place);
        }
    }

    fn add_sibling_edge(&mut self, tree: &Tree, from: ModuleId, to: ModuleId, place: &Place) {
        let (mut from, mut to) = (tree.ancestry(from), tree.ancestry(to));
        let mut common = 0;
        while let (Some(a), Some(b)) = (from.last(), to.last()) {
            if a != b {
                let edges = self.siblings.entry(tree.path(common)).or_default();
                edges
                    .entry((tree.path(*a), tree.path(*b)))
                    .or_default()
                    .insert(place.clone());
                return;
            }
            common = *a;
            from.pop();
            to.pop();
        }
    }

    fn add_file_edge(&mut self, tree: &Tree, from: ModuleId, to: ModuleId, place: &Place) {
        let (from_file, to_file) = (tree.modules[from].file, tree.modules[to].file);
        if from_file == to_file {
            return;
        }
        let name = |file: usize| tree.files[file].display().to_string();
        let edge = (name(from_file), name(to_file));
        if !tree
            .ancestry(from)
            .iter()
            .any(|&outer| tree.modules[outer].file == to_file)
        {
            self.between_files
                .entry(edge.clone())
                .or_default()
                .insert(place.clone());
        }
        self.between_all_files
            .entry(edge)
            .or_default()
            .insert(place.clone());
    }
}

impl Resolved {
    /// Leaves out modules inside `module`: to re-export them is what it is for.
    fn leave_out_what_is_inside(&mut self, tree: &Tree, module: ModuleId) {
        let is_inside = |id: ModuleId| tree.ancestry(id).contains(&module);
        self.targets.retain(|target| match *target {
            Target::Module(id) | Target::ItemOf(id) => !is_inside(id),
        });
    }
}

/// The strongly connected components of more than one node.
pub fn circles(edges: &Edges) -> Vec<Vec<String>> {
    let mut graph = DiGraphMap::<&str, ()>::new();
    for (from, to) in edges.keys() {
        graph.add_edge(from, to, ());
    }
    let mut found: Vec<Vec<String>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|component| component.len() > 1)
        .map(|component| {
            let mut names: Vec<String> = component.into_iter().map(str::to_owned).collect();
            names.sort();
            names
        })
        .collect();
    found.sort();
    found
}
