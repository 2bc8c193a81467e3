use enum_dispatch::enum_dispatch;
use rand::RngExt;
use rand_pcg::Pcg32;

use crate::{Hit, Ray, Vector};

#[enum_dispatch]
pub trait Scatter {
    /// Returns the attenuation and the scattered ray.
    fn scatter(&self, ray: Ray, hit: Hit, random: &mut Pcg32) -> (Vector, Ray);
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Diffuse {
    pub colour: Vector,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Mirror {
    pub colour: Vector,
}

#[derive(Clone, Copy)]
#[enum_dispatch(Scatter)]
#[repr(C)]
pub enum Material {
    Diffuse(Diffuse),
    Mirror(Mirror),
}

/// Returns a random point of the unit ball.
fn random_in_ball(random: &mut Pcg32) -> Vector {
    loop {
        let point = Vector::from([(); 3].map(|()| random.random_range(-1.0..1.0)));
        if point.magnitude_squared() < 1.0 {
            return point;
        }
    }
}

impl Scatter for Diffuse {
    fn scatter(&self, _: Ray, hit: Hit, random: &mut Pcg32) -> (Vector, Ray) {
        let direction = hit.normal + random_in_ball(random) * 0.999;
        (
            self.colour,
            Ray {
                origin: hit.point,
                direction,
            },
        )
    }
}

impl Scatter for Mirror {
    fn scatter(&self, ray: Ray, hit: Hit, _: &mut Pcg32) -> (Vector, Ray) {
        let direction = ray.direction.reflected(hit.normal);
        (
            self.colour,
            Ray {
                origin: hit.point,
                direction,
            },
        )
    }
}
