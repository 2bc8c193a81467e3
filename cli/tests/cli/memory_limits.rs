//! Commands under all limits of their address space (`ulimit -v`).

use crate::{
    samples::nifti_of_type,
    support::{Folder, Run, binary},
};
use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    os::unix::process::ExitStatusExt,
    process::{Command, Output},
};
use test_cases::is_in_shard;

/// Threads of the pool, and environment variables of glibc's allocator. With its default settings,
/// each thread reserves up to 64 MiB of addresses, so that even small allocations fail on some
/// threads while others have memory.
const SETTINGS: [(&str, &[(&str, &str)]); 3] =
    [("2", &[("MALLOC_ARENA_MAX", "1")]), ("2", &[]), ("7", &[])];

/// Runs a command with at most `mib` MiB of addresses.
fn run_within(
    folder: &Folder,
    (threads, variables): (&str, &[(&str, &str)]),
    mib: u64,
    arguments: &str,
) -> Output {
    let mut limited = Command::new("prlimit");
    limited
        .arg(format!("--as={}", mib << 20))
        .arg("--core=0")
        .arg(binary())
        .args(arguments.split(' '))
        .current_dir(folder.path(""))
        .env("RAYON_NUM_THREADS", threads)
        .envs(variables.iter().copied());
    limited.output().expect("prlimit starts")
}

/// Returns the smallest limit, in MiB, with which the system loads the program.
fn smallest_limit(folder: &Folder) -> u64 {
    let is_loaded = |mib: &u64| {
        let run = || run_within(folder, SETTINGS[0], *mib, "--version");
        (0..3).all(|_| run().status.code().is_some_and(|status| status < 2))
    };
    (8..2000).find(is_loaded).expect("the program is loaded")
}

/// Returns `true` if a line of `text` is an error that states a size in bytes and its purpose.
fn states_size_and_purpose(text: &str) -> bool {
    let mut errors = text
        .lines()
        .filter(|line| line.starts_with("ferrovox: error: "));
    errors.any(|line| {
        let size = line.split(" bytes").next().unwrap_or_default();
        let has_size = line.contains(" bytes") && size.ends_with(|it: char| it.is_ascii_digit());
        let purposes = [
            " of memory for ",
            " in the stage `",
            " its stack",
            " requested",
        ];
        has_size && purposes.iter().any(|purpose| line.contains(purpose))
    })
}

/// Returns the names of the files in the folder.
fn names(folder: &Folder) -> BTreeSet<OsString> {
    let entries = fs::read_dir(folder.path("")).unwrap().flatten();
    entries.map(|entry| entry.file_name()).collect()
}

/// Checks that a run succeeded, or failed with an error about memory and without other effects.
/// Returns `true` for a failure.
fn check(folder: &Folder, before: &BTreeSet<OsString>, case: &str, output: &Output) -> bool {
    assert_eq!(output.status.signal(), None, "{case}");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        return false;
    }
    assert_eq!(output.status.code(), Some(1), "{case}: {stderr}");
    assert!(states_size_and_purpose(&stderr), "{case}: {stderr}");
    assert_eq!(names(folder), *before, "{case}");
    // before the arguments are read there is no JSON object
    if !stdout.is_empty() {
        let object: serde_json::Value = serde_json::from_str(&stdout).expect(case);
        let error = object["error"].as_str().expect(case);
        assert!(stderr.contains(error), "{case}: {error} {stderr}");
    }
    true
}

#[test]
fn running_out_of_memory_anywhere_is_an_error_with_size_and_purpose() {
    if !test_cases::has_programs(&["prlimit"]) {
        return;
    }
    let folder = Folder::new();
    let n = 64;
    let inside = |at: usize, middle: usize| at.abs_diff(middle) < 6;
    let voxel = |at: usize| {
        let [x, y, z] = [at % n, at / n % n, at / n / n];
        u8::from(
            inside(y, 20) && inside(z, 27) && x > 3
                || inside(x, 40) && inside(z, 27)
                || inside(x, 13) && inside(y, 47),
        ) * 100
    };
    let samples: Vec<u8> = (0..n * n * n).map(voxel).collect();
    folder.file("a.nii", nifti_of_type(&samples, [64; 3], 2, 8));
    let first = smallest_limit(&folder);
    let limits: Vec<u64> = (first..200)
        .step_by(2)
        .chain((200..500).step_by(25))
        .collect();
    let commands = [
        "skeleton a.nii --iso 50 -o out.json",
        "skeleton a.nii --iso 50 -o out.json --method potential-field",
        "mesh a.nii --iso 50 -o out.ply --normals",
        "distance a.nii --iso 50 -o out.nii.gz --signed",
        "render a.nii --iso 50 -o out.png",
        "info a.nii --stats",
    ];
    for (command, line) in commands.iter().enumerate() {
        let before = names(&folder);
        let output = line.split(' ').nth(5);
        let (mut runs, mut failures) = (0, 0);
        for (number, &mib) in limits.iter().enumerate() {
            for (setting, settings) in SETTINGS.iter().enumerate() {
                if !is_in_shard(number + 7 * setting + command, 20) {
                    continue;
                }
                let device = if line.starts_with("info") {
                    ""
                } else {
                    " --device cpu"
                };
                let line = format!("{line}{device} --json");
                let run = run_within(&folder, *settings, mib, &line);
                let case = format!("{settings:?} {mib} MiB: {line}");
                failures += u32::from(check(&folder, &before, &case, &run));
                runs += 1;
                if let Some(output) = output {
                    let _ = fs::remove_file(folder.path(output));
                }
            }
        }
        println!("{line}: {failures} of {runs} runs ran out of memory");
        assert!(failures > 0, "{line}");
    }
    folder.run("info a.nii --stats").ok();
}

/// An error of a thread that cannot be started states the memory that it needs.
#[test]
fn stacks_beyond_the_memory_are_an_error_with_their_size() {
    let folder = Folder::new();
    let mut command = folder.command(&["devices"]);
    let run = Run::finish(command.env("RUST_MIN_STACK", (1_u64 << 56).to_string()));
    run.refused(&["needs 72057594037927936 bytes of memory for its stack"]);
}
