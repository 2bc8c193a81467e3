//! Running the command in a separate folder.

use serde_json::Value;
use std::{
    collections::BTreeMap,
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// Returns the command under test. Bundles of tests built on another machine name it in
/// `FERROVOX_BIN`.
pub fn binary() -> PathBuf {
    env::var_os("FERROVOX_BIN").map_or_else(
        || PathBuf::from(env!("CARGO_BIN_EXE_ferrovox")),
        PathBuf::from,
    )
}

/// Returns the `data` folder of the repository, or the one in `FERROVOX_DATA`.
pub fn data(name: &str) -> PathBuf {
    let folder = env::var_os("FERROVOX_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("data"),
        PathBuf::from,
    );
    folder.join(name)
}

/// Result of a run of the command.
pub struct Run {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Runs a command to its end.
    pub fn finish(command: &mut Command) -> Self {
        let output = command
            .stdin(Stdio::null())
            .output()
            .expect("the command starts");
        Self {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Returns the run, which must have succeeded.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.status, Some(0), "stderr: {}", self.stderr);
        self
    }

    /// Returns the single JSON object on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        let value: Value =
            serde_json::from_str(&self.stdout).expect("one JSON value and nothing else");
        assert!(value.is_object());
        value
    }

    /// Checks that the command failed and that standard error contains all `facts`.
    #[track_caller]
    pub fn refused(&self, facts: &[&str]) {
        assert_eq!(
            self.status,
            Some(1),
            "stdout: {}\nstderr: {}",
            self.stdout,
            self.stderr
        );
        assert!(
            self.stderr.starts_with("ferrovox: error: "),
            "{}",
            self.stderr
        );
        if !self.stdout.is_empty() {
            // With --json, the object of a failure has no results.
            let object = self.json();
            let fields: Vec<&String> = object
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name)
                .collect();
            assert_eq!(fields, ["command", "error", "warnings"]);
            let error = object["error"].as_str().expect("the error is a text");
            assert!(
                self.stderr.contains(error),
                "{error} is not in: {}",
                self.stderr
            );
        }
        for fact in facts {
            assert!(
                self.stderr.contains(fact),
                "{fact:?} is not in: {}",
                self.stderr
            );
        }
    }
}

/// Temporary folder in which the command runs.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Creates a file.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), content).expect("a file in the temporary folder");
        self
    }

    /// Returns the command with these arguments, in this folder, on the CPU unless they name a
    /// device.
    pub fn command(&self, args: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(binary());
        command.current_dir(self.0.path()).args(args);
        command
    }

    /// Runs `ferrovox` with arguments separated by spaces.
    pub fn run(&self, args: &str) -> Run {
        Run::finish(&mut self.command(&args.split_whitespace().collect::<Vec<_>>()))
    }

    /// Runs a shell script with the path of the command in `$FERROVOX`; `None` without `sh` if that
    /// is [permitted](test_cases::has_programs).
    pub fn shell(&self, script: &str) -> Option<Run> {
        if !test_cases::has_programs(&["sh"]) {
            return None;
        }
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(script)
            .env("FERROVOX", binary())
            .current_dir(self.0.path());
        Some(Run::finish(&mut command))
    }

    /// Returns every file of the folder with its contents.
    pub fn content(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.0.path())
            .expect("the temporary folder")
            .flatten();
        entries
            .map(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                (name, fs::read(entry.path()).unwrap_or_default())
            })
            .collect()
    }

    /// Runs a command that must fail with these facts on standard error and leave all files
    /// unchanged.
    #[track_caller]
    pub fn refuses(&self, args: &str, facts: &[&str]) {
        let before = self.content();
        self.run(args).refused(facts);
        assert_eq!(
            self.content(),
            before,
            "a failure changes no file and leaves none behind"
        );
    }
}

/// Returns `true` if the tests run as root, whom permissions do not restrict.
pub fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|text| {
        text.lines()
            .any(|line| line.starts_with("Uid:") && line.split_whitespace().nth(2) == Some("0"))
    })
}
