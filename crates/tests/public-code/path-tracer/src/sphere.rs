use enum_dispatch::enum_dispatch;

use crate::{Object, Ray, Vector};

#[derive(Clone, Copy)]
pub struct Hit {
    pub t: f32,
    pub point: Vector,
    pub normal: Vector,
    pub material: usize,
}

#[enum_dispatch]
pub trait Surface {
    /// Returns the first intersection with the ray between the two parameters.
    fn hit(&self, ray: Ray, from: f32, to: f32) -> Option<Hit>;
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Sphere {
    pub center: Vector,
    pub radius: f32,
    pub material: usize,
}

impl Surface for Sphere {
    fn hit(&self, ray: Ray, from: f32, to: f32) -> Option<Hit> {
        let to_eye = ray.origin - self.center;
        let a = ray.direction.magnitude_squared();
        let half = to_eye.dot(ray.direction);
        let rest = to_eye.magnitude_squared() - self.radius * self.radius;
        let discriminant = half * half - a * rest;
        if discriminant < 0.0 {
            return None;
        }
        let root = square_root(discriminant);
        let t = [(-half - root) / a, (-half + root) / a]
            .iter()
            .copied()
            .find(|t| (from..to).contains(t))?;
        let point = ray.at(t);
        Some(Hit {
            t,
            point,
            normal: (point - self.center) / self.radius,
            material: self.material,
        })
    }
}

fn square_root(x: f32) -> f32 {
    #[allow(unused_imports)]
    use cuda_std::GpuFloat;
    x.sqrt()
}
