//! Whole meshes compared with the level set of the trilinear interpolant, determined independently
//! by refining each cell.

use ferrovox::{
    isosurface::{IsosurfaceParams, Method, Topology},
    mesh::{self, TriangleMesh},
};
use ferrovox_tests::{
    devices::{self, TestDevice},
    extract::extract_mesh,
    noise::{Noise, with_border_below},
    oracle::trilinear::{Refinement, surface_components},
};
use std::collections::HashMap;

/// An edge of the grid: its axis and its lower end.
type Edge = (usize, [usize; 3]);

/// The components of a surface: for each, in order, the grid edges that it crosses and its Euler
/// characteristic.
type Components = Vec<(Vec<Edge>, i64)>;

/// Disjoint sets.
struct Groups(Vec<usize>);

impl Groups {
    fn root(&self, mut member: usize) -> usize {
        while self.0[member] != member {
            member = self.0[member];
        }
        member
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// Returns the components by refinement of each cell, or `None` if a cell is undecidable.
///
/// The patches of neighbouring cells share arcs (sides of loops), and points on edges. A closed
/// surface has the sum of the Euler characteristics of its patches, minus the arcs, each of which
/// is in two patches, plus a contribution of the points, each of which is in four patches and four
/// arcs.
fn components_by_refinement(
    samples: &[f32],
    dims: [usize; 3],
    shift: f64,
    memory: &mut Refinement,
) -> Option<Components> {
    let [nx, ny, nz] = dims;
    let at = |[x, y, z]: [usize; 3]| samples[(z * ny + y) * nx + x] as f64 + shift;
    let mut numbers: HashMap<Edge, usize> = HashMap::new();
    let mut found: Vec<(Vec<usize>, i64)> = Vec::new();
    for z in 0..nz - 1 {
        for y in 0..ny - 1 {
            for x in 0..nx - 1 {
                let corner = |n: usize| [x + (n & 1), y + (n >> 1 & 1), z + (n >> 2)];
                let values = std::array::from_fn(|n| at(corner(n)));
                if values.iter().all(|v| *v < 0.0) || values.iter().all(|v| *v >= 0.0) {
                    continue;
                }
                for piece in surface_components(&values, memory).ok()? {
                    let mut edges = Vec::new();
                    for edge in (0..12).filter(|e| piece.loops.iter().any(|of| of >> e & 1 == 1)) {
                        let (axis, place) = (edge / 4, edge % 4);
                        let mut low = [x, y, z];
                        let others = [[1, 2], [0, 2], [0, 1]][axis];
                        low[others[0]] += place & 1;
                        low[others[1]] += place >> 1;
                        let next = numbers.len();
                        edges.push(*numbers.entry((axis, low)).or_insert(next));
                    }
                    let arcs = edges.len() as i64;
                    // halves, so that an arc in two patches is counted once
                    found.push((edges, 2 * piece.euler - arcs));
                }
            }
        }
    }
    let mut groups = Groups((0..numbers.len()).collect());
    for (edges, _) in &found {
        for edge in edges {
            groups.join(edges[0], *edge);
        }
    }
    let mut components: HashMap<usize, (Vec<Edge>, i64)> = HashMap::new();
    for (edge, number) in &numbers {
        let component = components.entry(groups.root(*number)).or_default();
        component.0.push(*edge);
        component.1 += 2;
    }
    for (edges, doubled) in &found {
        let component = components.entry(groups.root(edges[0])).or_default();
        component.1 += doubled;
    }
    Some(sort_components(components.into_values().map(
        |(edges, doubled)| {
            assert_eq!(doubled % 2, 0);
            (edges, doubled / 2)
        },
    )))
}

fn sort_components(components: impl Iterator<Item = (Vec<Edge>, i64)>) -> Components {
    let mut components: Components = components.collect();
    for (edges, _) in &mut components {
        edges.sort_unstable();
    }
    components.sort();
    components
}

/// Returns the components of a mesh in voxel coordinates: a vertex on an edge has one fractional
/// coordinate, an inner vertex three.
fn components_of_mesh_vertices(mesh: &TriangleMesh) -> Components {
    let mut groups = Groups((0..mesh.vertices.len()).collect());
    for triangle in mesh.triangles.iter() {
        let [a, b, c] = triangle.map(|vertex| vertex as usize);
        groups.join(a, b);
        groups.join(b, c);
    }
    let mut components: HashMap<usize, (Vec<Edge>, i64)> = HashMap::new();
    for (number, vertex) in mesh.vertices.iter().enumerate() {
        let component = components.entry(groups.root(number)).or_default();
        component.1 += 1;
        let along: Vec<usize> = (0..3).filter(|k| vertex[*k].fract() != 0.0).collect();
        match along[..] {
            [axis] => component.0.push((axis, vertex.map(|v| v as usize))),
            [_, _, _] => {}
            _ => panic!("a vertex at {vertex:?}"),
        }
    }
    let mut triangles: HashMap<usize, i64> = HashMap::new();
    for triangle in mesh.triangles.iter() {
        *triangles
            .entry(groups.root(triangle[0] as usize))
            .or_default() += 1;
    }
    sort_components(components.into_iter().map(|(root, (edges, vertices))| {
        let faces = triangles[&root];
        assert_eq!(faces % 2, 0, "a closed component");
        (edges, vertices - faces / 2)
    }))
}

/// Compares the components of fields for every method and device, and prints the number of
/// undecidable fields.
fn check(
    name: &str,
    field_count: usize,
    dims: [usize; 3],
    shift: f64,
    on: &[TestDevice],
    mut draw: impl FnMut(&mut Noise) -> f32,
) {
    let (mut memory, mut undecided, mut separated_differs) = (Refinement::default(), 0, 0);
    for seed in 0..field_count as u64 {
        let mut noise = Noise(seed);
        let samples = with_border_below(dims, || draw(&mut noise));
        let Some(expected) = components_by_refinement(&samples, dims, shift, &mut memory) else {
            undecided += 1;
            continue;
        };
        for test in on {
            for method in Method::ALL {
                let params = IsosurfaceParams {
                    topology: Topology::Trilinear,
                    method,
                    ..Default::default()
                };
                let mesh = extract_mesh(&test.device, &samples, dims, &params);
                let label = format!("{name}, field {seed}, {} on {}", method.name(), test.label);
                let report = mesh::check(&mesh);
                assert!(report.is_closed() && report.is_manifold(), "{label}");
                assert!(components_of_mesh_vertices(&mesh) == expected, "{label}");
            }
        }
        let separated = extract_mesh(&on[0].device, &samples, dims, &IsosurfaceParams::default());
        separated_differs += (components_of_mesh_vertices(&separated) != expected) as usize;
    }
    eprintln!(
        "{name}: {} fields right, {undecided} undecided; {separated_differs} differ with above samples separated",
        field_count - undecided
    );
    assert!(undecided * 4 <= field_count, "{name}: too many undecided");
    assert!(separated_differs > 0, "{name}: nothing was ambiguous");
}

/// Number of fields of each kind; `FERROVOX_RANDOM_FIELDS` overrides it.
fn field_count(default: usize) -> usize {
    let given = std::env::var("FERROVOX_RANDOM_FIELDS").ok();
    given.map_or(default, |count| count.parse().expect("a number of fields"))
}

#[test]
fn random_fields_have_the_components_of_the_interpolant() {
    let draw = |noise: &mut Noise| noise.signed();
    check(
        "uniform",
        field_count(40),
        [8; 3],
        0.0,
        &devices::fast(),
        draw,
    );
    check("uniform, checked", 2, [5, 6, 7], 0.0, &devices::all(), draw);
}

#[test]
fn fields_of_few_values_have_the_components_of_the_interpolant() {
    // ties are decided by an infinitesimally lower isovalue
    let integers = |noise: &mut Noise| noise.below(5) as f32 - 2.0;
    check(
        "integers",
        field_count(20),
        [7; 3],
        0.001,
        &devices::fast(),
        integers,
    );
    let binary = |noise: &mut Noise| noise.below(2) as f32 - 0.5;
    check(
        "binary",
        field_count(20),
        [7; 3],
        0.001,
        &devices::fast(),
        binary,
    );
}

/// Smooth parts with noise, separated by thin walls and gaps, like a scan.
#[test]
fn noisy_walls_have_the_components_of_the_interpolant() {
    let mut at = 0usize;
    let walls = |noise: &mut Noise| {
        at += 1;
        let wall = if at.is_multiple_of(3) { 0.4 } else { -0.35 };
        wall + 0.5 * noise.signed()
    };
    check(
        "walls",
        field_count(20),
        [9; 3],
        0.0,
        &devices::fast(),
        walls,
    );
}
