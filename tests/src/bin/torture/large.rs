//! Sparse files of 10 GB: commands finish with the expected counts, or are stopped by a signal.

use crate::{
    Session,
    runs::{command, folder_contents, remove_files, wait},
    signals::{check_stop, send, stopping_signals},
};
use anyhow::Result;
use std::{
    fs::{self, File},
    io::{Seek, SeekFrom, Write},
    thread,
    time::{Duration, Instant},
};

/// Samples along each axis of 10,077,696,000 samples of one byte.
const SIDE: u64 = 2160;

/// Maximum time that a command gets before it is stopped.
const MAX_SECONDS: f64 = 10.0;

pub fn run(session: &mut Session) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let inputs = tempfile::tempdir()?;
    let folder = folder.path();
    let input = inputs.path().join("in.raw");
    let mut file = File::create(&input)?;
    file.set_len(SIDE.pow(3))?;
    // a few voxels at both ends and in the middle
    for offset in [
        SIDE * SIDE + 5 * SIDE + 7,
        SIDE.pow(3) / 2 + 99,
        SIDE.pow(3) - 1,
    ] {
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(&[9])?;
    }
    drop(file);
    let input = format!("{} --dims {SIDE}x{SIDE}x{SIDE} --type u8", input.display());
    let lines = [
        format!("info {input} --stats"),
        format!("mesh {input} --iso 1 --device cpu --memory 600M -o out.ply"),
        format!("mesh {input} --iso 1 --device cpu -o out.vtp"),
        format!("distance {input} --nonzero --device cpu --memory 1G -o out.npy"),
        format!("skeleton {input} --iso 1 --device cpu -o out.swc"),
        format!("render {input} --iso 1 --device cpu -o out.png"),
    ];
    while session.has_time_left() {
        let line = &lines[session.random.below(lines.len())];
        let words: Vec<&str> = line.split(' ').collect();
        let output = words.last().copied().unwrap_or_default();
        fs::write(folder.join(output), "before")?;
        let mut child = command(&session.arguments.ferrovox, folder, "", &words).spawn()?;
        let left = session.end.saturating_duration_since(Instant::now());
        let part = session.random.below(1000) as f64 / 1000.0;
        let time = Duration::from_secs_f64(MAX_SECONDS * part).min(left);
        let start = Instant::now();
        while start.elapsed() < time && child.try_wait()?.is_none() {
            thread::sleep(Duration::from_millis(5));
        }
        let signals = stopping_signals();
        let (name, number) = signals[session.random.below(signals.len())];
        send(&child, name)?;
        let sent = Instant::now();
        let ended = wait(child)?;
        let mut problem = check_stop(session, &ended, number, sent.elapsed());
        let files = folder_contents(folder)?;
        let is_unchanged = files.get(output).is_some_and(|it| it == b"before");
        if files.len() != 1 || (!ended.status.success() && !is_unchanged) {
            problem = Some(format!("files have changed: {:?}", files.keys()));
        }
        if let Some(problem) = problem {
            let text = format!("SIG{name} after {time:?}: {problem}");
            session
                .report
                .add_failure("line.txt", line.as_bytes(), text);
        }
        remove_files(folder, "")?;
    }
    Ok(())
}
