//! Completeness check of toolchains.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::discover::{Candidate, executable, llvm_directories};
use super::{DeviceToolchain, MIN_RUSTC, library_source};
use crate::environment::scrub_environment;

/// Version information of rustc, from `rustc -vV`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustcVersion {
    /// First line: `rustc 1.96.0 (ac68faa20 2026-05-25)`, without remarks of packagers.
    pub summary: String,
    /// Version as (major, minor): `(1, 96)`.
    pub release: (u32, u32),
    /// Host target, `x86_64-unknown-linux-gnu`.
    pub host: String,
    /// Version of its LLVM, `22.1.8`.
    pub llvm: String,
}

impl RustcVersion {
    /// Parses the output of `rustc -vV`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let field = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name))
                .map(|value| value.trim().to_owned())
        };
        let mut numbers = field("release:")?
            .split('.')
            .map(|part| part.parse::<u32>().ok())
            .take(2)
            .collect::<Option<Vec<_>>>()?
            .into_iter();
        let first = text.lines().next()?.trim();
        // packagers append remarks after the parenthesis with commit and date
        let summary = first
            .split_inclusive(')')
            .next()
            .unwrap_or(first)
            .to_owned();
        Some(RustcVersion {
            summary,
            release: (numbers.next()?, numbers.next()?),
            host: field("host:")?,
            llvm: field("LLVM version:")?,
        })
    }

    /// Returns the major version of its LLVM.
    pub fn llvm_major(&self) -> u32 {
        self.llvm
            .split('.')
            .next()
            .and_then(|major| major.parse().ok())
            .unwrap_or(0)
    }
}

/// Directory and version of LLVM's tools.
#[derive(Clone, Debug)]
pub struct LlvmTools {
    /// Directory with `llvm-link`, `opt` and `llc`.
    pub bin: PathBuf,
    /// Version, `22.1.8`.
    pub version: String,
}

/// Tools used by the link step.
const TOOLS: [&str; 3] = ["llvm-link", "opt", "llc"];

impl LlvmTools {
    /// Returns the path of a tool.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.bin.join(executable(name))
    }

    /// Returns the tools in `bin`, if all are present and support NVIDIA GPUs.
    fn in_directory(bin: &Path) -> Result<Self, String> {
        if let Some(missing) = TOOLS
            .iter()
            .find(|tool| !bin.join(executable(tool)).is_file())
        {
            return Err(format!("{} has no {missing}", bin.display()));
        }
        let llc = bin.join(executable("llc"));
        let text = run_command(Command::new(&llc).arg("--version"))?;
        if !text.contains("nvptx64") {
            return Err(format!(
                "{} was built without the NVPTX target",
                llc.display()
            ));
        }
        let version = text
            .split_whitespace()
            .skip_while(|word| *word != "version")
            .nth(1)
            .ok_or_else(|| format!("{} --version printed no version", llc.display()))?;
        Ok(LlvmTools {
            bin: bin.to_owned(),
            version: version.to_owned(),
        })
    }

    fn major(&self) -> u32 {
        self.version
            .split('.')
            .next()
            .and_then(|major| major.parse().ok())
            .unwrap_or(0)
    }
}

fn run_command(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| {
        format!(
            "cannot run {}: {error}",
            command.get_program().to_string_lossy()
        )
    })?;
    if !output.status.success() {
        return Err(format!(
            "{command:?} failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Checks a candidate and returns the toolchain, or the reason why it is incomplete.
pub(super) fn verify(candidate: &Candidate) -> Result<DeviceToolchain, String> {
    let rustc = |argument: &[&str]| {
        let mut command = Command::new(&candidate.rustc);
        scrub_environment(&mut command);
        run_command(command.args(argument))
    };
    let text = rustc(&["-vV"])?;
    let version = RustcVersion::parse(&text)
        .ok_or_else(|| format!("unexpected output of `rustc -vV`: {text}"))?;
    if version.release < MIN_RUSTC {
        let (major, minor) = MIN_RUSTC;
        return Err(format!("{} is older than {major}.{minor}", version.summary));
    }
    let sysroot = PathBuf::from(rustc(&["--print", "sysroot"])?.trim());
    check_library_source(&sysroot, &version)?;
    let llvm = find_llvm(candidate, &sysroot, &version)?;
    Ok(DeviceToolchain {
        rustc: candidate.rustc.clone(),
        cargo: candidate.cargo.clone(),
        version,
        sysroot,
        llvm,
    })
}

/// Checks that the sources are those of this rustc, because `core` uses compiler internals.
fn check_library_source(sysroot: &Path, version: &RustcVersion) -> Result<(), String> {
    let library = library_source(sysroot);
    let core = library.join("core/src/lib.rs");
    if !core.is_file() {
        return Err(format!(
            "{} has no library sources ({} is missing)",
            version.summary,
            core.display()
        ));
    }
    // on Debian, the sysroot contains a link to a directory named after the version; rustup
    // toolchains contain both
    let real = library.canonicalize().unwrap_or(library);
    let named = real.components().find_map(|part| {
        part.as_os_str()
            .to_str()?
            .strip_prefix("rustc-")
            .map(str::to_owned)
    });
    match named {
        Some(named)
            if !named.starts_with(&format!("{}.{}.", version.release.0, version.release.1)) =>
        {
            Err(format!(
                "the library sources at {} belong to rustc {named}, not {}",
                real.display(),
                version.summary
            ))
        }
        _ => Ok(()),
    }
}

fn find_llvm(
    candidate: &Candidate,
    sysroot: &Path,
    version: &RustcVersion,
) -> Result<LlvmTools, String> {
    let min_major = version.llvm_major();
    let new_enough = |tools: LlvmTools| match tools.major() {
        major if major >= min_major => Ok(tools),
        major => Err(format!(
            "LLVM tools {major} in {} are older than rustc's LLVM {min_major}",
            tools.bin.display()
        )),
    };
    if let Some(bin) = &candidate.llvm_bin {
        return LlvmTools::in_directory(bin)
            .and_then(new_enough)
            .map_err(|reason| format!("FERROVOX_LLVM_BIN: {reason}"));
    }
    llvm_directories(sysroot, &version.host, min_major)
        .iter()
        .find_map(|bin| LlvmTools::in_directory(bin).and_then(new_enough).ok())
        .ok_or_else(|| format!("{} is complete, but llvm-link, opt and llc of LLVM {min_major} or newer were not found", version.summary))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEBIAN: &str = "rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)\nbinary: rustc\ncommit-hash: x\n\
        host: x86_64-unknown-linux-gnu\nrelease: 1.96.0\nLLVM version: 22.1.8\n";

    #[test]
    fn version_is_parsed() {
        let version = RustcVersion::parse(DEBIAN).unwrap();
        assert_eq!(version.summary, "rustc 1.96.0 (ac68faa20 2026-05-25)");
        assert_eq!((version.release, version.llvm_major()), ((1, 96), 22));
        assert_eq!(RustcVersion::parse("gcc 12"), None);
    }

    #[test]
    fn incomplete_toolchains_are_reported_with_the_missing_part() {
        let empty = tempfile::tempdir().unwrap();
        let reason = LlvmTools::in_directory(empty.path()).unwrap_err();
        assert!(reason.contains("llvm-link"), "{reason}");
        let reason =
            check_library_source(empty.path(), &RustcVersion::parse(DEBIAN).unwrap()).unwrap_err();
        assert!(reason.contains("core/src/lib.rs"), "{reason}");
    }
}
