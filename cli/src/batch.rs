//! Many inputs, isovalues and volumes: one run of a command for each.
//!
//! One failure does not end the other runs. The names of outputs differ by placeholders: `{stem}`
//! for the name of the input, `{iso}` and `{volume}` for the isovalue and the index of the volume.

use crate::{
    args::InputArgs,
    args::{DistanceArgs, InfoArgs, IsoValue, MeshArgs, RenderArgs, SkeletonArgs, VoxelizeArgs},
    numbers::VolumeIndex,
    signals,
    terminal::{ReportedFailure, Terminal},
    usage::UsageError,
};
use ferrovox::{
    io::is_standard_output,
    monitor::Monitor,
    pipeline::{
        PipelineError, VolumeSource,
        info::{self, InfoJob},
    },
};
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// Extensions of volumes that are one file each. A folder of other files is one volume: a DICOM
/// series, slices, Zarr.
const VOLUME_EXTENSIONS: [&str; 14] = [
    "nii", "nii.gz", "hdr", "nrrd", "nhdr", "mha", "mhd", "npy", "vti", "mgh", "mgz", "mrc", "map",
    "ccp4",
];
/// Extensions of meshes.
const MESH_EXTENSIONS: [&str; 7] = ["ply", "obj", "stl", "off", "vtp", "glb", "3mf"];
/// Extensions of point files.
const POINT_EXTENSIONS: [&str; 5] = ["xyz", "ply", "npy", "csv", "tsv"];

/// Options of a command that can be run for many inputs.
pub trait BatchArgs: Clone {
    /// Returns the input files and folders.
    fn files(&mut self) -> &mut Vec<PathBuf>;

    /// Returns the extensions of the files that a folder of inputs contains.
    fn extensions(&self) -> &'static [&'static str] {
        &VOLUME_EXTENSIONS
    }

    /// Returns the options of an input volume, if the command reads volumes.
    fn volumes(&mut self) -> Option<&mut InputArgs>;

    /// Returns the paths of outputs.
    fn outputs(&mut self) -> Vec<&mut PathBuf>;
}

macro_rules! batch_args {
    ($type:ty, |$args:ident| $outputs:expr) => {
        impl BatchArgs for $type {
            fn files(&mut self) -> &mut Vec<PathBuf> {
                &mut self.input.file.volumes
            }

            fn volumes(&mut self) -> Option<&mut InputArgs> {
                Some(&mut self.input)
            }

            fn outputs(&mut self) -> Vec<&mut PathBuf> {
                let $args = self;
                $outputs
            }
        }
    };
}
batch_args!(InfoArgs, |args| args.output.iter_mut().collect());
batch_args!(MeshArgs, |args| args.output.iter_mut().collect());
batch_args!(RenderArgs, |args| vec![&mut args.output]);
batch_args!(SkeletonArgs, |args| {
    let others = args.field.iter_mut().chain(&mut args.png);
    args.output.iter_mut().chain(others).collect()
});

impl BatchArgs for DistanceArgs {
    fn files(&mut self) -> &mut Vec<PathBuf> {
        &mut self.input.file.volumes
    }

    fn extensions(&self) -> &'static [&'static str] {
        if self.points {
            &POINT_EXTENSIONS
        } else {
            &VOLUME_EXTENSIONS
        }
    }

    fn volumes(&mut self) -> Option<&mut InputArgs> {
        Some(&mut self.input)
    }

    fn outputs(&mut self) -> Vec<&mut PathBuf> {
        let outputs = [
            &mut self.output,
            &mut self.nearest,
            &mut self.png,
            &mut self.compare,
        ];
        outputs.into_iter().flatten().collect()
    }
}

impl BatchArgs for VoxelizeArgs {
    fn files(&mut self) -> &mut Vec<PathBuf> {
        &mut self.meshes
    }

    fn extensions(&self) -> &'static [&'static str] {
        &MESH_EXTENSIONS
    }

    fn volumes(&mut self) -> Option<&mut InputArgs> {
        None
    }

    fn outputs(&mut self) -> Vec<&mut PathBuf> {
        self.output.iter_mut().collect()
    }
}

/// Runs a command once per input file, volume and isovalue. A single run is as without a batch;
/// the results of several are one JSON object with `--json`.
///
/// # Errors
/// The error of a single run; outputs whose names would be equal; the number of failed runs.
pub fn run_each<A: BatchArgs>(
    args: &A,
    terminal: &Terminal,
    run: impl Fn(&A, &Terminal) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut args = args.clone();
    let extensions = args.extensions();
    let given = std::mem::take(args.files());
    let mut files = Vec::new();
    for path in given {
        match files_in_folder(&path, extensions) {
            Some(found) => files.extend(found),
            None => files.push(path),
        }
    }
    let isovalues = args
        .volumes()
        .map_or_else(Vec::new, |input| std::mem::take(&mut input.object.iso));
    let volume_index = args.volumes().and_then(|input| input.file.volume_index);
    let is_all = volume_index == Some(VolumeIndex::All);
    check_names(&mut args, &files, isovalues.len(), is_all)?;
    if files.len() == 1 && isovalues.len() <= 1 && !is_all {
        let single = single_run(&args, &files[0], None, isovalues.first().copied());
        return run(&single, terminal);
    }
    let mut runs = Runs::new(terminal);
    for file in &files {
        let indices = if is_all {
            match volume_indices(&args, file) {
                Ok(indices) => indices,
                Err(error) => {
                    runs.fail(file, error)?;
                    continue;
                }
            }
        } else {
            vec![None]
        };
        for index in indices {
            let values: Vec<_> = match &isovalues[..] {
                [] => vec![None],
                values => values.iter().copied().map(Some).collect(),
            };
            for iso in values {
                let single = single_run(&args, file, index, iso);
                signals::begin_work();
                match run(&single, &runs.terminal) {
                    Ok(()) => runs.total += 1,
                    Err(error) => runs.fail(file, error)?,
                }
            }
        }
    }
    runs.finish()
}

