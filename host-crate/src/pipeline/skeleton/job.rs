//! Description of a skeleton job.

use super::{ObjectSource, SkeletonJobError};
use crate::{
    device::{Device, DeviceError, Stream},
    graph::Prune,
    pipeline::{
        ObjectFilter, PipelineError, at,
        label_paths::{expand, has_placeholder},
        paths::{self, OutputKind},
    },
    render::{ColourBy, ViewDirection},
    skeleton::{SkeletonError, medial, potential_field},
};
use std::path::{Path, PathBuf};

/// Job that extracts the skeleton of an object, or of each label of a volume, and writes it.
#[derive(Clone, Debug)]
pub struct SkeletonJob {
    /// The object, or the labels.
    pub object: ObjectSource,
    /// Extraction method with its parameters.
    pub method: Method,
    /// Filter of the object's voxels. Labels can only be restricted to a mask.
    pub filter: ObjectFilter,
    /// Distance, in world units, across which components are joined, before pruning.
    pub join: Option<f64>,
    /// Criterion for leaf branches to remove.
    pub prune: Option<Prune>,
    /// `true` if pairs of edges that meet at a node of degree two are merged.
    pub merge: bool,
    /// Skeleton files to write. `{label}` in a file name is replaced by the label, which gives each
    /// label a file of its own; without it, all labels are written to the same file.
    pub outputs: Vec<PathBuf>,
    /// File for the force field; requires [`Method::PotentialField`].
    pub field: Option<PathBuf>,
    /// Picture to write.
    pub picture: Option<PictureJob>,
    /// Devices that take part. [`Method::PotentialField`] needs at least one: the first runs all
    /// stages, and all share the force field. [`Method::Medial`] runs on the host, and uses the
    /// devices for the distances and shortest paths of large components; it needs one only for a
    /// picture, for filling cavities and for voxelizing a mesh. If the list is empty, it uses a GPU
    /// (if there is one) for objects of at least 2^20 voxels.
    pub devices: Vec<Device>,
}

/// Extraction method with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// Shortest paths along the medial axis with a cycle per tunnel and a curve per branch,
    /// certified on the result; see [`medial::extract`].
    Medial(medial::Params),
    /// Curves between the critical points of a force field; see [`potential_field::extract`].
    PotentialField(potential_field::Params),
}

impl Default for Method {
    fn default() -> Self {
        Self::Medial(medial::Params::default())
    }
}

impl Method {
    /// Checks the ranges of the parameters.
    ///
    /// # Errors
    /// The errors of [`medial::Params::check`] and [`potential_field::Params::check`].
    pub fn check(&self) -> Result<(), SkeletonError> {
        match self {
            Self::Medial(params) => params.check(),
            Self::PotentialField(params) => params.check(),
        }
    }
}

/// Picture of a skeleton over its object.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureJob {
    /// PNG file to write.
    pub path: PathBuf,
    /// View direction.
    pub view: ViewDirection,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Quantity shown by the curves' colours; `None` selects the label if there are several labels,
    /// otherwise the radius.
    pub colours: Option<ColourBy>,
    /// `true` if curves are drawn as tubes of the local radius instead of lines.
    pub tubes: bool,
}

impl PictureJob {
    /// Creates a picture of 800 x 600 pixels with curves drawn as lines.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            view: ViewDirection::default(),
            width: 800,
            height: 600,
            colours: None,
            tubes: false,
        }
    }
}

impl SkeletonJob {
    /// Creates a job with the default method and no output files.
    pub fn new(object: ObjectSource, devices: Vec<Device>) -> Self {
        Self {
            object,
            method: Method::default(),
            filter: ObjectFilter::default(),
            join: None,
            prune: None,
            merge: false,
            outputs: Vec::new(),
            field: None,
            picture: None,
            devices,
        }
    }

    /// Checks everything that can be checked before the input is read.
    pub(super) fn check(&self) -> Result<(), PipelineError> {
        let path = self.object.path();
        self.method.check().map_err(at(path))?;
        self.object.check()?;
        let is_potential_field = matches!(self.method, Method::PotentialField(_));
        let has_labels = matches!(self.object, ObjectSource::Labels { .. });
        if self.field.is_some() && !is_potential_field {
            return Err(SkeletonJobError::FieldNeedsPotentialField.into());
        }
        if has_labels && is_potential_field {
            return Err(SkeletonJobError::LabelsNeedMedial.into());
        }
        if has_labels && (self.filter.fill_cavities || self.filter.largest) {
            return Err(SkeletonJobError::FillLabels.into());
        }
        match self.object.labels() {
            Some(labels) => self.check_paths(&labels)?,
            None => self.check_templates()?,
        }
        Ok(())
    }

    /// Checks that every output file can be written and is neither an input nor another output.
    pub(super) fn check_paths(&self, labels: &[i64]) -> Result<(), PipelineError> {
        let skeletons: Vec<PathBuf> = self
            .outputs
            .iter()
            .flat_map(|output| expand(output, labels))
            .collect();
        let mut outputs: Vec<_> = skeletons
            .iter()
            .map(|it| (&**it, OutputKind::Skeleton))
            .collect();
        outputs.extend(self.other_files());
        Ok(paths::check(&self.inputs(), &outputs)?)
    }

    /// Returns the paths of the files that are read.
    fn inputs(&self) -> Vec<&Path> {
        let object = [self.object.path()];
        object.into_iter().chain(self.filter.inputs()).collect()
    }

    /// Checks the output files before the labels are known: names that contain `{label}` are
    /// checked unexpanded.
    fn check_templates(&self) -> Result<(), PipelineError> {
        let mut outputs: Vec<_> = self.other_files().collect();
        for output in &self.outputs {
            if output.parent().is_some_and(has_placeholder) {
                paths::refuse_extension(output, OutputKind::Skeleton)?
            } else {
                outputs.push((output, OutputKind::Skeleton))
            }
        }
        Ok(paths::check(&self.inputs(), &outputs)?)
    }

    /// Returns the output files other than skeletons.
    fn other_files(&self) -> impl Iterator<Item = (&Path, OutputKind)> {
        let field = self.field.iter().map(|it| (&**it, OutputKind::Field));
        let picture = self.picture.iter();
        let picture = picture.map(|it| (&*it.path, OutputKind::Picture));
        field.chain(picture)
    }

    /// Creates a stream on the first device.
    pub(super) fn stream(&self) -> Result<Stream, PipelineError> {
        let first = self.devices.first();
        let first = first.ok_or(SkeletonError::NoDevices);
        let stream: Result<Stream, DeviceError> = first.map_err(at(self.object.path()))?.stream();
        Ok(stream?)
    }
}
