use cuda_std::*;
use enum_dispatch::enum_dispatch;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;
use vek::Vec2;

use crate::{Hit, Material, Ray, Scatter, Sphere, Surface, Vector};

#[derive(Clone, Copy)]
#[enum_dispatch(Surface)]
#[repr(C)]
pub enum Object {
    Sphere(Sphere),
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Scene<'a> {
    pub objects: &'a [Object],
    pub materials: &'a [Material],
    pub sky: Vector,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Viewport {
    pub bounds: Vec2<u32>,
    pub eye: Vector,
    /// Position of the first pixel, and the steps to the next pixel in both directions.
    pub corner: Vector,
    pub right: Vector,
    pub up: Vector,
}

impl Scene<'_> {
    fn hit(&self, ray: Ray) -> Option<Hit> {
        let mut nearest: Option<Hit> = None;
        for object in self.objects {
            let to = nearest.map_or(f32::INFINITY, |hit| hit.t);
            nearest = object.hit(ray, 0.001, to).or(nearest);
        }
        nearest
    }

    fn colour(&self, mut ray: Ray, random: &mut Pcg32) -> Vector {
        let mut colour = Vector::one();
        for _ in 0..5 {
            match self.hit(ray) {
                None => return colour * self.sky,
                Some(hit) => {
                    let (left, next) = self.materials[hit.material].scatter(ray, hit, random);
                    colour *= left;
                    ray = next;
                }
            }
        }
        Vector::zero()
    }
}

/// Adds a sample to each pixel.
#[kernel]
pub unsafe fn render(out: *mut Vector, view: Viewport, scene: &Scene<'_>, seed: u64) {
    let at = thread::index_2d();
    if at.x >= view.bounds.x || at.y >= view.bounds.y {
        return;
    }
    let pixel = (at.y * view.bounds.x + at.x) as usize;
    let mut random = Pcg32::seed_from_u64(seed ^ (pixel as u64) << 20);
    let [x, y] = [at.x, at.y].map(|i| i as f32 + random.random::<f32>());
    let direction = view.corner + view.right * x + view.up * y - view.eye;
    let ray = Ray {
        origin: view.eye,
        direction,
    };
    *out.add(pixel) += scene.colour(ray, &mut random);
}

/// Converts accumulated samples to bytes, with a gamma of two.
#[kernel]
pub unsafe fn tone(sums: *const Vector, samples: u32, out: *mut [u8; 3], view: Viewport) {
    let at = thread::index_2d();
    if at.x >= view.bounds.x || at.y >= view.bounds.y {
        return;
    }
    let pixel = (at.y * view.bounds.x + at.x) as usize;
    let mean = *sums.add(pixel) / samples as f32;
    *out.add(pixel) = mean
        .map(f32::sqrt)
        .map(|x| (x * 255.0).clamp(0.0, 255.0) as u8)
        .into_array();
}
