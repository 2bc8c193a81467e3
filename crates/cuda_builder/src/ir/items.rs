//! Top-level items of a module, in the layout of LLVM's writer: one line each, except functions,
//! which end with a line containing only `}`.

use super::token::{Kind, Token, Tokens};

/// Top-level items of a module, each with its text without line end.
#[derive(Debug, Default)]
pub(crate) struct Module<'a> {
    /// `target …`, named types, comdats, module-level assembly.
    pub preamble: Vec<&'a str>,
    /// Global variables and aliases.
    pub globals: Vec<Item<'a>>,
    /// Functions with a body.
    pub functions: Vec<Item<'a>>,
    /// Function declarations.
    pub declarations: Vec<Item<'a>>,
    /// `attributes #n = { … }`.
    pub attributes: Vec<&'a str>,
    /// Named and numbered metadata.
    pub metadata: Vec<&'a str>,
}

/// Named top-level item.
#[derive(Clone, Debug)]
pub(crate) struct Item<'a> {
    pub name: String,
    pub text: &'a str,
}

impl<'a> Module<'a> {
    /// Splits the module into items. Comments and `source_filename` (which contains a path) are
    /// dropped.
    pub fn parse(text: &'a str) -> Self {
        let mut module = Module::default();
        let mut rest = text;
        while !rest.is_empty() {
            let line_end = rest.find('\n').unwrap_or(rest.len());
            let line = &rest[..line_end];
            let mut length = line_end;
            if line.starts_with("define ") {
                length = rest.find("\n}\n").map_or(rest.len(), |at| at + 2);
                module.functions.push(Item::new(&rest[..length]));
            } else if line.starts_with("declare ") {
                module.declarations.push(Item::new(line));
            } else if line.starts_with('@') {
                module.globals.push(Item::new(line));
            } else if line.starts_with("attributes ") {
                module.attributes.push(line);
            } else if line.starts_with('!') {
                module.metadata.push(line);
            } else if !(line.trim().is_empty()
                || line.starts_with(';')
                || line.starts_with("source_filename"))
            {
                module.preamble.push(line);
            }
            rest = rest[length..].strip_prefix('\n').unwrap_or(&rest[length..]);
        }
        module
    }

    /// Returns the functions and statics without definition, except LLVM's intrinsics.
    pub fn undefined(&self) -> Vec<&str> {
        let functions = self
            .declarations
            .iter()
            .filter(|item| !item.name.starts_with("llvm."));
        let statics = self.globals.iter().filter(|item| {
            item.words_before_value()
                .any(|word| matches!(word, "external" | "extern_weak"))
        });
        functions
            .chain(statics)
            .map(|item| item.name.as_str())
            .collect()
    }
}

impl<'a> Item<'a> {
    fn new(text: &'a str) -> Self {
        let name = Tokens::new(text)
            .find(|token| token.kind == Kind::Global)
            .map(|token| token.global_name().into_owned());
        Item {
            name: name.unwrap_or_default(),
            text,
        }
    }

    /// Returns the tokens of the item without whitespace and comments.
    pub fn tokens(&self) -> impl Iterator<Item = Token<'a>> {
        Tokens::new(self.text).filter(|token| token.kind != Kind::Blank)
    }

    /// Returns the words of a global between `=` and `global`, `constant`, `alias` or `ifunc`, such
    /// as its linkage.
    pub fn words_before_value(&self) -> impl Iterator<Item = &'a str> {
        self.tokens()
            .skip(2)
            .map(|token| token.text)
            .take_while(|word| !matches!(*word, "global" | "constant" | "alias" | "ifunc"))
    }

    /// Returns `true` for an entry point.
    pub fn is_kernel(&self) -> bool {
        self.tokens()
            .take_while(|token| token.kind != Kind::Global)
            .any(|token| token.text == "ptx_kernel")
    }

    /// Returns `true` if the item is not visible outside the module.
    pub fn is_local(&self) -> bool {
        let local = |word: &str| matches!(word, "internal" | "private");
        if self.text.starts_with('@') {
            self.words_before_value().any(local)
        } else {
            self.tokens()
                .take_while(|token| token.kind != Kind::Global)
                .any(|token| local(token.text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"; ModuleID = 'x'
source_filename = "/home/someone/x"
target triple = "nvptx64-nvidia-cuda"

@"a b" = internal global [4 x i8] undef, section ".nvptx.shared", align 4
@D = external global [0 x i8]
@T = constant i32 7

; Function Attrs: nounwind
define internal void @helper() #0 {
start:
  ret void
}

define ptx_kernel void @run(ptr %0) #0 {
  call void @helper()
  ret void
}

declare void @llvm.trap() #1
declare void @missing()

attributes #0 = { nounwind }
!llvm.module.flags = !{!0}
!0 = !{i32 1}
"#;

    #[test]
    fn module_is_split_into_items() {
        let module = Module::parse(TEXT);
        let names = |items: &[Item]| {
            items
                .iter()
                .map(|item| item.name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&module.globals), ["a b", "D", "T"]);
        assert_eq!(names(&module.functions), ["helper", "run"]);
        assert_eq!(names(&module.declarations), ["llvm.trap", "missing"]);
        assert_eq!(module.preamble, ["target triple = \"nvptx64-nvidia-cuda\""]);
        assert_eq!((module.attributes.len(), module.metadata.len()), (1, 2));
        assert!(module.functions[1].text.ends_with("\n}"));
    }

    #[test]
    fn kernels_local_items_and_undefined_symbols_are_identified() {
        let module = Module::parse(TEXT);
        assert!(!module.functions[0].is_kernel() && module.functions[1].is_kernel());
        assert_eq!(module.undefined(), ["missing", "D"]);
        assert!(module.globals[0].is_local() && !module.globals[2].is_local());
        assert!(module.functions[0].is_local() && !module.functions[1].is_local());
    }
}
