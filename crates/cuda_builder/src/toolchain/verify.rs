//! Whether a toolchain is complete.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::discover::{Candidate, executable, llvm_directories};
use super::{DeviceToolchain, OLDEST_RUSTC, library_source};
use crate::environment::scrub_environment;

/// What `rustc -vV` says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustcVersion {
    /// The first line: `rustc 1.96.0 (ac68faa20 2026-05-25)`, without what a packager appended.
    pub summary: String,
    /// `(1, 96)`.
    pub release: (u32, u32),
    /// The machine it runs on, `x86_64-unknown-linux-gnu`.
    pub host: String,
    /// Its LLVM, `22.1.8`.
    pub llvm: String,
}

impl RustcVersion {
    /// Reads the output of `rustc -vV`.
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
        // A packager's remark follows the closing parenthesis of commit and date.
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

    /// Major version of its LLVM.
    pub fn llvm_major(&self) -> u32 {
        self.llvm
            .split('.')
            .next()
            .and_then(|major| major.parse().ok())
            .unwrap_or(0)
    }
}

/// The directory of LLVM's tools and their version.
#[derive(Clone, Debug)]
pub struct LlvmTools {
    /// Holds `llvm-link`, `opt` and `llc`.
    pub bin: PathBuf,
    /// `22.1.8`.
    pub version: String,
}

/// The tools that the link step runs.
const TOOLS: [&str; 3] = ["llvm-link", "opt", "llc"];

impl LlvmTools {
    /// Path of one tool.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.bin.join(executable(name))
    }

    /// The tools in `bin`, if all are there and make code for NVIDIA GPUs.
    fn in_directory(bin: &Path) -> Result<Self, String> {
        if let Some(missing) = TOOLS
            .iter()
            .find(|tool| !bin.join(executable(tool)).is_file())
        {
            return Err(format!("{} has no {missing}", bin.display()));
        }
        let llc = bin.join(executable("llc"));
        let text = output_of(Command::new(&llc).arg("--version"))?;
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
            .ok_or_else(|| format!("{} --version names no version", llc.display()))?;
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

fn output_of(command: &mut Command) -> Result<String, String> {
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

/// The toolchain, or why it will not do.
pub(super) fn verify(candidate: &Candidate) -> Result<DeviceToolchain, String> {
    let rustc = |argument: &[&str]| {
        let mut command = Command::new(&candidate.rustc);
        scrub_environment(&mut command);
        output_of(command.args(argument))
    };
    let text = rustc(&["-vV"])?;
    let version = RustcVersion::parse(&text)
        .ok_or_else(|| format!("`rustc -vV` reads unlike a rustc: {text}"))?;
    if version.release < OLDEST_RUSTC {
        let (major, minor) = OLDEST_RUSTC;
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

/// The sources must be those of this very rustc: `core` uses the compiler's internals.
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
    // Debian links the sysroot's entry to a directory named after the version; rustup keeps both in
    // one toolchain.
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
                "the library sources at {} are those of rustc {named}, not of {}",
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
    let wanted = version.llvm_major();
    let new_enough = |tools: LlvmTools| match tools.major() {
        major if major >= wanted => Ok(tools),
        major => Err(format!(
            "LLVM tools {major} in {} are older than rustc's LLVM {wanted}",
            tools.bin.display()
        )),
    };
    if let Some(bin) = &candidate.llvm_bin {
        return LlvmTools::in_directory(bin)
            .and_then(new_enough)
            .map_err(|reason| format!("FERROVOX_LLVM_BIN: {reason}"));
    }
    llvm_directories(sysroot, &version.host, wanted)
        .iter()
        .find_map(|bin| LlvmTools::in_directory(bin).and_then(new_enough).ok())
        .ok_or_else(|| format!("{} is complete, but llvm-link, opt and llc of LLVM {wanted} or newer were not found", version.summary))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEBIAN: &str = "rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)\nbinary: rustc\ncommit-hash: x\n\
        host: x86_64-unknown-linux-gnu\nrelease: 1.96.0\nLLVM version: 22.1.8\n";

    #[test]
    fn version_is_read() {
        let version = RustcVersion::parse(DEBIAN).unwrap();
        assert_eq!(version.summary, "rustc 1.96.0 (ac68faa20 2026-05-25)");
        assert_eq!((version.release, version.llvm_major()), ((1, 96), 22));
        assert_eq!(RustcVersion::parse("gcc 12"), None);
    }

    #[test]
    fn an_incomplete_candidate_says_what_is_missing() {
        let empty = tempfile::tempdir().unwrap();
        let reason = LlvmTools::in_directory(empty.path()).unwrap_err();
        assert!(reason.contains("llvm-link"), "{reason}");
        let reason =
            check_library_source(empty.path(), &RustcVersion::parse(DEBIAN).unwrap()).unwrap_err();
        assert!(reason.contains("core/src/lib.rs"), "{reason}");
    }
}
