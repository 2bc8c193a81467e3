//! Pictures of scenes whose colours are known.

use cuda_std::View;
use public_code_path_tracer::{
    render, tone, Diffuse, Material, Mirror, Object, Scene, Sphere, Vector, Viewport,
};
use public_code_support::{launch_shape, LaunchShape, Mode, MODES};
use vek::Vec2;

const SIZE: u32 = 16;

/// The mean of four samples of each pixel as bytes. The eye looks from (0, 0, 4) on a window of
/// width 4 about the origin.
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

/// In a sky of one colour a convex body shows its own colour times the sky's, however light is
/// scattered.
#[test]
fn a_body_in_an_even_sky_has_its_own_colour() {
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

/// Between two bodies light is scattered more than once.
#[test]
fn light_goes_from_one_body_to_the_other() {
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
        // the mirror shows the other body, once scattered, and the other body is darker where it
        // sees the mirror see it
        assert!(
            bytes.iter().any(|pixel| *pixel == [255; 3])
                && bytes.iter().any(|pixel| pixel[0] < 170),
        );
    }
}
