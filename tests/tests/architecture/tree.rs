//! Modules of a crate: the items that each defines, imports and refers to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::source;

/// Index of a module in [`Tree::modules`]; the crate itself is 0.
pub type ModuleId = usize;

/// Modules of a crate, without tests.
#[derive(Default)]
pub struct Tree {
    pub modules: Vec<Module>,
    /// Files of the modules, relative to the directory that was read.
    pub files: Vec<PathBuf>,
    /// Total number of lines of these files.
    pub lines: usize,
}

/// A module, in a file of its own or inside its parent's.
#[derive(Default)]
pub struct Module {
    pub name: String,
    pub parent: Option<ModuleId>,
    /// Index in [`Tree::files`].
    pub file: usize,
    /// Child modules. Several can have the same name, each for another target.
    pub children: BTreeMap<String, Vec<ModuleId>>,
    /// Names of the other items that it defines.
    pub items: BTreeSet<String>,
    pub imports: Vec<Import>,
    pub mentions: Vec<Mention>,
}

/// A name, or all names, imported by a `use` declaration.
pub struct Import {
    /// Local name of the item; `None` for `*`.
    pub name: Option<String>,
    pub path: Vec<String>,
    /// `true` for a re-export: `pub use`, `pub(crate) use` and similar.
    pub public: bool,
    pub line: usize,
    /// `true` if the import is in the source, `false` for an exported macro, which is implicitly in
    /// the crate root too.
    pub written: bool,
}

/// A path in code.
pub struct Mention {
    pub path: Vec<String>,
    pub line: usize,
    /// `true` for the name of an invoked macro.
    pub is_macro: bool,
}

impl Tree {
    /// Reads the modules of the crate with root file `root`, relative to `folder`.
    pub fn read(folder: &Path, root: &Path) -> Self {
        source::read(root, &|path| fs::read_to_string(folder.join(path)).ok())
    }

    /// Reads the modules of a crate from file names and contents. Its root is `lib.rs`.
    pub fn from_files(files: &[(&str, &str)]) -> Self {
        source::read(Path::new("lib.rs"), &|path| {
            files
                .iter()
                .find(|(name, _)| Path::new(name) == path)
                .map(|(_, text)| (*text).to_owned())
        })
    }

    /// Returns a module and its ancestors, from itself to the crate.
    pub fn ancestry(&self, module: ModuleId) -> Vec<ModuleId> {
        let mut all = vec![module];
        while let Some(parent) = self.modules[all[all.len() - 1]].parent {
            all.push(parent);
        }
        all
    }

    /// Returns a module's path from the crate, such as `device::cuda`; `crate` for the crate
    /// itself.
    pub fn path(&self, module: ModuleId) -> String {
        let mut names: Vec<&str> = self
            .ancestry(module)
            .into_iter()
            .filter(|&id| id != 0)
            .map(|id| self.modules[id].name.as_str())
            .collect();
        names.reverse();
        if names.is_empty() {
            "crate".to_owned()
        } else {
            names.join("::")
        }
    }
}
