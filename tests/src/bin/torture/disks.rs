//! Disks that are full: a small file system of this test's own where it may make one, a limit of a
//! file's size, and `/dev/full`.

use crate::{
    Session,
    runs::{clear, command, content, volume, wait},
};
use anyhow::{Result, ensure};
use std::{
    collections::BTreeMap, fs, os::unix::process::ExitStatusExt, path::Path, process::Command,
};

const SIGXFSZ: i32 = 25;

pub fn run(session: &mut Session) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let small = folder.join("small");
    fs::create_dir(&small)?;
    let how = volume(folder, "in.raw", 32)?;
    let lines = [
        format!(
            "distance in.raw {how} --nonzero --device cpu --nearest small/near.npy -o small/out.npy"
        ),
        format!("mesh in.raw {how} --iso 1 --device cpu -o small/out.ply"),
        format!("mesh in.raw {how} --iso 1 --device cpu --memory 300K -o small/out.vtp"),
        format!("distance in.raw {how} --nonzero --device cpu --memory 300K -o small/out.nii.gz"),
        format!("render in.raw {how} --iso 1 --size 200x200 --device cpu -o small/out.png"),
    ];
    let mut good = Vec::new();
    for line in &lines {
        let words: Vec<&str> = line.split(' ').collect();
        let ended = wait(command(&session.arguments.ferrovox, folder, "", &words).spawn()?)?;
        ensure!(ended.status.success(), "{line}: {}", ended.stderr);
        good.push(content(&small)?);
        clear(&small, "")?;
    }
    let mut mounts = true;
    while session.goes_on() {
        let which = session.random.below(lines.len());
        let words: Vec<&str> = lines[which].split(' ').collect();
        let largest: usize = good[which].values().map(Vec::len).sum();
        let kilobytes = 4 + session.random.below(largest / 1024 + 8);
        let way = session.random.below(if mounts { 3 } else { 2 });
        let mount = if way == 2 {
            let mount = Mount::new(&small, kilobytes);
            mounts = mount.is_some();
            if !mounts {
                session
                    .report
                    .count("no file system can be made here: no full disks but /dev/full");
                continue;
            }
            mount
        } else {
            None
        };
        let more = match way {
            // the signal that comes with the limit ends a program, or is ignored and the write
            // fails
            0 => format!("ulimit -f {kilobytes};"),
            1 => format!("trap '' XFSZ; ulimit -f {kilobytes};"),
            _ => String::new(),
        };
        let before: BTreeMap<_, _> = good[which]
            .keys()
            .map(|name| (name.clone(), b"before".to_vec()))
            .collect();
        for (name, bytes) in &before {
            fs::write(small.join(name), bytes)?;
        }
        let ended = wait(command(&session.arguments.ferrovox, folder, &more, &words).spawn()?)?;
        let mut after = content(&small)?;
        let what = [
            "files that may not be as large, by a signal",
            "files that may not be as large",
            "full disks",
        ][way];
        let end = if ended.status.success() {
            "it fits"
        } else {
            "refused"
        };
        session.report.count(format!("{what}: {end}"));
        let killed = ended.status.signal() == Some(SIGXFSZ);
        if killed {
            after.retain(|name, _| !name.ends_with(".part"));
        }
        let expected = if ended.status.success() {
            &good[which]
        } else {
            &before
        };
        let problem = if !killed && ended.defect().is_some() {
            ended.defect()
        } else if &after != expected {
            Some(format!(
                "the files are not as before: {:?}: {}",
                after.keys(),
                ended.stderr
            ))
        } else {
            None
        };
        if let Some(problem) = problem {
            let text = format!("{what}, {kilobytes} kB: {problem}");
            session
                .report
                .failed("line.txt", lines[which].as_bytes(), text);
        }
        clear(&small, "")?;
        drop(mount);
        device_full(session, folder, &how)?;
    }
    Ok(())
}

/// A device that takes nothing.
fn device_full(session: &mut Session, folder: &Path, how: &str) -> Result<()> {
    let line = format!("mesh in.raw {how} --iso 1 --device cpu -o /dev/full");
    let words: Vec<&str> = line.split(' ').collect();
    let ended = wait(command(&session.arguments.ferrovox, folder, "", &words).spawn()?)?;
    session.report.count("/dev/full");
    if ended.status.code() != Some(1) || !ended.stderr.contains("No space left") {
        let problem = format!(
            "/dev/full: status {:?}: {}",
            ended.status.code(),
            ended.stderr
        );
        session.report.failed("line.txt", line.as_bytes(), problem);
    }
    Ok(())
}

/// A small file system in a folder, as long as this lives.
struct Mount<'a>(&'a Path);

impl<'a> Mount<'a> {
    fn new(folder: &'a Path, kilobytes: usize) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "none"])
            .arg(folder);
        let done = mount.output().is_ok_and(|it| it.status.success());
        done.then_some(Self(folder))
    }
}

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}
