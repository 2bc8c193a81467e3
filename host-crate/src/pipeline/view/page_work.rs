//! Addition of objects to a page.

use crate::{
    device::{Device, Stream},
    grid::{AnyDeviceVolume, AnyVolume, Inside},
    io::{HeaderInfo, LabelTable, read_mesh, read_skeleton},
    isosurface::{self, IsosurfaceError, IsosurfaceParams},
    mesh::TriangleMesh,
    mesh_filter::{MeshFilterError, SimplifyTarget, simplify, simplify_walls},
    pipeline::{
        Level, ObjectFilter, PipelineError, SceneContent, SceneObject, VolumeSource, Warning, at,
        label_mesh::LabelSelection,
        object_volume::LeveledVolume,
        outcome::Stages,
        scene_content::{COLORS, Conventions, extract_label_surfaces, file_stem, label_style},
    },
    viewer::{MapScale, Page, SurfaceStyle, VolumeStyle},
    with_device_volume,
};
use std::path::Path;

/// Page under construction, and the results so far.
pub(super) struct PageWork<'a> {
    pub page: Page,
    pub stream: Stream,
    pub device: &'a Device,
    pub max_triangles: usize,
    pub stages: Stages<'a>,
    pub warnings: Vec<Warning>,
    pub objects: Vec<SceneObject>,
    pub unit: Option<&'static str>,
    /// Number of surfaces that are not labels so far.
    pub surfaces: usize,
}

