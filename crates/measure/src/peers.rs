//! Other systems, measured in the same run.
//!
//! Each has a script in the repository's `benches/peers`, which prints [`Record`]s as lines of
//! JSON: figures, or why there are none. A script that cannot even do that (no Python, no compiler,
//! an error, too much time) gets a record with the reason here.

use crate::{Common, Record};
use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Another system.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Its name in records and on the command line.
    pub system: &'static str,
    /// The file in the folder of the scripts: Python, or CUDA C++ (`.cu`).
    pub script: &'static str,
}

/// Whether any are wanted.
pub fn wanted(common: &Common) -> bool {
    !common.peers.is_empty()
}

/// Whether the names on the command line are peers: to be asked before anything is measured.
///
/// # Errors
/// A name that no peer has, and those that there are.
pub fn check(peers: &[Peer], common: &Common) -> Result<(), String> {
    let known = |name: &str| name == "all" || peers.iter().any(|peer| peer.system == name);
    match common.peers.iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => {
            let names: Vec<&str> = peers.iter().map(|peer| peer.system).collect();
            Err(format!(
                "no peer is called {name:?}; there are {}",
                names.join(", ")
            ))
        }
    }
}

/// Runs those that are wanted, in order, and hands on the records of each.
///
/// # Errors
/// As [`check`], before anything is run.
pub fn run(
    subject: &str,
    peers: &[Peer],
    arguments: &[String],
    common: &Common,
    mut each: impl FnMut(Record),
) -> Result<(), String> {
    let all = common.peers.iter().any(|name| name == "all");
    check(peers, common)?;
    for peer in peers {
        if all || common.peers.iter().any(|name| name == peer.system) {
            run_one(subject, *peer, arguments, common, &mut each);
        }
    }
    Ok(())
}

fn run_one(
    subject: &str,
    peer: Peer,
    arguments: &[String],
    common: &Common,
    each: &mut impl FnMut(Record),
) {
    let absent = |reason: String| Record::absent(subject, peer.system, reason);
    let Some(script) = find_script(peer, common) else {
        return each(absent(format!(
            "{} was not found; --peers-dir names its folder",
            peer.script
        )));
    };
    // kept until the program has run
    let folder;
    let mut command = if peer.script.ends_with(".cu") {
        folder = match tempfile::tempdir() {
            Ok(folder) => folder,
            Err(error) => {
                return each(absent(format!(
                    "no folder for the compiled program: {error}"
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
    let outcome = watch(&mut command, limit, |line| match Record::from_json(line) {
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

/// The script beside this program, where a bundle has it, or in the repository that cargo runs the
/// bench in.
fn find_script(peer: Peer, common: &Common) -> Option<PathBuf> {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.join("peers"));
    let repository =
        || Some(PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?).join("../benches/peers"));
    let folders = match &common.peers_dir {
        Some(folder) => vec![folder.clone()],
        None => [beside(), repository()].into_iter().flatten().collect(),
    };
    folders
        .into_iter()
        .map(|folder| folder.join(peer.script))
        .find(|path| path.is_file())
}

/// Compiles CUDA C++ for the GPU of this machine.
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
        None => Err("there is no nvcc on this machine (--nvcc names it)".into()),
    }
}

/// Runs a command; each line that it prints, and why it failed.
fn watch(command: &mut Command, limit: Duration, mut line: impl FnMut(&str)) -> Result<(), String> {
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
            // the output was closed
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

/// A compiler's first error, since the last are consequences.
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
        .unwrap_or("it said nothing")
        .trim()
}

#[cfg(all(test, unix))]
#[path = "peers_tests.rs"]
mod tests;
