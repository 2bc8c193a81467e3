//! Concurrent commands with the same output: all succeed but those that a signal ends, the output
//! is that of one of them, and no other files remain.

use crate::{
    Session,
    runs::{command, folder_contents, wait, write_volume},
    signals::{check_stop, send, stopping_signals},
};
use anyhow::{Result, ensure};
use std::{
    fs, thread,
    time::{Duration, Instant},
};

pub fn run(session: &mut Session) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let how = write_volume(folder, "in.raw", 24)?;
    let line = |iso: usize| format!("mesh in.raw {how} --iso 0.{iso} --device cpu -o out.ply");
    let ferrovox = session.arguments.ferrovox.clone();
    let start = |iso: usize| {
        let line = line(iso);
        let words: Vec<&str> = line.split(' ').collect();
        command(&ferrovox, folder, "", &words).spawn()
    };
    let name = "line.txt";
    let mut results = Vec::new();
    for iso in 1..5 {
        let ended = wait(start(iso)?)?;
        ensure!(ended.status.success(), "{}: {}", line(iso), ended.stderr);
        results.push(fs::read(folder.join("out.ply"))?);
    }
    while session.has_time_left() {
        let children: Vec<_> = (1..5).map(start).collect::<Result<_, _>>()?;
        // at least one command is not stopped
        let stopped = session.random.below(children.len());
        thread::sleep(Duration::from_millis(session.random.below(40) as u64));
        let signals = stopping_signals();
        let (signal_name, signal) = signals[session.random.below(signals.len())];
        for child in &children[..stopped] {
            send(child, signal_name)?;
        }
        let sent = Instant::now();
        for (index, child) in children.into_iter().enumerate() {
            let ended = wait(child)?;
            if index < stopped {
                if let Some(problem) = check_stop(session, &ended, signal, sent.elapsed()) {
                    session
                        .report
                        .add_failure(name, line(1).as_bytes(), problem);
                }
            } else if !ended.status.success() {
                let text = format!("one of four commands failed: {}", ended.stderr);
                session.report.add_failure(name, line(1).as_bytes(), text);
            }
        }
        session.report.count("four commands with one output");
        let files = folder_contents(folder)?;
        if !files.get("out.ply").is_some_and(|it| results.contains(it)) || files.len() != 2 {
            let text = format!(
                "the output matches none of the commands, or files remain: {:?}",
                files.keys()
            );
            session.report.add_failure(name, line(1).as_bytes(), text);
        }
    }
    Ok(())
}
