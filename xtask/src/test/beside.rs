//! A step that keeps one core busy, beside steps that leave one idle now and then.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use anyhow::{Context, Result};

use super::outcome::{Outcome, cpu_in};
use super::step::Counts;
use super::{failure, shown};

/// What steps that run beside others have computed, in seconds of processor time: it is not the
/// others'.
static COMPUTED: Mutex<f64> = Mutex::new(0.0);

/// Processor time of all steps that ran beside others, as far as they have ended.
pub fn computed() -> f64 {
    COMPUTED.lock().map_or(0.0, |seconds| *seconds)
}

/// A step at work.
pub struct Beside {
    name: &'static str,
    what: &'static str,
    running: JoinHandle<(Outcome, String)>,
}

impl Beside {
    /// Starts a step's checks, one after the other.
    pub fn start(name: &'static str, what: &'static str, commands: Vec<Command>) -> Self {
        println!("\n==== {name} begins, beside the next steps");
        Self {
            name,
            what,
            running: thread::spawn(move || perform(name, commands)),
        }
    }

    /// Waits for it, and shows what it said.
    pub fn end(self) -> Outcome {
        let (name, what) = (self.name, self.what);
        println!("\n==== {name}: {what}");
        match self.running.join() {
            Ok((outcome, said)) => {
                print!("{said}");
                outcome
            }
            Err(_) => Outcome {
                name,
                time: std::time::Duration::ZERO,
                cpu: None,
                counts: failure(anyhow::anyhow!("the thread of {name} panicked")),
            },
        }
    }
}

fn perform(name: &'static str, commands: Vec<Command>) -> (Outcome, String) {
    let start = Instant::now();
    let (mut counts, mut said, mut cpu) = (Counts::default(), String::new(), Some(0.0));
    for mut command in commands {
        said += &format!("---- {}\n", shown(&command));
        match run(&mut command) {
            Ok(ended) => {
                said += &ended.said;
                cpu = cpu.zip(ended.cpu).map(|(all, one)| all + one);
                counts.passed += u64::from(ended.succeeded);
                counts.failed += u64::from(!ended.succeeded);
            }
            Err(error) => {
                said += &format!("{error:#}\n");
                counts.failed += 1;
            }
        }
    }
    let time = start.elapsed();
    let outcome = Outcome {
        name,
        time,
        cpu,
        counts,
    };
    (outcome, said)
}

/// What became of a command.
struct Ended {
    succeeded: bool,
    said: String,
    cpu: Option<f64>,
}

/// Runs a command and keeps what it says.
fn run(command: &mut Command) -> Result<Ended> {
    let file = tempfile::NamedTempFile::new().context("cannot make a temporary file")?;
    let out = file.reopen()?;
    let err = out.try_clone()?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .context("cannot run it")?;
    let cpu = cpu_at_end(&child);
    let status = child.wait().context("cannot wait for it")?;
    if let (Some(cpu), Ok(mut computed)) = (cpu, COMPUTED.lock()) {
        *computed += cpu;
    }
    Ok(Ended {
        succeeded: status.success(),
        said: String::from_utf8_lossy(&fs::read(file.path())?).into_owned(),
        cpu,
    })
}

/// Waits until a process ends, and what it and those that it started have computed by then. On
/// Linux.
fn cpu_at_end(child: &Child) -> Option<f64> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(child)), options).ok()?;
        let path = format!("/proc/{}/stat", child.id());
        cpu_in(&fs::read_to_string(path).ok()?, &[11, 12, 13, 14])
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = child;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_step_says_and_computes_is_its_own() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let count = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let others = super::super::summary::children_cpu();
        let commands = vec![
            shell(&format!("echo one; echo two >&2; {count}")),
            shell("exit 3"),
        ];
        let (outcome, said) = perform("it", commands);
        let counts = (outcome.counts.passed, outcome.counts.failed);
        assert_eq!(counts, (1, 1));
        assert!(said.contains("one\n") && said.contains("two\n"), "{said}");
        let (Some(cpu), Some(others)) = (outcome.cpu, others) else {
            return;
        };
        assert!(cpu > 0.02, "{cpu}");
        // other tests of this program may start processes too, but none that computes for long
        let now = super::super::summary::children_cpu().unwrap_or(others);
        assert!(now - others < cpu + 2.0, "{others} {now} {cpu}");
    }
}
