//! A crate's modules: what each defines, imports and names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::source;

/// A module's number in [`Tree::modules`]. The crate itself is number 0.
pub type ModuleId = usize;

/// The modules of a crate, tests left out.
#[derive(Default)]
pub struct Tree {
    pub modules: Vec<Module>,
    /// Files that the modules are in, as paths from the folder that was read.
    pub files: Vec<PathBuf>,
    /// Lines of these files.
    pub lines: usize,
}

/// One module, in a file of its own or within its parent's.
#[derive(Default)]
pub struct Module {
    pub name: String,
    pub parent: Option<ModuleId>,
    /// Index in [`Tree::files`].
    pub file: usize,
    /// Child modules. More than one may have the same name, each for another target.
    pub children: BTreeMap<String, Vec<ModuleId>>,
    /// Names of the other items that it defines.
    pub items: BTreeSet<String>,
    pub imports: Vec<Import>,
    pub mentions: Vec<Mention>,
}

/// One name, or all, that a `use` declaration brings.
pub struct Import {
    /// What the item is called here; `None` for `*`.
    pub name: Option<String>,
    pub path: Vec<String>,
    /// Whether it is a re-export: `pub use`, `pub(crate) use` and the like.
    pub public: bool,
    pub line: usize,
    /// Whether it is in the source, or stands for an exported macro, which the crate's root has
    /// too.
    pub written: bool,
}

/// A path in code.
pub struct Mention {
    pub path: Vec<String>,
    pub line: usize,
    /// Whether it is the name of a macro that is called.
    pub is_macro: bool,
}

impl Tree {
    /// The modules of the crate whose root file is `root`, a path from `folder`.
    pub fn read(folder: &Path, root: &Path) -> Self {
        source::read(root, &|path| fs::read_to_string(folder.join(path)).ok())
    }

    /// The modules of a crate whose files are given. Its root is `lib.rs`.
    pub fn of_files(files: &[(&str, &str)]) -> Self {
        source::read(Path::new("lib.rs"), &|path| {
            files
                .iter()
                .find(|(name, _)| Path::new(name) == path)
                .map(|(_, text)| (*text).to_owned())
        })
    }

    /// A module and the modules it is in, from itself to the crate.
    pub fn ancestry(&self, module: ModuleId) -> Vec<ModuleId> {
        let mut all = vec![module];
        while let Some(parent) = self.modules[all[all.len() - 1]].parent {
            all.push(parent);
        }
        all
    }

    /// A module's path from the crate, as in `device::cuda`; `crate` for the crate itself.
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
