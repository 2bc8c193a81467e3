//! Programs in one archive. Most of their code is the same in all of them, and xz, which looks back
//! over the whole archive, keeps it once.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::programs::{Kind, Program};

/// What packs; each with the package of Debian that has it.
const TOOLS: [(&str, &str); 3] = [("tar", "tar"), ("xz", "xz-utils"), ("strip", "binutils")];

/// How hard to look for what is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Seconds: what the archive has at most.
    Little,
    /// Minutes.
    Much,
}

impl Effort {
    /// xz's filter. A dictionary of 128 MiB is what unpacking takes of memory.
    fn filter(self) -> &'static str {
        match self {
            Self::Little => "--lzma2=preset=1,dict=128MiB",
            Self::Much => "--lzma2=preset=9,dict=128MiB",
        }
    }
}

/// Fails, naming what to install, where a tool is missing.
///
/// # Errors
/// A tool that is not there.
pub fn check_tools() -> Result<()> {
    for (tool, package) in TOOLS {
        let status = Command::new(tool)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !status.is_ok_and(|status| status.success()) {
            bail!(
                "{tool} is missing, and a bundle is packed with it (Debian, Ubuntu: apt-get install {package})"
            );
        }
    }
    Ok(())
}

/// The folder of a bundle for programs of this kind.
pub fn folder(kind: Kind) -> &'static str {
    match kind {
        Kind::Command => "bin",
        Kind::Test => "tests",
        Kind::Bench => "benches",
    }
}

/// Copies a program without its symbols into a folder of `output` for its kind.
///
/// # Errors
/// A file that cannot be written.
pub fn install(program: &Program, output: &Path) -> Result<()> {
    let folder = output.join(folder(program.kind));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut strip = Command::new("strip");
    strip
        .arg("--strip-all")
        .arg("-o")
        .arg(folder.join(&program.name))
        .arg(&program.path);
    succeed(&mut strip)
}

/// Writes the programs, stripped, to an archive; the bytes that they have unpacked.
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
        .with_context(|| format!("cannot make a folder in {}", parent.display()))?;
    for program in programs {
        install(program, staging.path())?;
    }
    let file =
        File::create(archive).with_context(|| format!("cannot write {}", archive.display()))?;
    // nothing of the machine and the time, so that equal programs give equal archives
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
    .arg(staging.path())
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
    super::size_of(staging.path())
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
    fn equal_programs_are_kept_once_and_come_back() {
        if check_tools().is_err() {
            eprintln!("skipped: no tools to pack with");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let this = std::env::current_exe().unwrap();
        let program = |name: &str| Program {
            name: name.to_owned(),
            package: "p".to_owned(),
            folder: folder.path().to_owned(),
            kind: Kind::Test,
            path: this.clone(),
        };
        let size = |programs: &[Program]| {
            let archive = folder.path().join("programs.tar.xz");
            let unpacked = pack(programs, &archive, Effort::Little).unwrap();
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
