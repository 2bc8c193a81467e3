//! Execution of external tools.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::IoContext;
use crate::{CudaBuilderError, Result};

/// Runs `command` and returns its standard output.
///
/// # Errors
/// A tool that cannot be started or fails, with its error output and the command line to reproduce
/// it.
pub(crate) fn run_tool(tool: &str, command: &mut Command) -> Result<Vec<u8>> {
    let program = command.get_program().to_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .at("cannot run", Path::new(&program))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(CudaBuilderError::ToolFailed {
        tool: tool.to_owned(),
        status: output.status.to_string(),
        stderr: summarize_error(&String::from_utf8_lossy(&output.stderr)),
        command: format!("{command:?}"),
    })
}

/// Shortens the error output of a crashed tool: the error, and the function that was being
/// processed.
fn summarize_error(stderr: &str) -> String {
    let Some((message, dump)) = stderr.split_once("PLEASE submit a bug report") else {
        return stderr.trim().to_owned();
    };
    let mut text = message.trim().to_owned();
    if let Some((_, function)) = dump
        .split_once("on function '@")
        .and_then(|(before, rest)| Some((before, rest.split('\'').next()?)))
    {
        text.push_str(&format!(" (in the function {function})"));
    }
    if text.contains("library call") {
        text.push_str("; the function uses an operation without GPU instruction, such as a conversion between f64 and a 128-bit integer");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_summarized() {
        let stderr = "LLVM ERROR: unsupported library call operation\nPLEASE submit a bug report to x\nStack dump:\n\
            2.\tRunning pass 'NVPTX DAG->DAG Pattern Instruction Selection' on function '@cmp'\n #0 0x00007f\n";
        let text = summarize_error(stderr);
        assert!(
            text.starts_with("LLVM ERROR")
                && text.contains("in the function cmp")
                && text.contains("128-bit"),
            "{text}"
        );
        assert!(!text.contains("Stack dump"));
        assert_eq!(summarize_error("  plain \n"), "plain");
    }

    #[test]
    fn a_missing_tool_is_named() {
        let error = run_tool("llc", &mut Command::new("/nowhere/llc"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("/nowhere/llc"), "{error}");
    }
}
