//! Skeletons over images of objects.

use ferrovox::{
    device::Device,
    grid::{DeviceVolume, Geometry, Volume},
    monitor::Monitor,
    render::{self, ColourBy, Picture, RenderParams, SkeletonStyle},
    skeleton::{Edge, Node, NodeKind, Skeleton, medial},
};
use ferrovox_tests::{
    devices,
    reference_objects::{Grid, random},
    solids::Solid,
};
use nalgebra::{Matrix3, Point3, Vector3};

/// Returns the axis of a capsule along x, and an isolated node.
fn axis(middle: Point3<f64>, half: f64, geometry: Geometry) -> Skeleton {
    let node = |kind, x: f64| Node {
        kind,
        position: middle + Vector3::new(x, 0.0, 0.0),
        eigenvalues: None,
        radius: 3.0,
        component: 0,
    };
    let nodes = vec![node(NodeKind::Attracting, -half), node(NodeKind::End, half)];
    let edge = Edge {
        nodes: [0, 1],
        points: nodes.iter().map(|node| node.position).collect(),
        radii: vec![3.0; 2],
        section_areas: Vec::new(),
        level: 0,
    };
    Skeleton {
        nodes,
        edges: vec![edge],
        geometry,
    }
}

fn pixel(picture: &Picture, x: u32, y: u32) -> [i32; 3] {
    let at = 4 * (y * picture.width() + x) as usize;
    [0, 1, 2].map(|k| i32::from(picture.rgba()[at + k]))
}

fn pixels(picture: &Picture) -> impl Iterator<Item = ([u32; 2], [i32; 3])> {
    let all = (0..picture.height()).flat_map(|y| (0..picture.width()).map(move |x| [x, y]));
    all.map(|[x, y]| ([x, y], pixel(picture, x, y)))
}

/// Returns the maximum difference between channels: 0 for greys.
fn colourfulness(colour: [i32; 3]) -> i32 {
    let [least, most] = [colour.iter().min(), colour.iter().max()];
    most.unwrap() - least.unwrap()
}

/// Returns the bounding box of the pixels that are not white.
fn drawn_box(picture: &Picture) -> [[u32; 2]; 2] {
    let drawn: Vec<[u32; 2]> = pixels(picture)
        .filter(|(_, colour)| colour.iter().any(|&channel| channel < 250))
        .map(|(at, _)| at)
        .collect();
    [0, 1].map(|axis| {
        let along = || drawn.iter().map(|at| at[axis]);
        [along().min().unwrap(), along().max().unwrap()]
    })
}

#[test]
fn axis_is_drawn_at_its_position() {
    let solid = Solid::capsule(6.0, 40.0);
    // rotated in the world: x of the grid points up
    let axes = Matrix3::new(0.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 0.0);
    let geometry = Geometry::new(axes, Vector3::new(50.0, -20.0, 7.0)).unwrap();
    let volume: Volume<u8> = solid.voxels_in(geometry);
    let skeleton = axis(solid.origin(), 15.0, geometry);
    let params = RenderParams {
        iso: 0.5,
        width: 80,
        height: 120,
        view: "front".parse().unwrap(),
        ..RenderParams::default()
    };
    let style = SkeletonStyle {
        colours: Some(ColourBy::Level),
        ..SkeletonStyle::default()
    };
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
        let drawn = render::skeleton(&stream, &on_device, &skeleton, &params, &style).unwrap();
        let middle = pixel(&drawn, 40, 60);
        assert!(middle[0] > middle[1] + 80, "{}: {middle:?}", test.label);
        // only along the axis, and not up to the ends
        for (x, y) in [(30, 60), (50, 60), (40, 8), (40, 112)] {
            let [r, g, _] = pixel(&drawn, x, y);
            assert!(r < g + 60, "{}: {x}, {y}", test.label);
        }
        // the solid is paler than without curves, and the background is not
        let whole = SkeletonStyle {
            solid: 1.0,
            ..style
        };
        let dark = render::skeleton(&stream, &on_device, &skeleton, &params, &whole).unwrap();
        let (before, after) = (pixel(&dark, 30, 60), pixel(&drawn, 30, 60));
        assert!((0..3).all(|k| before[k] < after[k] && after[k] < 255));
        assert_eq!(pixel(&drawn, 2, 2), [255; 3]);
        // a dot at the attractor, darker than the curve, at the lower end
        let dot = (60..120).map(|y| pixel(&drawn, 40, y)).min().unwrap();
        assert!(dot[0] < 60, "{dot:?}");
        let upper = (0..60).map(|y| pixel(&drawn, 40, y)).min().unwrap();
        assert!(upper[0] >= 60, "{upper:?}");
    }
}

