//! Runs of the command in their own folders, with resource limits.

use anyhow::{Context, Result, bail};
use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Maximum address space of a run in kilobytes, including the stacks of its threads.
const MAX_KILOBYTES: u32 = 3 << 20;
/// Maximum CPU time of a run in seconds.
const MAX_CPU_SECONDS: u32 = 30;
/// Maximum wall-clock time of a run.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Result of a run.
pub struct RunResult {
    pub status: ExitStatus,
    pub stderr: String,
}

/// Creates the command with the given arguments and resource limits, not yet started.
/// `extra_limits` are further shell commands that set limits.
pub fn command(
    ferrovox: &Path,
    folder: &Path,
    extra_limits: &str,
    arguments: &[impl AsRef<str>],
) -> Command {
    let mut command = Command::new("sh");
    let script = format!(
        "ulimit -c 0; ulimit -v {MAX_KILOBYTES}; ulimit -t {MAX_CPU_SECONDS}; {extra_limits} exec \"$0\" \"$@\""
    );
    command
        .args(["-c", &script])
        .arg(ferrovox)
        .args(arguments.iter().map(AsRef::as_ref))
        .current_dir(folder)
        .env("RAYON_NUM_THREADS", "2")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// Waits for a run to end, and kills it on timeout.
pub fn wait(mut child: Child) -> Result<RunResult> {
    let stderr = child.stderr.take();
    let stderr_thread = thread::spawn(move || {
        let mut text = Vec::new();
        let read = stderr.map(|mut pipe| pipe.read_to_end(&mut text));
        (read, text)
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if start.elapsed() > TIMEOUT => {
                child.kill()?;
                child.wait()?;
                bail!("it does not end within {TIMEOUT:?}");
            }
            None => thread::sleep(Duration::from_millis(1)),
        }
    };
    let (_, text) = stderr_thread
        .join()
        .ok()
        .context("its messages cannot be read")?;
    let stderr = String::from_utf8_lossy(&text).into_owned();
    Ok(RunResult { status, stderr })
}

impl RunResult {
    /// Returns the defect of a run, if it neither succeeded nor failed with an error message.
    pub fn defect(&self) -> Option<String> {
        let is_end = matches!(self.status.code(), Some(0..=2));
        if is_end && !self.stderr.contains("panicked") {
            return None;
        }
        let signal = self.status.signal();
        Some(format!(
            "status {:?}, signal {signal:?}: {}",
            self.status.code(),
            self.stderr.trim()
        ))
    }
}

/// Reads all files of a folder.
pub fn folder_contents(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let entries = fs::read_dir(folder)?.flatten();
    let file = |entry: fs::DirEntry| -> Result<(String, Vec<u8>)> {
        Ok((
            entry.file_name().to_string_lossy().into_owned(),
            fs::read(entry.path())?,
        ))
    };
    entries.map(file).collect()
}

/// Removes the files of a folder whose names start with `start`.
pub fn remove_files(folder: &Path, start: &str) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(start) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Writes a raw volume with a pattern, and returns the options that read it.
pub fn write_volume(folder: &Path, name: &str, side: usize) -> Result<String> {
    let samples: Vec<u8> = (0..side.pow(3))
        .map(|at| u8::from(at * at % 1009 < 3 || at % 97 == 0))
        .collect();
    fs::write(folder.join(name), samples)?;
    Ok(format!("--dims {side}x{side}x{side} --type u8"))
}
