//! Skeletons over pictures of solids.

use ferrovox::{
    grid::{DeviceVolume, Geometry, Volume},
    render::{self, Picture, RenderParams, SkeletonStyle},
    skeleton::{Edge, Node, NodeKind, Skeleton},
};
use ferrovox_tests::{devices, solids::Solid};
use nalgebra::Point3;

/// The axis of a capsule along x, and a node alone.
fn axis(middle: Point3<f64>, half: f64, geometry: Geometry) -> Skeleton {
    let node = |kind, x: f64| Node {
        kind,
        position: middle + nalgebra::Vector3::new(x, 0.0, 0.0),
        eigenvalues: None,
        radius: 3.0,
        component: 0,
    };
    let nodes = vec![node(NodeKind::Attracting, -half), node(NodeKind::End, half)];
    let edge = Edge {
        nodes: [0, 1],
        points: nodes.iter().map(|node| node.position).collect(),
        radii: vec![3.0; 2],
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

#[test]
fn the_axis_is_drawn_where_it_is() {
    let solid = Solid::capsule(6.0, 40.0);
    // turned in the world: x of the grid is upwards
    let axes = nalgebra::Matrix3::new(0.0, 0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 0.0);
    let geometry = Geometry::new(axes, nalgebra::Vector3::new(50.0, -20.0, 7.0)).unwrap();
    let volume: Volume<u8> = solid.voxels_in(geometry);
    let skeleton = axis(solid.origin(), 15.0, geometry);
    let params = RenderParams {
        iso: 0.5,
        width: 80,
        height: 120,
        view: "front".parse().unwrap(),
        ..RenderParams::default()
    };
    let style = SkeletonStyle::default();
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
        let plain = render::isosurface(&stream, &on_device, &params).unwrap();
        let drawn = render::skeleton(&stream, &on_device, &skeleton, &params, &style).unwrap();
        let middle = pixel(&drawn, 40, 60);
        assert!(middle[0] > middle[1] + 80, "{}: {middle:?}", test.label);
        // only along the axis, and not to the tips
        for (x, y) in [(30, 60), (50, 60), (40, 8), (40, 112)] {
            let [r, g, _] = pixel(&drawn, x, y);
            assert!(r < g + 60, "{}: {x}, {y}", test.label);
        }
        // the solid has become paler, and the background has not changed
        let (before, after) = (pixel(&plain, 30, 60), pixel(&drawn, 30, 60));
        assert!((0..3).all(|k| before[k] < after[k] && after[k] < 255));
        assert_eq!(pixel(&drawn, 2, 2), [255; 3]);
        // a dot at the attracting end, darker than the curve, at the lower end
        let dot = (60..120).map(|y| pixel(&drawn, 40, y)).min().unwrap();
        assert!(dot[0] < 60, "{dot:?}");
        let upper = (0..60).map(|y| pixel(&drawn, 40, y)).min().unwrap();
        assert!(upper[0] >= 60, "{upper:?}");
    }
}

#[test]
fn what_is_outside_the_picture_is_left_out() {
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
    let stream = ferrovox::device::Device::cpu().stream().unwrap();
    let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
    let style = SkeletonStyle {
        width: -3.0,
        solid: 7.0,
        ..SkeletonStyle::default()
    };
    render::skeleton(&stream, &on_device, &skeleton, &params, &style).unwrap();
}
