//! PTX divided into kernels.
//!
//! A driver compiles a whole module before any of its kernels can run. The shipped PTX is therefore
//! divided: the kernels of a pipeline, or a single requested kernel, form a module of their own,
//! which is compiled on first use.

use memchr::memmem::Finder;
use std::collections::HashMap;

/// Parsed PTX text.
pub(super) struct PtxText<'a> {
    /// Version, target and address size.
    header: Vec<&'a str>,
    /// Name and line of each module variable.
    variables: Vec<(&'a str, &'a str)>,
    /// Text of each kernel.
    kernels: HashMap<&'a str, &'a str>,
}

impl<'a> PtxText<'a> {
    /// Parses PTX in the form that this repository's builder writes: directives, variables of one
    /// line each, then kernels.
    pub fn new(text: &'a str) -> Self {
        const ENTRY: &str = ".visible .entry ";
        // written for speed: the text is long, and is parsed whenever a device is opened
        let entries = Finder::new(ENTRY);
        let next = |text: &str| entries.find(text.as_bytes());
        let first = next(text).unwrap_or(text.len());
        let (before, mut rest) = text.split_at(first);
        let mut ptx = Self {
            header: Vec::new(),
            variables: Vec::new(),
            kernels: HashMap::new(),
        };
        for line in before.lines() {
            let directive = line.split_whitespace().next().unwrap_or_default();
            match directive {
                ".version" | ".target" | ".address_size" => ptx.header.push(line),
                directive if directive.starts_with('.') => {
                    ptx.variables.push((variable_name(line), line));
                }
                _ => {}
            }
        }
        while let Some(after) = rest.strip_prefix(ENTRY) {
            let end = next(after).map_or(rest.len(), |at| at + ENTRY.len());
            let name = after.split(['(', '\n']).next().unwrap_or_default().trim();
            ptx.kernels.insert(name, &rest[..end]);
            rest = &rest[end..];
        }
        ptx
    }

    /// Returns a module with these kernels and the variables that they refer to, or the name of the
    /// first unknown kernel as an error.
    pub fn module_with<'k>(&self, kernels: &[&'k str]) -> Result<String, &'k str> {
        let mut bodies = Vec::with_capacity(kernels.len());
        for &kernel in kernels {
            bodies.push(*self.kernels.get(kernel).ok_or(kernel)?);
        }
        let mut module = self.header.join("\n");
        for (name, line) in &self.variables {
            if bodies.iter().any(|body| names(body, name)) {
                module.push('\n');
                module.push_str(line);
            }
        }
        module.push_str("\n\n");
        module.extend(bodies);
        Ok(module)
    }
}

/// Returns the name that a line declares: the word before its array bounds, or before its end.
fn variable_name(line: &str) -> &str {
    let declaration = line.split(['=', ';']).next().unwrap_or_default();
    let declaration = declaration.split('[').next().unwrap_or_default();
    declaration.split_whitespace().last().unwrap_or_default()
}

/// Returns `true` if `name` occurs in `text` as a whole word.
fn names(text: &str, name: &str) -> bool {
    let is_identifier_char = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + name.len()..].chars().next();
            !before.is_some_and(is_identifier_char) && !after.is_some_and(is_identifier_char)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// made by hand
.version 7.8
.target sm_90
.address_size 64
.global .align 1 .b8 table[2] = {1, 2};
.global .align 1 .b8 table_of_more[2] = {3, 4};
.shared .align 8 .b8 tile[64];
.visible .entry first(
\t.param .u64 first_param_0
)
{
\tld.global.b8 %r1, [table+1];
\tret;
}
.visible .entry second()
{
\tst.shared.b64 [tile], %rd1;
\tld.global.b8 %r1, [table_of_more];
\tret;
}
";

    #[test]
    fn module_contains_the_variables_of_its_kernels() {
        let ptx = PtxText::new(TEXT);
        let first = ptx.module_with(&["first"]).unwrap();
        assert!(first.starts_with(".version 7.8\n.target sm_90\n.address_size 64\n"));
        assert!(first.contains("table[2]") && !first.contains("table_of_more"));
        assert!(!first.contains("tile") && !first.contains("second"));
        let second = ptx.module_with(&["second"]).unwrap();
        assert!(second.contains("tile[64]") && second.contains("table_of_more[2]"));
        assert!(!second.contains("table[2]"));
        assert!(second.ends_with("ret;\n}\n"));
        assert_eq!(ptx.module_with(&["first", "third"]), Err("third"));
        let both = ptx.module_with(&["second", "first"]).unwrap();
        assert_eq!(both.matches(".entry").count(), 2);
        assert_eq!(
            both.matches(".global").count(),
            2 + 2,
            "variables, and loads from them"
        );
    }

    #[test]
    fn every_shipped_kernel_can_be_extracted() {
        for (arch, kernels) in super::super::recorded_resources() {
            let capability = arch.trim_start_matches("sm_").parse().expect("a number");
            let shipped = super::super::modules::for_capability(capability).expect("PTX");
            let ptx = PtxText::new(shipped.ptx().expect("its text"));
            assert_eq!(ptx.kernels.len(), kernels.len());
            for kernel in kernels.keys() {
                let module = ptx.module_with(&[kernel]).expect("its text");
                assert_eq!(module.matches(".entry").count(), 1, "{kernel}");
                assert!(module.trim_end().ends_with('}'), "{kernel}");
            }
        }
    }
}
