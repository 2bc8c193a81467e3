//! Signals at random times: the command stops within a second or completes, and leaves no temporary
//! or incomplete files; after SIGKILL the next run cleans up.

use crate::{
    Session,
    runs::{RunResult, command, folder_contents, remove_files, wait, write_volume},
};
use anyhow::{Context, Result, ensure};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Signals that stop the command, unless it was started with them ignored.
const STOPPING: [(&str, i32); 4] = [("INT", 2), ("TERM", 15), ("HUP", 1), ("QUIT", 3)];
const KILL: (&str, i32) = ("KILL", 9);

/// Returns the signals that stop commands started by this program. Background jobs of a shell start
/// with SIGINT and SIGQUIT ignored, `nohup` ignores SIGHUP, and commands inherit that.
pub fn stopping_signals() -> Vec<(&'static str, i32)> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0);
    let is_delivered = |&(_, number): &(&str, i32)| ignored >> (number - 1) & 1 == 0;
    STOPPING.into_iter().filter(is_delivered).collect()
}

/// Maximum time from a signal to the end of a command.
const MAX_STOP: Duration = Duration::from_secs(1);

/// Maximum time on a machine whose processors are busy with other work.
const MAX_STOP_UNDER_LOAD: Duration = Duration::from_secs(5);

/// A command with the outputs and the time of a complete run.
struct CompleteRun {
    line: String,
    outputs: BTreeMap<String, Vec<u8>>,
    time: Duration,
}

impl CompleteRun {
    fn new(ferrovox: &Path, folder: &Path, line: String) -> Result<Self> {
        let start = Instant::now();
        let words: Vec<&str> = line.split(' ').collect();
        let ended = wait(command(ferrovox, folder, "", &words).spawn()?)?;
        ensure!(ended.status.success(), "{line}: {}", ended.stderr);
        let outputs = folder_contents(folder)?;
        remove_files(folder, "")?;
        Ok(Self {
            line,
            outputs,
            time: start.elapsed(),
        })
    }

    fn start(&self, ferrovox: &Path, folder: &Path) -> Result<Child> {
        let words: Vec<&str> = self.line.split(' ').collect();
        Ok(command(ferrovox, folder, "", &words).spawn()?)
    }
}

pub fn run(session: &mut Session) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let inputs = tempfile::tempdir()?;
    let options = write_volume(inputs.path(), "in.raw", 64)?;
    let input = format!("{} {options}", inputs.path().join("in.raw").display());
    // skeletons of many small objects take long
    let options = write_volume(inputs.path(), "small.raw", 20)?;
    let small = format!("{} {options}", inputs.path().join("small.raw").display());
    let lines = [
        format!("distance {input} --nonzero --device cpu -o out.npy --nearest near.npy"),
        format!("mesh {input} --iso 1 --device cpu -o out.ply"),
        format!("mesh {input} --iso 1 --device cpu --memory 2M -o out.vtp"),
        format!("render {input} --iso 1 --device cpu -o out.png"),
        format!("skeleton {small} --iso 1 --device cpu -o out.swc --png out.png"),
    ];
    let ferrovox = session.arguments.ferrovox.clone();
    let runs: Vec<CompleteRun> = lines
        .into_iter()
        .map(|line| CompleteRun::new(&ferrovox, folder.path(), line))
        .collect::<Result<_>>()?;
    while session.has_time_left() {
        let run = &runs[session.random.below(runs.len())];
        let signals = stopping_signals();
        let at = session.random.below(signals.len() + 1);
        let (name, number) = signals.get(at).copied().unwrap_or(KILL);
        let part = session.random.below(1200) as f64 / 1000.0;
        let delay = run.time.mul_f64(part);
        if let Some(problem) = stop_once(session, folder.path(), run, (name, number), delay)? {
            session.report.add_failure(
                "line.txt",
                run.line.as_bytes(),
                format!("SIG{name} at {part} of the time: {problem}"),
            );
        }
        remove_files(folder.path(), "")?;
    }
    Ok(())
}

/// Starts a command, sends it a signal after `delay`, and returns the problem of the files that it
/// leaves, if any.
fn stop_once(
    session: &mut Session,
    folder: &Path,
    run: &CompleteRun,
    (name, number): (&str, i32),
    delay: Duration,
) -> Result<Option<String>> {
    for output in run.outputs.keys() {
        fs::write(folder.join(output), "before")?;
    }
    let child = run.start(&session.arguments.ferrovox, folder)?;
    thread::sleep(delay);
    send(&child, name)?;
    let sent = Instant::now();
    let ended = wait(child)?;
    let time = sent.elapsed();
    let files = folder_contents(folder)?;
    let is_new = |output: &String| files.get(output) == run.outputs.get(output);
    let is_old = |output: &String| files.get(output).is_some_and(|it| it == b"before");
    let mut outputs = run.outputs.keys();
    let has_succeeded = ended.status.success();
    if let Some(problem) = check_stop(session, &ended, number, time) {
        return Ok(Some(problem));
    }
    if !outputs.clone().all(|it| is_new(it) || is_old(it)) {
        return Ok(Some("an output is incomplete".to_owned()));
    }
    if has_succeeded && !outputs.clone().all(is_new) {
        let problem = "the command succeeded, but outputs are missing";
        return Ok(Some(problem.to_owned()));
    }
    if number != KILL.1 && !has_succeeded && !outputs.all(is_old) {
        let problem = "the command was stopped, but outputs have changed";
        return Ok(Some(problem.to_owned()));
    }
    if files.len() == run.outputs.len() {
        return Ok(None);
    }
    if number != KILL.1 {
        return Ok(Some(format!("files remain: {:?}", files.keys())));
    }
    session
        .report
        .count("kills that left temporary files, which the next run removed");
    let next = wait(run.start(&session.arguments.ferrovox, folder)?)?;
    let files = folder_contents(folder)?;
    let is_complete = next.status.success() && files == run.outputs;
    Ok(
        (!is_complete)
            .then(|| format!("the run after a kill: {}, {:?}", next.stderr, files.keys())),
    )
}

/// Sends a signal to a command, which may have ended. Its number is not reused before it is waited
/// for.
pub fn send(child: &Child, signal: &str) -> Result<()> {
    let mut kill = Command::new("kill");
    kill.args([&format!("-{signal}"), &child.id().to_string()]);
    kill.stderr(Stdio::null())
        .status()
        .context("cannot run kill")?;
    Ok(())
}

/// Counts the end of a command after a signal, and returns the problem if it neither completed,
/// failed nor stopped in time.
pub fn check_stop(
    session: &mut Session,
    ended: &RunResult,
    number: i32,
    time: Duration,
) -> Option<String> {
    let (code, signal) = (ended.status.code(), ended.status.signal());
    let is_stopped = code == Some(128 + number) || signal == Some(number);
    let event = if is_stopped {
        "commands that a signal stopped"
    } else {
        "commands that had ended before the signal"
    };
    session.report.count(event);
    if is_stopped {
        let milliseconds = "milliseconds from a signal to the end";
        session
            .report
            .record_max(milliseconds, time.as_millis() as u64);
        if time > MAX_STOP {
            session.report.count("stops of more than a second");
        }
    }
    if time > MAX_STOP_UNDER_LOAD {
        return Some(format!("it ended {time:?} after the signal"));
    }
    if is_stopped { None } else { ended.defect() }
}
