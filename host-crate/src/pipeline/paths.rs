//! Checks of the output paths of a job, before anything is read.
//!
//! Each output must have an extension of its kind of file (a device, a pipe or standard output may
//! have none), lie in a folder where files can be created, and be distinct from all other files of
//! the job: from the inputs, from sample files that the headers of inputs name, and from other
//! outputs, also through other names, links or hard links.

use crate::error::ErrorKind;
use crate::io::{
    FileProblem, MeshFormat, ResolvedPath, SCENE_EXTENSION, SkeletonFormat, Stream, Table,
    VolumeFormat, named_data_files, output_extension, parent_folder, resolve_links,
};
use std::{
    collections::{HashMap, HashSet, hash_map::DefaultHasher},
    fs,
    hash::{Hash, Hasher},
    io,
    path::{Path, PathBuf},
};

/// Kind of an output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputKind {
    /// A mesh: `.ply`, `.obj`, `.stl`, `.vtk` or `.vtp`.
    Mesh,
    /// A volume: `.nii`, `.nii.gz`, `.nrrd`, `.mha` or `.npy`.
    Volume,
    /// A skeleton: `.swc`, `.obj`, `.vtp`, `.json`, `.graphml`, `.csv` or `.skel`.
    Skeleton,
    /// A vector for each voxel: `.npy`.
    Field,
    /// A picture: `.png`.
    Picture,
    /// A table of measurements: `.csv` or `.json`.
    Table,
    /// A scene of labels: `.glb`.
    LabelScene,
    /// A page for browsers: `.html`.
    Page,
}

/// An output path that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct PathError {
    /// The output.
    pub path: PathBuf,
    /// Description of the problem.
    pub problem: PathProblem,
}

/// Problem with an output path. Each message continues "PATH: …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathProblem {
    /// The extension does not name a format of this kind.
    #[error("{}; {known}", unknown(.extension.as_deref()))]
    Extension {
        /// The extension, if there is one.
        extension: Option<String>,
        /// Valid extensions, for display.
        known: &'static str,
    },
    /// The path is a directory.
    #[error("this is a directory; name a file in it")]
    IsDirectory,
    /// A component of the folder is a file.
    #[error("{} is not a folder; choose another", folder.display())]
    NotAFolder {
        /// The component that should be a folder.
        folder: PathBuf,
    },
    /// The folder does not exist.
    #[error("there is no folder {0}; create it with `mkdir -p {0}`", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The operating system provides no information about the folder.
    #[error("cannot look at its folder: {0}")]
    Folder(io::Error),
    /// No file can be created in the folder.
    #[error("cannot create a file in {}: {reason}", folder.display())]
    NotWritable {
        /// The folder.
        folder: PathBuf,
        /// Reason given by the operating system.
        reason: io::ErrorKind,
    },
    /// The path cannot be examined, or is a link of another user.
    #[error(transparent)]
    Resolution(FileProblem),
    /// The output would replace an input.
    #[error("this is the same file as {}, which is read; name another output", input.display())]
    IsInput {
        /// Path of the input, as given.
        input: PathBuf,
    },
    /// Two outputs would replace each other.
    #[error("this is the same file as {}, which is written too; name another output", output.display())]
    IsOutput {
        /// Path of the other output, as given.
        output: PathBuf,
    },
}

impl PathProblem {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Folder(_) | Self::NotWritable { .. } | Self::NoFolder { .. } => ErrorKind::Io,
            Self::Resolution(problem) => problem.kind(),
            _ => ErrorKind::InvalidArgument,
        }
    }
}

