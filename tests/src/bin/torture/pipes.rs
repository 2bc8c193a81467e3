//! Pipes that stop delivering data: a command that reads one ends within a second of a signal.

use crate::{
    Session,
    formats::Kind,
    runs::{command, folder_contents, wait},
    signals::{check_stop, send, stopping_signals},
};
use anyhow::{Result, ensure};
use std::{
    fs::{self, File},
    io::Write,
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// Capacity of a pipe in bytes, which can be written without a reader.
const CAPACITY: usize = 60 << 10;

pub fn run(session: &mut Session) -> Result<()> {
    while session.has_time_left() {
        let folder = tempfile::tempdir()?;
        let folder = folder.path();
        let (at, bytes) = loop {
            let (at, bytes) = session.damaged_file();
            if session.formats[at].kind != Kind::Skeleton {
                break (at, bytes);
            }
        };
        let format = &session.formats[at];
        let pipe = format!("in.{}", format.extension);
        let line = command_line(format.kind, &pipe, session.random.below(4));
        let made = Command::new("mkfifo").arg(folder.join(&pipe)).status()?;
        ensure!(made.success(), "mkfifo failed");
        let output = line.rsplit(' ').next().unwrap_or_default().to_owned();
        fs::write(folder.join(&output), "before")?;
        // half of the pipes have no writer, so that opening them waits
        let delivered = session.random.below(bytes.len().min(CAPACITY) + 1);
        let mut writer = None;
        if session.random.below(2) == 0 {
            let mut options = File::options();
            let mut file = options.read(true).write(true).open(folder.join(&pipe))?;
            file.write_all(&bytes[..delivered])?;
            writer = Some(file);
        }
        let words: Vec<&str> = line.split(' ').collect();
        let child = command(&session.arguments.ferrovox, folder, "", &words).spawn()?;
        thread::sleep(Duration::from_millis(session.random.below(150) as u64));
        let signals = stopping_signals();
        let (name, number) = signals[session.random.below(signals.len())];
        send(&child, name)?;
        let sent = Instant::now();
        let ended = wait(child)?;
        let time = sent.elapsed();
        drop(writer);
        // reading a pipe would wait
        fs::remove_file(folder.join(&pipe))?;
        let files = folder_contents(folder)?;
        let mut problem = check_stop(session, &ended, number, time);
        let is_unchanged = files.get(&output).is_some_and(|it| it == b"before");
        if !ended.status.success() && (!is_unchanged || files.len() != 1) {
            problem = Some(format!("files have changed: {:?}", files.keys()));
        }
        if let Some(problem) = problem {
            let text = format!("ferrovox {line}, {delivered} bytes, SIG{name}: {problem}");
            session.report.add_failure(&pipe, &bytes, text);
        }
    }
    Ok(())
}

/// Returns a command line for a pipe, with its output last.
fn command_line(kind: Kind, pipe: &str, number: usize) -> String {
    match (kind, number) {
        (Kind::Mesh, _) => format!("voxelize {pipe} --resolution 24 --device cpu -o out.nrrd"),
        (Kind::Points, _) => {
            format!("distance --points {pipe} --grid 9x8x7 --device cpu -o out.npy")
        }
        (Kind::Raw, _) => {
            format!("mesh {pipe} --dims 3x2x2 --type i16 --iso 1 --device cpu -o out.ply")
        }
        (_, 0) => format!("mesh {pipe} --iso 1 --device cpu -o out.obj"),
        (_, 1) => format!("distance {pipe} --nonzero --device cpu -o out.npy"),
        (_, 2) => format!("skeleton {pipe} --iso 1 --device cpu -o out.swc"),
        (_, _) => format!("render {pipe} --iso 1 --size 16x16 --device cpu -o out.png"),
    }
}
