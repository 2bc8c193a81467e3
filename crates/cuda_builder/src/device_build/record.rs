//! A linker that records its inputs.
//!
//! rustc calls a linker with its objects and libraries, and deletes the objects afterwards. A build
//! script cannot serve as that linker, because its `main` belongs to the user, and a helper binary
//! would have to be built and located first. Therefore the linker passed to rustc is a short POSIX
//! shell script that copies the objects and writes the argument list to the output file. The
//! builder reads the list and links in-process. It works on every system with `sh`.

use std::fs;
use std::path::{Path, PathBuf};

use super::script::install_script;
use crate::error::IoContext;
use crate::{CudaBuilderError, Result};

/// The recorder script. Libraries stay where they are, because cargo keeps them; objects are
/// temporary files of rustc.
const SCRIPT: &str = r#"#!/bin/sh
# Replaces rustc's linker: keeps the objects and records the arguments. The kernels are linked afterwards.
set -e
out=
previous=
for argument in "$@"; do
    if [ "$previous" = "-o" ]; then out=$argument; fi
    previous=$argument
done
rm -rf "$out.objects"
mkdir -p "$out.objects"
for argument in "$@"; do
    case $argument in
    *.o) cp "$argument" "$out.objects/" ;;
    esac
done
printf '%s\n' "$@" > "$out"
"#;

/// Writes the recorder script into `directory` and returns its path.
pub(super) fn install_recorder(directory: &Path) -> Result<PathBuf> {
    install_script(&directory.join("record-link.sh"), SCRIPT)
}

/// Inputs that rustc passed to the linker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinkInputs {
    /// Bitcode of the kernel crate.
    pub objects: Vec<PathBuf>,
    /// Dependencies: archives of bitcode.
    pub libraries: Vec<PathBuf>,
    /// Symbols that rustc exports from the crate.
    pub exported: Vec<String>,
}

impl LinkInputs {
    /// Reads the recorded arguments.
    pub fn read(record: &Path) -> Result<Self> {
        let text = fs::read_to_string(record).at("cannot read the recorded link", record)?;
        Self::parse(&text).ok_or_else(|| CudaBuilderError::UnexpectedOutput {
            tool: "rustc".to_owned(),
            reason: format!(
                "{} does not contain the arguments of a linker",
                record.display()
            ),
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let mut inputs = LinkInputs::default();
        let mut objects = Vec::new();
        let mut output = None;
        let mut arguments = text.lines();
        while let Some(argument) = arguments.next() {
            match argument {
                "--export-symbol" => inputs.exported.push(arguments.next()?.to_owned()),
                "-o" => output = Some(arguments.next()?),
                "-L" | "--target" | "--target-cpu" => _ = arguments.next()?,
                _ if argument.ends_with(".o") => objects.push(Path::new(argument)),
                _ if argument.ends_with(".rlib") => inputs.libraries.push(argument.into()),
                _ => {}
            }
        }
        let folder = PathBuf::from(format!("{}.objects", output?));
        inputs.objects = objects
            .into_iter()
            .filter_map(|object| Some(folder.join(object.file_name()?)))
            .collect();
        (!inputs.objects.is_empty()).then_some(inputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linker_arguments_are_parsed() {
        let text = "--export-symbol\nrun\n--export-symbol\nTABLE\n/t/deps/k.cgu.0.rcgu.o\n/t/deps/libcore-1.rlib\n-L\n/t/x.o\n--target\n\
            nvptx64-nvidia-cuda\n--target-cpu\nsm_30\n-o\n/t/deps/k.ptx\n-O3\n--debug\n";
        let inputs = LinkInputs::parse(text).unwrap();
        assert_eq!(inputs.exported, ["run", "TABLE"]);
        assert_eq!(
            inputs.objects,
            [PathBuf::from("/t/deps/k.ptx.objects/k.cgu.0.rcgu.o")]
        );
        assert_eq!(inputs.libraries, [PathBuf::from("/t/deps/libcore-1.rlib")]);
        assert_eq!(LinkInputs::parse("gibberish"), None);
    }

    #[cfg(unix)]
    #[test]
    fn recorder_keeps_the_objects() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let script = install_recorder(&at("with space")).unwrap();
        let object = at("a b.o");
        fs::write(&object, "bitcode").unwrap();
        let run = |expected: bool| {
            let status = std::process::Command::new(&script)
                .args(["--export-symbol", "k"])
                .arg(&object)
                .arg("-o")
                .arg(at("k.ptx"))
                .stderr(std::process::Stdio::null())
                .status()
                .unwrap();
            assert_eq!(status.success(), expected);
        };
        run(true);
        fs::remove_file(&object).unwrap();
        let inputs = LinkInputs::read(&at("k.ptx")).unwrap();
        assert_eq!(fs::read_to_string(&inputs.objects[0]).unwrap(), "bitcode");
        // a link whose object is missing must fail instead of using a stale copy
        run(false);
    }
}
