//! Several commands that write one output at the same time: all succeed, the output is one of theirs, and nothing is left.

use crate::{
    Session,
    runs::{command, content, names, volume, wait},
};
use anyhow::{Result, ensure};
use std::fs;

pub fn run(session: &mut Session) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let how = volume(folder, "in.raw", 24)?;
    let line = |iso: usize| format!("mesh in.raw {how} --iso 0.{iso} --device cpu -o out.ply");
    let start = |iso: usize| {
        let line = line(iso);
        let words: Vec<&str> = line.split(' ').collect();
        command(&session.arguments.ferrovox, folder, "", &words).spawn()
    };
    let mut results = Vec::new();
    for iso in 1..5 {
        let ended = wait(start(iso)?)?;
        ensure!(ended.status.success(), "{}: {}", line(iso), ended.stderr);
        results.push(fs::read(folder.join("out.ply"))?);
    }
    let mut problems = Vec::new();
    let mut rounds = 0;
    while session.goes_on() {
        let children: Vec<_> = (1..5).map(start).collect::<Result<_, _>>()?;
        for child in children {
            let ended = wait(child)?;
            if !ended.status.success() {
                problems.push(format!("one of four fails: {}", ended.stderr));
            }
        }
        rounds += 1;
        let files = content(folder)?;
        if !results.contains(&files["out.ply"]) || files.len() != 2 {
            problems.push(format!(
                "the output is none of theirs, or files are left: {:?}",
                names(folder)?
            ));
        }
    }
    for _ in 0..rounds {
        session.report.count("four commands with one output");
    }
    for problem in problems {
        session
            .report
            .failed("line.txt", line(1).as_bytes(), problem);
    }
    Ok(())
}
