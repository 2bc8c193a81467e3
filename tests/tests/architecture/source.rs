//! Parser from source files to a [`Tree`].

use std::fs;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ImplItem, Item, Meta, Stmt, TraitItem, UseTree, Visibility};

use crate::attributes::{attributes, is_test, path_attribute};
use crate::tokens;
use crate::tree::{Import, Mention, Module, ModuleId, Tree};

/// Reads the crate with root file `root`. `text` returns the contents of a file, if it exists.
pub fn read(root: &Path, text: &dyn Fn(&Path) -> Option<String>) -> Tree {
    let mut tree = Tree::default();
    tree.modules.push(Module::default());
    let folder = root
        .parent()
        .expect("a root file is in a folder")
        .to_owned();
    read_file(&mut tree, 0, root, folder, text);
    tree
}

/// Reads a file as a module whose child modules' files are in `folder`.
fn read_file(
    tree: &mut Tree,
    module: ModuleId,
    path: &Path,
    folder: PathBuf,
    text: &dyn Fn(&Path) -> Option<String>,
) {
    let source = text(path)
        .unwrap_or_else(|| panic!("no file {} of module {}", path.display(), tree.path(module)));
    let file =
        syn::parse_file(&source).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    tree.files.push(path.to_owned());
    tree.lines += source.lines().count();
    tree.modules[module].file = tree.files.len() - 1;
    let directory = path.parent().expect("a file is in a folder").to_owned();
    let mut collector = Collector {
        tree,
        module,
        directory,
        folder,
        inside_blocks: 0,
        text,
    };
    for item in &file.items {
        collector.visit_item(item);
    }
}

/// Syntax visitor that collects the items that a module defines and refers to.
struct Collector<'a> {
    tree: &'a mut Tree,
    module: ModuleId,
    /// Directory of the file, to which `#[path]` is relative.
    directory: PathBuf,
    /// Directory of the module's child modules.
    folder: PathBuf,
    /// Nesting depth of function blocks, whose items do not belong to the module.
    inside_blocks: usize,
    text: &'a dyn Fn(&Path) -> Option<String>,
}

