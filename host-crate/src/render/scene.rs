//! Scenes: surfaces on a device and skeletons, to be drawn from any direction.

use super::{
    Annotations, Picture, RenderError, RenderParams, SkeletonStyle, Surface, ViewDirection,
    background, check,
    curves::Curves,
    encode_animation, fill,
    framing::{Canvas, Extent, Framing},
    legend::Legend,
    raster::DeviceSurfaces,
};
use crate::{device::Stream, graph::Skeleton, isosurface::DeviceMesh, memory::catch_out_of_memory};
use nalgebra::{Point3, Vector3};

/// Surfaces in the memory of a device, and skeletons, which are drawn over them.
///
/// ```
/// use ferrovox::{device::Device, mesh::{TriangleMesh, Triangles}};
/// use ferrovox::render::{Annotations, RenderParams, Scene, Surface};
///
/// let stream = Device::cpu().stream()?;
/// let mesh = TriangleMesh {
///     vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
///     triangles: Triangles::U32(vec![[0, 1, 2]]),
///     ..TriangleMesh::default()
/// };
/// let scene = Scene::upload(&stream, &[Surface::new(&mesh, [0.8, 0.3, 0.2])])?;
/// let scene = scene.annotations(Annotations { scale_bar: true, ..Annotations::default() });
/// let params = RenderParams { width: 120, height: 100, ..RenderParams::default() };
/// assert!(!scene.draw(&stream, &params)?.is_uniform(params.background));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Scene<'a> {
    surfaces: DeviceSurfaces,
    skeletons: &'a [(i64, &'a Skeleton)],
    style: SkeletonStyle,
    annotations: Annotations,
    min_half: f64,
}

