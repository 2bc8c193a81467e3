//! Full disks: a small file system mounted by the test if permitted, a file size limit, and
//! `/dev/full`.

use crate::{
    Session,
    runs::{command, folder_contents, remove_files, wait, write_volume},
};
use anyhow::{Result, ensure};
use std::{collections::BTreeMap, fs, path::Path, process::Command};

pub fn run(session: &mut Session) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let small = folder.join("small");
    fs::create_dir(&small)?;
    let how = write_volume(folder, "in.raw", 32)?;
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
        good.push(folder_contents(&small)?);
        remove_files(&small, "")?;
    }
    let mut mounts = true;
    while session.has_time_left() {
        let which = session.random.below(lines.len());
        let words: Vec<&str> = lines[which].split(' ').collect();
        let largest: usize = good[which].values().map(Vec::len).sum();
        let kilobytes = 4 + session.random.below(largest / 1024 + 8);
        let method = session.random.below(if mounts { 3 } else { 2 });
        let mount = if method == 2 {
            let mount = Mount::new(&small, kilobytes);
            mounts = mount.is_some();
            if !mounts {
                session
                    .report
                    .count("mounting is not permitted: full disks are tested with /dev/full only");
                continue;
            }
            mount
        } else {
            None
        };
        let limits = match method {
            // with the default action of the limit's signal, and with the signal ignored
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
        let ended = wait(command(&session.arguments.ferrovox, folder, &limits, &words).spawn()?)?;
        let after = folder_contents(&small)?;
        let what = [
            "file size limit with a signal",
            "file size limit without a signal",
            "full disks",
        ][method];
        let end = if ended.status.success() {
            "it fits"
        } else {
            "refused"
        };
        session.report.count(format!("{what}: {end}"));
        let expected = if ended.status.success() {
            &good[which]
        } else {
            &before
        };
        let problem = if ended.defect().is_some() {
            ended.defect()
        } else if &after != expected {
            Some(format!(
                "files have changed: {:?}: {}",
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
                .add_failure("line.txt", lines[which].as_bytes(), text);
        }
        remove_files(&small, "")?;
        drop(mount);
        device_full(session, folder, &how)?;
    }
    Ok(())
}

/// Writes to a device that accepts no data.
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
        session
            .report
            .add_failure("line.txt", line.as_bytes(), problem);
    }
    Ok(())
}

/// A small file system mounted on a folder while this value exists.
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
