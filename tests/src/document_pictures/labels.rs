//! Pictures of `docs/label-surfaces.md`: a ball in three sectors, as voxels and smooth.

use super::DocumentPicture;
use ferrovox::{
    device::Device,
    grid::{Geometry, Volume},
    label_surface::{self, LabelField, LabelSurfaceParams},
    mesh::LabelledMesh,
};
use nalgebra::{Rotation3, Vector3};
use std::error::Error;

/// Voxels of the volume along each axis.
const SIZE: usize = 26;

/// Width and height of a picture, in pixels.
const PIXELS: usize = 360;

/// Samples per pixel along each axis.
const OVERSAMPLING: usize = 3;

/// Colours of the three labels, and of the walls between each two of them.
const COLOURS: [[f64; 3]; 3] = [[0.86, 0.37, 0.3], [0.3, 0.56, 0.8], [0.93, 0.75, 0.32]];

/// Draws all pictures, on the CPU.
///
/// # Errors
/// Errors of the extraction.
pub fn draw_label_pictures() -> Result<Vec<DocumentPicture>, Box<dyn Error>> {
    let volume = Volume::from_fn([SIZE; 3], Geometry::default(), sector)?;
    let field = LabelField::new(&volume.into(), None)?;
    let stream = Device::cpu().stream()?;
    let extract = |params: &LabelSurfaceParams| -> Result<LabelledMesh, Box<dyn Error>> {
        Ok(label_surface::extract(&stream, &field, params)?.download(&stream, &field)?)
    };
    let raw = extract(&LabelSurfaceParams::raw())?;
    let smooth = extract(&LabelSurfaceParams::default())?;
    let is_any = |_: [u32; 2]| true;
    let is_between = |sides: [u32; 2]| sides[1] != 0;
    Ok(vec![
        draw("surface-raw", &raw, is_any, 0.0),
        draw("surface-smooth", &smooth, is_any, 0.0),
        draw("walls-raw", &raw, is_between, 0.0),
        draw("walls-smooth", &smooth, is_between, 0.0),
        draw("apart-smooth", &smooth, is_any, 5.0),
    ])
}

/// Returns the label of a voxel: one of three sectors of a ball around an oblique axis.
fn sector(x: usize, y: usize, z: usize) -> u8 {
    let middle = (SIZE - 1) as f64 / 2.0;
    let offset = Vector3::new(x as f64, y as f64, z as f64).add_scalar(-middle);
    if offset.norm() > 0.42 * SIZE as f64 {
        return 0;
    }
    let turned = Rotation3::from_euler_angles(0.45, 0.6, 0.2) * offset;
    let turn = turned.y.atan2(turned.x) / std::f64::consts::TAU + 0.5;
    1 + ((turn * 3.0) as u8).min(2)
}

/// Draws the walls whose labels `is_drawn` accepts; the surfaces of the labels are moved away from
/// the centre by `distance` voxels.
fn draw(
    name: &'static str,
    walls: &LabelledMesh,
    is_drawn: impl Fn([u32; 2]) -> bool,
    distance: f64,
) -> DocumentPicture {
    let fine = PIXELS * OVERSAMPLING;
    let mut canvas = Canvas {
        fine,
        depths: vec![f64::NEG_INFINITY; fine * fine],
        colours: vec![[1.0; 3]; fine * fine],
    };
    let middle = Vector3::repeat((SIZE - 1) as f64 / 2.0);
    let view =
        Rotation3::from_euler_angles(-1.1, 0.0, 0.0) * Rotation3::from_euler_angles(0.0, 0.0, 0.5);
    let scale = fine as f64 / (1.0 + distance / 12.0) / SIZE as f64;
    let centres = label_centres(walls);
    for (triangle, sides) in walls.mesh.triangles.iter().zip(&walls.sides) {
        if !is_drawn(*sides) {
            continue;
        }
        let corners = triangle.map(|vertex| {
            let world = Vector3::from(walls.mesh.vertices[vertex as usize]).cast::<f64>();
            world + Vector3::from(walls.mesh.origin)
        });
        for side in sides.iter().filter(|side| **side != 0) {
            let label = *side as usize - 1;
            let away = (centres[label] - middle)
                .try_normalize(0.0)
                .unwrap_or_default()
                * distance;
            let projected = corners.map(|corner| {
                let turned = view * (corner - middle + away) * scale;
                turned + Vector3::new(fine as f64 / 2.0, fine as f64 / 2.0, 0.0)
            });
            let is_wall = distance == 0.0 && sides[1] != 0;
            // the wall between labels a and b has the colour of the third
            let colour = if is_wall {
                6 - sides[0] - sides[1]
            } else {
                *side
            };
            canvas.fill(projected, COLOURS[colour as usize - 1]);
            if distance == 0.0 {
                break;
            }
        }
    }
    canvas.finish(name)
}