impl<'a> Scene<'a> {
    /// Uploads meshes. Normals that they lack are computed from their triangles.
    ///
    /// # Errors
    /// [`RenderError::Mesh`] for a mesh with invalid indices, [`RenderError::Triangles`] for more
    /// triangles or vertices than 32 bits can count, and [`RenderError::Device`].
    pub fn upload(stream: &Stream, surfaces: &[Surface<'_>]) -> Result<Self, RenderError> {
        Ok(Self::new(DeviceSurfaces::upload(stream, surfaces)?))
    }

    /// Takes over a mesh with normals that is on the device.
    ///
    /// # Errors
    /// [`RenderError::Triangles`] for more triangles than 32 bits can count, or without normals.
    pub fn from_device_mesh(
        stream: &Stream,
        mesh: DeviceMesh,
        colour: [f32; 3],
        opacity: f32,
    ) -> Result<Self, RenderError> {
        let surfaces = DeviceSurfaces::from_mesh(stream, mesh, colour, opacity)?;
        Ok(Self::new(surfaces))
    }

    fn new(surfaces: DeviceSurfaces) -> Self {
        Self {
            surfaces,
            skeletons: &[],
            style: SkeletonStyle::default(),
            annotations: Annotations::default(),
            min_half: f64::MIN_POSITIVE,
        }
    }

    /// Adds skeletons with their labels. The opacity of the object in `style` has no effect:
    /// surfaces have their own.
    #[must_use]
    pub fn skeletons(self, skeletons: &'a [(i64, &'a Skeleton)], style: SkeletonStyle) -> Self {
        Self {
            skeletons,
            style,
            ..self
        }
    }

    /// Sets the annotations.
    #[must_use]
    pub fn annotations(self, annotations: Annotations) -> Self {
        Self {
            annotations,
            ..self
        }
    }

    /// Sets half of the smallest side of the world that a picture shows, such as half of the
    /// spacing of the samples.
    #[must_use]
    pub fn min_half_side(self, min_half: f64) -> Self {
        Self { min_half, ..self }
    }

    /// Draws the scene. Its objects fill the picture; the frame and the isovalue of `params` are
    /// ignored.
    ///
    /// Time: triangles, covered samples, and pixels × curves over a pixel. Device memory: 4 bytes
    /// per pixel, and 8 per sample of a pixel and surface, at most 256 MiB.
    ///
    /// # Errors
    /// [`RenderError::Size`], [`RenderError::Rays`] and [`RenderError::Device`] as for
    /// [`isosurface()`](super::isosurface()).
    pub fn draw(&self, stream: &Stream, params: &RenderParams) -> Result<Picture, RenderError> {
        check(params)?;
        self.draw_layout(stream, params, |layout| {
            let view = params.view;
            let positions = stream.download(&self.surfaces.positions)?;
            let mut extent = mesh_extent(&positions, self.surfaces.origin, view);
            if !self.skeletons.is_empty() {
                extent = extent.union(layout.curves.extent(view));
            }
            Ok(extent
                .is_bounded()
                .then(|| Framing::fit_extent(&extent, view, layout.canvas, self.min_half)))
        })
    }

    /// Draws `pictures` views around the z axis at equal angles, the first from the direction of
    /// `params`, and encodes them as an animated PNG of 5 seconds. All have the same scale.
    ///
    /// # Errors
    /// The errors of [`draw`](Self::draw) and [`encode_animation`].
    pub fn draw_turntable(
        &self,
        stream: &Stream,
        params: &RenderParams,
        pictures: u32,
    ) -> Result<Vec<u8>, RenderError> {
        /// Duration of a turn in milliseconds.
        const TURN: u32 = 5000;
        check(params)?;
        let positions = stream.download(&self.surfaces.positions)?;
        let delay = (TURN / pictures.max(1)).clamp(20, 1000) as u16;
        encode_animation(pictures, delay, |number| {
            let turn = 360.0 * number as f32 / pictures as f32;
            let view = ViewDirection {
                azimuth: params.view.azimuth + turn,
                ..params.view
            };
            let params = RenderParams { view, ..*params };
            self.draw_layout(stream, &params, |layout| {
                let points = world_points(&positions, self.surfaces.origin);
                let all = || points.clone().chain(layout.curves.points());
                let radius = layout.curves.margin();
                let canvas = layout.canvas;
                Ok(Framing::fit_turntable(
                    all,
                    radius,
                    view,
                    canvas,
                    self.min_half,
                ))
            })
        })
    }

    /// Draws the scene with the framing that `fit` returns for the layout of the picture; `None`
    /// is a picture of the background.
    fn draw_layout(
        &self,
        stream: &Stream,
        params: &RenderParams,
        fit: impl FnOnce(&Layout<'_>) -> Result<Option<Framing>, RenderError>,
    ) -> Result<Picture, RenderError> {
        catch_out_of_memory("a picture", || {
            let layout = self.layout([params.width, params.height]);
            let Some(framing) = fit(&layout)? else {
                return background(params);
            };
            let mut pixels = if !self.surfaces.triangles.is_empty() {
                self.surfaces.draw(stream, &framing, params)?
            } else {
                fill(stream, params)?
            };
            if !self.skeletons.is_empty() {
                layout
                    .curves
                    .draw(stream, &mut pixels, &framing, params, 0.0)?;
            }
            let pixels = stream.download(&pixels)?;
            let mut picture = Picture::from_pixels(params.width, params.height, &pixels)?;
            for legend in &layout.legends {
                legend.draw(&mut picture);
            }
            self.annotations
                .draw(&mut picture, &framing, layout.legend_margin);
            Ok(picture)
        })
    }

    /// Distributes a picture of `size` pixels among the objects, the legends and the scale bar.
    fn layout(&self, size: [u32; 2]) -> Layout<'_> {
        let curves = Curves::new(self.skeletons, self.style);
        let values = self.annotations.values.as_ref();
        let candidates = [
            curves.legend(&self.annotations.unit, size),
            values.and_then(|values| Legend::for_values(values, size)),
        ];
        let mut legend_margin = [0; 2];
        let mut legends = Vec::new();
        for legend in candidates.into_iter().flatten() {
            let margin = legend.margin();
            legends.push(legend.within(legend_margin));
            legend_margin = [0, 1].map(|k| legend_margin[k] + margin[k]);
        }
        let [right, below] = legend_margin;
        Layout {
            curves,
            legends,
            legend_margin,
            canvas: Canvas {
                size,
                margin: [right, below + self.annotations.margin(size)],
            },
        }
    }
}

/// Layout of a picture.
struct Layout<'a> {
    curves: Curves<'a>,
    legends: Vec<Legend>,
    /// Margins of the legends at the right and at the bottom, in pixels.
    legend_margin: [u32; 2],
    /// Part of the picture for the objects.
    canvas: Canvas,
}

/// Returns the bounding box of finite positions, along the directions of a view.
pub(super) fn mesh_extent(positions: &[f32], origin: [f64; 3], view: ViewDirection) -> Extent {
    Extent::from_points(world_points(positions, origin), view)
}

/// Returns the finite positions in world coordinates.
fn world_points(
    positions: &[f32],
    origin: [f64; 3],
) -> impl Iterator<Item = Point3<f64>> + Clone + use<'_> {
    let origin = Vector3::from(origin);
    let (triples, _) = positions.as_chunks::<3>();
    let finite = triples.iter().filter(|it| it.iter().all(|x| x.is_finite()));
    finite.map(move |&position| Point3::from(position).cast::<f64>() + origin)
}
