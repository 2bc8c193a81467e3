//! Archives of programs. Programs share most of their code, and xz, whose window spans the whole
//! archive, stores it once.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::programs::{Program, ProgramKind};

/// Required tools, each with its Debian package.
const TOOLS: [(&str, &str); 3] = [("tar", "tar"), ("xz", "xz-utils"), ("strip", "binutils")];

/// Compression effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Takes seconds, and yields an upper bound of the archive's size.
    Low,
    /// Takes minutes, and yields the smallest archive.
    High,
}

impl Effort {
    /// Returns xz's filter. Unpacking needs as much memory as the dictionary, 128 MiB.
    fn filter(self) -> &'static str {
        match self {
            Self::Low => "--lzma2=preset=1,dict=128MiB",
            Self::High => "--lzma2=preset=9,dict=128MiB",
        }
    }
}

/// Returns an error with the package to install if a tool is missing.
///
/// # Errors
/// A missing tool.
pub fn check_tools() -> Result<()> {
    for (tool, package) in TOOLS {
        let status = Command::new(tool)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !status.is_ok_and(|status| status.success()) {
            bail!(
                "{tool} is required to pack a bundle; install it (Debian, Ubuntu: apt-get install {package})"
            );
        }
    }
    Ok(())
}

/// Returns the directory in a bundle for programs of this kind.
pub fn directory(kind: ProgramKind) -> &'static str {
    match kind {
        ProgramKind::Command => "bin",
        ProgramKind::Test => "tests",
        ProgramKind::Bench => "benches",
    }
}

/// Copies a program without its symbols into the directory of `output` for its kind.
///
/// # Errors
/// A file that cannot be written.
pub fn install(program: &Program, output: &Path) -> Result<()> {
    let folder = output.join(directory(program.kind));
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut strip = Command::new("strip");
    strip
        .arg("--strip-all")
        .arg("-o")
        .arg(folder.join(&program.name))
        .arg(&program.path);
    succeed(&mut strip)
}

/// Writes the stripped programs to an archive and returns their uncompressed size in bytes.
///
/// # Errors
/// A program that cannot be read, or an archive that cannot be written.
pub fn pack<'a>(
    programs: impl IntoIterator<Item = &'a Program>,
    archive: &Path,
    effort: Effort,
) -> Result<u64> {
    let parent = archive.parent().unwrap_or(Path::new("."));
    let staging = tempfile::tempdir_in(parent)
        .with_context(|| format!("cannot create a directory in {}", parent.display()))?;
    for program in programs {
        install(program, staging.path())?;
    }
    self::archive(staging.path(), archive, effort)?;
    super::directory_bytes(staging.path())
}

/// Writes the files of a folder to an archive.
///
/// # Errors
/// A file that cannot be read, or an archive that cannot be written.
pub fn archive(folder: &Path, archive: &Path, effort: Effort) -> Result<()> {
    let file =
        File::create(archive).with_context(|| format!("cannot write {}", archive.display()))?;
    // omit owners and times, so that equal programs result in equal archives
    let mut tar = Command::new("tar");
    tar.args([
        "--create",
        "--sort=name",
        "--mtime=@0",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
    ])
    .arg("--directory")
    .arg(folder)
    .arg(".");
    let mut tar = tar
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run tar")?;
    let mut xz = Command::new("xz");
    xz.args(["--format=xz", "--check=crc32", effort.filter(), "--stdout"])
        .stdout(file);
    if let Some(output) = tar.stdout.take() {
        xz.stdin(output);
    }
    succeed(&mut xz)?;
    let status = tar.wait().context("cannot run tar")?;
    if !status.success() {
        bail!("tar failed ({status})");
    }
    Ok(())
}

fn succeed(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .with_context(|| format!("cannot run {name}"))?;
    if !status.success() {
        bail!("{name} failed ({status})");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_programs_are_stored_once_and_can_be_unpacked() {
        if check_tools().is_err() {
            test_cases::report_skip(format_args!("a packing tool is missing"));
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let this = std::env::current_exe().unwrap();
        let program = |name: &str| Program {
            name: name.to_owned(),
            package: "p".to_owned(),
            folder: folder.path().to_owned(),
            kind: ProgramKind::Test,
            path: this.clone(),
        };
        let size = |programs: &[Program]| {
            let archive = folder.path().join("programs.tar.xz");
            let unpacked = pack(programs, &archive, Effort::Low).unwrap();
            (unpacked, fs::metadata(archive).unwrap().len())
        };
        let one = size(&[program("a")]);
        let two = size(&[program("a"), program("b")]);
        assert_eq!(two.0, 2 * one.0);
        assert!(two.1 < one.1 + one.1 / 10, "{one:?} {two:?}");

        let mut tar = Command::new("tar");
        tar.args(["-xJf", "programs.tar.xz"])
            .current_dir(folder.path());
        succeed(&mut tar).unwrap();
        let mut copy = Command::new(folder.path().join("tests/b"));
        succeed(copy.arg("--list").stdout(Stdio::null())).unwrap();
    }
}