impl Collector<'_> {
    fn current(&mut self) -> &mut Module {
        &mut self.tree.modules[self.module]
    }

    fn define(&mut self, name: &syn::Ident) {
        if self.inside_blocks == 0 {
            let name = name.to_string();
            self.current().items.insert(name);
        }
    }

    fn mention(&mut self, path: Vec<String>, line: usize, is_macro: bool) {
        self.current().mentions.push(Mention {
            path,
            line,
            is_macro,
        });
    }

    fn mention_tokens(&mut self, tokens: proc_macro2::TokenStream) {
        for found in tokens::paths(tokens) {
            self.mention(found.path, found.line, found.is_macro);
        }
    }

    fn child_module(&mut self, item: &syn::ItemMod) {
        let name = item.ident.to_string();
        let child = self.tree.modules.len();
        let file = self.current().file;
        self.tree.modules.push(Module {
            name: name.clone(),
            parent: Some(self.module),
            file,
            ..Module::default()
        });
        self.current()
            .children
            .entry(name.clone())
            .or_default()
            .push(child);
        if let Some((_, items)) = &item.content {
            let folder = self.folder.join(&name);
            let mut inner = Collector {
                tree: self.tree,
                module: child,
                directory: folder.clone(),
                folder,
                inside_blocks: 0,
                text: self.text,
            };
            for item in items {
                inner.visit_item(item);
            }
        } else if let Some(path) = path_attribute(&item.attrs) {
            let path = self.directory.join(path);
            let folder = path.parent().expect("a file is in a folder").to_owned();
            read_file(self.tree, child, &path, folder, self.text);
        } else {
            let folder = self.folder.join(&name);
            let own = self.folder.join(format!("{name}.rs"));
            let path = if (self.text)(&own).is_some() {
                own
            } else {
                folder.join("mod.rs")
            };
            read_file(self.tree, child, &path, folder, self.text);
        }
    }

    fn import(&mut self, tree: &UseTree, path: &[String], public: bool) {
        let line = tree.span().start().line;
        let (name, path) = match tree {
            UseTree::Path(step) => {
                return self.import(&step.tree, &with(path, &step.ident), public);
            }
            UseTree::Group(group) => {
                return group
                    .items
                    .iter()
                    .for_each(|item| self.import(item, path, public));
            }
            UseTree::Glob(_) => (None, path.to_vec()),
            UseTree::Name(name) if name.ident == "self" => (path.last().cloned(), path.to_vec()),
            UseTree::Name(name) => (Some(name.ident.to_string()), with(path, &name.ident)),
            UseTree::Rename(name) if name.ident == "self" => {
                (Some(name.rename.to_string()), path.to_vec())
            }
            UseTree::Rename(name) => (Some(name.rename.to_string()), with(path, &name.ident)),
        };
        self.current().imports.push(Import {
            name,
            path,
            public,
            line,
            written: true,
        });
    }

    fn exported_macro(&mut self, name: &syn::Ident) {
        let mut path = vec!["crate".to_owned()];
        if self.module != 0 {
            path.extend(self.tree.path(self.module).split("::").map(str::to_owned));
            path.push(name.to_string());
            let import = Import {
                name: Some(name.to_string()),
                path,
                public: true,
                line: 0,
                written: false,
            };
            self.tree.modules[0].imports.push(import);
        }
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            return;
        }
        match item {
            Item::Mod(module) => return self.child_module(module),
            Item::Use(_) => {}
            Item::Const(item) => self.define(&item.ident),
            Item::Enum(item) => self.define(&item.ident),
            Item::Fn(item) => self.define(&item.sig.ident),
            Item::Static(item) => self.define(&item.ident),
            Item::Struct(item) => self.define(&item.ident),
            Item::Trait(item) => self.define(&item.ident),
            Item::TraitAlias(item) => self.define(&item.ident),
            Item::Type(item) => self.define(&item.ident),
            Item::Union(item) => self.define(&item.ident),
            Item::Macro(item) => {
                if let Some(name) = &item.ident {
                    self.define(name);
                    if item
                        .attrs
                        .iter()
                        .any(|attribute| attribute.path().is_ident("macro_export"))
                    {
                        self.exported_macro(name);
                    }
                }
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            self.import(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
        }
    }

    fn visit_foreign_item(&mut self, item: &'ast syn::ForeignItem) {
        match item {
            syn::ForeignItem::Fn(item) => self.define(&item.sig.ident),
            syn::ForeignItem::Static(item) => self.define(&item.ident),
            syn::ForeignItem::Type(item) => self.define(&item.ident),
            _ => {}
        }
        visit::visit_foreign_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            ImplItem::Macro(item) => &item.attrs,
            _ => return,
        };
        if !is_test(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let attributes = match item {
            TraitItem::Const(item) => &item.attrs,
            TraitItem::Fn(item) => &item.attrs,
            TraitItem::Type(item) => &item.attrs,
            TraitItem::Macro(item) => &item.attrs,
            _ => return,
        };
        if !is_test(attributes) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        let in_test = match statement {
            Stmt::Local(local) => is_test(&local.attrs),
            Stmt::Macro(call) => is_test(&call.attrs),
            Stmt::Expr(Expr::Block(block), _) => is_test(&block.attrs),
            _ => false,
        };
        if !in_test {
            visit::visit_stmt(self, statement);
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if !is_test(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.inside_blocks += 1;
        visit::visit_block(self, block);
        self.inside_blocks -= 1;
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let names = path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string())
                .collect();
            self.mention(names, path.span().start().line, false);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if call.path.leading_colon.is_none() {
            let names = call
                .path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string())
                .collect();
            self.mention(names, call.path.span().start().line, true);
        }
        self.mention_tokens(call.tokens.clone());
    }

    /// The paths in `pub(super)` and `pub(in …)` are not dependencies.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    /// Comments and strings are ignored, but arguments of attributes may contain paths.
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.mention_tokens(list.tokens.clone());
        }
    }
}

/// Returns the paths, relative to `root`, and the texts of all Rust files below `root`, except in
/// build output.
pub fn rust_sources(root: &Path) -> Vec<(String, String)> {
    let mut sources = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the repository can be read") {
            let path = entry.expect("an entry of a folder can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source file can be read");
                let name = path.strip_prefix(root).unwrap_or(&path);
                sources.push((name.display().to_string(), text));
            }
        }
    }
    sources
}

fn with(path: &[String], name: &syn::Ident) -> Vec<String> {
    path.iter().cloned().chain([name.to_string()]).collect()
}
