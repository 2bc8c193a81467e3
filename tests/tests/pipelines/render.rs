//! Images have the same bits on every device, and show what they should.

use ferrovox::{
    graph::{Edge, Skeleton},
    grid::{DeviceVolume, Geometry, Volume},
    isosurface::Inside,
    mesh::{TriangleMesh, Triangles},
    render::{
        self, Frame, Picture, RenderError, RenderParams, Scene, SkeletonStyle, Surface,
        ViewDirection,
    },
    synthetic,
};
use ferrovox_tests::devices;
use nalgebra::Point3;

const SIDE: u32 = 48;

fn params() -> RenderParams {
    RenderParams {
        width: SIDE,
        height: SIDE,
        background: [0.0, 0.0, 1.0],
        ..Default::default()
    }
}

fn is_background(picture: &Picture, x: u32, y: u32) -> bool {
    let at = ((y * picture.width() + x) * 4) as usize;
    picture.rgba()[at..at + 4] == [0, 0, 255, 255]
}

#[test]
fn sphere_is_a_lit_disc_from_every_view() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let sphere = synthetic::sphere(&stream, [24; 3], 9.0).unwrap();
        for view in ["front", "top", "oblique", "200,-40"] {
            let view: ViewDirection = view.parse().unwrap();
            let picture =
                render::isosurface(&stream, &sphere, &RenderParams { view, ..params() }).unwrap();
            assert!(
                !is_background(&picture, SIDE / 2, SIDE / 2),
                "{}",
                test.label
            );
            for (x, y) in [(0, 0), (SIDE - 1, 0), (0, SIDE - 1), (SIDE - 1, SIDE - 1)] {
                assert!(is_background(&picture, x, y), "{}", test.label);
            }
            let covered = (0..SIDE * SIDE)
                .filter(|i| !is_background(&picture, i % SIDE, i / SIDE))
                .count();
            // a disc, whose size depends on the view only through the fit of the box to the image
            let share = covered as f64 / (SIDE * SIDE) as f64;
            assert!((0.1..0.6).contains(&share), "{}: {share}", test.label);
        }
    }
}

#[test]
fn every_device_renders_the_same_image() {
    let mut first: Option<Picture> = None;
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let gyroid = synthetic::gyroid(&stream, [20, 22, 18], 12.0).unwrap();
        let picture = render::isosurface(&stream, &gyroid, &params()).unwrap();
        match &first {
            None => first = Some(picture),
            Some(first) => assert!(*first == picture, "{}", test.label),
        }
    }
}

/// Objects appear at their world positions: x points right as seen from the front.
#[test]
fn left_and_right_are_not_exchanged() {
    // solid in the upper third of x, in a volume whose x axis points to the world's -x
    let dims = [30, 10, 10];
    let samples: Vec<u8> = (0..3000)
        .map(|i| if i % 30 >= 20 { 200 } else { 0 })
        .collect();
    for test in devices::fast() {
        for (direction, solid_is_right) in [(1.0, true), (-1.0, false)] {
            let axes =
                nalgebra::Matrix3::from_diagonal(&nalgebra::Vector3::new(direction, 1.0, 1.0));
            let geometry = Geometry::new(axes, nalgebra::Vector3::zeros()).unwrap();
            let volume = Volume::new(samples.clone(), dims, geometry).unwrap();
            let stream = test.device.stream().unwrap();
            let volume = DeviceVolume::upload(&stream, volume.view()).unwrap();
            // looking from -y towards +y, the world's +x is on the right
            let view = "back".parse().unwrap();
            let params = RenderParams {
                iso: 100.0,
                view,
                ..params()
            };
            let picture = render::isosurface(&stream, &volume, &params).unwrap();
            assert_eq!(
                !is_background(&picture, SIDE - 6, SIDE / 2),
                solid_is_right,
                "{}",
                test.label
            );
            assert_eq!(
                !is_background(&picture, 5, SIDE / 2),
                !solid_is_right,
                "{}",
                test.label
            );
        }
    }
}

#[test]
fn a_cut_solid_and_its_inverse_fill_the_volume() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let sphere = synthetic::sphere(&stream, [16; 3], 30.0).unwrap();
        let full = render::isosurface(&stream, &sphere, &params()).unwrap();
        assert!(!is_background(&full, SIDE / 2, SIDE / 2));
        let inverse = RenderParams {
            inside: Inside::Below,
            ..params()
        };
        let empty = render::isosurface(&stream, &sphere, &inverse).unwrap();
        assert!((0..SIDE).all(|i| is_background(&empty, i, i)));
    }
}

