//! NVIDIA's header, compiled.

use crate::cases::{Answer, Case};
use ferrovox::occupancy::DeviceLimits;
use std::{
    env,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// Program that evaluates the header.
const SOURCE: &str = include_str!("oracle.c");

/// Running program that returns the results of the header.
pub struct Oracle {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
}

/// Returns the folder of CUDA 13's `cuda_occupancy.h`: that of `FERROVOX_CUDA_HEADERS`, or that of
/// `cargo xtask setup`.
fn headers() -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/headers");
    let named = env::var_os("FERROVOX_CUDA_HEADERS").map(PathBuf::from);
    let candidates = [named, Some(tools.join("nvidia/cu13/include"))];
    let mut folders = candidates.into_iter().flatten();
    folders.find(|folder| folder.join("cuda_occupancy.h").is_file())
}

/// Prints a message that is visible for passing tests too, whose output is captured otherwise.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "occupancy: {text}");
}

/// Compiles the program into `folder`, or returns the reason why that is impossible.
pub fn compile(folder: &Path) -> Result<PathBuf, String> {
    let headers = headers().ok_or(
        "there is no cuda_occupancy.h here: `cargo xtask setup` installs it, FERROVOX_CUDA_HEADERS names its folder",
    )?;
    let (source, program) = (folder.join("oracle.c"), folder.join("oracle"));
    std::fs::write(&source, SOURCE).expect("a file in the temporary folder");
    let mut compiler = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    compiler
        .args(["-std=gnu99", "-O2", "-w", "-I"])
        .arg(&headers);
    compiler.arg(&source).arg("-o").arg(&program);
    match compiler.output() {
        Err(error) => Err(format!("there is no C compiler here ({error})")),
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success(),
                "the header does not compile: {errors}"
            );
            Ok(program)
        }
    }
}

impl Oracle {
    pub fn start(program: &Path) -> Self {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program was just compiled");
        let to = child.stdin.take().expect("piped");
        let from = child.stdout.take().expect("piped");
        Self { child, to, from }
    }

    /// Returns the results of the header.
    pub fn active(&mut self, device: &DeviceLimits, cases: &[Case]) -> Vec<Answer> {
        let answers = self.ask(0, device, cases);
        let answer = |a: &[u32; 9]| Answer {
            active: a[1],
            warps: a[2],
            blocks: a[3],
            registers: unlimited(a[4]),
            shared: unlimited(a[5]),
            barriers: unlimited(a[6]),
            allocated_registers: a[7],
            allocated_shared: a[8],
        };
        answers.iter().map(answer).collect()
    }

    /// Returns the best block sizes of the header: threads, and the grid that fills one
    /// multiprocessor. The threads of a case are the maximum.
    pub fn best(&mut self, device: &DeviceLimits, cases: &[Case]) -> Vec<(u32, u32)> {
        let answers = self.ask(1, device, cases);
        answers.iter().map(|a| (a[1], a[2])).collect()
    }

    /// Returns nine numbers per case; the first is 0 if the header reports no error.
    fn ask(&mut self, kind: u32, device: &DeviceLimits, cases: &[Case]) -> Vec<[u32; 9]> {
        let capability = device.capability.expect("a GPU's");
        let mut numbers = vec![
            kind,
            cases.len() as u32,
            u32::from(capability.major),
            u32::from(capability.minor),
            device.threads_per_block,
            device.threads_per_multiprocessor(),
            device.registers_per_block,
            device.registers_per_multiprocessor,
            device.shared_bytes_per_block,
            device.shared_bytes_per_block_opt_in,
            device.shared_bytes_per_multiprocessor,
            device.reserved_shared_bytes_per_block,
        ];
        for case in cases {
            numbers.extend([
                case.threads,
                case.registers,
                case.static_bytes,
                case.dynamic_bytes,
                case.bytes_per_thread,
                case.carveout as u32,
                case.cache,
                u32::from(case.opt_in),
                case.barriers,
            ]);
        }
        self.to
            .write_all(bytemuck::cast_slice(&numbers))
            .expect("it reads");
        self.to.flush().expect("it reads");
        let mut answers = vec![[0u32; 9]; cases.len()];
        self.from
            .read_exact(bytemuck::cast_slice_mut(&mut answers))
            .expect("it answers");
        let bad = answers.iter().position(|answer| answer[0] != 0);
        assert_eq!(
            bad,
            None,
            "the header, which must be that of CUDA 13, objects on {capability} to {:?}",
            bad.map(|at| cases[at])
        );
        answers
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Converts the header's value for no limit, the largest `int`.
fn unlimited(blocks: u32) -> u32 {
    if blocks == i32::MAX as u32 {
        u32::MAX
    } else {
        blocks
    }
}