/// Returns the mean of the vertices of each label.
fn label_centres(walls: &LabelledMesh) -> Vec<Vector3<f64>> {
    let mut sums = vec![(Vector3::zeros(), 0.0); walls.labels.len()];
    for (triangle, sides) in walls.mesh.triangles.iter().zip(&walls.sides) {
        for side in sides.iter().filter(|side| **side != 0) {
            for vertex in triangle {
                let position = Vector3::from(walls.mesh.vertices[vertex as usize]).cast::<f64>();
                let sum = &mut sums[*side as usize - 1];
                sum.0 += position + Vector3::from(walls.mesh.origin);
                sum.1 += 1.0;
            }
        }
    }
    sums.into_iter().map(|(sum, count)| sum / count).collect()
}

/// A picture with a depth per sample.
struct Canvas {
    fine: usize,
    depths: Vec<f64>,
    colours: Vec<[f64; 3]>,
}

impl Canvas {
    /// Draws a triangle with flat shading.
    fn fill(&mut self, [a, b, c]: [Vector3<f64>; 3], colour: [f64; 3]) {
        let normal = (b - a).cross(&(c - a));
        let area = normal.z;
        if area == 0.0 {
            return;
        }
        let light = Vector3::new(-0.4, 0.5, 0.77).normalize();
        let unit = normal.normalize() * normal.z.signum();
        let shade = 0.35 + 0.65 * unit.dot(&light).max(0.0);
        let range = |axis: usize| {
            let [low, high] = [f64::min, f64::max].map(|it| it(it(a[axis], b[axis]), c[axis]));
            let last = self.fine as f64 - 1.0;
            low.ceil().clamp(0.0, last) as usize..=high.floor().clamp(0.0, last) as usize
        };
        for y in range(1) {
            for x in range(0) {
                let at = Vector3::new(x as f64, y as f64, 0.0);
                let weight =
                    |from: Vector3<f64>, to: Vector3<f64>| (from - at).cross(&(to - at)).z / area;
                let weights = [weight(b, c), weight(c, a), weight(a, b)];
                if weights.iter().any(|it| *it < 0.0) {
                    continue;
                }
                let depth = weights[0] * a.z + weights[1] * b.z + weights[2] * c.z;
                // rows from top to bottom
                let index = (self.fine - 1 - y) * self.fine + x;
                if depth > self.depths[index] {
                    self.depths[index] = depth;
                    self.colours[index] = colour.map(|it| it * shade);
                }
            }
        }
    }

    /// Averages the samples of each pixel.
    fn finish(self, name: &'static str) -> DocumentPicture {
        let mut rgb = Vec::new();
        for y in 0..PIXELS {
            for x in 0..PIXELS {
                for channel in 0..3 {
                    let mut sum = 0.0;
                    for row in 0..OVERSAMPLING {
                        for column in 0..OVERSAMPLING {
                            let at =
                                (y * OVERSAMPLING + row) * self.fine + x * OVERSAMPLING + column;
                            sum += self.colours[at][channel];
                        }
                    }
                    let mean = sum / (OVERSAMPLING * OVERSAMPLING) as f64;
                    rgb.push((mean * 255.0).round() as u8);
                }
            }
        }
        DocumentPicture {
            name: name.to_owned(),
            size: [PIXELS as u32; 2],
            rgb,
        }
    }
}
