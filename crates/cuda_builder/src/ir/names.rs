//! Names for internal symbols that are the same wherever and whenever the crate is built.
//!
//! A mangled Rust name carries a hash of the crate's identity, which may depend on the checkout's
//! path and on versions; an anonymous constant carries a hash of more. Neither may reach the PTX,
//! which is compared byte by byte. The demangled path without its hash can stay: it is what a
//! profiler or a lint should show.

use std::collections::HashSet;

/// Longest base name, in bytes: a path through generics can fill a page.
const LONGEST: usize = 96;

/// Gives out names, each once.
#[derive(Debug, Default)]
pub(crate) struct StableNames {
    taken: HashSet<String>,
}

impl StableNames {
    /// A source of names that avoids those in `reserved` (the exported symbols).
    pub fn avoiding<'a>(reserved: impl IntoIterator<Item = &'a str>) -> Self {
        StableNames {
            taken: reserved.into_iter().map(str::to_owned).collect(),
        }
    }

    /// A name for `symbol`, free and fit for PTX; the second symbol with the same path gets `_2`,
    /// and so on.
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

/// The part of a symbol's name that does not depend on where it was built: its path for a Rust
/// symbol, `constant` for an anonymous constant, else the name itself without compiler-made
/// suffixes.
pub(crate) fn stable_base(symbol: &str) -> String {
    // `.llvm.123…` is added by ThinLTO's promotion, and the number is a hash of the module.
    let symbol = symbol.split(".llvm.").next().unwrap_or(symbol);
    let path = match rustc_demangle::try_demangle(symbol) {
        // The alternate form leaves hashes and disambiguators out.
        Ok(demangled) => format!("{demangled:#}"),
        Err(_) if is_anonymous(symbol) => "constant".to_owned(),
        Err(_) => symbol.to_owned(),
    };
    let mut name = String::with_capacity(path.len());
    for character in path.chars() {
        match character {
            _ if character.is_ascii_alphanumeric() => name.push(character),
            // `::` and every run of other characters become one underscore.
            _ if !name.ends_with('_') => name.push('_'),
            _ => {}
        }
    }
    let mut name = name.trim_matches('_').to_owned();
    if name.len() > LONGEST {
        // Two long paths may differ only in their tails, so cut from the middle.
        let tail = name.split_off(name.len() - LONGEST / 2);
        name.truncate(LONGEST / 2 - 1);
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
    fn hashes_do_not_reach_the_name() {
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
    fn names_are_given_out_once() {
        let mut names = StableNames::avoiding(["k1_TILE"]);
        assert_eq!(names.name("_RNvCslfbWnW9npKB_2k14TILE"), "k1_TILE_2");
        assert_eq!(names.name("_RNvCs1234567890_2k14TILE"), "k1_TILE_3");
        assert_eq!(names.name("my tile"), "my_tile");
        assert_eq!(names.name("7"), "constant");
    }

    #[test]
    fn long_names_keep_both_ends() {
        let long = format!("a{}z", "b".repeat(500));
        let name = stable_base(&long);
        assert!(
            name.len() <= LONGEST && name.starts_with("ab") && name.ends_with("bz"),
            "{name}"
        );
    }
}
