//! Steps that run in the background. They keep one core busy while other steps do not use all
//! cores.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use anyhow::{Context, Result};

use super::outcome::{Outcome, cpu_seconds_in_stat};
use super::step::Counts;
use super::{display_command, failure};

/// Processor time of background steps in seconds, to be excluded from the other steps.
static CPU_SECONDS: Mutex<f64> = Mutex::new(0.0);

/// Returns the processor time of all background steps that have ended, in seconds.
pub fn cpu_seconds() -> f64 {
    CPU_SECONDS.lock().map_or(0.0, |seconds| *seconds)
}

/// A running background step.
pub struct BackgroundStep {
    name: &'static str,
    description: &'static str,
    running: JoinHandle<(Outcome, String)>,
}

impl BackgroundStep {
    /// Starts the commands of a step, to run one after another.
    pub fn start(name: &'static str, description: &'static str, commands: Vec<Command>) -> Self {
        println!("\n==== {name} starts in the background");
        Self {
            name,
            description,
            running: thread::spawn(move || run_commands(name, commands)),
        }
    }

    /// Waits for the step and prints its output.
    pub fn end(self) -> Outcome {
        let (name, description) = (self.name, self.description);
        println!("\n==== {name}: {description}");
        match self.running.join() {
            Ok((outcome, log)) => {
                print!("{log}");
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

fn run_commands(name: &'static str, commands: Vec<Command>) -> (Outcome, String) {
    let start = Instant::now();
    let (mut counts, mut log, mut cpu) = (Counts::default(), String::new(), Some(0.0));
    for mut command in commands {
        log += &format!("---- {}\n", display_command(&command));
        match run_captured(&mut command) {
            Ok(ended) => {
                log += &ended.log;
                cpu = cpu.zip(ended.cpu).map(|(all, one)| all + one);
                counts.passed += u64::from(ended.succeeded);
                counts.failed += u64::from(!ended.succeeded);
            }
            Err(error) => {
                log += &format!("{error:#}\n");
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
    (outcome, log)
}

/// Result of a command.
struct CommandResult {
    succeeded: bool,
    log: String,
    cpu: Option<f64>,
}

/// Runs a command and captures its output.
fn run_captured(command: &mut Command) -> Result<CommandResult> {
    let file = tempfile::NamedTempFile::new().context("cannot create a temporary file")?;
    let out = file.reopen()?;
    let err = out.try_clone()?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .context("cannot start the command")?;
    let cpu = cpu_at_end(&child);
    let status = child.wait().context("cannot wait for the command")?;
    if let (Some(cpu), Ok(mut computed)) = (cpu, CPU_SECONDS.lock()) {
        *computed += cpu;
    }
    Ok(CommandResult {
        succeeded: status.success(),
        log: String::from_utf8_lossy(&fs::read(file.path())?).into_owned(),
        cpu,
    })
}

/// Waits until a process ends and returns the processor time used by it and its children, in
/// seconds. Linux only.
fn cpu_at_end(child: &Child) -> Option<f64> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(child)), options).ok()?;
        let path = format!("/proc/{}/stat", child.id());
        cpu_seconds_in_stat(&fs::read_to_string(path).ok()?, &[11, 12, 13, 14])
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
    fn output_and_cpu_time_belong_to_the_background_step() {
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
        let (outcome, log) = run_commands("it", commands);
        let counts = (outcome.counts.passed, outcome.counts.failed);
        assert_eq!(counts, (1, 1));
        assert!(log.contains("one\n") && log.contains("two\n"), "{log}");
        let (Some(cpu), Some(others)) = (outcome.cpu, others) else {
            return;
        };
        assert!(cpu > 0.02, "{cpu}");
        // other tests of this program may start processes too, but none with long computations
        let now = super::super::summary::children_cpu().unwrap_or(others);
        assert!(now - others < cpu + 2.0, "{others} {now} {cpu}");
    }
}
