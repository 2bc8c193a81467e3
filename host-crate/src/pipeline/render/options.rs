//! Properties of pictures.

use crate::{
    pipeline::VolumeSource,
    render::{Frame, RenderParams, ViewDirection},
};

/// Opacity of surfaces around skeletons.
const AROUND: f32 = 0.4;

/// Properties of a picture, apart from its objects.
#[derive(Clone, Debug)]
pub struct PictureOptions {
    /// Direction of view.
    pub view: ViewDirection,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Rays per pixel along x and along y: 2 smooths edges.
    pub rays: u32,
    /// Colours of the surfaces in order, linear red, green and blue from 0 to 1; those that are
    /// missing are chosen. Labels have colours of their own.
    pub colours: Vec<[f32; 3]>,
    /// Opacities of the surfaces in order, from 0 to 1; the last is that of all further ones. If
    /// empty, surfaces are opaque, or pale around skeletons.
    pub opacities: Vec<f32>,
    /// Volume whose values determine the colours of surfaces, instead of `colours`.
    pub values: Option<VolumeSource>,
    /// Values of the darkest and of the brightest colour; `None` for the range of the values.
    pub value_range: Option<[f64; 2]>,
    /// Colour of the background.
    pub background: [f32; 3],
    /// `true` for a transparent background.
    pub transparent: bool,
    /// Fraction by which hollows are darkened, from 0 to 1.
    pub occlusion: f32,
    /// `true` for skeletons as tubes of the local radius instead of lines.
    pub tubes: bool,
    /// `true` for a scale bar.
    pub scale_bar: bool,
    /// `true` for a drawing of the directions of the axes.
    pub axes: bool,
    /// Unit of lengths; `None` for that of the files, if a format defines one.
    pub unit: Option<String>,
    /// Number of pictures of an animation around the z axis; `None` for a single picture.
    pub turntable: Option<u32>,
}

impl Default for PictureOptions {
    fn default() -> Self {
        let params = RenderParams::default();
        Self {
            view: params.view,
            width: params.width,
            height: params.height,
            rays: params.rays,
            colours: Vec::new(),
            opacities: Vec::new(),
            values: None,
            value_range: None,
            background: params.background,
            transparent: params.transparent,
            occlusion: params.occlusion,
            tubes: false,
            scale_bar: false,
            axes: false,
            unit: None,
            turntable: None,
        }
    }
}

impl PictureOptions {
    pub(super) fn params(&self) -> RenderParams {
        RenderParams {
            view: self.view,
            width: self.width,
            height: self.height,
            rays: self.rays,
            background: self.background,
            transparent: self.transparent,
            occlusion: self.occlusion,
            frame: Frame::Surface,
            ..RenderParams::default()
        }
    }

    /// Returns the opacity of surface `index`.
    pub(super) fn opacity(&self, index: usize, has_skeletons: bool) -> f32 {
        let default = if has_skeletons { AROUND } else { 1.0 };
        let given = self.opacities.get(index).or(self.opacities.last());
        given.copied().unwrap_or(default)
    }
}
