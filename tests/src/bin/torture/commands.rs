//! Commands on damaged files: each must end in time with a result or an error, and must not leave
//! other files behind.

use crate::{
    Session,
    formats::Kind,
    runs::{command, folder_contents, remove_files, wait},
};
use anyhow::Result;
use std::fs;

pub fn run(session: &mut Session) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    while session.has_time_left() {
        let (at, bytes) = session.damaged_file();
        let format = &session.formats[at];
        // also under the name of a compressed file, and of the data file next to a header
        let packed = format.kind == Kind::Volume && bytes.starts_with(&[0x1f, 0x8b]);
        let name = format!("in.{}{}", format.extension, if packed { ".gz" } else { "" });
        let command_line = command_line(format.kind, &name, session.random.below(6));
        let output = command_line
            .rsplit(' ')
            .next()
            .unwrap_or_default()
            .to_owned();
        fs::write(folder.join(&name), &bytes)?;
        if session.random.below(2) == 0 && output != name {
            fs::write(folder.join(&output), "before")?;
        }
        let before = folder_contents(folder)?;
        let words: Vec<&str> = command_line.split(' ').collect();
        let child = command(&session.arguments.ferrovox, folder, "", &words).spawn()?;
        let problem = match wait(child) {
            Err(error) => Some(error.to_string()),
            Ok(ended) => {
                let mut after = folder_contents(folder)?;
                let done = ended.status.success();
                session.report.count(if done {
                    "runs that succeeded"
                } else {
                    "runs with an error"
                });
                let mut before = before;
                if done {
                    before.remove(&output);
                    after.remove(&output);
                }
                let leftover_files =
                    (after != before).then(|| format!("files have changed: {:?}", after.keys()));
                ended.defect().or(leftover_files)
            }
        };
        if let Some(problem) = problem {
            session.report.add_failure(
                &name,
                &bytes,
                format!("ferrovox {command_line}: {problem}"),
            );
        }
        remove_files(folder, "")?;
    }
    Ok(())
}

/// Returns a command line for a file, with its output last.
fn command_line(kind: Kind, name: &str, which: usize) -> String {
    let cpu = "--device cpu";
    match (kind, which) {
        (Kind::Mesh, _) => format!("voxelize {name} --resolution 24 {cpu} -o out.nrrd"),
        (Kind::Points, _) => format!("distance --points {name} --grid 9x8x7 {cpu} -o out.npy"),
        // no command reads these formats
        (Kind::Skeleton, _) => format!("info --json {name}"),
        (Kind::Raw, which) => {
            let order = ["little", "big"][which % 2];
            format!("mesh {name} --dims 3x2x2 --type i16 --endian {order} --iso 1 {cpu} -o out.ply")
        }
        (Kind::Volume, 0) => format!("info --json --stats {name}"),
        (Kind::Volume, 1) => format!("mesh {name} --iso 1 --memory 1M {cpu} -o out.obj"),
        (Kind::Volume, 2) => format!("distance {name} --nonzero {cpu} -o out.npy"),
        (Kind::Volume, 3) => format!("skeleton {name} --iso 1 -o out.swc"),
        (Kind::Volume, 4) => format!("render {name} --iso 1 --size 16x16 {cpu} -o out.png"),
        (Kind::Volume, _) => format!("mesh {name} --iso 1 {cpu} -o out.ply"),
    }
}
