//! Measurement of other systems in the same run.
//!
//! Each system has a script in `benches/peers` that prints [`Record`]s as lines of JSON:
//! measurements, or the reasons why they are missing. If a script cannot run at all (no Python, no
//! compiler, an error, a timeout), this module adds a record with the reason.

use crate::{Common, Record};
use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Another system to compare with.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Name in records and on the command line.
    pub system: &'static str,
    /// File name of the script: Python (`.py`) or CUDA C++ (`.cu`).
    pub script: &'static str,
}

/// Returns `true` if any other system was requested.
pub fn is_requested(common: &Common) -> bool {
    !common.peers.is_empty()
}

/// Checks the names given on the command line, before anything is measured.
///
/// # Errors
/// A message with the unknown name and the available ones.
pub fn check(peers: &[Peer], common: &Common) -> Result<(), String> {
    let known = |name: &str| name == "all" || peers.iter().any(|peer| peer.system == name);
    match common.peers.iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => {
            let names: Vec<&str> = peers.iter().map(|peer| peer.system).collect();
            Err(format!(
                "unknown peer {name:?}; available: {}",
                names.join(", ")
            ))
        }
    }
}

/// Runs the requested systems in order and passes each record to `each`.
///
/// # Errors
/// An unknown name, as reported by [`check`], before anything is run.
pub fn run(
    subject: &str,
    peers: &[Peer],
    arguments: &[String],
    common: &Common,
    mut each: impl FnMut(Record),
) -> Result<(), String> {
    let run_all = common.peers.iter().any(|name| name == "all");
    check(peers, common)?;
    for peer in peers {
        if run_all || common.peers.iter().any(|name| name == peer.system) {
            run_peer(subject, *peer, arguments, common, &mut each);
        }
    }
    Ok(())
}

fn run_peer(
    subject: &str,
    peer: Peer,
    arguments: &[String],
    common: &Common,
    each: &mut impl FnMut(Record),
) {
    let absent = |reason: String| Record::absent(subject, peer.system, reason);
    let Some(script) = find_script(peer, common) else {
        return each(absent(format!(
            "{} not found; give its directory with --peers-dir",
            peer.script
        )));
    };
    // keeps the compiled program until it has run
    let folder;
    let mut command = if peer.script.ends_with(".cu") {
        folder = match tempfile::tempdir() {
            Ok(folder) => folder,
            Err(error) => {
                return each(absent(format!(
                    "cannot create a directory for the compiled program: {error}"
                )));
            }
        };
        match compile(&script, folder.path(), common.nvcc.as_deref()) {
            Ok(program) => Command::new(program),
            Err(reason) => return each(absent(reason)),
        }
    } else {
        let mut command = Command::new(&common.python);
        command.arg(&script).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    };
    command.args(arguments);
    let limit = Duration::from_secs(common.peer_seconds);
    let mut records = 0;
    let outcome = run_with_timeout(&mut command, limit, |line| match Record::from_json(line) {
        Ok(record) => {
            records += 1;
            each(record.with_bandwidth());
        }
        Err(error) => each(absent(format!("{} printed {line:?}: {error}", peer.script))),
    });
    match outcome {
        Err(reason) => each(absent(reason)),
        Ok(()) if records == 0 => each(absent(format!("{} printed no record", peer.script))),
        Ok(()) => {}
    }
}

/// Finds the script next to this program, where a bundle contains it, or in the repository from
/// which cargo runs the benchmark.
fn find_script(peer: Peer, common: &Common) -> Option<PathBuf> {
    let bundled = || Some(std::env::current_exe().ok()?.parent()?.join("peers"));
    let repository =
        || Some(PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?).join("../benches/peers"));
    let folders = match &common.peers_dir {
        Some(folder) => vec![folder.clone()],
        None => [bundled(), repository()].into_iter().flatten().collect(),
    };
    folders
        .into_iter()
        .map(|folder| folder.join(peer.script))
        .find(|path| path.is_file())
}

/// Compiles CUDA C++ for the GPU of this machine, and returns the path of the program.
fn compile(script: &Path, folder: &Path, nvcc: Option<&Path>) -> Result<PathBuf, String> {
    let program = folder.join("peer");
    let compilers = match nvcc {
        Some(nvcc) => vec![nvcc.to_owned()],
        None => vec!["nvcc".into(), "/usr/local/cuda/bin/nvcc".into()],
    };
    for compiler in compilers {
        let mut command = Command::new(&compiler);
        command.args(["-O3", "-std=c++17", "-arch=native", "-o"]);
        match command
            .arg(&program)
            .arg(script)
            .stdin(Stdio::null())
            .output()
        {
            Err(_) => {}
            Ok(output) if output.status.success() => return Ok(program),
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr);
                return Err(format!(
                    "{} failed: {}",
                    compiler.display(),
                    first_error(&text)
                ));
            }
        }
    }
    match nvcc {
        Some(nvcc) => Err(format!("{} cannot be run", nvcc.display())),
        None => Err("nvcc not found; give its path with --nvcc".into()),
    }
}

/// Runs a command and passes each line of its output to `line`; fails if the command fails or takes
/// longer than `limit`.
fn run_with_timeout(
    command: &mut Command,
    limit: Duration,
    mut line: impl FnMut(&str),
) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{name} cannot be run: {error}"))?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let errors = thread::spawn(move || {
        let mut text = Vec::new();
        let _ = errors.map(|mut errors| errors.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    });
    let (sender, lines) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let output = output
            .into_iter()
            .flat_map(|output| BufReader::new(output).lines());
        for line in output.map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let end = Instant::now() + limit;
    loop {
        use std::sync::mpsc::RecvTimeoutError;
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => line(&text),
            // the process closed its output
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => return Err(stop(&mut child, limit)),
        }
    }
    while child.try_wait().is_ok_and(|status| status.is_none()) {
        if Instant::now() >= end {
            return Err(stop(&mut child, limit));
        }
        thread::sleep(Duration::from_millis(5));
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    if status.success() {
        return Ok(());
    }
    let errors = errors.join().unwrap_or_default();
    Err(format!("{name} failed ({status}): {}", last_line(&errors)))
}

fn stop(child: &mut Child, limit: Duration) -> String {
    let _ = child.kill();
    let _ = child.wait();
    format!(
        "stopped after {} s (--peer-seconds sets the limit)",
        limit.as_secs()
    )
}

/// Returns the first error of a compiler; later ones are often consequences.
fn first_error(text: &str) -> &str {
    let mut lines = text.lines();
    lines
        .find(|line| line.contains("error"))
        .map_or_else(|| last_line(text), str::trim)
}

fn last_line(text: &str) -> &str {
    let mut lines = text.lines().rev();
    lines
        .find(|line| !line.trim().is_empty())
        .unwrap_or("no error output")
        .trim()
}

#[cfg(all(test, unix))]
#[path = "peers_tests.rs"]
mod tests;
