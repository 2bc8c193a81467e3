//! Renders a mesh with the library's volume renderer: samples the distance from the triangles
//! into a volume whose isosurface is a sheet of a given thickness.

use super::{
    DocumentPicture,
    distance::{to_segment, to_triangle},
};
use ferrovox::{
    device::Stream,
    grid::{DeviceVolume, Geometry, Volume},
    mesh::TriangleMesh,
    render::{self, Picture, RenderParams, ViewDirection},
};
use nalgebra::Point3;
use std::error::Error;

/// Half the thickness of a sheet, or the radius of a tube or ball.
#[derive(Clone, Copy)]
pub struct Thickness(pub f64);

/// Linear RGB colours of the surface and of the frame (cell edges and corners).
const COLOURS: [[f32; 3]; 2] = [[0.85, 0.62, 0.38], [0.20, 0.30, 0.45]];

/// Surface and frame sampled on a grid. A sample is the signed distance from the boundary, positive
/// inside.
pub struct Drawing {
    low: [f64; 3],
    spacing: f64,
    dims: [usize; 3],
    surface: Vec<f32>,
    frame: Vec<f32>,
}

/// An image in two colours.
pub struct Pixels {
    size: [u32; 2],
    rgb: Vec<u8>,
}

impl Drawing {
    /// Creates an empty drawing of a box.
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
        let position = |vertex: u64| Point3::from(mesh.vertices[vertex as usize].map(f64::from));
        for triangle in mesh.triangles.iter() {
            let corners = triangle.map(position);
            let mut surface = std::mem::take(&mut self.surface);
            self.add(&mut surface, &corners, thickness, |p| {
                to_triangle(p, corners)
            });
            self.surface = surface;
        }
    }

    /// Adds an edge of the cell, or a corner if both ends are equal.
    pub fn add_frame(&mut self, start: Point3<f64>, end: Point3<f64>, radius: Thickness) {
        let mut frame = std::mem::take(&mut self.frame);
        self.add(&mut frame, &[start, end], radius, |p| {
            to_segment(p, [start, end])
        });
        self.frame = frame;
    }

    /// Adds a shape within the bounding box of `points`: raises each sample to `thickness -
    /// distance`.
    fn add(
        &self,
        samples: &mut [f32],
        points: &[Point3<f64>],
        Thickness(thickness): Thickness,
        distance: impl Fn(Point3<f64>) -> f64,
    ) {
        // Three more samples for the renderer's gradients.
        let margin = thickness + 3.0 * self.spacing;
        let ranges = [0, 1, 2].map(|k| {
            let coordinates = points.iter().map(|p| p[k]);
            let min = coordinates.clone().fold(f64::INFINITY, f64::min) - margin;
            let max = coordinates.fold(f64::NEG_INFINITY, f64::max) + margin;
            let to_index = |coordinate: f64| (coordinate - self.low[k]) / self.spacing;
            let last = self.dims[k] - 1;
            to_index(min).max(0.0) as usize..=(to_index(max).ceil().max(0.0) as usize).min(last)
        });
        let [nx, ny, _] = self.dims;
        for z in ranges[2].clone() {
            for y in ranges[1].clone() {
                for x in ranges[0].clone() {
                    let index = [x, y, z];
                    let point = [0, 1, 2].map(|k| self.low[k] + self.spacing * index[k] as f64);
                    let inside = (thickness - distance(point.into())) as f32;
                    let sample = &mut samples[(z * ny + y) * nx + x];
                    *sample = sample.max(inside);
                }
            }
        }
    }

    /// Renders the drawing. A pixel shows the surface where rendering without the frame gives the
    /// same pixel.
    pub fn render(
        &self,
        stream: &Stream,
        view: ViewDirection,
        size: [u32; 2],
    ) -> Result<Pixels, Box<dyn Error>> {
        let both = self.surface.iter().zip(&self.frame);
        let both: Vec<f32> = both.map(|(a, b)| a.max(*b)).collect();
        let surface = self.render_samples(stream, &self.surface, view, size, COLOURS[0])?;
        let all = self.render_samples(stream, &both, view, size, COLOURS[0])?;
        let frame = self.render_samples(stream, &both, view, size, COLOURS[1])?;
        let pixels = [surface, all, frame];
        let [surface, all, frame] = pixels
            .each_ref()
            .map(|picture| picture.rgba().chunks_exact(4));
        let mut rgb = Vec::new();
        for ((surface, all), frame) in surface.zip(all).zip(frame) {
            let pixel = if surface == all { all } else { frame };
            rgb.extend_from_slice(&pixel[..3]);
        }
        Ok(Pixels { size, rgb })
    }

    fn render_samples(
        &self,
        stream: &Stream,
        samples: &[f32],
        view: ViewDirection,
        [width, height]: [u32; 2],
        colour: [f32; 3],
    ) -> Result<Picture, Box<dyn Error>> {
        let geometry = Geometry::from_spacing([self.spacing; 3], self.low)?;
        let volume = Volume::new(samples.to_vec(), self.dims, geometry)?;
        let volume = DeviceVolume::upload(stream, volume.view())?;
        let params = RenderParams {
            view,
            width,
            height,
            rays: 3,
            surface: colour,
            ..Default::default()
        };
        Ok(render::isosurface(stream, &volume, &params)?)
    }
}

impl Pixels {
    /// Returns the central part of the image.
    pub fn crop(&self, size: [u32; 2]) -> Self {
        let size = [0, 1].map(|k| size[k].min(self.size[k]));
        let [left, top] = [0, 1].map(|k| (self.size[k] - size[k]) as usize / 2);
        let (start, row_bytes) = (3 * left, 3 * size[0] as usize);
        let rows = self.rgb.chunks_exact(3 * self.size[0] as usize);
        let rows = rows.skip(top).take(size[1] as usize);
        let rgb = rows.flat_map(|row| row[start..start + row_bytes].iter().copied());
        Self {
            size,
            rgb: rgb.collect(),
        }
    }

    /// Returns the picture of a document.
    pub fn named(self, name: String) -> DocumentPicture {
        DocumentPicture {
            name,
            size: self.size,
            rgb: self.rgb,
        }
    }
}
