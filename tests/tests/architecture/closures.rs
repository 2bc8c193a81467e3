//! Closures in functions that kernels call. On the CPU, kernels are compiled for several
//! instruction sets, and a closure that is not inlined is compiled for the smallest of them:
//! `cuda_std`'s attributes `kernel` and `inline_closures` prevent that.

use std::path::Path;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, Expr, ExprCall, ExprMethodCall, ImplItemFn, ItemFn, ItemMod, Local,
    TraitItemFn,
};

use crate::attributes::is_test;
use crate::source::rust_sources;

/// Folder of the kernels, relative to the root of the repository.
const KERNELS: &str = "kernels-crate/src";

/// Returns the functions of the kernels that have closures without one of the attributes.
pub fn without_attribute(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for (file, text) in rust_sources(&root.join(KERNELS)) {
        let mut functions = Functions::default();
        functions.visit_file(&syn::parse_file(&text).expect("a source file can be parsed"));
        let names = functions.names.into_iter();
        found.extend(names.map(|name| format!("{KERNELS}/{file}: {name}")));
    }
    found.sort();
    found
}

/// Names of the functions with closures that lack an attribute.
#[derive(Default)]
struct Functions {
    names: Vec<String>,
}

impl Functions {
    fn check(&mut self, attributes: &[Attribute], name: &syn::Ident, body: &Block) {
        let inlines_closures = attributes.iter().any(|attribute| {
            let last = attribute.path().segments.last();
            last.is_some_and(|last| last.ident == "kernel" || last.ident == "inline_closures")
        });
        let mut closures = Closures::default();
        closures.visit_block(body);
        if closures.any && !inlines_closures {
            self.names.push(name.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.check(&function.attrs, &function.sig.ident, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.check(&function.attrs, &function.sig.ident, &function.block);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(body) = &function.default {
            self.check(&function.attrs, &function.sig.ident, body);
        }
    }
}

/// Closures that are arguments or initial values of variables.
#[derive(Default)]
struct Closures {
    any: bool,
}

impl Closures {
    fn check(&mut self, expression: &Expr) {
        self.any |= matches!(expression, Expr::Closure(closure) if closure.attrs.is_empty());
    }
}

impl<'ast> Visit<'ast> for Closures {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        call.args.iter().for_each(|argument| self.check(argument));
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        call.args.iter().for_each(|argument| self.check(argument));
        visit::visit_expr_method_call(self, call);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let Some(init) = &local.init {
            self.check(&init.expr);
        }
        visit::visit_local(self, local);
    }
}
