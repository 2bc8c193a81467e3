//! One signal ends every command within a second, wherever it waits and whatever it computes: with
//! the status of the signal, without temporary files, and with unchanged outputs.

use crate::{
    interrupt::{bit, names, send, signal_mask, signals, start_handling, wait_until},
    samples::{ball, nifti},
    support::{Folder, binary},
};
use std::{
    fs::{self, File},
    io::{self, PipeWriter, Write},
    os::unix::process::ExitStatusExt,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Maximum time from the signal to the end of the command.
const MAX_TIME: Duration = Duration::from_secs(1);

/// Time from a signal to the end after which the command is killed and the test fails. A loaded
/// machine may need more than [`MAX_TIME`] in one attempt, but not this long.
const MAX_ATTEMPT: Duration = Duration::from_secs(6);

/// Attempts to end a command within [`MAX_TIME`].
const ATTEMPTS: u32 = 3;

/// Time that a command gets to start waiting or computing after it handles signals.
const HEAD_START: Duration = Duration::from_millis(300);

/// Data that a named pipe delivers.
enum Feed {
    /// No writer: opening the pipe blocks.
    Nothing,
    /// These bytes, then nothing, without an end.
    Stalled(Vec<u8>),
    /// The first bytes, then the second again and again.
    Endless(Vec<u8>, Vec<u8>),
}

/// A command that would run much longer than a second.
struct Case {
    arguments: String,
    /// Name of a pipe in the folder, and its data.
    pipe: Option<(&'static str, Feed)>,
    /// Regular files in the folder.
    files: Vec<(&'static str, Vec<u8>)>,
    /// Sparse file in the folder, in bytes.
    sparse: Option<(&'static str, u64)>,
    /// `true` if nobody reads the standard output, which is a full pipe.
    is_stdout_full: bool,
}

impl Case {
    fn new(arguments: impl Into<String>) -> Self {
        Self {
            arguments: arguments.into(),
            pipe: None,
            files: vec![("ball.nii", nifti(&ball(), [16, 16, 16]))],
            sparse: None,
            is_stdout_full: false,
        }
    }

    fn pipe(mut self, name: &'static str, feed: Feed) -> Self {
        self.pipe = Some((name, feed));
        self
    }

    fn file(mut self, name: &'static str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((name, content.into()));
        self
    }

    fn sparse(mut self, name: &'static str, bytes: u64) -> Self {
        self.sparse = Some((name, bytes));
        self
    }

    /// Creates the files. The returned file keeps a stalled pipe open.
    fn prepare(&self, folder: &Folder) -> Option<File> {
        for (name, content) in &self.files {
            folder.file(name, content);
        }
        if let Some((name, bytes)) = self.sparse {
            let file = File::create(folder.path(name)).unwrap();
            file.set_len(bytes).unwrap();
        }
        let (name, feed) = self.pipe.as_ref()?;
        let path = folder.path(name);
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        match feed {
            Feed::Nothing => None,
            Feed::Stalled(bytes) => {
                // opened for reading too, which does not wait for a reader
                let mut options = File::options();
                let mut pipe = options.read(true).write(true).open(path).unwrap();
                pipe.write_all(bytes).unwrap();
                Some(pipe)
            }
            Feed::Endless(first, rest) => {
                let (first, rest) = (first.clone(), rest.clone());
                // ends when the reader is gone
                thread::spawn(move || -> io::Result<()> {
                    let mut pipe = File::options().write(true).open(path)?;
                    pipe.write_all(&first)?;
                    loop {
                        pipe.write_all(&rest)?;
                    }
                });
                None
            }
        }
    }

    /// Starts the command, sends a signal, and returns the time until it ends.
    fn stop_with(&self, signal: &str, number: u32, status: i32) -> Option<Duration> {
        let folder = Folder::new();
        let _pipe = self.prepare(&folder);
        let before = names(&folder);
        let words: Vec<&str> = self.arguments.split(' ').collect();
        let mut command = folder.command(&words);
        if self.is_stdout_full {
            command.stdout(full_pipe());
        } else {
            command.stdout(Stdio::piped());
        }
        let mut child = start_handling(&mut command, bit(number))?;
        thread::sleep(HEAD_START);
        assert_eq!(child.try_wait().unwrap(), None, "{} ended", self.arguments);
        send(&child, signal);
        let sent = Instant::now();
        let ended = wait_or_kill(&mut child, sent);
        let time = sent.elapsed();
        assert_eq!(
            (ended.code(), ended.signal()),
            (Some(status), None),
            "{} after {time:?}",
            self.arguments
        );
        if !self.is_stdout_full {
            assert_eq!(names(&folder), before, "{}", self.arguments);
        }
        Some(time)
    }

    /// Checks that a signal ends the command in time.
    fn check_with(&self, signal: &str, number: u32, status: i32) {
        let mut times = Vec::new();
        for _ in 0..ATTEMPTS {
            match self.stop_with(signal, number, status) {
                Some(time) if time > MAX_TIME => times.push(time),
                _ => return,
            }
        }
        panic!("{} ends after {times:?}", self.arguments);
    }

    fn check(&self) {
        if let Some((signal, number, status)) = signals().find(|it| it.0 == "TERM") {
            self.check_with(signal, number, status);
        }
    }
}

fn wait_or_kill(child: &mut Child, sent: Instant) -> std::process::ExitStatus {
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if sent.elapsed() > MAX_ATTEMPT {
            child.kill().unwrap();
            return child.wait().unwrap();
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Returns a pipe that is full and has no reader, except for one that never reads.
fn full_pipe() -> PipeWriter {
    let (reader, writer) = io::pipe().unwrap();
    let mut filler = writer.try_clone().unwrap();
    // both ends stay open until the test ends
    thread::spawn(move || {
        let _reader = reader;
        let _ = filler.write_all(&vec![b'x'; 16 << 20]);
    });
    thread::sleep(Duration::from_millis(100));
    writer
}

fn nrrd_header(line: &str) -> Vec<u8> {
    format!("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 64 64 64\nencoding: raw\n{line}\n")
        .into_bytes()
}

/// Header of a detached file with a pipe as its data file.
fn detached_header(line: &str) -> Vec<u8> {
    nrrd_header(&format!("{line}data file: pipe.raw"))
}

/// Commands that read a volume, without its name.
const READING: [&str; 6] = [
    "info --stats VOLUME",
    "mesh VOLUME --iso 1 --device cpu -o out.ply",
    "mesh VOLUME --iso 1 --device cpu --memory 1M -o out.ply",
    "distance VOLUME --iso 1 --device cpu -o out.npy",
    "skeleton VOLUME --iso 1 --device cpu -o out.swc",
    "render VOLUME --iso 1 --device cpu -o out.png",
];

fn reading(volume: &str) -> impl Iterator<Item = Case> {
    READING
        .map(|command| Case::new(command.replace("VOLUME", volume)))
        .into_iter()
}

#[test]
fn all_signals_stop_a_command_that_waits_for_the_writer_of_a_pipe() {
    for (signal, number, status) in signals() {
        for case in reading("pipe.nrrd") {
            case.pipe("pipe.nrrd", Feed::Nothing)
                .check_with(signal, number, status);
        }
    }
}

#[test]
fn commands_that_read_a_stalled_pipe_stop() {
    for case in reading("pipe.nrrd") {
        let mut bytes = nrrd_header("");
        bytes.extend([1; 1000]);
        case.pipe("pipe.nrrd", Feed::Stalled(bytes)).check();
    }
    let header = Feed::Stalled(b"NRRD0004\ntype: ui".to_vec());
    Case::new("info pipe.nrrd")
        .pipe("pipe.nrrd", header)
        .check();
    let mesh = Feed::Stalled(b"solid\n".to_vec());
    Case::new("voxelize pipe.stl --resolution 32 -o out.npy")
        .pipe("pipe.stl", mesh)
        .check();
    let points = Feed::Stalled(b"1 2 3\n".to_vec());
    Case::new("distance --points pipe.xyz --grid 9x9x9 -o out.npy")
        .pipe("pipe.xyz", points)
        .check();
}

#[test]
fn commands_whose_header_names_a_pipe_as_data_file_stop() {
    for case in reading("head.nhdr") {
        case.file("head.nhdr", detached_header(""))
            .pipe("pipe.raw", Feed::Nothing)
            .check();
    }
}

#[test]
fn commands_that_skip_an_endless_stream_stop() {
    let skipped_lines = nrrd_header("line skip: 18446744073709551615\n");
    Case::new("info --stats pipe.nrrd")
        .pipe(
            "pipe.nrrd",
            Feed::Endless(skipped_lines, vec![b'\n'; 1 << 16]),
        )
        .check();
    for (command, line) in [
        (
            "mesh head.nhdr --iso 1 -o out.ply",
            "line skip: 18446744073709551615\n",
        ),
        (
            "skeleton head.nhdr --iso 1 -o out.swc",
            "byte skip: 9223372036854775807\n",
        ),
        (
            "render head.nhdr --iso 1 -o out.png",
            "byte skip: 9223372036854775807\n",
        ),
    ] {
        Case::new(command)
            .file("head.nhdr", detached_header(line))
            .pipe("pipe.raw", Feed::Endless(Vec::new(), vec![b'\n'; 1 << 16]))
            .check();
    }
}

#[test]
fn commands_that_compute_stop() {
    let mut state = 1_u32;
    let noise: Vec<u8> = (0..80 * 80 * 80)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            u8::from(state >> 24 > 128)
        })
        .collect();
    for command in [
        "skeleton noise.raw --dims 80x80x80 --type u8 --iso 0.5 --device cpu -o out.json",
        "skeleton noise.raw --dims 80x80x80 --type u8 --iso 0.5 --device cpu --method potential-field -o out.json",
    ] {
        Case::new(command).file("noise.raw", noise.clone()).check();
    }
    for command in [
        "render ball.nii --iso 50 --size 16384x16384 --device cpu -o out.png",
        "voxelize mesh.obj --resolution 800 --device cpu -o out.nii.gz",
    ] {
        let tetrahedron =
            "v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        Case::new(command).file("mesh.obj", tetrahedron).check();
    }
    for command in [
        "info --stats big.raw --dims 2000x2000x2000 --type u8",
        "distance big.raw --dims 2000x2000x2000 --type u8 --nonzero --device cpu --memory 1G -o out.npy",
        "mesh big.raw --dims 2000x2000x2000 --type u8 --iso 1 --device cpu --memory 1G -o out.ply",
    ] {
        Case::new(command).sparse("big.raw", 8_000_000_000).check();
    }
}

#[test]
fn commands_whose_output_nobody_reads_stop() {
    for name in ["pipe.ply", "pipe.obj"] {
        Case::new(format!("mesh ball.nii --iso 50 --device cpu -o {name}"))
            .pipe(
                if name == "pipe.ply" {
                    "pipe.ply"
                } else {
                    "pipe.obj"
                },
                Feed::Nothing,
            )
            .check();
    }
    for arguments in [
        "mesh ball.nii --iso 50 --device cpu -o -",
        "render ball.nii --iso 50 --device cpu -o -",
        "info ball.nii --json",
        "completions bash",
        "distance ball.nii --iso 50 --device cpu --json -o out.npy",
    ] {
        Case {
            is_stdout_full: true,
            ..Case::new(arguments)
        }
        .check();
    }
}

/// The report cannot be printed any more, but the outputs have been replaced.
#[test]
fn outputs_that_have_been_replaced_stay_complete() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    folder
        .run("mesh ball.nii --iso 50 --device cpu -o a.ply")
        .ok();
    let expected = fs::read(folder.path("a.ply")).unwrap();
    let Some((signal, number, status)) = signals().find(|it| it.0 == "TERM") else {
        return;
    };
    let words = [
        "mesh", "ball.nii", "--iso", "50", "--device", "cpu", "-o", "b.ply",
    ];
    let mut command = folder.command(&words);
    command.stdout(full_pipe());
    let Some(mut child) = start_handling(&mut command, bit(number)) else {
        return;
    };
    wait_until("the mesh is written", || folder.path("b.ply").exists());
    send(&child, signal);
    let ended = wait_or_kill(&mut child, Instant::now());
    assert_eq!(ended.code(), Some(status));
    assert_eq!(names(&folder), ["a.ply", "b.ply", "ball.nii"]);
    assert!(fs::read(folder.path("b.ply")).unwrap() == expected);
}

/// SIGQUIT ends the command at once, as without a handler, but leaves no temporary files.
#[test]
fn quit_signal_removes_temporary_files() {
    const QUIT: u32 = 3;
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16, 16, 16]));
    let made = Command::new("mkfifo").arg(folder.path("pipe.png")).status();
    assert!(made.unwrap().success());
    let line = "ulimit -c 0; exec \"$FERROVOX\" distance ball.nii --iso 50 --device cpu -o d.npy --slice z=8 --png pipe.png";
    let mut command = Command::new("sh");
    command
        .args(["-c", line])
        .env("FERROVOX", binary())
        .current_dir(folder.path(""));
    if signal_mask("self", "SigIgn") & bit(QUIT) != 0 {
        test_cases::report_skip(format_args!("SIGQUIT is ignored here"));
        return;
    }
    let Some(mut child) = start_handling(&mut command, bit(QUIT)) else {
        return;
    };
    wait_until("the map is complete", || {
        names(&folder).iter().any(|name| name.ends_with(".part"))
    });
    send(&child, "QUIT");
    let ended = wait_or_kill(&mut child, Instant::now());
    assert_eq!(ended.signal(), Some(3));
    assert_eq!(names(&folder), ["ball.nii", "pipe.png"]);
}
