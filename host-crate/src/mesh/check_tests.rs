//! Meshes with known topology.

use super::*;

pub(super) fn mesh(vertices: Vec<[f32; 3]>, triangles: Vec<[u32; 3]>) -> TriangleMesh {
    TriangleMesh {
        origin: [0.0; 3],
        vertices,
        normals: None,
        triangles: Triangles::U32(triangles),
    }
}

/// Returns a regular octahedron of circumradius 1: volume 4/3, area 4√3.
fn octahedron() -> TriangleMesh {
    mesh(
        vec![
            [1.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
        ],
        vec![
            [0, 2, 4],
            [2, 1, 4],
            [1, 3, 4],
            [3, 0, 4],
            [2, 0, 5],
            [1, 2, 5],
            [3, 1, 5],
            [0, 3, 5],
        ],
    )
}

/// Returns a grid of n × m quads, two triangles each, wrapped around a torus of radii 2 and 1.
pub(super) fn torus(n: u32, m: u32) -> TriangleMesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..m {
            let (u, v) = (
                f64::from(i) / f64::from(n) * std::f64::consts::TAU,
                f64::from(j) / f64::from(m) * std::f64::consts::TAU,
            );
            let r = 2.0 + v.cos();
            vertices.push([(r * u.cos()) as f32, (r * u.sin()) as f32, v.sin() as f32]);
            let at = |i: u32, j: u32| (i % n) * m + j % m;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh(vertices, triangles)
}

pub(super) fn narrow_triangles(mesh: &mut TriangleMesh) -> &mut Vec<[u32; 3]> {
    match &mut mesh.triangles {
        Triangles::U32(triangles) => triangles,
        Triangles::U64(_) => panic!("made with 32 bit indices"),
    }
}

#[test]
fn octahedron_is_a_sphere() {
    let report = check(&octahedron());
    assert!(report.is_closed() && report.is_manifold() && report.is_oriented());
    assert_eq!(report.euler_characteristic(), 2);
    assert_eq!((report.edges, report.components), (12, 1));
    assert!((report.volume - 4.0 / 3.0).abs() < 1e-12);
    assert!((report.area - 4.0 * 3.0_f64.sqrt()).abs() < 1e-12);
    assert_eq!(report.degenerate_triangles, 0);
}

#[test]
fn wide_indices_give_the_same_report() {
    let narrow = octahedron();
    let wide = TriangleMesh {
        triangles: Triangles::U64(narrow.triangles.iter().collect()),
        ..narrow.clone()
    };
    assert_eq!(check(&wide), check(&narrow));
}

#[test]
fn torus_has_euler_characteristic_zero_and_its_volume() {
    let report = check(&torus(400, 200));
    assert!(report.is_closed() && report.is_manifold() && report.is_oriented());
    assert_eq!(report.euler_characteristic(), 0);
    // 2 π² R r² and 4 π² R r, up to the discretisation error
    let pi2 = std::f64::consts::PI.powi(2);
    assert!(
        (report.volume / (4.0 * pi2) - 1.0).abs() < 1e-3,
        "{}",
        report.volume
    );
    assert!(
        (report.area / (8.0 * pi2) - 1.0).abs() < 1e-3,
        "{}",
        report.area
    );
}

#[test]
fn volume_far_from_the_origin_is_accurate() {
    let mut far = octahedron();
    for position in &mut far.vertices {
        position[0] += 8_000_000.0;
    }
    assert!((check(&far).volume - 4.0 / 3.0).abs() < 1e-9);
}

#[test]
fn missing_triangle_opens_the_mesh() {
    let mut open = octahedron();
    narrow_triangles(&mut open).pop();
    let report = check(&open);
    assert!(!report.is_closed() && report.is_manifold() && report.is_oriented());
    assert_eq!(report.boundary_edges, 3);
    assert_eq!(report.euler_characteristic(), 1);
}

#[test]
fn flipped_triangle_is_inconsistent() {
    let mut flipped = octahedron();
    narrow_triangles(&mut flipped)[0].swap(0, 1);
    let report = check(&flipped);
    assert!(report.is_closed() && report.is_manifold() && !report.is_oriented());
    assert_eq!(report.inconsistent_edges, 3);
    assert_eq!(report.edges, 12);
}

#[test]
fn inside_out_mesh_has_negative_volume() {
    let mut inverted = octahedron();
    for triangle in narrow_triangles(&mut inverted) {
        triangle.swap(0, 1);
    }
    let report = check(&inverted);
    assert!(report.is_oriented());
    assert!((report.volume + 4.0 / 3.0).abs() < 1e-12);
}

#[test]
fn spheres_that_share_a_vertex_are_not_manifold() {
    let mut pinched = octahedron();
    let other = octahedron();
    // vertex 1 of the second octahedron is vertex 0 of the first
    let renamed = |v: u32| if v == 1 { 0 } else { 6 + v - u32::from(v > 1) };
    for (index, position) in other
        .vertices
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != 1)
    {
        assert_eq!(renamed(index as u32) as usize, pinched.vertices.len());
        pinched
            .vertices
            .push([position[0] + 2.0, position[1], position[2]]);
    }
    let more: Vec<[u32; 3]> = match &other.triangles {
        Triangles::U32(triangles) => triangles.iter().map(|t| t.map(renamed)).collect(),
        Triangles::U64(_) => unreachable!(),
    };
    narrow_triangles(&mut pinched).extend(more);
    let report = check(&pinched);
    assert!(report.is_closed() && report.is_oriented() && !report.is_manifold());
    assert_eq!(report.non_manifold_vertices, 1);
    assert_eq!(report.non_manifold_edges, 0);
    assert_eq!(report.components, 1);
    assert_eq!(report.euler_characteristic(), 3);
}

