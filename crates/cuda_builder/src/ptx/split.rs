//! Splits PTX text into top-level items, so that a kernel can be separated from the others with
//! everything that it depends on.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::finish::without_comment;
use super::parse::words;

/// Kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An entry point.
    Entry,
    /// Static in global or shared memory. Irrelevant for kernels that do not reference it, directly
    /// or through other statics.
    Variable,
    /// Everything else: version and target, functions, and statics that affect kernels that do not
    /// reference them. The alignment of dynamic shared memory, a declaration, rounds up the shared
    /// memory of every kernel. Constants share a bank, and their position affects how kernels
    /// access them (both observed with `ptxas` 12.9).
    Common,
}

/// A top-level item. Every line outside of entries and variables is a separate item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub kind: Kind,
    /// Name of an entry or a variable; otherwise empty.
    pub name: String,
    /// Text without comments and empty lines, terminated by a newline.
    pub text: String,
}

/// Splits text into items in order; returns `None` for text not written by LLVM's code generator.
pub(crate) fn split(text: &str) -> Option<Vec<Item>> {
    // the code generator writes neither, and the line-based parser would misinterpret them, except
    // for empty comments, which inline assembly may contain
    let mut comments = text.match_indices("/*");
    if comments.any(|(at, _)| !text[at..].starts_with("/**/")) || text.contains("\\\"") {
        return None;
    }
    let mut items: Vec<Item> = Vec::new();
    let mut depth = 0_i32;
    // `true` between the start of an entry's header and the end of its body
    let mut open_entry = false;
    for line in text.lines() {
        let code = without_comment(line);
        if code.is_empty() {
            continue;
        }
        let (opened, closed) = braces(code);
        match items.last_mut() {
            Some(item) if open_entry || depth > 0 => item.text.push_str(code),
            _ => {
                let item = start_item(code);
                open_entry = item.kind == Kind::Entry;
                items.push(item);
            }
        }
        let item = items.last_mut()?;
        item.text.push('\n');
        depth += opened - closed;
        if depth < 0 {
            return None;
        }
        if open_entry && depth == 0 {
            // a header without a body is a declaration, which is not supported
            if code.ends_with(';') {
                return None;
            }
            open_entry = closed == 0;
        }
    }
    // every `.entry` must belong to its own item, with a unique name
    let mentioned = items
        .iter()
        .map(|item| item.text.matches(".entry").count())
        .sum::<usize>();
    let entries: Vec<&str> = entries(&items).map(|item| item.name.as_str()).collect();
    let distinct = entries.iter().collect::<HashSet<_>>().len();
    (depth == 0 && !open_entry && entries.len() == mentioned && distinct == mentioned)
        .then_some(items)
}

/// Returns the entries among the items.
pub(crate) fn entries(items: &[Item]) -> impl Iterator<Item = &Item> {
    items.iter().filter(|item| item.kind == Kind::Entry)
}

/// Starts an item with this line.
fn start_item(code: &str) -> Item {
    let first = code.split_whitespace().next().unwrap_or_default();
    let (kind, name) = if let Some((_, rest)) = code.split_once(".entry") {
        (Kind::Entry, words(rest).next())
    } else if matches!(first, ".global" | ".shared") && code.ends_with(';') {
        let declared = code.split(['[', '=', ';']).next().unwrap_or_default();
        (Kind::Variable, declared.split_whitespace().last())
    } else {
        (Kind::Common, None)
    };
    Item {
        kind,
        name: name.unwrap_or_default().to_owned(),
        text: code.to_owned(),
    }
}

/// Counts the opening and closing braces outside strings.
fn braces(code: &str) -> (i32, i32) {
    let outside = code.split('"').step_by(2);
    outside.fold((0, 0), |(opened, closed), part| {
        let count = |brace| i32::try_from(part.matches(brace).count()).unwrap_or(i32::MAX);
        (opened + count('{'), closed + count('}'))
    })
}

/// Returns for each entry, in order, the other items on which it depends, also in order: all common
/// items, and the variables referenced by it, by common items, or by those variables.
pub(crate) fn dependencies(items: &[Item]) -> Vec<Vec<&Item>> {
    let variables: HashMap<&str, usize> = (0..)
        .zip(items)
        .filter(|(_, item)| item.kind == Kind::Variable)
        .map(|(index, item)| (item.name.as_str(), index))
        .collect();
    let named = |item: &Item, into: &mut BTreeSet<usize>| {
        let mut queue = vec![item.text.as_str()];
        while let Some(text) = queue.pop() {
            for &index in words(text).filter_map(|word| variables.get(word)) {
                if into.insert(index) {
                    queue.push(&items[index].text);
                }
            }
        }
    };
    let mut common = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        if item.kind == Kind::Common {
            common.insert(index);
            named(item, &mut common);
        }
    }
    entries(items)
        .map(|entry| {
            let mut own = common.clone();
            named(entry, &mut own);
            own.into_iter().map(|index| &items[index]).collect()
        })
        .collect()
}

/// Extracts one kernel of a PTX file with all its dependencies as a module. Returns `None` if there
/// is no such kernel or the text was not written by LLVM's code generator.
///
/// ```
/// let ptx = ".version 7.0\n.target sm_70\n.entry a()\n{\n\tret;\n}\n.entry b()\n{\n\tret;\n}\n";
/// let module = cuda_builder::ptx::kernel_module(ptx, "b").ok_or("no such kernel")?;
/// assert!(module.contains(".version") && module.contains("b()") && !module.contains("a()"));
/// # Ok::<(), &str>(())
/// ```
pub fn kernel_module(text: &str, kernel: &str) -> Option<String> {
    let items = split(text)?;
    let at = entries(&items).position(|entry| entry.name == kernel)?;
    let needed = dependencies(&items).swap_remove(at);
    let is_needed = |item: &&Item| {
        let is_it = item.kind == Kind::Entry && item.name == kernel;
        is_it || needed.iter().any(|one| std::ptr::eq(*one, *item))
    };
    Some(
        items
            .iter()
            .filter(is_needed)
            .map(|item| item.text.as_str())
            .collect(),
    )
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
