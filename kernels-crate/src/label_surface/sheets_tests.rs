use super::*;
use crate::label_surface::{
    cell::{JOIN_CONTACTS, face_node, has_two_arcs},
    simple::{is_simple_cell, is_simple_mask},
};

/// Calls `visit` for every partition of the corners, with each part or none as background, and
/// three orders of the labels.
#[cuda_std::inline_closures]
fn for_each_cell(mut visit: impl FnMut(&[u32; 8])) {
    fn extend(
        parts: &mut [u32; 8],
        corner: usize,
        count: u32,
        visit: &mut impl FnMut(&[u32; 8], u32),
    ) {
        if corner == 8 {
            return visit(parts, count);
        }
        for part in 0..=count {
            parts[corner] = part;
            extend(parts, corner + 1, count.max(part + 1), visit);
        }
    }
    extend(&mut [0; 8], 0, 0, &mut |parts, count| {
        for background in 0..=count {
            for order in 0..3 {
                let label = |part: u32| match part {
                    _ if part == background => 0,
                    _ if order == 0 => part + 1,
                    _ if order == 1 => 9 - part,
                    _ => 1 + part * 5 % 8,
                };
                visit(&parts.map(label));
            }
        }
    });
}

#[cuda_std::inline_closures]
#[test]
fn there_are_4140_partitions() {
    let mut cells = 0;
    for_each_cell(|_| cells += 1);
    // Bell numbers B(8) = 4140 and B(9) = 21147: one more element marks the background
    assert_eq!(cells, 3 * 21147);
}

/// The corners of a simple mask, and the others, are each connected; so the boundary is one loop of
/// arcs: checked against the general assignment.
#[cuda_std::inline_closures]
#[test]
fn simple_cells_have_one_vertex() {
    let mut simple = 0;
    for_each_cell(|labels| {
        let is_uniform = labels.iter().all(|label| label == &labels[0]);
        if is_simple_cell(labels) && !is_uniform {
            simple += 1;
            for contacts in [JOIN_CONTACTS, 1] {
                let nodes = assign_vertices(labels, contacts);
                assert_eq!(nodes.vertices, 1, "{labels:?}");
                assert_eq!(nodes.vertex_edges(0), crossed_edges(labels));
            }
        }
    });
    assert!(simple > 1000, "{simple}");
    assert_eq!((0..256).filter(|&mask| is_simple_mask(mask)).count(), 128);
}

/// Each active node has one arc on each of its two faces, so sheets are loops; every vertex is well
/// inside the cell, and vertices of one label are apart.
#[cuda_std::inline_closures]
#[test]
fn vertices_of_one_label_are_apart_in_every_cell() {
    let (mut most, mut min_gap, mut min_inside) = (0, f32::MAX, f32::MAX);
    for_each_cell(|labels| {
        for contacts in [JOIN_CONTACTS, 1] {
            let nodes = assign_vertices(labels, contacts);
            most = most.max(nodes.vertices);
            let mut arcs = [0; 24];
            for face in 0..6 {
                for_each_arc(face, face_labels(labels, face), contacts, |one, other| {
                    assert_ne!(one >> 1, other >> 1);
                    let label = |node| labels[node_corner(node) as usize];
                    assert_eq!(label(one), label(other), "{labels:?}");
                    arcs[one as usize] += 1;
                    arcs[other as usize] += 1;
                });
            }
            let mut by_vertex = vec![std::collections::BTreeSet::new(); nodes.vertices as usize];
            for node in 0..NODES {
                let own = labels[node_corner(node) as usize];
                let other = labels[node_corner(node ^ 1) as usize];
                let is_active = own != other && own != 0;
                assert_eq!(arcs[node as usize], if is_active { 2 } else { 0 });
                assert_eq!(nodes.vertex(node) != NO_VERTEX, is_active, "{labels:?}");
                if is_active {
                    by_vertex[nodes.vertex(node) as usize].insert(own);
                }
            }
            let positions: Vec<[f32; 3]> = (0..nodes.vertices)
                .map(|vertex| mean_midpoint(nodes.vertex_edges(vertex)))
                .collect();
            for (one, position) in positions.iter().enumerate() {
                for &x in position {
                    min_inside = min_inside.min(x).min(1.0 - x);
                }
                for other in 0..one {
                    if by_vertex[one].intersection(&by_vertex[other]).count() > 0 {
                        let gap = (0..3).map(|k| (position[k] - positions[other][k]).abs());
                        min_gap = min_gap.min(gap.fold(0.0, f32::max));
                    }
                }
            }
        }
    });
    println!("at most {most} vertices, {min_gap} apart, {min_inside} inside");
    assert_eq!(most, 5);
    assert!(min_gap >= 0.25, "{min_gap}");
    assert!(min_inside >= 1.0 / 6.0 - 1e-6, "{min_inside}");
}

/// Both cells of a face, and all labels on it, find the same pairs of edges.
#[cuda_std::inline_closures]
#[test]
fn labels_agree_on_the_arcs_of_a_face() {
    for code in 0..5_u32.pow(4) {
        let labels = [code % 5, code / 5 % 5, code / 25 % 5, code / 125];
        for contacts in [JOIN_CONTACTS, 1] {
            let mut pairs = std::collections::BTreeMap::new();
            for_each_arc(0, labels, contacts, |one, other| {
                for (from, to) in [(one, other), (other, one)] {
                    let edges = pairs.entry(from >> 1).or_insert_with(Vec::new);
                    edges.push(to >> 1);
                }
            });
            if has_two_arcs(labels) {
                for edges in pairs.values() {
                    assert!(edges.iter().all(|edge| edge == &edges[0]), "{labels:?}");
                }
            }
            // the opposite order of corners, as the face of the neighbouring cell could have it
            let [a, b, c, d] = labels;
            let mut mirrored = std::collections::BTreeMap::new();
            for_each_arc(0, [a, d, c, b], contacts, |one, other| {
                // edge i between corners i and i + 1 becomes edge 3 - i
                let mirror = |node: u32| {
                    let index = (0..4).find(|&i| face_node(0, i, 0) >> 1 == node >> 1);
                    face_node(0, 3 - index.unwrap(), 0) >> 1
                };
                for (from, to) in [(one, other), (other, one)] {
                    let edges = mirrored.entry(mirror(from)).or_insert_with(Vec::new);
                    edges.push(mirror(to));
                }
            });
            for edges in pairs.values_mut().chain(mirrored.values_mut()) {
                edges.sort_unstable();
            }
            assert_eq!(pairs, mirrored, "{labels:?}");
        }
    }
}
