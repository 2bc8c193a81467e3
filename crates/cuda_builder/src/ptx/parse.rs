//! Parser from PTX to functions and instructions with their source lines.

use std::collections::HashMap;
use std::fmt;

/// Position in a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLine {
    /// Path as recorded by the compiler: relative to the workspace or the crate.
    pub file: String,
    /// Line number, starting at 1.
    pub line: u32,
}

impl SourceLine {
    /// The compilation directory is recorded as `.` and omitted here.
    fn new(file: &str, line: u32) -> Self {
        let file = file.trim();
        SourceLine {
            file: file.strip_prefix("./").unwrap_or(file).to_owned(),
            line,
        }
    }
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Opcode with all suffixes: `ld.global.b32`.
    pub opcode: String,
    /// Operands, as written.
    pub operands: String,
    /// Source lines, innermost first: the line itself, then the call sites through which it was
    /// inlined.
    pub source: Vec<SourceLine>,
}

impl Instruction {
    /// Returns `true` if the opcode contains `part` between dots.
    pub fn has(&self, part: &str) -> bool {
        self.opcode.split('.').any(|own| own == part)
    }

    /// Returns the first part of the opcode.
    pub fn base(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// Returns the innermost source line outside the standard library.
    pub fn user_source(&self) -> Option<&SourceLine> {
        let own = |line: &&SourceLine| {
            line.line > 0
                && !line.file.starts_with("library/")
                && !line.file.contains("/rustlib/src/rust/")
        };
        self.source.iter().find(own).or(self.source.first())
    }
}

/// A function or entry point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PtxFunction {
    /// Name.
    pub name: String,
    /// `true` for entry points, which the host can launch.
    pub is_entry: bool,
    /// Instructions in order.
    pub instructions: Vec<Instruction>,
    /// Index of the instruction after each label.
    pub labels: HashMap<String, usize>,
    /// Size of the stack frame for values not kept in registers (`__local_depot`), in bytes.
    pub local_depot: u64,
}

impl PtxFunction {
    /// Returns for each instruction whether it is between a label and a branch back to it.
    pub fn in_loop(&self) -> Vec<bool> {
        let mut inside = vec![false; self.instructions.len()];
        for (index, instruction) in self.instructions.iter().enumerate() {
            if !matches!(instruction.base(), "bra" | "brx" | "") {
                continue;
            }
            let targets = words(&instruction.operands).filter_map(|word| self.labels.get(word));
            for &target in targets.filter(|&&target| target <= index) {
                inside[target..=index].fill(true);
            }
        }
        inside
    }

    /// Returns the call instructions and the names of the called functions.
    pub fn callees(&self) -> impl Iterator<Item = (&Instruction, &str)> {
        self.instructions
            .iter()
            .filter(|instruction| instruction.base() == "call")
            .filter_map(|instruction| {
                // `call (retval), name, (arguments)` or `call name, (arguments)`.
                let operands = instruction.operands.trim_start();
                let after_result = if operands.starts_with('(') {
                    operands.split_once(')')?.1
                } else {
                    operands
                };
                Some((instruction, words(after_result).next()?))
            })
    }
}

/// Functions of a PTX file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PtxModule {
    /// Functions with a body, in order.
    pub functions: Vec<PtxFunction>,
}

impl PtxModule {
    /// Parses PTX as written by LLVM's code generator. Other text results in an empty module.
    pub fn parse(text: &str) -> Self {
        let mut parser = Parser {
            files: file_table(text),
            ..Parser::default()
        };
        for line in text.lines() {
            parser.line(line);
        }
        PtxModule {
            functions: parser.functions,
        }
    }

    /// Returns the entry points.
    pub fn entries(&self) -> impl Iterator<Item = &PtxFunction> {
        self.functions.iter().filter(|function| function.is_entry)
    }

    /// Returns the function with this name.
    pub fn function(&self, name: &str) -> Option<&PtxFunction> {
        self.functions.iter().find(|function| function.name == name)
    }
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_name =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '$' | '%');
    text.split(move |character| !is_name(character))
        .filter(|word| !word.is_empty())
}

/// Parses the `.file 1 "src/lib.rs"` directives, which are at the end of the file.
fn file_table(text: &str) -> HashMap<u32, String> {
    let entry = |line: &str| {
        let (number, name) = line
            .trim_start()
            .strip_prefix(".file")?
            .trim_start()
            .split_once(char::is_whitespace)?;
        Some((number.parse().ok()?, name.split('"').nth(1)?.to_owned()))
    };
    text.lines().filter_map(entry).collect()
}