/// Checks that each of `outputs` can be written, and is distinct from all `inputs`, from sample
/// files that their headers name, and from all other outputs. Only these headers are read. In the
/// folder of each output a file is created and removed again, since there is no other reliable
/// test.
///
/// Devices and pipes are written directly, and may occur more than once. Time is linear in the
/// number of outputs, of which there may be thousands.
///
/// # Errors
/// [`PathError`] of the first invalid output.
///
/// ```
/// use ferrovox::pipeline::paths::{OutputKind, check};
///
/// let folder = tempfile::tempdir()?;
/// let output = folder.path().join("brain.ply");
/// check(&[], &[(&output, OutputKind::Mesh)])?;
/// let twice = check(&[], &[(&output, OutputKind::Mesh), (&output, OutputKind::Mesh)]);
/// assert!(twice.is_err());
/// let unknown = check(&[], &[(&output, OutputKind::Picture)]).unwrap_err();
/// assert!(unknown.to_string()
///     .ends_with("unknown extension \"ply\"; pictures are written as .png"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(inputs: &[&Path], outputs: &[(&Path, OutputKind)]) -> Result<(), PathError> {
    let error = |path: &Path, problem| PathError {
        path: path.to_owned(),
        problem,
    };
    let mut folders = HashSet::new();
    for &(path, kind) in outputs {
        check_extension(path, kind).map_err(|problem| error(path, problem))?;
        check_folder(path, &mut folders).map_err(|problem| error(path, problem))?;
    }
    let named = inputs.iter().flat_map(|input| named_data_files(input));
    let named: Vec<PathBuf> = named.collect();
    let mut inputs = inputs.to_vec();
    inputs.extend(named.iter().map(PathBuf::as_path));
    let mut before: HashMap<u64, Vec<&Path>> = HashMap::new();
    for &(path, _) in outputs {
        refuse_input(path, &inputs)?;
        let alike = before.entry(key(path)).or_default();
        if let Some(other) = alike.iter().find(|other| are_one(other, path)) {
            let output = other.to_path_buf();
            return Err(error(path, PathProblem::IsOutput { output }));
        }
        alike.push(path);
    }
    Ok(())
}

/// Checks that the extension names a format of this kind.
pub(crate) fn refuse_extension(path: &Path, kind: OutputKind) -> Result<(), PathError> {
    check_extension(path, kind).map_err(|problem| PathError {
        path: path.to_owned(),
        problem,
    })
}

/// Checks that no output is an input.
fn refuse_input(output: &Path, inputs: &[&Path]) -> Result<(), PathError> {
    // a missing input is reported by its reader
    match inputs
        .iter()
        .find(|input| input.exists() && are_one(input, output))
    {
        Some(input) => Err(PathError {
            path: output.to_owned(),
            problem: PathProblem::IsInput {
                input: input.to_path_buf(),
            },
        }),
        None => Ok(()),
    }
}

fn check_extension(path: &Path, kind: OutputKind) -> Result<(), PathProblem> {
    let is_one_of = |known: &[&str]| {
        let found = output_extension(path, known[0]);
        known.contains(&found.as_str())
    };
    let (is_known, known) = match kind {
        OutputKind::Mesh => (
            MeshFormat::from_output_path(path).is_some(),
            MeshFormat::written_as(),
        ),
        OutputKind::Volume => (
            VolumeFormat::writable_extension(path).is_some(),
            VolumeFormat::written_as(),
        ),
        OutputKind::Skeleton => (
            SkeletonFormat::from_output_path(path).is_some(),
            SkeletonFormat::written_as(),
        ),
        OutputKind::Field => (is_one_of(&["npy"]), "fields are written as .npy"),
        OutputKind::Table => (is_one_of(&["csv", "json"]), Table::WRITTEN_AS),
        OutputKind::LabelScene => (is_one_of(&[SCENE_EXTENSION]), "scenes are written as .glb"),
        OutputKind::Page => (is_one_of(&["html", "htm"]), "pages are written as .html"),
        OutputKind::Picture => (is_one_of(&["png"]), "pictures are written as .png"),
    };
    if is_known {
        Ok(())
    } else {
        Err(PathProblem::Extension {
            extension: path
                .extension()
                .map(|extension| extension.to_string_lossy().into_owned()),
            known,
        })
    }
}

fn unknown(extension: Option<&str>) -> String {
    match extension {
        Some(extension) => format!("unknown extension {extension:?}"),
        None => "the name has no extension".to_owned(),
    }
}

/// Checks that a file can be created at a path. `good` holds folders that have passed.
fn check_folder(path: &Path, good: &mut HashSet<PathBuf>) -> Result<(), PathProblem> {
    let target = match resolve_links(path).map_err(PathProblem::Resolution)? {
        ResolvedPath::File(target) => target,
        // a device or a pipe is written directly
        ResolvedPath::Stream(_) => return Ok(()),
    };
    if target.is_dir() {
        return Err(PathProblem::IsDirectory);
    }
    let folder = parent_folder(&target).to_owned();
    if good.contains(&folder) {
        return Ok(());
    }
    match fs::metadata(&folder) {
        Ok(there) if there.is_dir() => {}
        Ok(_) => return Err(PathProblem::NotAFolder { folder }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(PathProblem::NoFolder { folder });
        }
        Err(error) => return Err(PathProblem::Folder(error)),
    }
    // the only reliable test; the file is unnamed if the system supports it
    match tempfile::tempfile_in(&folder) {
        Ok(_) => {
            good.insert(folder);
            Ok(())
        }
        Err(error) => Err(PathProblem::NotWritable {
            folder,
            reason: error.kind(),
        }),
    }
}

