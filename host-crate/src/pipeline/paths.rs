//! The paths of a job, checked before anything is read, since the work may be long.
//!
//! Each output must have the extension of what is written there (a device, a pipe or standard
//! output may have none), lie in a folder where a file can be made, and be no other file of the
//! job: neither one that is read, nor one with the samples that the header of such a one names, nor
//! another output, whatever the name, link or hard link.

use crate::io::{
    FileProblem, MeshFormat, ResolvedPath, SkeletonFormat, Stream, named_data_files,
    output_extension, parent_folder, resolve_links,
};
use std::{
    collections::{HashMap, HashSet, hash_map::DefaultHasher},
    fs,
    hash::{Hash, Hasher},
    io,
    path::{Path, PathBuf},
};

/// What is written to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputKind {
    /// A mesh: `.ply`, `.obj`, `.stl`, `.vtk` or `.vtp`.
    Mesh,
    /// A volume: `.nii`, `.nii.gz`, `.nrrd`, `.mha` or `.npy`.
    Volume,
    /// A skeleton: `.swc`, `.obj`, `.vtp`, `.json` or `.skel`.
    Skeleton,
    /// A vector for each voxel: `.npy`.
    Field,
    /// A picture: `.png`.
    Picture,
}

/// A path that cannot be written to.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct PathError {
    /// The output.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: PathProblem,
}

/// What is wrong with the path of an output. Each message continues "PATH: …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathProblem {
    /// The extension names no format of what is written.
    #[error("{}; {known}", unknown(.extension.as_deref()))]
    Extension {
        /// The extension, if there is one.
        extension: Option<String>,
        /// Which there are.
        known: &'static str,
    },
    /// A directory.
    #[error("this is a directory; name a file in it")]
    IsDirectory,
    /// The folder is a file.
    #[error("{} is not a folder; choose another", folder.display())]
    NotAFolder {
        /// What should be a folder.
        folder: PathBuf,
    },
    /// The folder does not exist.
    #[error("there is no folder {}; make it first", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The operating system gives no information about the folder.
    #[error("cannot look at its folder: {0}")]
    Folder(io::Error),
    /// No file can be made in the folder.
    #[error("cannot create a file in {}: {reason}", folder.display())]
    NotWritable {
        /// The folder.
        folder: PathBuf,
        /// Why.
        reason: io::ErrorKind,
    },
    /// The operating system, or a link of another user, is in the way.
    #[error(transparent)]
    Place(FileProblem),
    /// The output would replace a file that is read.
    #[error("this is the same file as {}, which is read; name another output", input.display())]
    IsInput {
        /// The input, as it was named.
        input: PathBuf,
    },
    /// Two outputs would replace each other.
    #[error("this is the same file as {}, which is written too; name another output", output.display())]
    IsOutput {
        /// The other output, as it was named.
        output: PathBuf,
    },
}

/// Fails unless each of `outputs` can be written, and is none of `inputs`, none with the samples
/// that a header in one of these names, and no other output. Nothing is read but these headers, and
/// nothing written, but a file is made in the folder of each output and removed again: there is no
/// other sure way to find out whether it can be.
///
/// Devices and pipes are written to directly, and may be named more than once. There may be
/// thousands of outputs: time is linear in them.
///
/// # Errors
/// [`PathError`] for the first output that will not do.
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
/// assert!(unknown.to_string().ends_with("unknown extension \"ply\"; pictures are written as .png"));
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

/// Fails unless the name is one of what is written there.
pub(crate) fn refuse_extension(path: &Path, kind: OutputKind) -> Result<(), PathError> {
    check_extension(path, kind).map_err(|problem| PathError {
        path: path.to_owned(),
        problem,
    })
}

