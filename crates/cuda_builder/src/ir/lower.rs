//! Address-space lowering: moves statics in marked sections to shared or constant memory, and
//! updates all uses.
//!
//! rustc does not support address spaces. A static with `#[link_section = ".nvptx.shared"]` is
//! therefore compiled to an ordinary global with generic uses. It is redefined in address space 3
//! (constant memory: 4), and each use `@TILE` is replaced by the constant expression
//! `addrspacecast (ptr addrspace(3) @TILE to ptr)`. LLVM's address-space inference then selects
//! `ld.shared`.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use super::convergent::mark_assembly;
use super::items::{Item, Module};
use super::names::{StableNames, stable_base};
use super::placement::{DYNAMIC_SHARED, HEAP, Placement};
use super::token::{Kind, Tokens, quote};
use super::volatile::remove_volatile_local_loads;
use crate::{CudaBuilderError, Result};

/// Module after the lowering.
#[derive(Debug)]
pub(crate) struct LoweredModule {
    /// IR text for the optimizer.
    pub text: String,
    /// Externally visible symbols: kernels, constant memory, exported statics. Sorted.
    pub exported: Vec<String>,
}

/// New name and address space of a global symbol.
struct Symbol {
    name: String,
    /// Address space; 0 if unchanged.
    space: u32,
}

/// Lowers `module`. `exported` contains the names that rustc exports from the crate.
pub(crate) fn lower(module: &Module, exported: &[String]) -> Result<LoweredModule> {
    let mut public: Vec<String> = Vec::new();
    let mut symbols: HashMap<String, Symbol> = HashMap::new();
    let mut placements: BTreeMap<String, Placement> = BTreeMap::new();

    for item in &module.globals {
        if let Some(placement) = Placement::for_item(item, exported)? {
            placements.insert(item.name.clone(), placement);
        }
    }
    let is_public = |item: &Item| {
        let is_exported =
            item.is_kernel() || item.text.starts_with('@') && exported.contains(&item.name);
        is_exported && !item.is_local() || item.name == DYNAMIC_SHARED || item.name == HEAP
    };
    for item in module
        .functions
        .iter()
        .chain(&module.globals)
        .filter(|item| is_public(item))
    {
        public.push(item.name.clone());
    }

    // Order and names must not depend on the hashes in mangled names: kernels are sorted by name,
    // everything else by stable name.
    let mut functions: Vec<&Item> = module.functions.iter().collect();
    functions.sort_by_cached_key(|item| (!item.is_kernel(), stable_base(&item.name)));
    let mut globals: Vec<&Item> = module.globals.iter().collect();
    globals.sort_by_cached_key(|item| (!is_public(item), stable_base(&item.name)));

    let untouched = module.declarations.iter().map(|item| item.name.as_str());
    let mut names = StableNames::avoiding(public.iter().map(String::as_str).chain(untouched));
    for item in globals.iter().chain(&functions) {
        let keeps_name = is_public(item) || item.name.starts_with("llvm.");
        let name = if keeps_name {
            item.name.clone()
        } else {
            names.name(&item.name)
        };
        let space = placements
            .get(&item.name)
            .map_or(0, |placement| placement.space);
        symbols.insert(item.name.clone(), Symbol { name, space });
    }
    for (original, placement) in &placements {
        if placement.visible && !public.contains(original) {
            public.push(symbols[original].name.clone());
        }
    }

    let mut text = String::new();
    for line in &module.preamble {
        let _ = writeln!(text, "{line}");
    }
    for item in globals {
        reject_shared_initialiser(item, &symbols)?;
        match placements.get(&item.name) {
            Some(placement) => {
                let _ = write!(text, "@{} = ", quote(&symbols[&item.name].name));
                rewrite_uses(&placement.body, &symbols, &mut text);
            }
            None => rewrite(item.text, &symbols, &mut text),
        }
        text.push('\n');
    }
    for item in functions {
        rewrite(
            &remove_volatile_local_loads(&mark_assembly(item.text)),
            &symbols,
            &mut text,
        );
        text.push('\n');
    }
    for item in &module.declarations {
        let _ = writeln!(text, "{}", item.text);
    }
    for line in &module.attributes {
        text.push_str(&without_target_attributes(line));
        text.push('\n');
    }
    for line in &module.metadata {
        rewrite(line, &symbols, &mut text);
        text.push('\n');
    }
    public.sort();
    public.dedup();
    Ok(LoweredModule {
        text,
        exported: public,
    })
}

/// Appends `text`, an item whose first global name is its definition, with the new name and all
/// uses lowered.
fn rewrite(text: &str, symbols: &HashMap<String, Symbol>, out: &mut String) {
    let defines = text.starts_with('@') || text.starts_with("define ");
    if !defines {
        return rewrite_uses(text, symbols, out);
    }
    let mut at = 0;
    for token in Tokens::new(text) {
        at += token.text.len();
        if token.kind == Kind::Global {
            match symbols.get(token.global_name().as_ref()) {
                Some(symbol) => {
                    let _ = write!(out, "@{}", quote(&symbol.name));
                }
                None => out.push_str(token.text),
            }
            return rewrite_uses(&text[at..], symbols, out);
        }
        out.push_str(token.text);
    }
}

fn rewrite_uses(text: &str, symbols: &HashMap<String, Symbol>, out: &mut String) {
    for token in Tokens::new(text) {
        let symbol = (token.kind == Kind::Global)
            .then(|| symbols.get(token.global_name().as_ref()))
            .flatten();
        let _ = match symbol {
            Some(Symbol { name, space: 0 }) => write!(out, "@{}", quote(name)),
            Some(Symbol { name, space }) => write!(
                out,
                "addrspacecast (ptr addrspace({space}) @{} to ptr)",
                quote(name)
            ),
            None => write!(out, "{}", token.text),
        };
    }
}

/// Returns an error if a shared address, which differs between blocks, is the initial value of a
/// static. (`llvm.used` lists are not memory.)
fn reject_shared_initialiser(item: &Item, symbols: &HashMap<String, Symbol>) -> Result<()> {
    let shared = |name: &str| symbols.get(name).is_some_and(|symbol| symbol.space == 3);
    let uses_shared = item
        .tokens()
        .skip(1)
        .find(|token| token.kind == Kind::Global && shared(token.global_name().as_ref()));
    match uses_shared {
        Some(token) if !item.name.starts_with("llvm.") => Err(CudaBuilderError::Lowering {
            symbol: format!("{:#}", rustc_demangle::demangle(&token.global_name())),
            space: "shared",
            reason: format!(
                "its address is the initial value of {:#}, but differs between blocks; take the address inside the kernel",
                rustc_demangle::demangle(&item.name)
            ),
        }),
        _ => Ok(()),
    }
}

/// Removes `"target-cpu"="…"` and `"target-features"="…"`: functions compiled for different GPUs
/// (core for the oldest) could otherwise not be inlined into each other. The link step sets the
/// target GPU.
fn without_target_attributes(line: &str) -> String {
    let tokens: Vec<_> = Tokens::new(line).collect();
    let mut out = String::new();
    let mut at = 0;
    while at < tokens.len() {
        let target = matches!(
            tokens[at].text,
            "\"target-cpu\"" | "\"target-features\"" | "\"tune-cpu\""
        );
        if target && tokens.get(at + 1).is_some_and(|token| token.text == "=") {
            at += 3;
        } else {
            out.push_str(tokens[at].text);
            at += 1;
        }
    }
    out
}

#[cfg(test)]
#[path = "lower_tests.rs"]
mod tests;
