//! Torture test: damaged files, signals, full disks, stalled pipes, closed descriptors, large files
//! and comparisons with other libraries, at random for a limited time.
//!
//! `cargo xtask torture` builds this program and the command, and runs it. The same seed produces
//! the same files; how many are tried, and when signals arrive, depends on the machine. Files that
//! cause failures are kept.

mod commands;
mod damage;
mod descriptors;
mod disks;
mod formats;
mod large;
#[path = "../../../../host-crate/tests/fuzz_corpus/memory.rs"]
mod memory;
#[path = "../../../../host-crate/tests/fuzz_corpus/mutate.rs"]
mod mutate;
mod peers;
mod pipes;
mod readers;
mod report;
mod runs;
mod signals;
mod text;
mod writers;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use mutate::Random;
use report::Report;
use std::{
    fs,
    path::PathBuf,
    process::{self, ExitCode},
    thread,
    time::{Duration, Instant, SystemTime},
};

/// Try damaged files, signals, full disks and other libraries at random.
#[derive(Parser)]
#[command(name = "torture")]
struct Arguments {
    /// The command `ferrovox`
    #[arg(long, value_name = "PATH")]
    ferrovox: PathBuf,
    /// Folder with the files to damage, one subfolder per format
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Folder for files that cause failures
    #[arg(long, value_name = "DIR")]
    keep: PathBuf,
    /// Duration in seconds
    #[arg(long, value_name = "N", default_value_t = 60.0)]
    seconds: f64,
    /// Seed of all random choices [default: the time]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Run only the parts whose names contain this word
    #[arg(long, value_name = "WORD")]
    only: Option<String>,
    /// Python interpreter with some of nibabel, SimpleITK, pynrrd and NumPy, for comparison
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
}

/// Maximum overrun: the longest duration of a command, and of the start of a part.
const MAX_OVERRUN: Duration = Duration::from_secs(120);

/// A part of the test: name, share of the time, and the function to run until its time is over.
type Part = (&'static str, f64, fn(&mut Session) -> Result<()>);

const PARTS: [Part; 9] = [
    ("readers", 0.30, readers::run),
    ("peers", 0.12, peers::run),
    ("commands", 0.20, commands::run),
    ("signals", 0.12, signals::run),
    ("disks", 0.07, disks::run),
    ("writers", 0.06, writers::run),
    ("pipes", 0.06, pipes::run),
    ("descriptors", 0.03, descriptors::run),
    ("large", 0.04, large::run),
];

/// State shared by the parts.
struct Session {
    arguments: Arguments,
    formats: Vec<formats::Format>,
    random: Random,
    report: Report,
    /// Time at which the current part should end.
    end: Instant,
}

impl Session {
    fn has_time_left(&self) -> bool {
        Instant::now() < self.end
    }

    /// Returns a damaged file and the index of its format.
    fn damaged_file(&mut self) -> (usize, Vec<u8>) {
        let at = self.random.below(self.formats.len());
        let bytes = damage::damage(&self.formats[at], &mut self.random);
        (at, bytes)
    }
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("torture: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the test; returns `true` if nothing failed.
fn run(mut arguments: Arguments) -> Result<bool> {
    // commands run in folders of their own
    arguments.ferrovox = fs::canonicalize(&arguments.ferrovox)
        .with_context(|| format!("cannot find {}", arguments.ferrovox.display()))?;
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seed = arguments
        .seed
        .unwrap_or_else(|| clock.map_or(1, |it| it.as_secs()));
    println!("torture: seed {seed}, {} seconds", arguments.seconds);
    let only = arguments.only.clone().unwrap_or_default();
    // each part has its own random numbers, regardless of the others
    let parts = (1..).zip(PARTS);
    let parts: Vec<(u64, Part)> = parts.filter(|(_, part)| part.0.contains(&only)).collect();
    ensure!(!parts.is_empty(), "no part name contains {only:?}");
    let shares: f64 = parts.iter().map(|(_, part)| part.1).sum();
    let formats = formats::all(&arguments.corpus)?;
    let report = Report::new(&arguments.keep)?;
    exit_after(Duration::from_secs_f64(arguments.seconds) + MAX_OVERRUN);
    let mut session = Session {
        formats,
        random: Random(seed),
        report,
        end: Instant::now(),
        arguments,
    };
    for (number, (name, share, act)) in parts {
        let seconds = session.arguments.seconds * share / shares;
        session.random = Random(seed ^ number << 56);
        session.end = Instant::now() + Duration::from_secs_f64(seconds);
        session.report.begin_part(name);
        act(&mut session).with_context(|| format!("in the part {name}"))?;
    }
    Ok(session.report.finish(seed))
}

/// Ends the process after the given time, in case a reader does not terminate.
fn exit_after(time: Duration) {
    thread::spawn(move || {
        thread::sleep(time);
        println!(
            "FAILED: no end; the newest current-* in the folder of failures, or in.* in a temporary one, is the file being read"
        );
        process::exit(1);
    });
}
