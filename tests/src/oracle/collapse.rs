//! First homology of an object of any size, over the field of two elements.
//!
//! The complex is collapsed: pairs of a cell and a free face (a face of no other cell) are removed
//! for as long as possible. What remains is a graph, and a few critical faces that were removed on
//! their own. For each pair of a face and an edge, the other edges of the face are recorded, so
//! that a cocycle of the graph extends to one of the object: its value on the edge is the sum of
//! those on the other three. Each edge thus has a value for each cocycle, and the homology class of
//! a cycle is the sum of the values of its edges. The critical faces determine which sums are
//! boundaries.

use super::{cells::Complex, gf2::Rows, object::Object};
use crate::noise::Noise;

/// Result of the collapse, and the information to extend cocycles.
#[derive(Clone, Debug)]
pub struct Collapse {
    /// Collapsed pairs in order: the edge, and the other three edges of its face.
    pairs: Vec<[u32; 4]>,
    /// Boundaries of the critical faces, with the component of each.
    critical_faces: Vec<([u32; 4], usize)>,
    /// Edges of the graph that close its cycles; each generates a cocycle.
    generators: Vec<Generator>,
    /// Number of generators of each component.
    per_component: Vec<usize>,
    /// Number of edges of the complex.
    edges: usize,
}

#[derive(Clone, Copy, Debug)]
struct Generator {
    edge: u32,
    component: usize,
    /// Index among the generators of its component.
    number: usize,
}

const NO_INDEX: u32 = u32::MAX;

impl Collapse {
    /// Collapses the complex. Linear in time and memory.
    ///
    /// # Panics
    /// If there are 2^32 edges or more.
    pub fn new(object: &Object, complex: &Complex) -> Self {
        assert!(complex.count(1) < NO_INDEX as usize);
        let faces = remaining_faces(complex);
        let edges = complex.count(1);
        let borders = borders(complex);
        let around = around(edges, &borders, &faces);
        let mut result = Self {
            pairs: Vec::new(),
            critical_faces: Vec::new(),
            generators: Vec::new(),
            per_component: vec![0; object.count()],
            edges,
        };
        let critical_faces = result.collapse_faces(faces, &borders, &around);
        let mut is_collapsed = vec![false; edges];
        result
            .pairs
            .iter()
            .for_each(|pair| is_collapsed[pair[0] as usize] = true);
        result.find_generators(object, complex, &is_collapsed);
        // few, so they are found in one pass over all faces
        let mut critical_faces = critical_faces.into_iter().peekable();
        for (number, face) in complex.cells(2).enumerate() {
            if critical_faces
                .next_if(|&next| next as usize == number)
                .is_some()
            {
                let component = complex.component(object, face);
                result
                    .critical_faces
                    .push((borders[number], component.unwrap_or(usize::MAX)));
            }
        }
        result
    }

    /// Collapses faces with edges of no other face; returns the critical faces in order.
    fn collapse_faces(
        &mut self,
        mut is_present: Vec<bool>,
        borders: &[[u32; 4]],
        around: &[[u32; 4]],
    ) -> Vec<u32> {
        let mut counts: Vec<u8> = around
            .iter()
            .map(|faces| faces.iter().filter(|&&face| face != NO_INDEX).count() as u8)
            .collect();
        let mut open: Vec<u32> = (0..self.edges as u32)
            .filter(|&edge| counts[edge as usize] == 1)
            .collect();
        let (mut next, mut critical_faces) = (0, Vec::new());
        let mut done = 0;
        loop {
            while done < open.len() {
                let edge = open[done];
                done += 1;
                if counts[edge as usize] != 1 {
                    continue;
                }
                let faces = around[edge as usize].iter().copied();
                let Some(face) = faces
                    .filter(|&face| face != NO_INDEX)
                    .find(|&face| is_present[face as usize])
                else {
                    continue;
                };
                is_present[face as usize] = false;
                let mut pair = borders[face as usize];
                let at = pair.iter().position(|&one| one == edge).unwrap_or(0);
                pair.swap(0, at);
                counts[edge as usize] = 0;
                for &edge in &pair[1..] {
                    counts[edge as usize] -= 1;
                    if counts[edge as usize] == 1 {
                        open.push(edge);
                    }
                }
                self.pairs.push(pair);
            }
            open.clear();
            done = 0;
            while next < is_present.len() && !is_present[next] {
                next += 1;
            }
            if next == is_present.len() {
                return critical_faces;
            }
            is_present[next] = false;
            critical_faces.push(next as u32);
            for &edge in &borders[next] {
                counts[edge as usize] -= 1;
                if counts[edge as usize] == 1 {
                    open.push(edge);
                }
            }
        }
    }

