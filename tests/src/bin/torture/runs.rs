//! Runs of the command, in a folder of their own and with limits.

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

/// Address space that a run may have, in kilobytes: its threads' stacks are in it.
const SPACE: u32 = 3 << 20;
/// Processor time that it may have, in seconds.
const SECONDS: u32 = 30;
/// Time that it may have.
const TIME: Duration = Duration::from_secs(60);

/// What came of a run.
pub struct Ended {
    pub status: ExitStatus,
    pub stderr: String,
}

/// The command with these arguments, limited, not yet started. `more` is of the shell: further
/// limits.
pub fn command(
    ferrovox: &Path,
    folder: &Path,
    more: &str,
    arguments: &[impl AsRef<str>],
) -> Command {
    let mut command = Command::new("sh");
    let script =
        format!("ulimit -c 0; ulimit -v {SPACE}; ulimit -t {SECONDS}; {more} exec \"$0\" \"$@\"");
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

/// Waits for it to end; it is killed where it does not.
pub fn wait(mut child: Child) -> Result<Ended> {
    let stderr = child.stderr.take();
    let said = thread::spawn(move || {
        let mut text = Vec::new();
        let read = stderr.map(|mut pipe| pipe.read_to_end(&mut text));
        (read, text)
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if start.elapsed() > TIME => {
                child.kill()?;
                child.wait()?;
                bail!("it does not end in {TIME:?}");
            }
            None => thread::sleep(Duration::from_millis(1)),
        }
    };
    let (_, text) = said.join().ok().context("its messages cannot be read")?;
    let stderr = String::from_utf8_lossy(&text).into_owned();
    Ok(Ended { status, stderr })
}

impl Ended {
    /// What is wrong with the end, if it is none that a command has: success, or an error in words.
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

/// Every file of a folder with its bytes.
pub fn content(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let entries = fs::read_dir(folder)?.flatten();
    let file = |entry: fs::DirEntry| -> Result<(String, Vec<u8>)> {
        Ok((
            entry.file_name().to_string_lossy().into_owned(),
            fs::read(entry.path())?,
        ))
    };
    entries.map(file).collect()
}

/// Removes the files of a folder whose names begin so.
pub fn clear(folder: &Path, start: &str) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(start) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// A raw volume with a pattern, and the options that read it.
pub fn volume(folder: &Path, name: &str, side: usize) -> Result<String> {
    let samples: Vec<u8> = (0..side.pow(3))
        .map(|at| u8::from(at * at % 1009 < 3 || at % 97 == 0))
        .collect();
    fs::write(folder.join(name), samples)?;
    Ok(format!("--dims {side}x{side}x{side} --type u8"))
}
