//! Signals at random times: the command stops or completes, and leaves no temporary or incomplete
//! files; after SIGKILL the next run cleans up.

use crate::{
    Session,
    runs::{command, folder_contents, wait, write_volume},
};
use anyhow::{Context, Result};
use std::{
    fs,
    os::unix::process::ExitStatusExt,
    process::Command,
    thread,
    time::{Duration, Instant},
};

const SIGNALS: [(&str, i32); 4] = [("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9)];
/// Two output files, of which either both or none may be new.
const OUTPUTS: [&str; 2] = ["out.npy", "near.npy"];

pub fn run(session: &mut Session) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let how = write_volume(folder, "in.raw", 64)?;
    let line =
        format!("distance in.raw {how} --nonzero --device cpu -o out.npy --nearest near.npy");
    let words: Vec<&str> = line.split(' ').collect();
    let ferrovox = session.arguments.ferrovox.clone();
    let start = || command(&ferrovox, folder, "", &words).spawn();

    let begun = Instant::now();
    let good = wait(start()?)?;
    let time = begun.elapsed();
    anyhow::ensure!(good.status.success(), "{line}: {}", good.stderr);
    let expected = folder_contents(folder)?;
    while session.has_time_left() {
        let (name, number) = SIGNALS[session.random.below(SIGNALS.len())];
        for output in OUTPUTS {
            fs::write(folder.join(output), "before")?;
        }
        let child = start()?;
        let part = session.random.below(1200) as f64 / 1000.0;
        thread::sleep(Duration::from_secs_f64(time.as_secs_f64() * part));
        let mut kill = Command::new("kill");
        kill.args([&format!("-{name}"), &child.id().to_string()]);
        // a process that has ended does not receive the signal; its id is not reused before it is
        // waited for
        kill.stderr(std::process::Stdio::null());
        kill.status().context("cannot run kill")?;
        let ended = wait(child)?;
        let after = folder_contents(folder)?;
        let new = OUTPUTS.map(|output| after.get(output) == expected.get(output));
        let old = OUTPUTS.map(|output| after.get(output).is_some_and(|it| it == b"before"));
        let done = ended.status.success();
        let (code, signal) = (ended.status.code(), ended.status.signal());
        let stopped = code == Some(128 + number) || signal == Some(number);
        let mut problem = None;
        if !done && !stopped {
            problem = Some(format!(
                "status {code:?}, signal {signal:?}: {}",
                ended.stderr
            ));
        } else if done && new != [true; 2] {
            problem = Some("the command succeeded, but outputs are missing".to_owned());
        } else if number != 9 && !done && old != [true; 2] {
            problem = Some(format!(
                "the command was stopped, but outputs have changed: {new:?}"
            ));
        } else if OUTPUTS
            .iter()
            .enumerate()
            .any(|(at, _)| !new[at] && !old[at])
        {
            problem = Some("an output is incomplete".to_owned());
        } else if number != 9 && after.len() > 3 {
            problem = Some(format!("files remain: {:?}", after.keys()));
        } else if after.len() > 3 {
            session
                .report
                .count("kills that left temporary files, which the next run removed");
            let next = wait(start()?)?;
            let after = folder_contents(folder)?;
            if !next.status.success() || after != expected {
                let names = after.keys();
                problem = Some(format!("the run after a kill: {}, {names:?}", next.stderr));
            }
        }
        let end = if done {
            "came too late"
        } else {
            "stopped the command"
        };
        session.report.count(format!("SIG{name} that {end}"));
        if let Some(problem) = problem {
            session.report.add_failure(
                "line.txt",
                line.as_bytes(),
                format!("SIG{name} at {part} of the time: {problem}"),
            );
        }
    }
    Ok(())
}