impl PageWork<'_> {
    /// Reads an object and adds it to the page.
    pub fn add(&mut self, content: &SceneContent) -> Result<(), PipelineError> {
        let path = content.path();
        let name = file_stem(path);
        match content {
            SceneContent::Mesh(path) => {
                let mesh = self.stages.run("read", || read_mesh(path))?;
                self.add_surface(&mesh, &name, path)
            }
            SceneContent::Skeleton(path) => {
                let skeleton = self.stages.run("read", || read_skeleton(path))?;
                self.page
                    .add_skeleton(&skeleton, &*name)
                    .map_err(at(path))?;
                self.list(&name, "skeleton", skeleton.edges.len());
                Ok(())
            }
            SceneContent::Volume {
                source,
                level,
                inside,
                filter,
            } => self.add_volume(source, *level, *inside, filter, &name),
            SceneContent::Labels {
                source,
                labels,
                table,
            } => self.add_labels(source, labels, table),
            SceneContent::DistanceMap(source) => {
                let file = self.stages.run("read", || source.read())?;
                self.warnings.extend(source.notes(&file.header));
                self.set_conventions(&file.header);
                self.add_slices(&file.volume, &name, Some(0.0), MapScale::Colors, path)
            }
        }
    }

    fn list(&mut self, name: &str, kind: &'static str, count: usize) {
        self.objects.push(SceneObject {
            name: name.to_owned(),
            kind,
            count: count as u64,
        });
    }

    /// Sets the directions and the unit that the format of a volume defines.
    fn set_conventions(&mut self, header: &HeaderInfo) {
        let conventions = Conventions::from_header(header);
        self.unit = self.unit.or(conventions.unit);
        if conventions.is_anatomical {
            self.page.set_anatomical_axes();
        }
    }

    fn add_surface(
        &mut self,
        mesh: &TriangleMesh,
        name: &str,
        path: &Path,
    ) -> Result<(), PipelineError> {
        let color = COLORS[self.surfaces % COLORS.len()];
        self.surfaces += 1;
        let count = mesh.triangles.len();
        let simplified;
        let shown = match display_target(count, self.max_triangles) {
            Some(target) => {
                let monitor = self.stages.monitor();
                (simplified, _) = self.stages.run("simplify", || {
                    simplify(mesh, target, &monitor).map_err(at::<MeshFilterError>(path))
                })?;
                self.note_simplification(name, count, simplified.triangles.len());
                &simplified
            }
            None => mesh,
        };
        let page = &mut self.page;
        self.stages.run("encode", || {
            page.add_mesh(shown, &SurfaceStyle::new(name, color))
                .map_err(at(path))
        })?;
        self.list(name, "surface", shown.triangles.len());
        Ok(())
    }

    fn note_simplification(&mut self, name: &str, before: usize, after: usize) {
        self.page.add_note(format!(
            "{name}: {before} triangles are simplified to {after} for display"
        ));
    }

    fn add_slices(
        &mut self,
        volume: &AnyVolume,
        name: &str,
        iso: Option<f64>,
        scale: MapScale,
        path: &Path,
    ) -> Result<(), PipelineError> {
        let style = VolumeStyle {
            name: name.to_owned(),
            iso,
            scale,
        };
        let page = &mut self.page;
        self.stages.run("encode", || {
            page.add_volume(volume, &style).map_err(at(path))
        })?;
        let kind = if scale == MapScale::Gray {
            "volume"
        } else {
            "distances"
        };
        self.list(name, kind, volume.len());
        Ok(())
    }

    fn add_volume(
        &mut self,
        source: &VolumeSource,
        level: Option<Level>,
        inside: Inside,
        filter: &ObjectFilter,
        name: &str,
    ) -> Result<(), PipelineError> {
        let path = &source.path;
        let Some(level) = level else {
            let file = self.stages.run("read", || source.read())?;
            self.warnings.extend(source.notes(&file.header));
            self.set_conventions(&file.header);
            return self.add_slices(&file.volume, name, None, MapScale::Gray, path);
        };
        level.check().map_err(source.error())?;
        let (stages, warnings) = (&mut self.stages, &mut self.warnings);
        let file = LeveledVolume::read(source, level, filter, stages, warnings)?;
        self.set_conventions(&file.header);
        let iso = level.is_isovalue().then(|| file.level.isovalue());
        let samples = file.volume.summary();
        let (dims, resolved) = (file.volume.dims(), file.level);
        self.add_slices(&file.volume, name, iso, MapScale::Gray, path)?;
        let (stages, warnings) = (&mut self.stages, &mut self.warnings);
        let object = file.into_object(source, inside, filter, self.device, stages, warnings)?;
        let params = IsosurfaceParams {
            iso: object.iso,
            inside: object.inside,
            normals: true,
            ..IsosurfaceParams::default()
        };
        let stream = &self.stream;
        let extract = || {
            let on_device = AnyDeviceVolume::upload(stream, &object.volume)?;
            let surface = with_device_volume!(&on_device, volume => isosurface::extract(stream, volume, None, &params))?;
            Ok(surface.download(stream)?)
        };
        let mesh = self
            .stages
            .run("extract", || extract().map_err(at::<IsosurfaceError>(path)))?;
        if mesh.triangles.is_empty() {
            self.warnings.push(Warning::Empty {
                path: path.clone(),
                what: "surface",
                reason: resolved.empty_reason(&samples, dims),
            });
        }
        let surface_name = match iso {
            Some(iso) => format!("{name} at {iso}"),
            None => format!("{name}, surface"),
        };
        self.add_surface(&mesh, &surface_name, path)
    }

    fn add_labels(
        &mut self,
        source: &VolumeSource,
        labels: &LabelSelection,
        table: &LabelTable,
    ) -> Result<(), PipelineError> {
        let path = &source.path;
        let file = self.stages.run("read", || source.read())?;
        self.warnings.extend(source.notes(&file.header));
        self.set_conventions(&file.header);
        let (stream, stages) = (&self.stream, &mut self.stages);
        let warnings = &mut self.warnings;
        let mut walls =
            extract_label_surfaces(&file.volume, labels, path, stream, stages, warnings)?;
        let count = walls.mesh.triangles.len();
        if let Some(target) = display_target(count, self.max_triangles) {
            let monitor = self.stages.monitor();
            (walls, _) = self.stages.run("simplify", || {
                simplify_walls(&walls, target, &monitor).map_err(at::<MeshFilterError>(path))
            })?;
            self.note_simplification(&file_stem(path), count, walls.mesh.triangles.len());
        }
        let (page, listed) = (&mut self.page, &mut self.objects);
        self.stages.run("encode", || {
            walls.for_each_label_mesh(|index, part| {
                let (name, color) = label_style(table, walls.labels[index]);
                let style = SurfaceStyle {
                    name: name.clone(),
                    color,
                    is_label: true,
                };
                page.add_mesh(&part.mesh, &style).map_err(at(path))?;
                listed.push(SceneObject {
                    name,
                    kind: "label",
                    count: part.mesh.triangles.len() as u64,
                });
                Ok::<_, PipelineError>(())
            })
        })
    }
}

/// Returns the simplification of a surface of more than `max` triangles.
fn display_target(triangles: usize, max: usize) -> Option<SimplifyTarget> {
    let fraction = max as f64 / triangles.max(1) as f64;
    (triangles > max).then_some(SimplifyTarget::Fraction(fraction))
}
