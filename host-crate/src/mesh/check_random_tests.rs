//! Meshes in random order, random triangles, and the time of a large mesh.

use super::{
    tests::{mesh, narrow_triangles, torus},
    *,
};

/// Shuffles a list deterministically.
fn shuffle<T>(list: &mut [T]) {
    let mut state = 1_u64;
    for at in (1..list.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        list.swap(at, (state >> 33) as usize % (at + 1));
    }
}

#[test]
fn report_does_not_depend_on_triangle_order() {
    // several ranges of vertices, used in random order
    let ordered = torus(500, 301);
    let expected = check(&ordered);
    assert_eq!(
        (expected.euler_characteristic(), expected.components),
        (0, 1)
    );
    assert!(expected.is_closed() && expected.is_manifold() && expected.is_oriented());
    let mut shuffled = ordered;
    shuffle(narrow_triangles(&mut shuffled));
    let of = |report: MeshReport| MeshReport {
        area: expected.area,
        volume: expected.volume,
        ..report
    };
    assert_eq!(of(check(&shuffled)), expected);
    let vertices = shuffled.vertices.len();
    let mut names: Vec<u32> = (0..vertices as u32).collect();
    shuffle(&mut names);
    for triangle in narrow_triangles(&mut shuffled) {
        *triangle = triangle.map(|corner| names[corner as usize]);
    }
    assert_eq!(of(check(&shuffled)), expected);
}

#[test]
fn random_triangles_match_a_naive_count() {
    // mostly close to each other, some far apart, some invalid, some repeated
    let vertices = 100_000_usize;
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    let triangles: Vec<[u32; 3]> = (0..150_000)
        .map(|at| {
            let near = at * vertices / 150_000;
            let far = random(50) == 0;
            [0; 3].map(|_| {
                if far {
                    random(vertices + 3) as u32
                } else {
                    ((near + random(12)) % vertices) as u32
                }
            })
        })
        .collect();
    let takes_part =
        |&[a, b, c]: &[u32; 3]| a.max(b).max(c) < vertices as u32 && a != b && b != c && c != a;
    let mut edges = std::collections::HashMap::<(u32, u32), Vec<bool>>::new();
    let mut sets = crate::union_find::UnionFind::<u32>::try_new(vertices).unwrap();
    let (mut used, mut joins, mut count) = (std::collections::HashSet::new(), 0, 0);
    for &[a, b, c] in triangles.iter().filter(|&triangle| takes_part(triangle)) {
        count += 1;
        used.extend([a, b, c]);
        joins += usize::from(sets.join(a, b)) + usize::from(sets.join(b, c));
        for (from, to) in [(a, b), (b, c), (c, a)] {
            edges
                .entry((from.min(to), from.max(to)))
                .or_default()
                .push(from < to);
        }
    }
    let edges_where = |keep: fn(&[bool]) -> bool| edges.values().filter(|uses| keep(uses)).count();
    let report = check(&mesh(vec![[0.0; 3]; vertices], triangles));
    assert_eq!(report.topological_triangles, count);
    assert_eq!(report.edges, edges.len());
    assert_eq!(report.boundary_edges, edges_where(|uses| uses.len() == 1));
    assert_eq!(
        report.non_manifold_edges,
        edges_where(|uses| uses.len() > 2)
    );
    assert_eq!(
        report.inconsistent_edges,
        edges_where(|uses| uses.len() == 2 && uses[0] == uses[1])
    );
    assert_eq!(report.unreferenced_vertices, vertices - used.len());
    assert_eq!(report.components, used.len() - joins);
}

/// Prints the time of a check of a large mesh:
/// `cargo test --release -p ferrovox --lib large_mesh -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, not a check"]
fn time_of_a_large_mesh() {
    let large = torus(1300, 1000);
    let start = std::time::Instant::now();
    let report = check(&large);
    println!(
        "{} triangles checked in {:?}",
        report.triangles,
        start.elapsed()
    );
    assert!(report.is_closed());
}