    fn find_generators(&mut self, object: &Object, complex: &Complex, is_collapsed: &[bool]) {
        let mut parent: Vec<u32> = (0..complex.count(0) as u32).collect();
        for (number, edge) in complex.cells(1).enumerate() {
            if is_collapsed[number] {
                continue;
            }
            let mut ends = edge.sides().map(|end| {
                let number = complex
                    .number(end)
                    .expect("faces of cells are in the complex");
                root(&mut parent, number as u32)
            });
            let (Some(a), Some(b)) = (ends.next(), ends.next()) else {
                continue;
            };
            if a != b {
                parent[a.max(b) as usize] = a.min(b);
                continue;
            }
            let component = complex
                .component(object, edge)
                .expect("each edge belongs to a voxel");
            self.generators.push(Generator {
                edge: number as u32,
                component,
                number: self.per_component[component],
            });
            self.per_component[component] += 1;
        }
    }

    /// Returns the values of 64 cocycles on each edge, given their values on the generators.
    fn extend_cocycles(&self, at: impl Fn(&Generator) -> u64) -> Vec<u64> {
        let mut values = vec![0u64; self.edges];
        for generator in &self.generators {
            values[generator.edge as usize] = at(generator);
        }
        for &[edge, a, b, c] in self.pairs.iter().rev() {
            values[edge as usize] = values[a as usize] ^ values[b as usize] ^ values[c as usize];
        }
        values
    }

    /// Returns the number of passes in which [`Collapse::classes`] computes values, each for 64
    /// more generators of a component.
    fn value_passes(&self) -> usize {
        let max_generators = self.per_component.iter().max().copied().unwrap_or(0);
        max_generators.div_ceil(64).max(1)
    }

    /// Computes the homology classes of chains of edges, given by edge indices, as bit vectors.
    /// Chains that are not cycles have classes too, which add up to that of a cycle if the chains
    /// do.
    pub fn classes(&self, chains: &[Vec<u32>]) -> Classes<'_> {
        let words = self.value_passes();
        let mut result = Classes {
            collapse: self,
            chain_classes: vec![vec![0; words]; chains.len()],
            critical_face_classes: vec![vec![0; words]; self.critical_faces.len()],
        };
        for round in 0..words {
            let values = self.extend_cocycles(|generator| {
                if generator.number / 64 == round {
                    1 << (generator.number % 64)
                } else {
                    0
                }
            });
            let sum = |edges: &[u32]| {
                let edges = edges.iter();
                edges.fold(0, |sum, &edge| sum ^ values[edge as usize])
            };
            for (class, chain) in result.chain_classes.iter_mut().zip(chains) {
                class[round] = sum(chain);
            }
            for (class, (border, _)) in result
                .critical_face_classes
                .iter_mut()
                .zip(&self.critical_faces)
            {
                class[round] = sum(border);
            }
        }
        result
    }

    /// Returns 64 random cocycles of the object on each edge. A cycle whose values do not add up to
    /// 0 is not a boundary; one whose values do is a boundary, with an error probability of 2^-64.
    pub fn random_cocycles(&self, seed: u64) -> Vec<u64> {
        let relations = self.classes(&[]).relations();
        let mut noise = Noise(seed);
        let mut chosen: Vec<Vec<u64>> = self
            .per_component
            .iter()
            .map(|&count| (0..count).map(|_| noise.bits()).collect())
            .collect();
        for (values, rows) in chosen.iter_mut().zip(&relations) {
            for (lead, row) in rows.solved_form() {
                let others =
                    (0..values.len()).filter(|&n| n != lead && row[n / 64] >> (n % 64) & 1 == 1);
                let sum = others.fold(0, |sum, n| sum ^ values[n]);
                values[lead] = sum;
            }
        }
        self.extend_cocycles(|generator| chosen[generator.component][generator.number])
    }
}

