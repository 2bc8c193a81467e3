//! Many inputs, isovalues and volumes: one run of a command for each.
//!
//! One failure does not end the other runs. The names of outputs differ by placeholders: `{stem}`
//! for the name of the input, `{iso}` and `{volume}` for the isovalue and the index of the volume.

mod files;
mod runs;

pub use files::InputKind;

use crate::{
    args::InputArgs,
    args::{
        DistanceArgs, InfoArgs, IsoValue, MeshArgs, RenderArgs, SkeletonArgs, SlicesArgs,
        VoxelizeArgs,
    },
    numbers::VolumeIndex,
    signals,
    terminal::Terminal,
    usage::UsageError,
};
use ferrovox::{
    io::is_standard_output,
    monitor::Monitor,
    pipeline::{
        VolumeSource,
        info::{self, InfoJob},
    },
};
use files::{files_in_folder, stem};
use runs::Runs;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// Options of a command that can be run for many inputs.
pub trait BatchArgs: Clone {
    /// Returns the input files and folders.
    fn files(&mut self) -> &mut Vec<PathBuf>;

    /// Returns the kind of the files that a folder of inputs contains.
    fn input_kind(&self) -> InputKind {
        InputKind::Volumes
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
batch_args!(SlicesArgs, |args| vec![&mut args.output]);
batch_args!(SkeletonArgs, |args| {
    let others = args.field.iter_mut().chain(&mut args.png);
    args.output.iter_mut().chain(others).collect()
});

impl BatchArgs for DistanceArgs {
    fn files(&mut self) -> &mut Vec<PathBuf> {
        &mut self.input.file.volumes
    }

    fn input_kind(&self) -> InputKind {
        if self.points {
            InputKind::Points
        } else {
            InputKind::Volumes
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

    fn input_kind(&self) -> InputKind {
        InputKind::Meshes
    }

    fn volumes(&mut self) -> Option<&mut InputArgs> {
        None
    }

    fn outputs(&mut self) -> Vec<&mut PathBuf> {
        self.output.iter_mut().collect()
    }
}

/// Returns `true` if the names of outputs differ by a placeholder, or if all volumes of files or
/// the files of a folder are requested, so that a command that joins its inputs runs once for each.
pub fn is_batch<A: BatchArgs>(args: &A) -> bool {
    let mut args = args.clone();
    let extensions = args.input_kind().extensions();
    let volume_index = args.volumes().and_then(|input| input.file.volume_index);
    let placeholders = ["{stem}", "{iso}", "{volume}"];
    let has_placeholder = |output: &&mut PathBuf| {
        let text = output.to_string_lossy();
        placeholders.iter().any(|it| text.contains(it))
    };
    volume_index == Some(VolumeIndex::All)
        || args.outputs().iter().any(has_placeholder)
        || (args.files().iter()).any(|path| files_in_folder(path, &extensions).is_some())
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
    let extensions = args.input_kind().extensions();
    let given = std::mem::take(args.files());
    let mut files = Vec::new();
    for path in given {
        match files_in_folder(&path, &extensions) {
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

/// Returns the indices of all volumes of a file.
fn volume_indices<A: BatchArgs>(args: &A, file: &Path) -> anyhow::Result<Vec<Option<u64>>> {
    let mut args = args.clone();
    let options = args.volumes().map(|input| input.read_options());
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