/// A square in front of a larger one: the nearer surface covers the farther one if it is opaque.
#[test]
fn surfaces_are_blended_by_depth_on_every_device() {
    let square = |half: f32, y: f32| TriangleMesh {
        vertices: [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|[x, z]| [x * half, y, z * half])
            .to_vec(),
        // counter-clockwise as seen from +y
        triangles: Triangles::U32(vec![[0, 2, 1], [0, 3, 2]]),
        ..TriangleMesh::default()
    };
    let (near, far) = (square(1.0, 5.0), square(3.0, -5.0));
    let params = RenderParams {
        view: "front".parse().unwrap(),
        transparent: true,
        ..params()
    };
    let mut first: Option<Vec<Picture>> = None;
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mut pictures = Vec::new();
        for (opacity, order, occlusion) in
            [(1.0, [0, 1], 0.0), (1.0, [1, 0], 0.0), (0.5, [0, 1], 0.6)]
        {
            let both = [
                Surface {
                    opacity,
                    ..Surface::new(&near, [1.0, 0.0, 0.0])
                },
                Surface::new(&far, [0.0, 0.0, 1.0]),
            ];
            let params = RenderParams {
                occlusion,
                ..params
            };
            let surfaces = order.map(|at: usize| both[at]);
            pictures.push(render::surfaces(&stream, &surfaces, &params).unwrap());
        }
        let pixel = |picture: &Picture, x: u32| {
            let at = ((SIDE / 2 * SIDE + x) * 4) as usize;
            [0, 1, 2, 3].map(|k| picture.rgba()[at + k])
        };
        let [middle, side] = [SIDE / 2, SIDE / 8];
        let [opaque, reordered, blended] = &pictures[..] else {
            unreachable!()
        };
        assert_eq!(opaque, reordered, "{}", test.label);
        let [red, _, blue, alpha] = pixel(opaque, middle);
        assert!(red > blue + 60 && alpha == 255, "{}", test.label);
        assert!(pixel(opaque, side)[2] > 100, "{}", test.label);
        let [red, _, blue, _] = pixel(blended, middle);
        assert!(red > 60 && blue > 60, "{}", test.label);
        // the border is transparent
        assert_eq!(pixel(opaque, 0)[3], 0, "{}", test.label);
        match &first {
            None => first = Some(pictures),
            Some(first) => assert!(*first == pictures, "{}", test.label),
        }
    }
}

/// Returns a cube of side 2 whose faces share their vertices, without normals.
fn cube() -> TriangleMesh {
    let corner = |k: u32| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 1.0 } else { -1.0 });
    let faces: [[u32; 4]; 6] = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let triangles = faces
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    TriangleMesh {
        vertices: (0..8).map(corner).collect(),
        triangles: Triangles::U32(triangles.collect()),
        ..TriangleMesh::default()
    }
}

/// A cube with colours per vertex and a curve through it: faces are flat, colours are interpolated,
/// and all devices draw the same.
#[test]
fn scenes_have_creases_and_colours_per_vertex_on_every_device() {
    let cube = cube();
    let red_to_blue: Vec<[f32; 3]> = (cube.vertices.iter())
        .map(|[x, ..]| {
            if *x > 0.0 {
                [0.8, 0.0, 0.0]
            } else {
                [0.0, 0.0, 0.8]
            }
        })
        .collect();
    let curve = Skeleton {
        edges: vec![Edge {
            nodes: [0, 1],
            points: vec![Point3::new(0.0, 0.0, -1.5), Point3::new(0.0, 0.0, 1.5)],
            radii: vec![0.1, 0.3],
            section_areas: Vec::new(),
            level: 0,
        }],
        ..Skeleton::default()
    };
    let skeletons = [(1, &curve)];
    let params = RenderParams {
        view: "front".parse().unwrap(),
        ..params()
    };
    let mut first: Option<Vec<Picture>> = None;
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let plain = [Surface::new(&cube, [0.5; 3])];
        let plain = Scene::upload(&stream, &plain)
            .unwrap()
            .draw(&stream, &params)
            .unwrap();
        let coloured = [Surface {
            vertex_colours: Some(&red_to_blue),
            opacity: 0.5,
            ..Surface::new(&cube, [0.0; 3])
        }];
        let coloured = Scene::upload(&stream, &coloured).unwrap();
        let with_curve = |transparent: bool| {
            let params = RenderParams {
                transparent,
                ..params
            };
            let scene = Scene::upload(&stream, &[]).unwrap();
            scene
                .skeletons(&skeletons, SkeletonStyle::default())
                .draw(&stream, &params)
                .unwrap()
        };
        let pictures = vec![
            plain,
            coloured.draw(&stream, &params).unwrap(),
            with_curve(false),
            with_curve(true),
        ];
        let pixel = |number: usize, x: u32, y: u32| {
            let at = ((y * SIDE + x) * 4) as usize;
            [0, 1, 2, 3].map(|k| pictures[number].rgba()[at + k])
        };
        // the face towards the viewer has one brightness from corner to corner
        for (x, y) in [(6, 6), (SIDE - 7, 6), (SIDE / 2, SIDE - 7)] {
            assert_eq!(
                pixel(0, x, y),
                pixel(0, SIDE / 2, SIDE / 2),
                "{}",
                test.label
            );
        }
        // viewed from the front, +x is at the left
        let [left, right] = [pixel(1, 5, 24), pixel(1, SIDE - 6, 24)];
        assert!(
            left[0] > left[1] && right[0] < right[2],
            "{left:?} {right:?}"
        );
        assert_eq!(pixel(2, 1, 1), [0, 0, 255, 255], "{}", test.label);
        assert_eq!(pixel(3, 1, 1)[3], 0, "{}", test.label);
        assert_eq!(pixel(3, SIDE / 2, SIDE / 2)[3], 255, "{}", test.label);
        match &first {
            None => first = Some(pictures),
            Some(first) => assert_eq!(first, &pictures, "{}", test.label),
        }
    }
}

