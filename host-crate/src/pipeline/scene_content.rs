//! Objects of pictures and pages: meshes, skeletons, volumes and labels.

use super::{
    Level, ObjectFilter, PipelineError, VolumeSource, Warning, at, label_mesh::LabelSelection,
    outcome::Stages,
};
use crate::{
    device::Stream,
    grid::{AnyVolume, Inside},
    io::{HeaderInfo, LabelTable, VolumeFormat, distinct_color},
    label_surface::{self, LabelField, LabelSurfaceError, LabelSurfaceParams},
    mesh::LabelledMesh,
};
use std::path::{Path, PathBuf};

/// Colours of surfaces in sRGB, in the order of the files.
pub(crate) const COLORS: [[u8; 3]; 6] = [
    [226, 150, 124],
    [112, 164, 216],
    [140, 188, 118],
    [222, 186, 96],
    [172, 146, 206],
    [112, 188, 188],
];

/// An object of a picture or a page.
#[derive(Clone, Debug)]
pub enum SceneContent {
    /// A mesh file.
    Mesh(PathBuf),
    /// A skeleton file.
    Skeleton(PathBuf),
    /// A volume. A page shows slices of it, and the surface at the level, if there is one; a
    /// picture shows the surface.
    Volume {
        /// The volume.
        source: Box<VolumeSource>,
        /// Definition of the surface.
        level: Option<Level>,
        /// Side of an isovalue on which the object is.
        inside: Inside,
        /// Filter of the object.
        filter: Box<ObjectFilter>,
    },
    /// A segmentation, shown as the surface of each label.
    Labels {
        /// The label map.
        source: Box<VolumeSource>,
        /// Labels that are shown.
        labels: LabelSelection,
        /// Names and colours of the labels.
        table: Box<LabelTable>,
    },
    /// A distance map, which a page shows as slices with a colour bar.
    DistanceMap(Box<VolumeSource>),
}

impl SceneContent {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Mesh(path) | Self::Skeleton(path) => path,
            Self::Volume { source, .. }
            | Self::Labels { source, .. }
            | Self::DistanceMap(source) => &source.path,
        }
    }

    /// Checks what can be checked before a file is read.
    pub(crate) fn check(&self) -> Result<(), PipelineError> {
        match self {
            Self::Volume {
                source,
                level: Some(level),
                ..
            } => level.check().map_err(source.error()),
            _ => Ok(()),
        }
    }

    /// Returns the paths of the files that are read.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        let mut inputs = vec![self.path()];
        if let Self::Volume { filter, .. } = self {
            inputs.extend(filter.inputs());
        }
        inputs
    }
}

/// Object of a picture or a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneObject {
    /// Name of the object: that of its file, or of its label.
    pub name: String,
    /// Kind of the object: `surface`, `label`, `skeleton`, `volume` or `distances`.
    pub kind: &'static str,
    /// Number of triangles, curves or samples.
    pub count: u64,
}

/// Unit of lengths and names of the directions that a volume format defines.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Conventions {
    pub unit: Option<&'static str>,
    /// `true` if the axes are those of a body in RAS coordinates.
    pub is_anatomical: bool,
}

impl Conventions {
    /// Names of the ends of the axes of a body: left and right, posterior and anterior, inferior
    /// and superior.
    pub const ANATOMICAL_AXES: [[&'static str; 2]; 3] = [["L", "R"], ["P", "A"], ["I", "S"]];

    pub fn from_header(header: &HeaderInfo) -> Self {
        if !header.has_spacing {
            return Self::default();
        }
        let unit = match header.format {
            VolumeFormat::Nifti | VolumeFormat::Dicom | VolumeFormat::Mgh => Some("mm"),
            VolumeFormat::Mrc => Some("Å"),
            _ => None,
        };
        let is_anatomical = matches!(
            header.format,
            VolumeFormat::Nifti | VolumeFormat::Dicom | VolumeFormat::Mgh | VolumeFormat::MetaImage
        );
        Self {
            unit,
            is_anatomical,
        }
    }

    /// Returns the conventions of several volumes.
    pub fn join(self, other: Self) -> Self {
        Self {
            unit: self.unit.or(other.unit),
            is_anatomical: self.is_anatomical || other.is_anatomical,
        }
    }
}

/// Extracts the surfaces of labels: the stage `extract`.
pub(crate) fn extract_label_surfaces(
    volume: &AnyVolume,
    labels: &LabelSelection,
    path: &Path,
    stream: &Stream,
    stages: &mut Stages<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<LabelledMesh, PipelineError> {
    let chosen = match labels {
        LabelSelection::Listed(labels) => Some(labels.as_slice()),
        LabelSelection::All | LabelSelection::NonZero => None,
    };
    let extract = || {
        let field = LabelField::new(volume, chosen)?;
        let surface = label_surface::extract(stream, &field, &LabelSurfaceParams::default())?;
        let walls = surface.download(stream, &field)?;
        Ok((walls, field.missing().to_vec()))
    };
    let (walls, missing) = stages.run("extract", || {
        extract().map_err(at::<LabelSurfaceError>(path))
    })?;
    if !missing.is_empty() {
        warnings.push(Warning::MissingLabels {
            path: path.to_owned(),
            labels: missing,
        });
    }
    Ok(walls)
}

/// Returns the name of a label and its sRGB colour: those of the table, otherwise computed from the
/// label.
pub(crate) fn label_style(table: &LabelTable, label: i64) -> (String, [u8; 3]) {
    let style = table.style(label);
    let name = match style {
        Some(style) if !style.name.is_empty() => format!("{label} {}", style.name),
        _ => format!("label {label}"),
    };
    (name, label_color(table, label))
}

/// Returns the sRGB colour of a label: that of the table, otherwise one of its own, which is the
/// same in all pictures and pages.
pub(crate) fn label_color(table: &LabelTable, label: i64) -> [u8; 3] {
    let computed = || {
        let linear = distinct_color(label.unsigned_abs() as usize);
        linear.map(|channel| (channel.sqrt() * 255.0).round() as u8)
    };
    let style = table.style(label).and_then(|style| style.color);
    style.unwrap_or_else(computed)
}

/// Returns the name of a file without its folder and extensions.
pub(crate) fn file_stem(path: &Path) -> String {
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => name.to_owned(),
    }
}