#[test]
fn curves_outside_of_the_image_are_clipped() {
    let solid = Solid::ball(4.0);
    let volume = solid.voxels();
    let mut skeleton = axis(solid.origin(), 1e6, Geometry::default());
    skeleton.nodes[1].position.y = -1e12;
    skeleton.edges[0].points[1].y = -1e12;
    let params = RenderParams {
        iso: 0.5,
        width: 40,
        height: 30,
        ..RenderParams::default()
    };
    let stream = Device::cpu().stream().unwrap();
    let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
    for tubes in [false, true] {
        let style = SkeletonStyle {
            width: -3.0,
            solid: 7.0,
            tubes,
            ..SkeletonStyle::default()
        };
        render::skeleton(&stream, &on_device, &skeleton, &params, &style).unwrap();
    }
}

/// A ball far from the middle of a volume of which it is a small part, in several grids.
#[test]
fn object_fills_the_image() {
    let turned = Matrix3::new(0.8, -0.6, 0.0, 0.6, 0.8, 0.0, 0.0, 0.0, 1.0);
    let grids = [
        Matrix3::identity(),
        Matrix3::from_diagonal(&Vector3::new(0.01, 0.01, 0.05)),
        turned * 3.0,
        // sheared, and mirrored
        Matrix3::new(1.0, 0.7, 0.3, 0.0, 1.0, -0.6, 0.0, 0.0, -2.0),
    ];
    let stream = Device::cpu().stream().unwrap();
    for axes in grids {
        let geometry = Geometry::new(axes, Vector3::new(-300.0, 4.0, 1e4)).unwrap();
        let volume = Volume::from_fn([60, 50, 70], geometry, |x, y, z| {
            let at = [x as f64 - 41.0, y as f64 - 12.0, z as f64 - 50.0];
            u8::from(at.iter().map(|c| c * c).sum::<f64>() <= 81.0)
        })
        .unwrap();
        let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
        let skeleton = axis(Point3::new(41.0, 12.0, 50.0), 4.0, geometry);
        for (size, view) in [
            ([160, 120], "oblique"),
            ([100, 150], "33,-12"),
            ([90, 90], "top"),
        ] {
            let params = RenderParams {
                iso: 0.5,
                width: size[0],
                height: size[1],
                view: view.parse().unwrap(),
                ..RenderParams::default()
            };
            // with the object, and only the curves
            for solid in [0.4, 0.0] {
                let style = SkeletonStyle {
                    solid,
                    legend: false,
                    ..SkeletonStyle::default()
                };
                let picture =
                    render::skeleton(&stream, &on_device, &skeleton, &params, &style).unwrap();
                let ends = drawn_box(&picture);
                let part = |k: usize| f64::from(ends[k][1] + 1 - ends[k][0]) / f64::from(size[k]);
                let most = part(0).max(part(1));
                // dots at the ends of curves extend farther, and from some sides curves are short
                let limits = match (solid > 0.0, view) {
                    (true, _) => 0.8..=0.96,
                    (false, "top") => 0.8..=1.0,
                    (false, _) => 0.1..=1.0,
                };
                assert!(
                    limits.contains(&most),
                    "{axes} {size:?} {view} {solid}: {most}"
                );
                // in the middle
                for k in [0, 1] {
                    let middle = f64::from(ends[k][0] + ends[k][1] + 1) / 2.0;
                    let off = (middle / f64::from(size[k]) - 0.5).abs();
                    assert!(off < 0.03, "{axes} {size:?} {view} {solid}: {off}");
                }
            }
        }
    }
}

/// A network of tubes, its skeleton, and images of both.
struct Net {
    volume: Volume<u8>,
    skeleton: Skeleton,
}

impl Net {
    fn new() -> Self {
        let volume = random::net([3, 3, 2], 4, 5, Grid::unit()).voxels;
        let params = medial::Params::default();
        let found = medial::extract(&[], volume.view(), &params, Monitor::new()).unwrap();
        let skeleton = found.labels[0].skeleton.clone();
        Self { volume, skeleton }
    }

    fn picture(&self, device: &Device, style: &SkeletonStyle) -> Picture {
        self.sized(device, style, [320, 240])
    }

    fn sized(&self, device: &Device, style: &SkeletonStyle, [width, height]: [u32; 2]) -> Picture {
        let stream = device.stream().unwrap();
        let on_device = DeviceVolume::upload(&stream, self.volume.view()).unwrap();
        let params = RenderParams {
            iso: 0.5,
            width,
            height,
            ..RenderParams::default()
        };
        render::skeleton(&stream, &on_device, &self.skeleton, &params, style).unwrap()
    }
}