#[test]
fn three_triangles_on_an_edge_are_not_manifold() {
    let book = mesh(
        vec![
            [0.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [-1.0, 0.0, 0.0],
        ],
        vec![[0, 1, 2], [0, 1, 3], [0, 1, 4]],
    );
    let report = check(&book);
    assert!(!report.is_manifold() && !report.is_closed());
    assert_eq!(report.non_manifold_edges, 1);
    assert_eq!(report.non_manifold_vertices, 2);
    assert_eq!(report.boundary_edges, 6);
}

#[test]
fn unused_vertices_are_not_components() {
    let mut pieces = octahedron();
    let more: Vec<[u32; 3]> = pieces
        .triangles
        .iter()
        .map(|t| t.map(|v| v as u32 + 6))
        .collect();
    pieces.vertices.extend(octahedron().vertices);
    pieces.vertices.push([9.0, 9.0, 9.0]);
    narrow_triangles(&mut pieces).extend(more);
    let report = check(&pieces);
    assert_eq!(report.components, 2);
    assert_eq!(report.euler_characteristic(), 4);
    assert_eq!(report.unreferenced_vertices, 1);
    assert!(report.is_closed());
}

#[test]
fn defects_are_counted_and_excluded_from_the_topology() {
    let mut broken = octahedron();
    broken
        .vertices
        .extend([[f32::NAN, 0.0, 0.0], [0.5, 0.5, 0.0]]);
    let all = narrow_triangles(&mut broken);
    all.push([0, 0, 1]); // repeated index
    all.push([0, 1, 99]); // no such vertex
    let report = check(&broken);
    assert_eq!(report.degenerate_triangles, 1);
    assert_eq!(report.invalid_triangles, 1);
    assert_eq!(report.non_finite_vertices, 1);
    assert_eq!(report.euler_characteristic(), 2);
    assert!(!report.is_closed(), "an index that names nothing");

    // vertex 7 lies on the edge 0-2: a degenerate triangle
    narrow_triangles(&mut broken).truncate(8);
    narrow_triangles(&mut broken).push([0, 2, 7]);
    assert_eq!(check(&broken).degenerate_triangles, 1);
    assert!((check(&broken).area - 4.0 * 3.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn empty_mesh_is_closed() {
    let report = check(&TriangleMesh::default());
    assert!(report.is_closed() && report.is_manifold() && report.is_oriented());
    assert_eq!(report, MeshReport::default());
    let points = check(&mesh(vec![[0.0; 3]; 3], vec![]));
    assert_eq!((points.components, points.unreferenced_vertices), (0, 3));
}

#[test]
fn vertex_of_high_degree_is_classified() {
    // a bipyramid over a regular polygon of 1000 corners: both apices have degree 1000
    let corners = 1000;
    let mut vertices = vec![[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    let mut triangles = Vec::new();
    for i in 0..corners {
        let angle = f64::from(i) / f64::from(corners) * std::f64::consts::TAU;
        vertices.push([angle.cos() as f32, angle.sin() as f32, 0.0]);
        let (own, next) = (2 + i, 2 + (i + 1) % corners);
        triangles.extend([[0, own, next], [1, next, own]]);
    }
    let report = check(&mesh(vertices, triangles));
    assert!(report.is_closed() && report.is_manifold() && report.is_oriented());
    assert_eq!(report.euler_characteristic(), 2);
}