#[derive(Default)]
struct Parser {
    files: HashMap<u32, String>,
    functions: Vec<PtxFunction>,
    /// Function whose body is being parsed.
    current: Option<PtxFunction>,
    /// Text of a declaration before its body.
    header: String,
    depth: usize,
    statement: String,
    source: Vec<SourceLine>,
}

impl Parser {
    fn line(&mut self, line: &str) {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        if code.split_whitespace().next() == Some(".loc") {
            self.location(code, comment);
            return;
        }
        for character in code.chars() {
            match character {
                // initial values of statics contain braces too
                '{' if self.current.is_none() && self.header_is_function() => self.open_function(),
                // braces inside a statement belong to a vector operand, `{%r1, %r2}`; others
                // delimit blocks
                '{' if self.current.is_some() && self.statement.trim().is_empty() => {
                    self.end_statement();
                    self.depth += 1;
                }
                '}' if self.current.is_some() && !self.statement.contains('{') => {
                    self.end_statement();
                    self.depth -= 1;
                    if self.depth == 0 {
                        self.functions.extend(self.current.take());
                    }
                }
                ';' => self.end_statement(),
                ':' if self.current.is_some() && self.is_label() => {
                    let label = std::mem::take(&mut self.statement);
                    if let Some(function) = &mut self.current {
                        function
                            .labels
                            .insert(label.trim().to_owned(), function.instructions.len());
                    }
                }
                _ if self.current.is_none() => self.header.push(character),
                _ => self.statement.push(character),
            }
        }
        self.header.push(' ');
        self.statement.push(' ');
    }

    /// Returns `true` if the text before a colon is a label: a single name. (`shared::cta` occurs
    /// in an opcode, after a dot.)
    fn is_label(&self) -> bool {
        let name = self.statement.trim();
        !name.is_empty() && words(name).next() == Some(name)
    }

    fn header_is_function(&self) -> bool {
        self.header.contains(".entry") || self.header.contains(".func")
    }

    fn open_function(&mut self) {
        let header = std::mem::take(&mut self.header);
        self.statement.clear();
        self.depth = 1;
        let entry = header.split_once(".entry");
        let rest = entry
            .or_else(|| header.split_once(".func"))
            .map_or("", |(_, rest)| rest.trim_start());
        let after_result = if rest.starts_with('(') {
            rest.split_once(')').map_or("", |(_, rest)| rest)
        } else {
            rest
        };
        let name = words(after_result).next().unwrap_or_default().to_owned();
        self.source.clear();
        self.current = Some(PtxFunction {
            name,
            is_entry: entry.is_some(),
            ..PtxFunction::default()
        });
    }

    fn end_statement(&mut self) {
        let statement = std::mem::take(&mut self.statement);
        self.header.clear();
        let Some(function) = &mut self.current else {
            return;
        };
        let mut text = statement.trim();
        if text.starts_with(".local") && text.contains("__local_depot") {
            let bytes = text
                .split_once('[')
                .and_then(|(_, rest)| rest.trim_end_matches(']').parse::<u64>().ok());
            function.local_depot += bytes.unwrap_or(0);
        }
        if text.starts_with('@') {
            // skip the predicate
            text = text
                .split_once(char::is_whitespace)
                .map_or("", |(_, rest)| rest.trim_start());
        }
        let (opcode, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        // a table of branch targets counts as a branch to each of them; other directives are not
        // instructions
        let opcode = if opcode == ".branchtargets" {
            "brx"
        } else {
            opcode
        };
        if !(opcode.is_empty() || opcode.starts_with('.')) {
            let source = self.source.clone();
            function.instructions.push(Instruction {
                opcode: opcode.to_owned(),
                operands: operands.trim().to_owned(),
                source,
            });
        }
    }

    /// Parses `.loc FILE LINE COLUMN // file:line:column @[ caller:line:column @[ … ] ]`.
    fn location(&mut self, code: &str, comment: &str) {
        self.source.clear();
        let mut numbers = code
            .split_whitespace()
            .skip(1)
            .map_while(|word| word.trim_end_matches(',').parse::<u32>().ok());
        if let (Some(file), Some(line)) = (numbers.next(), numbers.next()) {
            let file = self.files.get(&file).map_or("", String::as_str);
            self.source.push(SourceLine::new(file, line));
        }
        for caller in comment.split("@[").skip(1) {
            let mut parts = caller.trim_matches([' ', ']']).rsplitn(3, ':');
            let line = parts.nth(1).and_then(|line| line.parse().ok());
            if let (Some(line), Some(file)) = (line, parts.next()) {
                self.source.push(SourceLine::new(file, line));
            }
        }
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
