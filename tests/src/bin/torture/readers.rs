//! The library's readers on damaged bytes, in this process: errors are expected, anything else is a
//! defect.

use crate::{Session, memory};
use anyhow::Result;
use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    panic::catch_unwind,
    path::PathBuf,
    time::{Duration, Instant},
};

/// Maximum duration of a read, on a machine with other load.
const SLOW: Duration = Duration::from_secs(4);

pub fn run(session: &mut Session) -> Result<()> {
    // panic messages are suppressed; the file is kept and reproduces them
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    // the file being read, in case this process dies: one per format, kept open because creating
    // files takes longer than reading them
    let names: Vec<String> = session
        .formats
        .iter()
        .map(|format| format!("{}.{}", format.name, format.extension))
        .collect();
    let paths: Vec<PathBuf> = names
        .iter()
        .map(|name| session.report.current(name))
        .collect();
    let current: Vec<File> = paths.iter().map(File::create).collect::<Result<_, _>>()?;
    while session.has_time_left() {
        let (at, bytes) = session.damaged_file();
        let read = session.formats[at].read;
        current[at].set_len(0)?;
        current[at].write_all_at(&bytes, 0)?;
        let start = Instant::now();
        let (outcome, peak) = memory::peak(|| catch_unwind(|| read(&bytes)));
        let time = start.elapsed();
        let limit = memory::limit(bytes.len());
        let problem = if let Err(panic) = outcome {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied());
            Some(format!("a panic: {}", text.unwrap_or("without a text")))
        } else if time > SLOW {
            Some(format!("it takes {time:?}"))
        } else if peak > limit {
            Some(format!("it allocates {peak} bytes; the limit is {limit}"))
        } else {
            None
        };
        if let Some(problem) = problem {
            session.report.add_failure(&names[at], &bytes, problem);
        }
        session.report.count(&names[at]);
    }
    for path in paths {
        fs::remove_file(path)?;
    }
    std::panic::set_hook(hook);
    Ok(())
}
