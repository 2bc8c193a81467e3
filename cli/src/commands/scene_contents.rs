//! Objects of pictures and pages, from the options.

use crate::args::{InputArgs, IsoValue};
use ferrovox::{
    device::Device,
    io::{LabelTable, MeshFormat, SkeletonFormat, read_label_table},
    pipeline::{SceneContent, VolumeSource, label_mesh::LabelSelection},
};
use std::path::{Path, PathBuf};

/// Options that determine the objects.
pub struct SceneOptions<'a> {
    pub input: &'a InputArgs,
    pub round_samples: bool,
    pub overlay: Option<&'a PathBuf>,
    pub label_table: Option<&'a PathBuf>,
    /// Device that smooths and resamples volumes.
    pub device: &'a Device,
}

/// Returns `true` if a file is a mesh or a skeleton, by its extension.
pub fn is_geometry(path: &Path) -> bool {
    MeshFormat::from_path(path).is_some() || SkeletonFormat::from_path(path).is_some()
}

impl SceneOptions<'_> {
    /// Returns the objects of the files and of the overlay. `prepare` is applied to the sources of
    /// volumes.
    ///
    /// # Errors
    /// Errors of the label table, of masks and of isovalues.
    pub fn contents(
        &self,
        prepare: impl Fn(VolumeSource) -> VolumeSource,
    ) -> anyhow::Result<Vec<SceneContent>> {
        let object = &self.input.object;
        let selection = object.labels.as_ref().and_then(|labels| labels.listed());
        let selection = selection.map_or(LabelSelection::All, LabelSelection::Listed);
        let table = match self.label_table {
            Some(path) => read_label_table(path)?,
            None => LabelTable::default(),
        };
        let labels = |source: VolumeSource| SceneContent::Labels {
            source: Box::new(source),
            labels: selection.clone(),
            table: Box::new(table.clone()),
        };
        let mut contents = Vec::new();
        for file in &self.input.file.volumes {
            if MeshFormat::from_path(file).is_some() {
                contents.push(SceneContent::Mesh(file.clone()));
                continue;
            }
            if SkeletonFormat::from_path(file).is_some() {
                contents.push(SceneContent::Skeleton(file.clone()));
                continue;
            }
            let isovalues: Vec<Option<IsoValue>> = match &object.iso[..] {
                [] => vec![None],
                values => values.iter().copied().map(Some).collect(),
            };
            for iso in isovalues {
                let mut input: InputArgs = self.input.clone();
                input.file.volumes = vec![file.clone()];
                input.object.iso = iso.into_iter().collect();
                let source = prepare(VolumeSource {
                    round_samples: self.round_samples,
                    ..input.image_source()?
                });
                let source = source.filter_device(Some(self.device));
                contents.push(if object.labels.is_some() && self.overlay.is_none() {
                    labels(source)
                } else {
                    SceneContent::Volume {
                        source: Box::new(source),
                        level: input.object.level(&input.name())?,
                        inside: input.object.inside.into(),
                        filter: Box::new(input.filter()?),
                    }
                });
            }
        }
        contents.extend(self.overlay.map(|path| labels(VolumeSource::new(path))));
        Ok(contents)
    }
}