/// Returns `true` if two paths denote one file, or both standard output. Files that do not exist
/// yet are compared by folder and name.
fn are_one(a: &Path, b: &Path) -> bool {
    if let (Ok(ResolvedPath::Stream(one)), Ok(ResolvedPath::Stream(other))) =
        (resolve_links(a), resolve_links(b))
    {
        return one == other && one == Stream::StandardOutput;
    }
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(one), Ok(other)) if one.is_file() && other.is_file() => {
            // a file that cannot be opened is compared by its name
            same_file::is_same_file(a, b).unwrap_or_else(|_| resolve(a) == resolve(b))
        }
        (Err(_), Err(_)) => resolve(a) == resolve(b),
        _ => false,
    }
}

/// Returns a number that is equal for all names of a file.
fn key(path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Ok(ResolvedPath::Stream(_)) = resolve_links(path) {
        return hasher.finish();
    }
    // a pipe must not be opened here
    let is_file = fs::metadata(path).is_ok_and(|there| there.is_file());
    let file = is_file.then(|| same_file::Handle::from_path(path));
    match file {
        Some(Ok(file)) => file.hash(&mut hasher),
        _ => resolve(path).hash(&mut hasher),
    }
    hasher.finish()
}

/// Resolves the path of a file that may not exist yet, following links, also dangling ones.
fn resolve(path: &Path) -> Option<PathBuf> {
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(target) = fs::canonicalize(&path) {
            return Some(target);
        }
        match fs::read_link(&path) {
            Ok(target) => path = parent_folder(&path).join(target),
            Err(_) => break,
        }
    }
    let folder = fs::canonicalize(parent_folder(&path)).ok()?;
    Some(folder.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_message(inputs: &[&Path], outputs: &[&Path]) -> String {
        let outputs: Vec<_> = outputs
            .iter()
            .map(|path| (*path, OutputKind::Volume))
            .collect();
        check(inputs, &outputs).map_or_else(|error| error.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn two_names_of_one_file_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (input, hard, soft, new) = (
            path("in.npy"),
            path("hard.npy"),
            path("soft.npy"),
            path("new.npy"),
        );
        fs::write(&input, b"samples").unwrap();
        fs::hard_link(&input, &hard).unwrap();
        let detour = path(".").join("in.npy");
        #[cfg(unix)]
        std::os::unix::fs::symlink("in.npy", &soft).unwrap();
        let names: &[&Path] = if cfg!(unix) {
            &[&input, &hard, &detour, &soft]
        } else {
            &[&input, &hard, &detour]
        };
        for name in names {
            let message = check_message(&[&input], &[&new, name]);
            let wanted = format!(
                "{}: this is the same file as {}, which is read; name another output",
                name.display(),
                input.display()
            );
            assert_eq!(message, wanted);
            let message = check_message(&[], &[&input, name]);
            assert!(message.contains("which is written too"), "{message}");
        }
        let again = path(".").join("new.npy");
        assert!(check_message(&[], &[&new, &again]).contains("written too"));
        #[cfg(unix)]
        {
            // a link to the target of another output
            let link = path("link.npy");
            std::os::unix::fs::symlink("new.npy", &link).unwrap();
            assert!(check_message(&[], &[&new, &link]).contains("written too"));
            assert!(check_message(&[], &[&link, &new]).contains("written too"));
        }
        let many: Vec<PathBuf> = (0..5000).map(|k| path(&format!("{k}.npy"))).collect();
        let mut many: Vec<&Path> = many.iter().map(PathBuf::as_path).collect();
        assert_eq!(check_message(&[&input], &many), "fine");
        many.push(many[3]);
        assert!(check_message(&[&input], &many).contains("written too"));
        assert_eq!(check_message(&[&input], &[&new]), "fine");
        // a missing input is reported by its reader
        assert_eq!(
            check_message(&[&path("gone.npy")], &[&path("gone.npy")]),
            "fine"
        );
        assert!(!new.exists());
    }

    #[cfg(unix)]
    #[test]
    fn device_files_may_be_named_twice() {
        let folder = tempfile::tempdir().unwrap();
        let zero = folder.path().join("zero.npy");
        std::os::unix::fs::symlink("/dev/zero", &zero).unwrap();
        assert_eq!(check_message(&[], &[&zero, &zero]), "fine");
    }
}