/// Homology classes of chains.
#[derive(Debug)]
pub struct Classes<'a> {
    collapse: &'a Collapse,
    /// Class of each chain.
    pub chain_classes: Vec<Vec<u64>>,
    critical_face_classes: Vec<Vec<u64>>,
}

impl Classes<'_> {
    /// Returns, for each component, the classes that are boundaries.
    pub fn relations(&self) -> Vec<Rows> {
        let mut relations = vec![Rows::new(); self.collapse.per_component.len()];
        for (class, (_, component)) in self
            .critical_face_classes
            .iter()
            .zip(&self.collapse.critical_faces)
        {
            relations[*component].add(class.clone());
        }
        relations
    }

    /// Returns the dimension of the first homology of each component.
    pub fn dimensions(&self, relations: &[Rows]) -> Vec<usize> {
        let counts = self.collapse.per_component.iter().zip(relations);
        counts.map(|(count, rows)| count - rows.rank()).collect()
    }
}

/// Returns the faces that remain when all cubes have been collapsed, each with a face of no other
/// cube.
fn remaining_faces(complex: &Complex) -> Vec<bool> {
    let mut is_present = vec![true; complex.count(2)];
    let mut counts: Vec<u8> = Vec::with_capacity(is_present.len());
    let mut open = Vec::new();
    for face in complex.cells(2) {
        let cubes = face.cofaces().filter(|cube| complex.contains(*cube));
        counts.push(cubes.count() as u8);
        if counts[counts.len() - 1] == 1 {
            open.push(face);
        }
    }
    let mut cubes = vec![true; complex.count(3)];
    let mut next = 0;
    while next < open.len() {
        let face = open[next];
        next += 1;
        let number = complex.number(face).expect("the face is in the complex");
        if counts[number] != 1 || !is_present[number] {
            continue;
        }
        let free_face = face.cofaces().find_map(|cube| {
            let number = complex.number(cube)?;
            cubes[number].then_some((cube, number))
        });
        let Some((cube, cube_number)) = free_face else {
            continue;
        };
        is_present[number] = false;
        cubes[cube_number] = false;
        for side in cube.sides() {
            let side_number = complex
                .number(side)
                .expect("faces of cells are in the complex");
            counts[side_number] -= 1;
            if counts[side_number] == 1 {
                open.push(side);
            }
        }
    }
    is_present
}

/// Returns the four edges of each face.
fn borders(complex: &Complex) -> Vec<[u32; 4]> {
    complex
        .cells(2)
        .map(|face| {
            let mut border = [0; 4];
            for (slot, edge) in border.iter_mut().zip(face.sides()) {
                *slot = complex
                    .number(edge)
                    .expect("faces of cells are in the complex") as u32;
            }
            border
        })
        .collect()
}

/// Returns the remaining faces around each edge, at most four.
fn around(edges: usize, borders: &[[u32; 4]], is_present: &[bool]) -> Vec<[u32; 4]> {
    let mut around = vec![[NO_INDEX; 4]; edges];
    for (number, border) in borders.iter().enumerate().filter(|(n, _)| is_present[*n]) {
        for &edge in border {
            let faces = &mut around[edge as usize];
            if let Some(slot) = faces.iter_mut().find(|slot| **slot == NO_INDEX) {
                *slot = number as u32;
            }
        }
    }
    around
}

/// Returns the representative of a vertex's set.
fn root(parent: &mut [u32], mut at: u32) -> u32 {
    while parent[at as usize] != at {
        let up = parent[parent[at as usize] as usize];
        parent[at as usize] = up;
        at = up;
    }
    at
}