#[test]
fn object_fills_the_picture() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let sphere = synthetic::sphere(&stream, [40; 3], 6.0).unwrap();
        let params = RenderParams {
            frame: Frame::Surface,
            ..params()
        };
        let picture = render::isosurface(&stream, &sphere, &params).unwrap();
        let rows = (0..SIDE)
            .filter(|&y| !is_background(&picture, SIDE / 2, y))
            .count();
        assert!(rows as f64 >= 0.85 * f64::from(SIDE), "{rows}");
    }
}

#[test]
fn invalid_images_are_errors() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let sphere = synthetic::sphere(&stream, [4; 3], 1.0).unwrap();
        let error = |params| render::isosurface(&stream, &sphere, &params).unwrap_err();
        assert!(matches!(
            error(RenderParams {
                width: 0,
                ..params()
            }),
            RenderError::Size { .. }
        ));
        assert!(matches!(
            error(RenderParams {
                height: 1 << 20,
                ..params()
            }),
            RenderError::Size { .. }
        ));
        assert!(matches!(
            error(RenderParams {
                rays: 0,
                ..params()
            }),
            RenderError::Rays { .. }
        ));
        assert!(matches!(
            error(RenderParams {
                iso: f32::NAN,
                ..params()
            }),
            RenderError::Iso { .. }
        ));
        let empty = synthetic::sphere(&stream, [4, 0, 4], 1.0).unwrap();
        let picture = render::isosurface(&stream, &empty, &params()).unwrap();
        assert!(is_background(&picture, 3, 3));
    }
}

/// Steps of the finest spacing would be too many, and beyond 2²⁴ `f32` cannot be incremented by 1.
#[test]
fn very_anisotropic_spacing_is_rendered() {
    let spacings = [
        [1.0, 1.0, 1e9],
        [1e9, 1.0, 1.0],
        [1.0, 1e-9, 1.0],
        [1e6, 1.0, 1e3],
        [1e-27, 1.0, 1e27],
        [1.0, 1.0, 3e4],
    ];
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for spacing in spacings {
            let geometry = Geometry::from_spacing(spacing, [7.0, -3.0, 1.0]).unwrap();
            let from_middle = |at: usize| (at as f32 - 5.5).powi(2);
            let ball = Volume::from_fn([12; 3], geometry, |x, y, z| {
                20.0 - from_middle(x) - from_middle(y) - from_middle(z)
            });
            let ball = DeviceVolume::upload(&stream, ball.unwrap().view()).unwrap();
            for view in ["front", "right", "top", "oblique", "89.9999,0.0001"] {
                let params = RenderParams {
                    view: view.parse().unwrap(),
                    width: 24,
                    height: 24,
                    ..params()
                };
                let picture = render::isosurface(&stream, &ball, &params).unwrap();
                // along an axis, only the spacings of the others are visible
                let of_view = match view {
                    "front" => [spacing[0], spacing[2]],
                    "right" => [spacing[1], spacing[2]],
                    "top" => [spacing[0], spacing[1]],
                    _ => continue,
                };
                if of_view[0] == of_view[1] {
                    let covered = (0..24 * 24)
                        .filter(|i| !is_background(&picture, i % 24, i / 24))
                        .count();
                    let share = covered as f64 / f64::from(24 * 24);
                    assert!(
                        (0.3..0.6).contains(&share),
                        "{} {view} {spacing:?}: {share}",
                        test.label
                    );
                }
            }
        }
    }
}
