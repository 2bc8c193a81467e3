//! PTX text as its top-level items, so that a kernel can be told from everything it shares with the
//! others.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::finish::without_comment;
use super::parse::words;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An entry point.
    Entry,
    /// A static of this module in global or shared memory. It means nothing to a kernel that does
    /// not name it, directly or through another one.
    Variable,
    /// Everything else: version and target, functions, and statics that matter to kernels that do
    /// not name them. The alignment of dynamic shared memory, a declaration, rounds up every
    /// kernel's shared memory. Constants lie in one bank, and where there decides how a kernel gets
    /// at them (both seen with `ptxas` 12.9).
    Common,
}

/// A top-level item. Of what is neither entry nor variable, every line counts as an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub kind: Kind,
    /// Of an entry or a variable; else empty.
    pub name: String,
    /// Without comments and empty lines, with a line end.
    pub text: String,
}

/// The items in order, or `None` for text that was not written the way LLVM's code generator does
/// it.
pub(crate) fn split(text: &str) -> Option<Vec<Item>> {
    // Neither is ever written by the code generator; a reader of lines would stumble over them.
    if text.contains("/*") || text.contains("\\\"") {
        return None;
    }
    let mut items: Vec<Item> = Vec::new();
    let mut depth = 0_i32;
    // An entry whose header has begun and whose body has not ended.
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
                let item = begin(code);
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
            // A header without a body is a declaration: nothing that this reader knows what to do
            // with.
            if code.ends_with(';') {
                return None;
            }
            open_entry = closed == 0;
        }
    }
    // Every `.entry` is the one of its item, and no two have one name.
    let mentioned = items
        .iter()
        .map(|item| item.text.matches(".entry").count())
        .sum::<usize>();
    let entries: Vec<&str> = entries(&items).map(|item| item.name.as_str()).collect();
    let distinct = entries.iter().collect::<HashSet<_>>().len();
    (depth == 0 && !open_entry && entries.len() == mentioned && distinct == mentioned)
        .then_some(items)
}

/// The entries among the items.
pub(crate) fn entries(items: &[Item]) -> impl Iterator<Item = &Item> {
    items.iter().filter(|item| item.kind == Kind::Entry)
}

/// An item that begins with this line.
fn begin(code: &str) -> Item {
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

/// How many braces open and close outside of strings.
fn braces(code: &str) -> (i32, i32) {
    let outside = code.split('"').step_by(2);
    outside.fold((0, 0), |(opened, closed), part| {
        let count = |brace| i32::try_from(part.matches(brace).count()).unwrap_or(i32::MAX);
        (opened + count('{'), closed + count('}'))
    })
}

/// For each entry, in order, the other items that can make a difference to it: everything common,
/// and the variables that it or the common text names, or that those name in turn. In order, too.
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

/// One kernel of a PTX file as a module of its own: its text, and all that it needs. `None` where
/// there is no such kernel, or the text is not as LLVM's code generator writes it.
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