#[test]
fn radii_span_the_colour_map_and_the_legend_is_drawn() {
    let net = Net::new();
    let cpu = Device::cpu();
    let style = SkeletonStyle::default();
    let with = net.picture(&cpu, &style);
    let without = net.picture(
        &cpu,
        &SkeletonStyle {
            legend: false,
            ..style
        },
    );
    // the legend is on the right: a bar with all colours of the map, and text
    let is_legend = |at: [u32; 2]| at[0] >= 260;
    let bar: Vec<[i32; 3]> = pixels(&with)
        .filter(|&(at, colour)| is_legend(at) && colourfulness(colour) > 60)
        .map(|(_, colour)| colour)
        .collect();
    assert!(bar.len() > 16 * 60, "{}", bar.len());
    let text = pixels(&with)
        .filter(|&(at, colour)| is_legend(at) && colourfulness(colour) < 20 && colour[0] < 120);
    assert!(text.count() > 100);
    // the curves almost span the bar: far ones are paler
    let near = |one: [i32; 3], other: [i32; 3]| (0..3).all(|k| one[k].abs_diff(other[k]) < 60);
    for end in [bar[0], bar[bar.len() - 1]] {
        let found = |picture: &Picture, most: u32| {
            pixels(picture).any(|(at, colour)| at[0] < most && near(colour, end))
        };
        assert!(found(&with, 240) && found(&without, 320), "{end:?}");
    }
    // labels, levels and components have a list
    for by in [ColourBy::Label, ColourBy::Level, ColourBy::Component] {
        let colours = Some(by);
        let listed = net.picture(&cpu, &SkeletonStyle { colours, ..style });
        let strong =
            pixels(&listed).filter(|&(at, colour)| at[0] >= 230 && colourfulness(colour) > 60);
        assert!(strong.count() >= 100, "{by:?}");
    }
}

#[test]
fn tubes_cover_more_than_lines() {
    let net = Net::new();
    let style = SkeletonStyle {
        legend: false,
        ..SkeletonStyle::default()
    };
    let coloured = |tubes| {
        let picture = net.picture(&Device::cpu(), &SkeletonStyle { tubes, ..style });
        pixels(&picture)
            .filter(|&(_, colour)| colourfulness(colour) > 50)
            .count()
    };
    let [lines, tubes] = [false, true].map(coloured);
    assert!(lines > 1000 && tubes > 2 * lines, "{lines} and {tubes}");
}

#[test]
fn images_are_the_same_on_every_device() {
    let net = Net::new();
    for tubes in [false, true] {
        let style = SkeletonStyle {
            tubes,
            ..SkeletonStyle::default()
        };
        let expected = net.picture(&Device::cpu(), &style);
        for test in devices::fast() {
            assert!(
                net.picture(&test.device, &style) == expected,
                "{}",
                test.label
            );
        }
        // and in any order of blocks
        let expected = net.sized(&Device::cpu(), &style, [48, 36]);
        for test in devices::all() {
            let found = net.sized(&test.device, &style, [48, 36]);
            assert!(found == expected, "{}", test.label);
        }
    }
}

/// A curve occludes curves behind it, regardless of their order in the list; the farther one is
/// paler.
#[test]
fn nearer_curves_occlude_farther_ones() {
    let bar = |level: u8, ends: [[f64; 3]; 2]| {
        let points = ends.map(Point3::from).to_vec();
        let node = |position| Node {
            kind: NodeKind::End,
            position,
            eigenvalues: None,
            radius: 1.0,
            component: 0,
        };
        Skeleton {
            nodes: points.iter().copied().map(node).collect(),
            edges: vec![Edge {
                nodes: [0, 1],
                radii: vec![1.0; 2],
                points,
                section_areas: Vec::new(),
                level,
            }],
            geometry: Geometry::default(),
        }
    };
    // from the front: +y is nearer
    let red = bar(0, [[2.0, 18.0, 10.0], [18.0, 18.0, 10.0]]);
    let blue = bar(1, [[10.0, 2.0, 2.0], [10.0, 2.0, 18.0]]);
    let volume = Volume::from_fn([21, 21, 21], Geometry::default(), |_, _, _| 0u8).unwrap();
    let stream = Device::cpu().stream().unwrap();
    let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
    let params = RenderParams {
        iso: 0.5,
        width: 61,
        height: 61,
        view: "front".parse().unwrap(),
        ..RenderParams::default()
    };
    let style = SkeletonStyle {
        colours: Some(ColourBy::Level),
        width: 7.0,
        ..SkeletonStyle::default()
    };
    let draw = |list: &[(i64, &Skeleton)]| {
        render::skeletons(&stream, &on_device, list, &params, &style).unwrap()
    };
    let picture = draw(&[(1, &red), (2, &blue)]);
    assert!(picture == draw(&[(1, &blue), (2, &red)]));
    let (crossing, end) = (pixel(&picture, 30, 30), pixel(&picture, 30, 8));
    assert!(crossing[0] > crossing[2] + 80, "{crossing:?}");
    assert!(end[2] > end[0] + 20, "{end:?}");
    let strongest = |colour: [i32; 3]| *colour.iter().min().unwrap();
    assert!(
        strongest(end) > strongest(crossing) + 80,
        "{end:?} {crossing:?}"
    );
    // the farther one is thinner
    let across = |y: u32, x: u32| {
        let row = (0..61).filter(|&k| colourfulness(pixel(&picture, k, y)) > 20);
        let column = (0..61).filter(|&k| colourfulness(pixel(&picture, x, k)) > 20);
        [row.count(), column.count()]
    };
    let [far, near] = across(10, 10);
    assert!(far < near && far >= 3, "{far} {near}");
}
