//! Reading of the objects of a picture, and extraction of their surfaces.

use super::{
    RenderJob, RenderedVolume,
    surfaces::{LabelSurfaces, LoadedSurface, SurfaceMesh, to_linear, upload_scene},
};
use crate::{
    device::{DeviceError, Stream},
    graph::Skeleton,
    grid::{AnyDeviceVolume, AnyVolume, Inside},
    io::{LabelTable, read_mesh, read_skeleton},
    isosurface::{self, IsosurfaceError, IsosurfaceParams},
    memory::OutOfMemory,
    mesh::{TriangleMesh, Triangles},
    pipeline::{
        Level, ObjectFilter, PipelineError, SceneContent, SceneObject, VolumeSource, Warning, at,
        label_mesh::LabelSelection,
        object_volume::{LeveledVolume, ObjectVolume},
        outcome::Stages,
        scene_content::{Conventions, extract_label_surfaces, file_stem, label_style},
    },
    render::{
        Annotations, ColourBy, RenderError, Scene, SkeletonStyle, ValueRange, value_colours,
        value_range, vertex_values,
    },
    with_device_volume,
};
use std::path::Path;

/// Names of the ends of the axes of the world.
const WORLD_AXES: [[&str; 2]; 3] = [["-X", "+X"], ["-Y", "+Y"], ["-Z", "+Z"]];

/// Scene under construction, and the results so far.
pub(super) struct SceneWork<'a> {
    job: &'a RenderJob,
    stream: Stream,
    pub stages: Stages<'a>,
    pub warnings: Vec<Warning>,
    pub objects: Vec<SceneObject>,
    pub volumes: Vec<RenderedVolume>,
    pub value_range: Option<[f64; 2]>,
    conventions: Conventions,
    surfaces: Vec<LoadedSurface>,
    skeletons: Vec<Skeleton>,
    /// Name of the values that colours show.
    values: Option<String>,
    /// Smallest spacing of the volumes.
    min_spacing: Option<f64>,
}

impl<'a> SceneWork<'a> {
    pub fn new(job: &'a RenderJob, stages: Stages<'a>) -> Result<Self, PipelineError> {
        Ok(Self {
            job,
            stream: job.device.stream()?,
            stages,
            warnings: Vec::new(),
            objects: Vec::new(),
            volumes: Vec::new(),
            value_range: None,
            conventions: Conventions::default(),
            surfaces: Vec::new(),
            skeletons: Vec::new(),
            values: None,
            min_spacing: None,
        })
    }

