//! Programs that the compiler must reject, in the folders of this module's name. The first line of
//! each file is `// CODE: REASON`, where `CODE` is the only error that the compiler may report.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// Crates of this workspace that the programs use.
const CRATES: [&str; 4] = ["cuda_std", "cust", "ferrovox", "simt"];

/// Program that compiles, which shows that the crates are found.
const ACCEPTED: &str = r#"
#![forbid(unsafe_code)]

fn main() {
    let view = cuda_std::View::from(&[1_u32, 2][..]);
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    let buffer = stream.upload(&[view.read(1)]).unwrap();
    let copied = cust::memory::DeviceBuffer::from_slice(&[buffer.len()]);
    println!("{} {}", copied.is_ok(), simt::current::is_active());
}
"#;

/// Calls of the compiler with the libraries against which this test is linked.
struct Compiler {
    /// Folder of the compiled libraries.
    libraries: PathBuf,
    /// Newest compiled library of each crate in [`CRATES`].
    externs: Vec<String>,
    output: tempfile::TempDir,
}

impl Compiler {
    fn new() -> Self {
        let program = std::env::current_exe().unwrap();
        let libraries = program.parent().unwrap().to_path_buf();
        let externs = CRATES
            .iter()
            .map(|name| format!("{name}={}", newest_library(&libraries, name).display()))
            .collect();
        Self {
            libraries,
            externs,
            output: tempfile::tempdir().unwrap(),
        }
    }

    /// Returns the codes of the errors in a program, and the compiler's messages.
    fn errors(&self, source: &Path) -> (Vec<String>, String) {
        let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        rustc
            .args([
                "--edition",
                "2024",
                "--emit",
                "metadata",
                "--error-format",
                "short",
            ])
            .args([
                "--cap-lints",
                "warn",
                "--crate-name",
                "program",
                "--out-dir",
            ])
            .arg(self.output.path())
            .arg("-L")
            .arg(format!("dependency={}", self.libraries.display()))
            .args(flags.split_whitespace());
        for library in &self.externs {
            rustc.args(["--extern", library]);
        }
        let output = rustc.arg(source).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let codes = text
            .lines()
            .filter_map(|line| line.split_once("error"))
            .filter_map(|(_, rest)| {
                let code = rest.strip_prefix('[')?.split_once(']')?.0;
                Some(code.to_owned())
            })
            .collect();
        (codes, text)
    }
}

/// Returns the path of the most recently compiled library of a crate.
fn newest_library(folder: &Path, name: &str) -> PathBuf {
    let prefix = format!("lib{name}-");
    let is_library = |path: &PathBuf| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        file.starts_with(&prefix) && file.ends_with(".rlib")
    };
    let time = |path: &PathBuf| {
        let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
        modified.unwrap_or(SystemTime::UNIX_EPOCH)
    };
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(is_library)
        .max_by_key(time)
        .unwrap_or_else(|| panic!("no compiled library of {name} in {}", folder.display()))
}

/// Returns the programs that attack a crate, in alphabetical order.
fn programs(name: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/safe_code/rejected");
    let entries = fs::read_dir(folder.join(name)).unwrap();
    let mut programs: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    programs.sort();
    programs
}

/// Checks that the compiler rejects every program for the stated reason only.
fn assert_rejected(name: &str, min_programs: usize) {
    let compiler = Compiler::new();
    let programs = programs(name);
    assert!(
        programs.len() >= min_programs,
        "{} programs",
        programs.len()
    );
    let mut failures = Vec::new();
    for program in programs {
        let source = fs::read_to_string(&program).unwrap();
        let expected = source
            .strip_prefix("// ")
            .and_then(|rest| rest.split_once(": "))
            .map(|(code, _)| code)
            .unwrap_or_else(|| panic!("{} names no error", program.display()));
        assert!(
            source.contains("\n#![forbid(unsafe_code)]\n"),
            "{} does not forbid unsafe code",
            program.display()
        );
        let (codes, text) = compiler.errors(&program);
        if codes.is_empty() || codes.iter().any(|code| code != expected) {
            failures.push(format!(
                "{}: expected {expected}\n{text}",
                program.display()
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_sound_program_compiles() {
    let compiler = Compiler::new();
    let source = compiler.output.path().join("accepted.rs");
    fs::write(&source, ACCEPTED).unwrap();
    let (codes, text) = compiler.errors(&source);
    assert!(codes.is_empty() && !text.contains("error"), "{text}");
}

#[test]
fn misuse_of_cuda_std_does_not_compile() {
    assert_rejected("cuda_std", 21);
}

#[test]
fn misuse_of_cust_does_not_compile() {
    assert_rejected("cust", 19);
}

#[test]
fn misuse_of_ferrovox_does_not_compile() {
    assert_rejected("ferrovox", 16);
}
