//! Stable names of internal symbols, independent of time and place of the build.
//!
//! A mangled Rust name contains a hash of the crate's identity, which may depend on the path of the
//! checkout and on versions; the name of an anonymous constant is a hash. Neither may occur in the
//! PTX, which is compared byte by byte. The demangled path without its hash is kept for profilers
//! and the lint.

use std::collections::HashSet;

/// Maximum length of a base name, in bytes; paths with generics can be very long.
const MAX_BYTES: usize = 96;

/// Generator of unique names.
#[derive(Debug, Default)]
pub(crate) struct StableNames {
    taken: HashSet<String>,
}

impl StableNames {
    /// Creates a generator that avoids the names in `reserved` (the exported symbols).
    pub fn avoiding<'a>(reserved: impl IntoIterator<Item = &'a str>) -> Self {
        StableNames {
            taken: reserved.into_iter().map(str::to_owned).collect(),
        }
    }

    /// Returns a unique name for `symbol` that is valid in PTX; the second symbol with the same
    /// path gets `_2`, and so on.
    pub fn name(&mut self, symbol: &str) -> String {
        let base = stable_base(symbol);
        let mut name = base.clone();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{base}_{count}");
        }
        name
    }
}

/// Returns the part of a symbol's name that does not depend on the build: its path for a Rust
/// symbol, `constant` for an anonymous constant, otherwise the name without suffixes added by the
/// compiler.
pub(crate) fn stable_base(symbol: &str) -> String {
    // `.llvm.123…` is added by ThinLTO; the number is a hash of the module
    let symbol = symbol.split(".llvm.").next().unwrap_or(symbol);
    let path = match rustc_demangle::try_demangle(symbol) {
        // the alternate format omits hashes and disambiguators
        Ok(demangled) => format!("{demangled:#}"),
        Err(_) if is_anonymous(symbol) => "constant".to_owned(),
        Err(_) => symbol.to_owned(),
    };
    let mut name = String::with_capacity(path.len());
    for character in path.chars() {
        match character {
            _ if character.is_ascii_alphanumeric() => name.push(character),
            // `::` and every other sequence of special characters become one underscore
            _ if !name.ends_with('_') => name.push('_'),
            _ => {}
        }
    }
    let mut name = name.trim_matches('_').to_owned();
    if name.len() > MAX_BYTES {
        // two long paths may differ only at the end, so remove the middle
        let tail = name.split_off(name.len() - MAX_BYTES / 2);
        name.truncate(MAX_BYTES / 2 - 1);
        name = format!("{name}_{tail}");
    }
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert_str(0, "symbol");
    }
    name
}

fn is_anonymous(symbol: &str) -> bool {
    let generated = [
        "anon.",
        "alloc_",
        "vtable.",
        "switch.table",
        "str.",
        "const.",
    ];
    symbol.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        || generated.iter().any(|prefix| symbol.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_names_contain_no_hashes() {
        assert_eq!(stable_base("_RNvCslfbWnW9npKB_2k14TILE"), "k1_TILE");
        assert_eq!(stable_base("_RNvCs1234567890_2k14TILE"), "k1_TILE");
        assert_eq!(
            stable_base("_RNvNtCs7ThbTReJdhB_4core9panicking18panic_bounds_check"),
            "core_panicking_panic_bounds_check"
        );
        assert_eq!(
            stable_base("anon.9717e7ca7ea7d06c79a94a53af43bfac.0"),
            "constant"
        );
        assert_eq!(
            stable_base("anon.8672c0478c39c59045d51926b041b24e.8.llvm.1048871256332325140"),
            "constant"
        );
    }

    #[test]
    fn names_are_unique() {
        let mut names = StableNames::avoiding(["k1_TILE"]);
        assert_eq!(names.name("_RNvCslfbWnW9npKB_2k14TILE"), "k1_TILE_2");
        assert_eq!(names.name("_RNvCs1234567890_2k14TILE"), "k1_TILE_3");
        assert_eq!(names.name("my tile"), "my_tile");
        assert_eq!(names.name("7"), "constant");
    }

    #[test]
    fn long_names_keep_beginning_and_end() {
        let long = format!("a{}z", "b".repeat(500));
        let name = stable_base(&long);
        assert!(
            name.len() <= MAX_BYTES && name.starts_with("ab") && name.ends_with("bz"),
            "{name}"
        );
    }
}
