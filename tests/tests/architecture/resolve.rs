//! Path resolution through `self`, `super` and `crate`, imports, re-exports and globs.

use std::collections::BTreeSet;

use crate::tree::{Import, Mention, ModuleId, Tree};

/// Target of a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// A module.
    Module(ModuleId),
    /// Another item defined by the module.
    Item(ModuleId),
}

/// Target of a path.
#[derive(Default, Debug)]
pub struct Resolved {
    pub targets: BTreeSet<Target>,
    /// Last module named by the path itself.
    pub named: BTreeSet<ModuleId>,
}

/// Lookups in progress, to terminate on cyclic imports.
type Open = Vec<(ModuleId, String)>;

impl Tree {
    /// Resolves an import.
    pub fn resolve_import(&self, module: ModuleId, import: &Import) -> Resolved {
        self.resolve(module, &import.path, &mut Open::new())
    }

    /// Resolves a path in code. A path of one name has no target, because it is a variable of the
    /// same name.
    pub fn resolve_mention(&self, module: ModuleId, mention: &Mention) -> Resolved {
        let mut resolved = self.resolve(module, &mention.path, &mut Open::new());
        if mention.path.len() == 1 {
            resolved
                .targets
                .retain(|target| matches!(target, Target::Item(_)));
            if mention.is_macro && resolved.targets.is_empty() {
                // a macro is in scope in the modules that follow it in its own module
                let name = &mention.path[0];
                let outer = self
                    .ancestry(module)
                    .into_iter()
                    .find(|&outer| self.modules[outer].items.contains(name));
                resolved.targets.extend(outer.map(Target::Item));
            }
        }
        resolved
    }

    /// Returns `true` if a path begins with an item imported by a `use` declaration, which already
    /// accounts for its origin. Modules are not such items.
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
                    .all(|target| matches!(target, Target::Item(_)))
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
                    Target::Item(_) => None,
                })
                .collect();
            // for a type or a function, the rest of the path belongs to it
            if modules.is_empty() {
                break;
            }
            resolved.named = modules.iter().copied().collect();
            reached = modules
                .into_iter()
                .flat_map(|id| self.step(id, name, open))
                .collect();
        }
        // if a function and a module have the same name, the end of a path is the function
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
        // may be defined by a macro, or belong to another crate
        if found.is_empty() {
            [Target::Item(module)].into()
        } else {
            found
        }
    }

    /// Returns the targets of a name in a module.
    fn lookup(&self, module: ModuleId, name: &str, open: &mut Open) -> BTreeSet<Target> {
        if open.iter().any(|(at, of)| *at == module && of == name) {
            return BTreeSet::new();
        }
        open.push((module, name.to_owned()));
        let current = &self.modules[module];
        let mut found: BTreeSet<Target> = current
            .children
            .get(name)
            .into_iter()
            .flatten()
            .map(|&id| Target::Module(id))
            .collect();
        if current.items.contains(name) {
            found.insert(Target::Item(module));
        }
        for import in current
            .imports
            .iter()
            .filter(|import| import.name.as_deref() == Some(name))
        {
            found.extend(self.resolve(module, &import.path, open).targets);
        }
        if found.is_empty() {
            for import in current
                .imports
                .iter()
                .filter(|import| import.name.is_none())
            {
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
