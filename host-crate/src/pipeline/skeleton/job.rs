//! What is to be made.

use super::{ObjectSource, SkeletonJobError};
use crate::{
    device::{Device, DeviceError, Stream},
    pipeline::{
        PipelineError, at,
        label_paths::{expand, has_placeholder},
        paths::{self, OutputKind},
    },
    render::{ColourBy, ViewDirection},
    skeleton::{SkeletonError, medial, potential_field},
};
use std::path::{Path, PathBuf};

/// A skeleton to make of an object, or of each label of a volume.
#[derive(Clone, Debug)]
pub struct SkeletonJob {
    /// The object.
    pub object: ObjectSource,
    /// How the skeleton is made.
    pub method: Method,
    /// Cavities of the object are filled first.
    pub fill: bool,
    /// Branches with a free end that are shorter than this, in world units, are removed.
    pub prune: Option<f64>,
    /// Two curves that meet at a node where no other does become one.
    pub merge: bool,
    /// Skeleton files to write. `{label}` in a name stands for the label: so each has a file of its
    /// own, and otherwise all labels are in one.
    pub outputs: Vec<PathBuf>,
    /// The file of the force field to write, by [`Method::PotentialField`].
    pub field: Option<PathBuf>,
    /// The picture to write.
    pub picture: Option<PictureJob>,
    /// Where to run: the first does everything, and all of them the field. [`Method::Medial`] works
    /// on the host, and has them compute the ways of large components; it needs one for a picture,
    /// for filling and for the voxels of a mesh alone. Where none is named it takes a GPU for an
    /// object of a million voxels and more, if there is one.
    pub devices: Vec<Device>,
}

/// How skeletons are made.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// Curves round each tunnel and into each branch, checked on the result, by
    /// [`medial::extract`].
    Medial(medial::Params),
    /// The method as published, from the critical points of a force field, by
    /// [`skeleton`](crate::skeleton::potential_field::extract).
    PotentialField(potential_field::Params),
}

impl Default for Method {
    fn default() -> Self {
        Self::Medial(medial::Params::default())
    }
}

impl Method {
    /// Refuses numbers out of their range.
    ///
    /// # Errors
    /// Those of [`medial::Params::check`] and [`potential_field::Params::check`].
    pub fn check(&self) -> Result<(), SkeletonError> {
        match self {
            Self::Medial(params) => params.check(),
            Self::PotentialField(params) => params.check(),
        }
    }
}

/// A picture of a skeleton over its object.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureJob {
    /// The file to write.
    pub path: PathBuf,
    /// From where to look.
    pub view: ViewDirection,
    /// Pixels along x.
    pub width: u32,
    /// Pixels along y.
    pub height: u32,
    /// What curves are coloured by: where nothing is said, the label of several, and the radius of
    /// one.
    pub colours: Option<ColourBy>,
    /// Curves are tubes of the radius at each point, in place of lines.
    pub tubes: bool,
}

impl PictureJob {
    /// A picture of 800 x 600 pixels, of curves as lines.
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
    /// The skeleton of an object by the default method, without any file.
    pub fn new(object: ObjectSource, devices: Vec<Device>) -> Self {
        Self {
            object,
            method: Method::default(),
            fill: false,
            prune: None,
            merge: false,
            outputs: Vec::new(),
            field: None,
            picture: None,
            devices,
        }
    }

    /// Refuses what can be refused before the file is read.
    pub(super) fn check(&self) -> Result<(), PipelineError> {
        let path = self.object.path();
        self.method.check().map_err(at(path))?;
        self.object.check()?;
        let is_core = matches!(self.method, Method::PotentialField(_));
        let of_labels = matches!(self.object, ObjectSource::Labels { .. });
        if self.field.is_some() && !is_core {
            return Err(SkeletonJobError::FieldOfWhole.into());
        }
        if of_labels && is_core {
            return Err(SkeletonJobError::LabelsOfCore.into());
        }
        if of_labels && self.fill {
            return Err(SkeletonJobError::FilledLabels.into());
        }
        match self.object.labels() {
            Some(labels) => self.check_paths(&labels)?,
            None => self.check_templates()?,
        }
        Ok(())
    }

    /// Fails unless each file can be written, and is none that is read and no other.
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
        Ok(paths::check(&[self.object.path()], &outputs)?)
    }

    /// The same as far as it can be known before the labels are: names with `{label}` in the file's
    /// name as they stand.
    fn check_templates(&self) -> Result<(), PipelineError> {
        let mut outputs: Vec<_> = self.other_files().collect();
        for output in &self.outputs {
            if output.parent().is_some_and(has_placeholder) {
                paths::refuse_extension(output, OutputKind::Skeleton)?
            } else {
                outputs.push((output, OutputKind::Skeleton))
            }
        }
        Ok(paths::check(&[self.object.path()], &outputs)?)
    }

    fn other_files(&self) -> impl Iterator<Item = (&Path, OutputKind)> {
        let field = self.field.iter().map(|it| (&**it, OutputKind::Field));
        let picture = self.picture.iter();
        let picture = picture.map(|it| (&*it.path, OutputKind::Picture));
        field.chain(picture)
    }

    /// A stream of the first device.
    pub(super) fn stream(&self) -> Result<Stream, PipelineError> {
        let first = self.devices.first();
        let first = first.ok_or(SkeletonError::NoDevices);
        let stream: Result<Stream, DeviceError> = first.map_err(at(self.object.path()))?.stream();
        Ok(stream?)
    }
}
