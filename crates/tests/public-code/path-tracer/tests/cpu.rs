//! Images of scenes with known colours.

use cuda_std::View;
use public_code_path_tracer::{
    render, tone, Diffuse, Material, Mirror, Object, Scene, Sphere, Vector, Viewport,
};
use public_code_support::{launch_shape, LaunchShape, Mode, MODES};
use vek::Vec2;

const SIZE: u32 = 16;

/// Returns the mean of four samples per pixel as bytes. The camera looks from (0, 0, 4) at a window
/// of width 4 around the origin.
fn picture(mode: Mode, objects: &[Object], materials: &[Material], sky: Vector) -> Vec<[u8; 3]> {
    let step = 4.0 / SIZE as f32;
    let view = Viewport {
        bounds: Vec2::new(SIZE, SIZE),
        eye: Vector::new(0.0, 0.0, 4.0),
        corner: Vector::new(-2.0, -2.0, 0.0),
        right: Vector::new(step, 0.0, 0.0),
        up: Vector::new(0.0, step, 0.0),
    };
    let scene = [Scene {
        objects,
        materials,
        sky,
    }];
    let pixels = (SIZE * SIZE) as usize;
    let (mut sums, mut bytes) = (vec![Vector::zero(); pixels], vec![[7; 3]; pixels]);
    let shape = LaunchShape {
        grid: (2, 2, 1).into(),
        block: (8, 8, 1).into(),
        dynamic_shared_bytes: 0,
    };
    // SAFETY: each thread has its own pixel.
    unsafe {
        for seed in 0..4 {
            launch_shape::<render>(
                mode,
                shape,
                (sums.as_mut_ptr(), view, View::from(&scene[..]), seed),
            );
        }
        launch_shape::<tone>(mode, shape, (sums.as_ptr(), 4, bytes.as_mut_ptr(), view));
    }
    bytes
}

fn sphere(material: usize, x: f32) -> Object {
    Object::Sphere(Sphere {
        center: Vector::new(x, 0.0, 0.0),
        radius: 1.0,
        material,
    })
}

/// Under a uniform sky a convex body shows its own colour times that of the sky, whatever the
/// scattering.
#[test]
fn a_body_under_a_uniform_sky_has_its_own_colour() {
    let colour = Vector::new(0.25, 0.5, 1.0);
    let middle = (SIZE * SIZE / 2 + SIZE / 2) as usize;
    let expected = [127, 180, 255];
    for mode in MODES {
        for material in [
            Material::Diffuse(Diffuse { colour }),
            Material::Mirror(Mirror { colour }),
        ] {
            let bytes = picture(mode, &[sphere(0, 0.0)], &[material], Vector::one());
            assert_eq!((bytes[middle], bytes[0]), (expected, [255; 3]));
            assert!(bytes.iter().filter(|pixel| **pixel == expected).count() > 30);
        }
    }
}

/// Light is scattered more than once between two bodies.
#[test]
fn light_is_scattered_between_bodies() {
    let colour = Vector::new(0.5, 0.5, 0.5);
    let materials = [
        Material::Diffuse(Diffuse { colour }),
        Material::Mirror(Mirror {
            colour: Vector::one(),
        }),
    ];
    for mode in MODES {
        let bytes = picture(
            mode,
            &[sphere(0, -1.0), sphere(1, 1.0)],
            &materials,
            Vector::one(),
        );
        // the mirror shows the other body after one reflection, and the other body is darker where
        // it sees its own reflection
        assert!(
            bytes.iter().any(|pixel| *pixel == [255; 3])
                && bytes.iter().any(|pixel| pixel[0] < 170),
        );
    }
}