    /// Reads an object and extracts its surface.
    pub fn add(&mut self, content: &SceneContent) -> Result<(), PipelineError> {
        let path = content.path();
        let name = file_stem(path);
        match content {
            SceneContent::Mesh(path) => {
                let mesh = self.stages.run("read", || read_mesh(path))?;
                self.list(&name, "surface", mesh.triangles.len());
                self.add_surface(SurfaceMesh::Host(mesh), None);
                Ok(())
            }
            SceneContent::Skeleton(path) => {
                let skeleton = self.stages.run("read", || read_skeleton(path))?;
                self.list(&name, "skeleton", skeleton.edges.len());
                self.skeletons.push(skeleton);
                Ok(())
            }
            SceneContent::Volume {
                source,
                level,
                inside,
                filter,
            } => self.add_volume(
                source,
                level.unwrap_or(Level::NonZero),
                *inside,
                filter,
                &name,
            ),
            SceneContent::Labels {
                source,
                labels,
                table,
            } => self.add_labels(source, labels, table),
            SceneContent::DistanceMap(source) => {
                let filter = ObjectFilter::default();
                self.add_volume(source, Level::Iso(0.0), Inside::Below, &filter, &name)
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

    fn add_surface(&mut self, mesh: SurfaceMesh, vertex_colours: Option<Vec<[f32; 3]>>) {
        self.surfaces.push(LoadedSurface {
            mesh,
            vertex_colours,
        });
    }

    fn add_spacing(&mut self, volume: &AnyVolume) {
        let spacing = volume.geometry().spacing().min();
        self.min_spacing = Some(self.min_spacing.map_or(spacing, |it| it.min(spacing)));
    }

    fn add_volume(
        &mut self,
        source: &VolumeSource,
        level: Level,
        inside: Inside,
        filter: &ObjectFilter,
        name: &str,
    ) -> Result<(), PipelineError> {
        let path = &source.path;
        let (stages, warnings) = (&mut self.stages, &mut self.warnings);
        let file = LeveledVolume::read(source, level, filter, stages, warnings)?;
        let conventions = Conventions::from_header(&file.header);
        let (dims, resolved) = (file.volume.dims(), file.level);
        let samples = file.volume.summary();
        self.volumes.push(RenderedVolume {
            dims,
            geometry: *file.volume.geometry(),
            sample_type: file.volume.sample_type(),
            iso: Some(resolved.isovalue()),
        });
        let device = &self.job.device;
        let object = file.into_object(source, inside, filter, device, stages, warnings)?;
        let ObjectVolume {
            volume,
            iso,
            inside,
        } = object;
        let volume = volume
            .try_crop_to_solid(iso, inside)
            .map_err(at::<OutOfMemory>(path))?;
        self.add_spacing(&volume);
        let (stages, stream) = (&mut self.stages, &self.stream);
        let upload = || {
            let on_device = AnyDeviceVolume::upload(stream, &volume)?;
            stream.synchronize()?;
            Ok(on_device)
        };
        let on_device = stages.run("upload", || upload().map_err(at::<DeviceError>(path)))?;
        let params = IsosurfaceParams {
            iso,
            inside,
            close: true,
            normals: true,
            ..IsosurfaceParams::default()
        };
        let mesh = stages.run("extract", || {
            with_device_volume!(&on_device, volume => isosurface::extract(stream, volume, None, &params))
                .map_err(at::<IsosurfaceError>(path))
        })?;
        if mesh.triangle_count() == 0 {
            let is_alone = self.job.contents.len() == 1;
            self.warnings.push(Warning::Empty {
                path: path.clone(),
                what: if is_alone { "picture" } else { "surface" },
                reason: resolved.empty_reason(&samples, dims),
            });
        }
        let name = if level.is_isovalue() {
            format!("{name} at {}", resolved.isovalue())
        } else {
            name.to_owned()
        };
        self.conventions = self.conventions.join(conventions);
        self.list(&name, "surface", mesh.triangle_count());
        self.add_surface(SurfaceMesh::Device(mesh.into()), None);
        Ok(())
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
        let conventions = Conventions::from_header(&file.header);
        self.conventions = self.conventions.join(conventions);
        self.volumes.push(RenderedVolume {
            dims: file.volume.dims(),
            geometry: *file.volume.geometry(),
            sample_type: file.volume.sample_type(),
            iso: None,
        });
        self.add_spacing(&file.volume);
        let (stages, warnings) = (&mut self.stages, &mut self.warnings);
        let walls =
            extract_label_surfaces(&file.volume, labels, path, &self.stream, stages, warnings)?;
        let mut joined = LabelSurfaces {
            mesh: TriangleMesh {
                origin: walls.mesh.origin,
                ..TriangleMesh::default()
            },
            triangles: Vec::new(),
            colours: Vec::new(),
        };
        let objects = &mut self.objects;
        walls.for_each_label_mesh(|index, part| {
            let (name, color) = label_style(table, walls.labels[index]);
            joined
                .append(&part.mesh, to_linear(color))
                .map_err(at(path))?;
            objects.push(SceneObject {
                name,
                kind: "label",
                count: part.mesh.triangles.len() as u64,
            });
            Ok::<_, PipelineError>(())
        })?;
        let mesh = TriangleMesh {
            triangles: Triangles::U32(joined.triangles),
            ..joined.mesh
        };
        self.add_surface(SurfaceMesh::Host(mesh), Some(joined.colours));
        Ok(())
    }

    /// Reads the volume whose values determine the colours, and colours the surfaces.
    pub fn read_values(&mut self) -> Result<(), PipelineError> {
        let Some(source) = &self.job.picture.values else {
            return Ok(());
        };
        let file = self.stages.run("read", || source.read())?;
        self.warnings.extend(source.notes(&file.header));
        let conventions = Conventions::from_header(&file.header);
        self.conventions = self.conventions.join(conventions);
        let (stream, surfaces) = (&self.stream, &mut self.surfaces);
        let given = self.job.picture.value_range;
        let mut color_surfaces = || {
            let mut all = Vec::new();
            for surface in surfaces.iter_mut() {
                surface.download(stream)?;
                all.push(match &surface.mesh {
                    SurfaceMesh::Host(mesh) => vertex_values(mesh, &file.volume)?,
                    SurfaceMesh::Device(_) => Vec::new(),
                });
            }
            let range = given.or(value_range(all.iter().flatten().copied()));
            let range = range.unwrap_or([0.0, 1.0]);
            for (surface, values) in surfaces.iter_mut().zip(&all) {
                surface.vertex_colours = Some(value_colours(values, range)?);
            }
            Ok(range)
        };
        let path = &source.path;
        let range = self.stages.run("values", || {
            color_surfaces().map_err(at::<RenderError>(path))
        })?;
        self.value_range = Some(range);
        self.values = Some(file_stem(path));
        Ok(())
    }

    /// Draws the scene with `draw`: the stage `draw`. `path` is the file that errors name.
    pub fn draw<R>(
        &mut self,
        draw: impl FnOnce(&Scene<'_>, &Stream) -> Result<R, RenderError>,
        path: &Path,
    ) -> Result<R, PipelineError> {
        let picture = &self.job.picture;
        let unit = picture
            .unit
            .clone()
            .or(self.conventions.unit.map(str::to_owned));
        let unit = unit.unwrap_or_default();
        let axes = if self.conventions.is_anatomical {
            Conventions::ANATOMICAL_AXES
        } else {
            WORLD_AXES
        };
        let annotations = Annotations {
            scale_bar: picture.scale_bar,
            axes: picture.axes.then_some(axes),
            values: self
                .values
                .take()
                .zip(self.value_range)
                .map(|(title, range)| ValueRange {
                    title,
                    unit: unit.clone(),
                    range,
                }),
            unit,
        };
        let shorter = picture.width.min(picture.height);
        let style = SkeletonStyle {
            width: (shorter as f32 / 200.0).max(1.5),
            colours: Some(ColourBy::Radius),
            tubes: picture.tubes,
            ..SkeletonStyle::default()
        };
        let skeletons: Vec<(i64, &Skeleton)> = (1..).zip(&self.skeletons).collect();
        let min_half = self.min_spacing.unwrap_or(f64::MIN_POSITIVE);
        let surfaces = std::mem::take(&mut self.surfaces);
        let has_skeletons = !skeletons.is_empty();
        let (stream, job) = (&self.stream, self.job);
        self.stages.run("draw", || {
            let upload = || upload_scene(surfaces, has_skeletons, job, stream);
            let scene = upload().map_err(at::<RenderError>(path))?;
            let scene = scene
                .skeletons(&skeletons, style)
                .annotations(annotations)
                .min_half_side(min_half);
            draw(&scene, stream).map_err(at::<RenderError>(path))
        })
    }
}
