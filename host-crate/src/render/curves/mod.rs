//! Skeletons drawn over pictures of their objects.

mod cones;
mod style;
mod tiles;

pub use style::SkeletonStyle;

use super::{
    Picture, RenderError, RenderParams, ViewDirection, check,
    curve_colours::ColourMap,
    fill,
    framing::{Canvas, Extent, Framing},
    legend::Legend,
    lights::light_in_picture,
    pixel_rows, surface,
};
use crate::{
    device::{Buffer, Stream, rows_launch},
    graph::Skeleton,
    grid::{DeviceSample, DeviceVolume},
    memory::catch_out_of_memory,
};
use cones::Cones;
use ferrovox_kernels::render::{Overlay, render_curves};
use nalgebra::Point3;
use tiles::Tiles;

/// Minimum number of rays per pixel along x and y: with fewer, thin curves look jagged.
const RAYS: u32 = 4;

/// Fraction of their colour that the farthest curves lose: flat curves, and tubes, whose shading
/// already shows depth.
const FADED: [f32; 2] = [0.5, 0.35];

/// Draws a skeleton over a pale picture of the object around it. The object fills the picture;
/// without an object, the curves do. Curves are visible through the object; nearer ones cover
/// farther ones, which are paler and thinner.
///
/// Object and curves are drawn on the device. Time: that of [`isosurface()`](super::isosurface()),
/// plus pixels × curves over a pixel. Device memory: 4 bytes per pixel and 56 per point of a curve.
/// One bit per sample is downloaded to find the object.
///
/// # Errors
/// The errors of [`isosurface()`](super::isosurface()).
///
/// ```
/// use ferrovox::{device::Device, skeleton::Skeleton, synthetic};
/// use ferrovox::render::{self, RenderParams, SkeletonStyle};
///
/// let stream = Device::best().stream()?;
/// let ball = synthetic::sphere(&stream, [16; 3], 6.0)?;
/// let params = RenderParams { width: 32, height: 32, ..Default::default() };
/// let (skeleton, style) = (Skeleton::default(), SkeletonStyle::default());
/// let picture = render::skeleton(&stream, &ball, &skeleton, &params, &style)?;
/// assert_eq!(picture.width(), 32);
/// # Ok::<(), ferrovox::render::RenderError>(())
/// ```
pub fn skeleton<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    skeleton: &Skeleton,
    params: &RenderParams,
    style: &SkeletonStyle,
) -> Result<Picture, RenderError> {
    skeletons(stream, volume, &[(1, skeleton)], params, style)
}

/// Draws the skeletons of several labels like [`skeleton()`].
///
/// # Errors
/// The errors of [`isosurface()`](super::isosurface()).
pub fn skeletons<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    skeletons: &[(i64, &Skeleton)],
    params: &RenderParams,
    style: &SkeletonStyle,
) -> Result<Picture, RenderError> {
    check(params)?;
    catch_out_of_memory("a picture of skeletons", || {
        draw(stream, volume, skeletons, params, style)
    })
}

fn draw<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    skeletons: &[(i64, &Skeleton)],
    params: &RenderParams,
    style: &SkeletonStyle,
) -> Result<Picture, RenderError> {
    let curves = Curves::new(skeletons, *style);
    let size = [params.width, params.height];
    let legend = curves.legend("", size);
    let canvas = Canvas {
        size,
        margin: legend.as_ref().map_or([0; 2], Legend::margin),
    };
    let solid = style.solid.clamp(0.0, 1.0);
    let object = if solid > 0.0 && !volume.samples().is_empty() {
        Extent::from_object(stream, volume, (params.iso, params.inside), params.view)?
    } else {
        Extent::EMPTY
    };
    let has_object = object.is_bounded();
    let extent = if has_object {
        object
    } else {
        curves.extent(params.view)
    };
    let mut pixels = fill(stream, params)?;
    if has_object || extent.is_bounded() {
        let min_half = volume.geometry().spacing().min();
        let framing = Framing::fit_extent(&extent, params.view, canvas, min_half);
        if has_object {
            pixels = surface(stream, volume, &framing, params)?;
        }
        curves.draw(stream, &mut pixels, &framing, params, 1.0 - solid)?;
    }
    let mut picture =
        Picture::from_pixels(params.width, params.height, &stream.download(&pixels)?)?;
    if let Some(legend) = legend {
        legend.draw(&mut picture);
    }
    Ok(picture)
}

/// Curves of skeletons with their colours.
pub(super) struct Curves<'a> {
    skeletons: &'a [(i64, &'a Skeleton)],
    style: SkeletonStyle,
    colour_map: ColourMap,
}

impl<'a> Curves<'a> {
    pub fn new(skeletons: &'a [(i64, &'a Skeleton)], style: SkeletonStyle) -> Self {
        Self {
            skeletons,
            style,
            colour_map: ColourMap::new(skeletons, style.colours),
        }
    }

    /// Returns the legend in a picture of `size` pixels, with radii in `unit`.
    pub fn legend(&self, unit: &str, size: [u32; 2]) -> Option<Legend> {
        if self.style.legend && !self.skeletons.is_empty() {
            Legend::for_curves(&self.colour_map, unit, size)
        } else {
            None
        }
    }

    /// Returns the bounding box of the curves.
    pub fn extent(&self, view: ViewDirection) -> Extent {
        if self.style.tubes {
            Extent::from_balls(cones::balls(self.skeletons), view)
        } else {
            Extent::from_points(self.points(), view)
        }
    }

    /// Returns the points of the curves in world coordinates.
    pub fn points(&self) -> impl Iterator<Item = Point3<f64>> {
        cones::balls(self.skeletons).map(|(point, _)| point)
    }

    /// Returns the largest distance of what is drawn from a point of a curve, in world units.
    pub fn margin(&self) -> f64 {
        let radii = cones::balls(self.skeletons).map(|(_, radius)| radius);
        if self.style.tubes {
            radii.fold(0.0, f64::max)
        } else {
            0.0
        }
    }

    /// Draws the curves over a picture. `background_mix` is the fraction of the background that is
    /// blended into it before.
    pub fn draw(
        &self,
        stream: &Stream,
        pixels: &mut Buffer<u32>,
        framing: &Framing,
        params: &RenderParams,
        background_mix: f32,
    ) -> Result<(), RenderError> {
        let cones = Cones::project(self.skeletons, &self.colour_map, framing, &self.style);
        let tiles = Tiles::assign(&cones, [params.width, params.height]);
        let [from, to] = cones.depths;
        let faded = FADED[usize::from(self.style.tubes)];
        let overlay = Overlay {
            width: params.width,
            tiles_per_row: tiles.per_row,
            log2_tile_size: tiles.log2_size,
            rays: params.rays.max(RAYS),
            background_mix,
            fade_start: from,
            fade_per_pixel: if to > from { faded / (to - from) } else { 0.0 },
            max_fade: faded,
            is_lit: self.style.tubes.into(),
            is_transparent: params.transparent.into(),
        };
        let rows = pixel_rows(stream, params);
        let numbers = stream.upload(&cones.numbers)?;
        let starts = stream.upload(&tiles.starts)?;
        let members = stream.upload(&tiles.members)?;
        let args = (
            numbers.view(),
            starts.view(),
            members.view(),
            rows,
            overlay,
            light_in_picture(params),
            pixels.view_mut(),
        );
        // SAFETY: every member is the index of a cone, the tiles cover the picture, and `pixels`
        // has an element for every pixel.
        unsafe { stream.launch::<render_curves>(rows_launch(rows), args)? };
        Ok(())
    }
}