/// Returns the options of one run.
fn single_run<A: BatchArgs>(
    args: &A,
    file: &Path,
    volume: Option<u64>,
    iso: Option<IsoValue>,
) -> A {
    let mut single = args.clone();
    *single.files() = vec![file.to_owned()];
    if let Some(input) = single.volumes() {
        input.object.iso = iso.into_iter().collect();
        if let Some(index) = volume {
            input.file.volume_index = Some(VolumeIndex::One(index));
        }
    }
    let mut values = vec![("{stem}", stem(file))];
    values.extend(iso.map(|iso| ("{iso}", iso.to_string().replace(':', "-"))));
    values.extend(volume.map(|index| ("{volume}", index.to_string())));
    for output in single.outputs() {
        if let Some(text) = output.to_str() {
            let text = values.iter().fold(text.to_owned(), |text, (name, value)| {
                text.replace(name, value)
            });
            *output = text.into();
        }
    }
    single
}

/// Checks that the names of outputs of different runs differ.
fn check_names<A: BatchArgs>(
    args: &mut A,
    files: &[PathBuf],
    isovalues: usize,
    is_all: bool,
) -> Result<(), UsageError> {
    let needed = [
        (files.len() > 1, "{stem}", format!("{} inputs", files.len())),
        (isovalues > 1, "{iso}", format!("{isovalues} isovalues")),
        (is_all, "{volume}", "all volumes".to_owned()),
    ];
    for output in args.outputs() {
        let name = output.display().to_string();
        for (is_needed, placeholder, items) in &needed {
            if *is_needed && (is_standard_output(&*output) || !name.contains(placeholder)) {
                return Err(UsageError(format!(
                    "{items} would write one file, {name}; put {placeholder} into its name"
                )));
            }
        }
    }
    let mut stems = HashSet::new();
    let repeated = files.iter().find(|file| !stems.insert(stem(file)));
    match repeated {
        Some(file) if !args.outputs().is_empty() => Err(UsageError(format!(
            "two inputs are named {}, so their outputs would be one file; process their folders separately",
            stem(file)
        ))),
        _ => Ok(()),
    }
}

/// Returns the name of a file without its folder and extension.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() && !path.is_dir() => stem.to_owned(),
        _ => name.to_owned(),
    }
}

/// Returns the files with one of these extensions in a folder, in order of their names; `None` if
/// the path is not a folder, or a folder without such files, which is an input itself.
fn files_in_folder(path: &Path, extensions: &[&str]) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(path).ok()?;
    let has_extension = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_ascii_lowercase();
        extensions
            .iter()
            .any(|extension| name.ends_with(&format!(".{extension}")))
    };
    let files = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files
        .filter(|it| it.is_file() && has_extension(it))
        .collect();
    files.sort();
    (!files.is_empty()).then_some(files)
}

/// Returns the indices of all volumes of a file.
fn volume_indices<A: BatchArgs>(args: &A, file: &Path) -> anyhow::Result<Vec<Option<u64>>> {
    let mut args = args.clone();
    let options = args.volumes().map(|input| input.file.options());
    let job = InfoJob {
        source: VolumeSource {
            options: options.unwrap_or_default(),
            ..VolumeSource::new(file)
        },
        ..InfoJob::default()
    };
    let volumes = info::run(&job, &Monitor::new())?.header.volumes;
    Ok((0..volumes).map(Some).collect())
}

/// The runs of a batch so far.
struct Runs<'a> {
    /// Terminal of the batch.
    batch: &'a Terminal,
    /// Terminal of a run, which collects JSON objects.
    terminal: Terminal,
    total: usize,
    failed: Vec<String>,
}

impl<'a> Runs<'a> {
    fn new(batch: &'a Terminal) -> Self {
        Self {
            batch,
            terminal: batch.collecting(),
            total: 0,
            failed: Vec::new(),
        }
    }

    /// Reports a failed run, unless its error ends the batch: an invalid command line, or a
    /// cancellation.
    fn fail(&mut self, file: &Path, error: anyhow::Error) -> anyhow::Result<()> {
        let is_cancelled = error
            .downcast_ref()
            .is_some_and(PipelineError::is_cancelled);
        if is_cancelled || error.downcast_ref::<UsageError>().is_some() {
            return Err(error);
        }
        self.total += 1;
        let name = file.display().to_string();
        if error.downcast_ref::<ReportedFailure>().is_none() {
            self.terminal.error(&error);
        }
        self.failed.push(name);
        Ok(())
    }

    /// Prints the results that were collected, and fails if a run failed.
    fn finish(self) -> anyhow::Result<()> {
        const MAX_NAMED: usize = 10;
        let count = self.failed.len();
        let problem = (count > 0).then(|| {
            let named = self.failed[..count.min(MAX_NAMED)].join(", ");
            let more = if count > MAX_NAMED { ", …" } else { "" };
            format!("{count} of {} runs failed: {named}{more}", self.total)
        });
        self.batch.print_collected(&self.terminal, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_have_no_extension() {
        for (path, expected) in [
            ("a/b.nii.gz", "b"),
            ("b.nrrd", "b"),
            ("b.v2.npy", "b.v2"),
            ("series", "series"),
            ("a.b/c", "c"),
            (".nii", ".nii"),
        ] {
            assert_eq!(stem(Path::new(path)), expected);
        }
    }
}
