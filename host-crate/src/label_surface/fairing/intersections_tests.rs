//! Search for intersecting triangles compared with exact tests of all pairs.

use super::{DeviceWalls, intersections::IntersectionSearch};
use crate::{
    device::{Buffer, Device},
    grid::Geometry,
    mesh::{LabelledMesh, TriangleMesh, Triangles, labelled_triangles_intersect},
};

/// Random triangles of three labels with small, few coordinates, in units of `step`.
fn random_walls(random: &mut impl FnMut(u64) -> u64, range: u64, step: f32) -> LabelledMesh {
    let mut position = || [0; 3].map(|_| random(range) as f32 * step);
    let vertices: Vec<[f32; 3]> = (0..60).map(|_| position()).collect();
    let mut triangle = || loop {
        let corners = [0; 3].map(|_| random(60) as u32);
        if corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0] {
            break corners;
        }
    };
    let triangles: Vec<[u32; 3]> = (0..40).map(|_| triangle()).collect();
    let sides = (0..40).map(|_| [1 + random(3) as u32, random(4) as u32]);
    LabelledMesh {
        sides: sides.collect(),
        mesh: TriangleMesh {
            vertices,
            triangles: Triangles::U32(triangles),
            ..TriangleMesh::default()
        },
        labels: vec![1, 2, 3],
    }
}

/// Returns the triangles that `pairs` of one label, tested exactly, have crossings of.
fn expected(walls: &LabelledMesh, is_tested: impl Fn(usize, usize) -> bool) -> Vec<bool> {
    let triangles = walls.mesh.triangles.to_u32().unwrap();
    let mut crossed = vec![false; triangles.len()];
    for one in 0..triangles.len() {
        for other in 0..one {
            let sides = [walls.sides[one], walls.sides[other]];
            let has_common = sides[0].iter().any(|it| *it != 0 && sides[1].contains(it));
            let pair = [triangles[one], triangles[other]];
            if has_common
                && is_tested(one, other)
                && labelled_triangles_intersect(&walls.mesh.vertices, pair)
            {
                crossed[one] = true;
                crossed[other] = true;
            }
        }
    }
    crossed
}

/// The search on a device, with pairs that rounding errors leave open, compared with exact tests of
/// all pairs.
#[test]
fn every_crossed_triangle_is_found() {
    let mut state = 5_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let stream = Device::cpu().stream().unwrap();
    let geometry = Geometry::default();
    let (mut found, mut total) = (0, 0);
    for round in 0..60 {
        // coordinates that are not exact products of few bits make planes oblique
        let step = [1.0, 0.1, 0.7][round % 3];
        let walls = random_walls(&mut random, 3 + round as u64 % 7, step);
        let corners = walls.mesh.triangles.to_u32().unwrap();
        let positions = stream.upload(walls.mesh.vertices.as_flattened()).unwrap();
        let triangles = stream.upload(corners.as_flattened()).unwrap();
        let sides = stream.upload(walls.sides.as_flattened()).unwrap();
        let device_walls = DeviceWalls {
            positions: &positions,
            triangles: &triangles,
            sides: &sides,
        };
        let search = IntersectionSearch::new(&stream, &device_walls, &geometry, [8; 3]);
        let search = search.unwrap();
        let crossed = |changed: Option<&Buffer<u8>>| {
            let crossings = search.run(&positions, changed).unwrap();
            let crossings = stream.download(&crossings).unwrap();
            crossings.iter().map(|it| *it != 0).collect::<Vec<_>>()
        };
        assert_eq!(
            crossed(None),
            expected(&walls, |_, _| true),
            "round {round}"
        );
        let changed: Vec<u8> = (0..40).map(|_| u8::from(random(4) == 0)).collect();
        let is_tested = |one: usize, other: usize| changed[one] + changed[other] > 0;
        let changed_buffer = stream.upload(&changed).unwrap();
        let some = crossed(Some(&changed_buffer));
        assert_eq!(some, expected(&walls, is_tested), "round {round}");
        found += some.iter().filter(|it| **it).count();
        total += some.len();
    }
    assert!(found > total / 10 && found < total, "{found} of {total}");
}