/// Fails if an output is a file that is read.
fn refuse_input(output: &Path, inputs: &[&Path]) -> Result<(), PathError> {
    // one that does not exist is reported by its reader
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
            is_one_of(&["nrrd", "nii", "nii.gz", "mha", "npy"]),
            "volumes are written as .nii, .nii.gz, .nrrd, .mha or .npy",
        ),
        OutputKind::Skeleton => (
            SkeletonFormat::from_output_path(path).is_some(),
            SkeletonFormat::written_as(),
        ),
        OutputKind::Field => (is_one_of(&["npy"]), "fields are written as .npy"),
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

/// Fails if no file can be made where a path is; folders in which one can are in `good`.
fn check_folder(path: &Path, good: &mut HashSet<PathBuf>) -> Result<(), PathProblem> {
    let target = match resolve_links(path).map_err(PathProblem::Place)? {
        ResolvedPath::File(target) => target,
        // a device or a pipe is written to directly
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
    // the only sure way to find out whether a file can be made there; it has no name where the
    // system can do that
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

/// Whether two paths are one file, or both standard output. Those that do not exist yet are
/// compared by folder and name.
fn are_one(a: &Path, b: &Path) -> bool {
    if let (Ok(ResolvedPath::Stream(one)), Ok(ResolvedPath::Stream(other))) =
        (resolve_links(a), resolve_links(b))
    {
        return one == other && one == Stream::StandardOutput;
    }
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(one), Ok(other)) if one.is_file() && other.is_file() => {
            // a file that may not be opened is compared by its name
            same_file::is_same_file(a, b).unwrap_or_else(|_| place_of(a) == place_of(b))
        }
        (Err(_), Err(_)) => place_of(a) == place_of(b),
        _ => false,
    }
}

/// A number that is the same for all names of a file.
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
        _ => place_of(path).hash(&mut hasher),
    }
    hasher.finish()
}

/// Where a file is or will be, links followed, also those to a file that does not exist yet.
fn place_of(path: &Path) -> Option<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if let Ok(place) = fs::canonicalize(&path) {
            return Some(place);
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

    fn said(inputs: &[&Path], outputs: &[&Path]) -> String {
        let outputs: Vec<_> = outputs
            .iter()
            .map(|path| (*path, OutputKind::Volume))
            .collect();
        check(inputs, &outputs).map_or_else(|error| error.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn one_file_under_two_names() {
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
            let message = said(&[&input], &[&new, name]);
            let wanted = format!(
                "{}: this is the same file as {}, which is read; name another output",
                name.display(),
                input.display()
            );
            assert_eq!(message, wanted);
            let message = said(&[], &[&input, name]);
            assert!(message.contains("which is written too"), "{message}");
        }
        let again = path(".").join("new.npy");
        assert!(said(&[], &[&new, &again]).contains("written too"));
        #[cfg(unix)]
        {
            // a link to what another output will make
            let link = path("link.npy");
            std::os::unix::fs::symlink("new.npy", &link).unwrap();
            assert!(said(&[], &[&new, &link]).contains("written too"));
            assert!(said(&[], &[&link, &new]).contains("written too"));
        }
        let many: Vec<PathBuf> = (0..5000).map(|k| path(&format!("{k}.npy"))).collect();
        let mut many: Vec<&Path> = many.iter().map(PathBuf::as_path).collect();
        assert_eq!(said(&[&input], &many), "fine");
        many.push(many[3]);
        assert!(said(&[&input], &many).contains("written too"));
        assert_eq!(said(&[&input], &[&new]), "fine");
        // a missing input is reported by its reader
        assert_eq!(said(&[&path("gone.npy")], &[&path("gone.npy")]), "fine");
        assert!(!new.exists());
    }

    #[cfg(unix)]
    #[test]
    fn devices_may_be_named_twice() {
        let folder = tempfile::tempdir().unwrap();
        let zero = folder.path().join("zero.npy");
        std::os::unix::fs::symlink("/dev/zero", &zero).unwrap();
        assert_eq!(said(&[], &[&zero, &zero]), "fine");
    }
}
