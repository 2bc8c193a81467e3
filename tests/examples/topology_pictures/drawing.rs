//! A mesh as a volume that the library's renderer draws: sheets of some thickness along its
//! triangles.

use crate::distance::{to_segment, to_triangle};
use ferrovox::{
    device::Stream,
    grid::{DeviceVolume, Geometry, Volume},
    mesh::TriangleMesh,
    render::{self, Picture, RenderParams, ViewDirection},
};
use nalgebra::Point3;
use std::{error::Error, io::Write};

/// Half the thickness of a sheet, the radius of a tube or a ball.
#[derive(Clone, Copy)]
pub struct Thickness(pub f64);

/// Linear colours of the surface and of the cell's edges and corners.
const COLOURS: [[f32; 3]; 2] = [[0.85, 0.62, 0.38], [0.20, 0.30, 0.45]];

/// What is drawn, sampled on a grid: of the surface and of all that is drawn, how far a sample is
/// inside.
pub struct Drawing {
    low: [f64; 3],
    spacing: f64,
    dims: [usize; 3],
    surface: Vec<f32>,
    frame: Vec<f32>,
}

/// A picture in two colours.
pub struct Pixels {
    size: [u32; 2],
    rgb: Vec<u8>,
}

impl Drawing {
    /// Of nothing, in a box.
    pub fn new(low: [f64; 3], high: [f64; 3], spacing: f64) -> Self {
        let dims = [0, 1, 2].map(|k| ((high[k] - low[k]) / spacing).ceil() as usize + 1);
        let outside = vec![-1.0; dims.iter().product()];
        Self {
            low,
            spacing,
            dims,
            surface: outside.clone(),
            frame: outside,
        }
    }

    /// Adds the triangles of a mesh.
    pub fn add_mesh(&mut self, mesh: &TriangleMesh, thickness: Thickness) {
        let place = |vertex: u64| Point3::from(mesh.vertices[vertex as usize].map(f64::from));
        for triangle in mesh.triangles.iter() {
            let corners = triangle.map(place);
            let mut surface = std::mem::take(&mut self.surface);
            self.add(&mut surface, &corners, thickness, |p| {
                to_triangle(p, corners)
            });
            self.surface = surface;
        }
    }

    /// Adds an edge of the cell, or a corner where its ends are one.
    pub fn add_frame(&mut self, from: Point3<f64>, to: Point3<f64>, radius: Thickness) {
        let mut frame = std::mem::take(&mut self.frame);
        self.add(&mut frame, &[from, to], radius, |p| {
            to_segment(p, [from, to])
        });
        self.frame = frame;
    }

    /// Raises samples near some points to what a shape between these gives.
    fn add(
        &self,
        samples: &mut [f32],
        points: &[Point3<f64>],
        Thickness(thickness): Thickness,
        distance: impl Fn(Point3<f64>) -> f64,
    ) {
        // three samples more: the renderer takes gradients
        let margin = thickness + 3.0 * self.spacing;
        let ranges = [0, 1, 2].map(|k| {
            let along = points.iter().map(|p| p[k]);
            let least = along.clone().fold(f64::INFINITY, f64::min) - margin;
            let most = along.fold(f64::NEG_INFINITY, f64::max) + margin;
            let sample = |at: f64| (at - self.low[k]) / self.spacing;
            let last = self.dims[k] - 1;
            sample(least).max(0.0) as usize..=(sample(most).ceil().max(0.0) as usize).min(last)
        });
        let [nx, ny, _] = self.dims;
        for z in ranges[2].clone() {
            for y in ranges[1].clone() {
                for x in ranges[0].clone() {
                    let at = [x, y, z];
                    let place = [0, 1, 2].map(|k| self.low[k] + self.spacing * at[k] as f64);
                    let inside = (thickness - distance(place.into())) as f32;
                    let sample = &mut samples[(z * ny + y) * nx + x];
                    *sample = sample.max(inside);
                }
            }
        }
    }

    /// The picture. Pixels in which the surface alone looks as all does are of the surface.
    pub fn picture(
        &self,
        stream: &Stream,
        view: ViewDirection,
        size: [u32; 2],
    ) -> Result<Pixels, Box<dyn Error>> {
        let both = self.surface.iter().zip(&self.frame);
        let both: Vec<f32> = both.map(|(a, b)| a.max(*b)).collect();
        let alone = self.drawn(stream, &self.surface, view, size, COLOURS[0])?;
        let all = self.drawn(stream, &both, view, size, COLOURS[0])?;
        let frame = self.drawn(stream, &both, view, size, COLOURS[1])?;
        let pixels = [alone, all, frame];
        let [alone, all, frame] = pixels.each_ref().map(|it| it.rgba().chunks_exact(4));
        let mut rgb = Vec::new();
        for ((alone, all), frame) in alone.zip(all).zip(frame) {
            let pixel = if alone == all { all } else { frame };
            rgb.extend_from_slice(&pixel[..3]);
        }
        Ok(Pixels { size, rgb })
    }

    fn drawn(
        &self,
        stream: &Stream,
        samples: &[f32],
        view: ViewDirection,
        [width, height]: [u32; 2],
        surface: [f32; 3],
    ) -> Result<Picture, Box<dyn Error>> {
        let geometry = Geometry::from_spacing([self.spacing; 3], self.low)?;
        let volume = Volume::new(samples.to_vec(), self.dims, geometry)?;
        let volume = DeviceVolume::upload(stream, volume.view())?;
        let params = RenderParams {
            view,
            width,
            height,
            rays: 3,
            surface,
            ..Default::default()
        };
        Ok(render::isosurface(stream, &volume, &params)?)
    }
}

impl Pixels {
    /// The middle of the picture.
    pub fn cut(&self, size: [u32; 2]) -> Self {
        let size = [0, 1].map(|k| size[k].min(self.size[k]));
        let [left, top] = [0, 1].map(|k| (self.size[k] - size[k]) as usize / 2);
        let (from, wide) = (3 * left, 3 * size[0] as usize);
        let rows = self.rgb.chunks_exact(3 * self.size[0] as usize);
        let rows = rows.skip(top).take(size[1] as usize);
        let rgb = rows.flat_map(|row| row[from..from + wide].iter().copied());
        Self {
            size,
            rgb: rgb.collect(),
        }
    }

    /// Writes a PNG file.
    pub fn write_png(&self, to: impl Write) -> Result<(), Box<dyn Error>> {
        let [width, height] = self.size;
        let mut encoder = png::Encoder::new(to, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        Ok(writer.finish()?)
    }
}
