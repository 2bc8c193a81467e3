//! Skeletons over pictures of the solids that they are in.

use super::{Picture, RenderError, RenderParams, camera::Framing, isosurface};
use crate::{
    device::Stream,
    graph::{NodeKind, Skeleton},
    grid::{DeviceSample, DeviceVolume},
};

/// How a skeleton is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkeletonStyle {
    /// How much of the solid's picture is left behind the skeleton: from 0 to 1.
    pub solid: f32,
    /// How wide curves are, in pixels.
    pub width: f32,
    /// The colours of curves by their level (of all above the last, the last), red, green and blue as sRGB from 0 to 255.
    pub levels: [[f32; 3]; 3],
}

impl Default for SkeletonStyle {
    fn default() -> Self {
        Self {
            solid: 0.4,
            width: 3.0,
            levels: [
                [176.0, 32.0, 40.0],
                [24.0, 86.0, 158.0],
                [36.0, 128.0, 70.0],
            ],
        }
    }
}

/// Colours of nodes.
const ATTRACTING: [f32; 3] = [40.0, 12.0, 20.0];
const SADDLE: [f32; 3] = [238.0, 160.0, 40.0];
const OTHER: [f32; 3] = [70.0, 80.0, 96.0];

/// Draws a skeleton over a pale picture of the solid around it, with the camera of [`isosurface()`]. Curves and critical points are shown wherever they are,
/// nearer ones over farther ones.
///
/// The solid is drawn on the device, and curves on the host: work is proportional to their length in pixels.
///
/// # Errors
/// Those of [`isosurface()`].
///
/// ```
/// use ferrovox::{device::Device, synthetic, render::{self, RenderParams, SkeletonStyle}, skeleton::Skeleton};
///
/// let stream = Device::best().stream()?;
/// let ball = synthetic::sphere(&stream, [16; 3], 6.0)?;
/// let params = RenderParams { width: 32, height: 32, ..Default::default() };
/// let picture = render::skeleton(&stream, &ball, &Skeleton::default(), &params, &SkeletonStyle::default())?;
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
    let mut picture = isosurface(stream, volume, params)?;
    if volume.samples().is_empty() {
        return Ok(picture);
    }
    let background = params
        .background
        .map(|channel| channel.clamp(0.0, 1.0).sqrt() * 255.0);
    let pixels = picture.width() as usize * picture.height() as usize;
    let faded = 1.0 - style.solid.clamp(0.0, 1.0);
    for pixel in 0..pixels {
        picture.mix(pixel, background, faded);
    }
    let mut strokes = strokes(skeleton, &Framing::of(volume, params), style);
    // the farthest first; dots over the curves that they are on
    strokes.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    let mut pen = Pen {
        covered: vec![0.0; pixels],
        touched: Vec::new(),
    };
    for stroke in &strokes {
        pen.draw(stroke, &mut picture);
    }
    Ok(picture)
}

/// A curve or a dot, in pixels.
struct Stroke {
    points: Vec<[f64; 2]>,
    depth: f64,
    half_width: f64,
    colour: [f32; 3],
}

fn strokes(skeleton: &Skeleton, framing: &Framing, style: &SkeletonStyle) -> Vec<Stroke> {
    let half_width = f64::from(style.width.max(0.0)) / 2.0;
    let place = |voxel| framing.in_picture(skeleton.to_world(voxel));
    let mut strokes = Vec::new();
    for edge in &skeleton.edges {
        let places: Vec<_> = edge.points.iter().map(|&point| place(point)).collect();
        let depth = places.iter().map(|place| place[2]).sum::<f64>() / places.len().max(1) as f64;
        let level = usize::from(edge.level).min(style.levels.len() - 1);
        strokes.push(Stroke {
            points: places.iter().map(|&[x, y, _]| [x, y]).collect(),
            depth,
            half_width,
            colour: style.levels[level],
        });
    }
    for node in &skeleton.nodes {
        let [x, y, depth] = place(node.position);
        let (size, colour) = match node.kind {
            NodeKind::Attracting => (1.7, ATTRACTING),
            NodeKind::Saddle { .. } => (1.7, SADDLE),
            _ => (1.3, OTHER),
        };
        strokes.push(Stroke {
            points: vec![[x, y]; 2],
            depth: depth - 2.0,
            half_width: size * half_width,
            colour,
        });
    }
    strokes
}

/// Draws strokes one by one, each as a whole, so that its parts do not show where they overlap.
struct Pen {
    /// How much of each pixel the present stroke covers.
    covered: Vec<f32>,
    touched: Vec<usize>,
}

impl Pen {
    fn draw(&mut self, stroke: &Stroke, picture: &mut Picture) {
        let (width, height) = (picture.width(), picture.height());
        for ends in stroke.points.windows(2) {
            self.cover([ends[0], ends[1]], stroke.half_width, width, height);
        }
        for pixel in self.touched.drain(..) {
            picture.mix(pixel, stroke.colour, self.covered[pixel]);
            self.covered[pixel] = 0.0;
        }
    }

    /// Covers what is within half the width of a line.
    fn cover(&mut self, [from, to]: [[f64; 2]; 2], half_width: f64, width: u32, height: u32) {
        let reach = half_width + 1.0;
        let range = |k: usize, count: u32| {
            let low = (from[k].min(to[k]) - reach)
                .floor()
                .clamp(0.0, f64::from(count));
            let high = (from[k].max(to[k]) + reach)
                .ceil()
                .clamp(0.0, f64::from(count));
            low as usize..high as usize
        };
        let along = [to[0] - from[0], to[1] - from[1]];
        let square = along[0] * along[0] + along[1] * along[1];
        for y in range(1, height) {
            for x in range(0, width) {
                let away = [x as f64 + 0.5 - from[0], y as f64 + 0.5 - from[1]];
                let part = match square > 0.0 {
                    true => (away[0] * along[0] + away[1] * along[1]) / square,
                    false => 0.0,
                };
                let part = part.clamp(0.0, 1.0);
                let distance = (away[0] - part * along[0]).hypot(away[1] - part * along[1]);
                let covered = (half_width + 0.5 - distance).clamp(0.0, 1.0) as f32;
                let pixel = y * width as usize + x;
                if covered > self.covered[pixel] {
                    if self.covered[pixel] == 0.0 {
                        self.touched.push(pixel);
                    }
                    self.covered[pixel] = covered;
                }
            }
        }
    }
}
