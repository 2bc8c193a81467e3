//! Dependency graph of modules, and its cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use crate::resolve::{Resolved, Target};
use crate::tree::{ModuleId, Tree};

/// Source location where one module refers to another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Location {
    pub file: PathBuf,
    pub line: usize,
    /// The path as written.
    pub path: String,
}

/// Edges of a graph with their source locations.
pub type Edges = BTreeMap<(String, String), BTreeSet<Location>>;

/// Dependencies within a crate.
#[derive(Default)]
pub struct DependencyGraph {
    /// Names of the top-level modules.
    pub top_level_modules: BTreeSet<String>,
    pub modules: usize,
    pub files: usize,
    pub lines: usize,
    /// Edges between the children of a module, by the module's path; each child represents
    /// everything inside it.
    pub siblings: BTreeMap<String, Edges>,
    /// Edges between files, except those to a parent's file.
    pub between_files: Edges,
    /// All edges between files.
    pub between_all_files: Edges,
}

/// Cycles, each given by the sorted names of its nodes.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Cycles {
    pub top_level: Vec<Vec<String>>,
    pub nested: Vec<Vec<String>>,
    pub files: Vec<Vec<String>>,
}

impl Cycles {
    /// Returns the number of cycles. A cycle of files is part of one of top-level or other modules,
    /// and not counted again.
    pub fn count(&self) -> usize {
        self.top_level.len() + self.nested.len()
    }
}

/// Path of the crate itself in [`DependencyGraph::siblings`].
const TOP: &str = "crate";

impl DependencyGraph {
    /// Builds the graph of the modules in `tree`.
    pub fn build(tree: &Tree) -> Self {
        let mut graph = Self {
            top_level_modules: tree.modules[0].children.keys().cloned().collect(),
            modules: tree.modules.len(),
            files: tree.files.len(),
            lines: tree.lines,
            ..Self::default()
        };
        for (id, module) in tree.modules.iter().enumerate() {
            for import in module.imports.iter().filter(|import| import.written) {
                let mut resolved = tree.resolve_import(id, import);
                if import.public {
                    resolved.retain_outside(tree, id);
                } else {
                    // for a private import, only the items taken from the module count
                    resolved
                        .targets
                        .retain(|target| matches!(target, Target::Item(_)));
                }
                let ending = if import.name.is_none() { "::*" } else { "" };
                let path = format!("{}{ending}", import.path.join("::"));
                graph.add(
                    tree,
                    id,
                    &resolved,
                    Location {
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
                graph.add(
                    tree,
                    id,
                    &resolved,
                    Location {
                        file,
                        line: mention.line,
                        path: mention.path.join("::"),
                    },
                );
            }
        }
        graph
    }

    /// Returns the edges between top-level modules.
    pub fn top_level_edges(&self) -> Edges {
        self.siblings.get(TOP).cloned().unwrap_or_default()
    }

    /// Returns all cycles.
    pub fn cycles(&self) -> Cycles {
        let below = self.siblings.iter().filter(|(path, _)| *path != TOP);
        Cycles {
            top_level: cycles(&self.top_level_edges()),
            nested: below.flat_map(|(_, edges)| cycles(edges)).collect(),
            files: cycles(&self.between_files),
        }
    }

    /// Returns the number of cycles of files if items taken from parents' files count, and
    /// re-exports by parents do not.
    pub fn cycles_with_parents(&self) -> usize {
        cycles(&self.between_all_files).len()
    }

    fn add(&mut self, tree: &Tree, from: ModuleId, resolved: &Resolved, location: Location) {
        let has_items = resolved
            .targets
            .iter()
            .any(|target| matches!(target, Target::Item(_)));
        let mut dependencies = BTreeSet::new();
        for target in &resolved.targets {
            match *target {
                Target::Item(id) => dependencies.insert(id),
                Target::Module(id) if !has_items => dependencies.insert(id),
                Target::Module(_) => false,
            };
        }
        for &to in &dependencies {
            self.add_file_edge(tree, from, to, &location);
        }
        if !dependencies.is_empty() {
            dependencies.extend(&resolved.named);
        }
        for &to in &dependencies {
            self.add_sibling_edge(tree, from, to, &location);
        }
    }

    fn add_sibling_edge(&mut self, tree: &Tree, from: ModuleId, to: ModuleId, location: &Location) {
        let (mut from, mut to) = (tree.ancestry(from), tree.ancestry(to));
        let mut common = 0;
        while let (Some(a), Some(b)) = (from.last(), to.last()) {
            if a != b {
                let edges = self.siblings.entry(tree.path(common)).or_default();
                edges
                    .entry((tree.path(*a), tree.path(*b)))
                    .or_default()
                    .insert(location.clone());
                return;
            }
            common = *a;
            from.pop();
            to.pop();
        }
    }

    fn add_file_edge(&mut self, tree: &Tree, from: ModuleId, to: ModuleId, location: &Location) {
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
                .insert(location.clone());
        }
        self.between_all_files
            .entry(edge)
            .or_default()
            .insert(location.clone());
    }
}

impl Resolved {
    /// Removes modules inside `module`, because re-exporting them is its purpose.
    fn retain_outside(&mut self, tree: &Tree, module: ModuleId) {
        let is_inside = |id: ModuleId| tree.ancestry(id).contains(&module);
        self.targets.retain(|target| match *target {
            Target::Module(id) | Target::Item(id) => !is_inside(id),
        });
    }
}

/// Returns the strongly connected components with more than one node.
pub fn cycles(edges: &Edges) -> Vec<Vec<String>> {
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
