//! Closed standard streams: outputs have the same bytes, and no message goes to an output file that
//! received the number of a closed stream.

use crate::{
    Session,
    runs::{command, folder_contents, remove_files, wait, write_volume},
};
use anyhow::{Result, ensure};

/// Shell commands that close standard input, output and error.
const CLOSING: [&str; 3] = ["exec 0<&-;", "exec 1>&-;", "exec 2>&-;"];

pub fn run(session: &mut Session) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let inputs = tempfile::tempdir()?;
    let options = write_volume(inputs.path(), "in.raw", 24)?;
    let input = inputs.path().join("in.raw");
    let input = format!("{} {options}", input.display());
    let lines = [
        format!("info {input} --stats"),
        format!("mesh {input} --iso 1 --device cpu -o out.ply"),
        format!("mesh {input} --iso 1 --device cpu --memory 300K -o out.vtp"),
        format!("distance {input} --nonzero --device cpu --nearest near.npy -o out.npy"),
        format!("skeleton {input} --iso 1 --device cpu -o out.swc"),
        format!("render {input} --iso 1 --size 64x64 --device cpu -o out.png"),
        // fails
        format!("mesh {input} --iso 1 --device cpu -o missing/out.ply"),
    ];
    let mut expected = Vec::new();
    for line in &lines {
        let words: Vec<&str> = line.split(' ').collect();
        let ended = wait(command(&session.arguments.ferrovox, folder, "", &words).spawn()?)?;
        ensure!(ended.defect().is_none(), "{line}: {}", ended.stderr);
        expected.push((ended.status.code(), folder_contents(folder)?));
        remove_files(folder, "")?;
    }
    while session.has_time_left() {
        let number = session.random.below(lines.len());
        let subset = 1 + session.random.below(7);
        let closing: String = CLOSING
            .iter()
            .enumerate()
            .filter(|(stream, _)| subset >> stream & 1 == 1)
            .map(|(_, text)| *text)
            .collect();
        let words: Vec<&str> = lines[number].split(' ').collect();
        let ended = wait(command(&session.arguments.ferrovox, folder, &closing, &words).spawn()?)?;
        session.report.count("runs with closed standard streams");
        let files = folder_contents(folder)?;
        let (status, contents) = &expected[number];
        let mut problem = ended.defect();
        if ended.status.code() != *status {
            problem = Some(format!("status {:?}", ended.status.code()));
        } else if files != *contents {
            problem = Some(format!("other files: {:?}", files.keys()));
        }
        if let Some(problem) = problem {
            let text = format!("{closing} {problem}: {}", ended.stderr);
            session
                .report
                .add_failure("line.txt", lines[number].as_bytes(), text);
        }
        remove_files(folder, "")?;
    }
    Ok(())
}
