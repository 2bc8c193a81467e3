//! What a path leads to: through `self`, `super` and `crate`, imports, re-exports and globs.

use std::collections::BTreeSet;

use crate::tree::{Import, Mention, ModuleId, Tree};

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// A module.
    Module(ModuleId),
    /// Another item that the module defines.
    ItemOf(ModuleId),
}

/// What a path leads to.
#[derive(Default, Debug)]
pub struct Resolved {
    pub targets: BTreeSet<Target>,
    /// The last module that the path itself names.
    pub named: BTreeSet<ModuleId>,
}

/// Lookups that are under way, so that imports that lead to each other end.
type Open = Vec<(ModuleId, String)>;

impl Tree {
    /// What an import leads to.
    pub fn resolve_import(&self, module: ModuleId, import: &Import) -> Resolved {
        self.resolve(module, &import.path, &mut Open::new())
    }

    /// What a path in code leads to. A path of one name leads to no module: that is a variable of
    /// the same name.
    pub fn resolve_mention(&self, module: ModuleId, mention: &Mention) -> Resolved {
        let mut resolved = self.resolve(module, &mention.path, &mut Open::new());
        if mention.path.len() == 1 {
            resolved
                .targets
                .retain(|target| matches!(target, Target::ItemOf(_)));
            if mention.is_macro && resolved.targets.is_empty() {
                // a macro is in scope in the modules that come after it in its own
                let name = &mention.path[0];
                let outer = self
                    .ancestry(module)
                    .into_iter()
                    .find(|&outer| self.modules[outer].items.contains(name));
                resolved.targets.extend(outer.map(Target::ItemOf));
            }
        }
        resolved
    }

    /// Whether a path begins with an item that a `use` declaration brings: that declaration says
    /// already where it is from. Modules are not such items.
    pub fn begins_with_an_imported_item(&self, module: ModuleId, mention: &Mention) -> bool {
        let imports = &self.modules[module].imports;
        let mut brought = imports
            .iter()
            .filter(|import| !import.public && import.name.as_ref() == mention.path.first());
        brought.any(|import| {
            let targets = self.resolve_import(module, import).targets;
            !targets.is_empty()
                && targets
                    .iter()
                    .all(|target| matches!(target, Target::ItemOf(_)))
        })
    }

    fn resolve(&self, module: ModuleId, path: &[String], open: &mut Open) -> Resolved {
        let mut resolved = Resolved::default();
        let mut steps = path.iter();
        let Some(first) = steps.next() else {
            return resolved;
        };
        let mut reached: BTreeSet<Target> = match first.as_str() {
            "crate" => [Target::Module(0)].into(),
            "self" => [Target::Module(module)].into(),
            "super" => self.modules[module]
                .parent
                .map(Target::Module)
                .into_iter()
                .collect(),
            name => self.lookup(module, name, open),
        };
        for name in steps {
            let modules: Vec<ModuleId> = reached
                .iter()
                .filter_map(|target| match target {
                    Target::Module(id) => Some(*id),
                    Target::ItemOf(_) => None,
                })
                .collect();
            // of a type or a function, what follows belongs to it
            if modules.is_empty() {
                break;
            }
            resolved.named = modules.iter().copied().collect();
            reached = modules
                .into_iter()
                .flat_map(|id| self.step(id, name, open))
                .collect();
        }
        // a function and a module may have the same name, and a path's end is the function then
        resolved.targets = reached;
        resolved
    }

    fn step(&self, module: ModuleId, name: &str, open: &mut Open) -> BTreeSet<Target> {
        if name == "super" {
            return self.modules[module]
                .parent
                .map(Target::Module)
                .into_iter()
                .collect();
        }
        let found = self.lookup(module, name, open);
        // a macro may have made it, or it is another crate's
        if found.is_empty() {
            [Target::ItemOf(module)].into()
        } else {
            found
        }
    }

    /// What a name stands for in a module.
    fn lookup(&self, module: ModuleId, name: &str, open: &mut Open) -> BTreeSet<Target> {
        if open.iter().any(|(at, of)| *at == module && of == name) {
            return BTreeSet::new();
        }
        open.push((module, name.to_owned()));
        let here = &self.modules[module];
        let mut found: BTreeSet<Target> = here
            .children
            .get(name)
            .into_iter()
            .flatten()
            .map(|&id| Target::Module(id))
            .collect();
        if here.items.contains(name) {
            found.insert(Target::ItemOf(module));
        }
        for import in here
            .imports
            .iter()
            .filter(|import| import.name.as_deref() == Some(name))
        {
            found.extend(self.resolve(module, &import.path, open).targets);
        }
        if found.is_empty() {
            for import in here.imports.iter().filter(|import| import.name.is_none()) {
                for target in self.resolve(module, &import.path, open).targets {
                    if let Target::Module(id) = target {
                        found.extend(self.lookup(id, name, open));
                    }
                }
            }
        }
        open.pop();
        found
    }
}
