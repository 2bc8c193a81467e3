//! Python with packages that read and write the formats, as an independent oracle.
//!
//! `FERROVOX_PYTHON` names an interpreter that has all packages of `oracles/requirements.txt` and
//! `oracles/data-requirements.txt`, as in `.ci/run`; a missing package is then a failure. Otherwise
//! `python3` is used as far as it has them, and tests without their packages report that they are
//! skipped.

use std::path::Path;
use std::process::{Command, Stdio};
use test_cases::report_skip;

/// Runs `oracles/SCRIPT.py` with these arguments. Returns its output; `None`, with a message, if
/// Python lacks one of the packages.
///
/// # Panics
/// If the script fails, or a package is missing from the interpreter of `FERROVOX_PYTHON`.
pub fn run(script: &str, packages: &[&str], arguments: &[&Path]) -> Option<String> {
    let chosen = std::env::var_os("FERROVOX_PYTHON");
    let python = chosen.clone().unwrap_or_else(|| "python3".into());
    let imports = format!("import {}", packages.join(", "));
    let mut probe = Command::new(&python);
    probe.args(["-c", &imports]).stdin(Stdio::null());
    let has_packages = probe.output().is_ok_and(|it| it.status.success());
    if !has_packages {
        assert!(
            chosen.is_none(),
            "FERROVOX_PYTHON lacks one of {packages:?}"
        );
        report_skip(format_args!(
            "{script} needs Python with {packages:?}, which FERROVOX_PYTHON may name"
        ));
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/io/oracles");
    let mut command = Command::new(&python);
    command
        .arg(folder.join(script).with_extension("py"))
        .args(arguments)
        .stdin(Stdio::null());
    let output = command.output().expect("Python runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}: {said}");
    Some(String::from_utf8(output.stdout).expect("text"))
}
