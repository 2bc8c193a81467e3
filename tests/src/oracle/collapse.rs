//! The first homology of an object of any size, over the field of two elements.
//!
//! Cells are taken away in pairs, a cell and a side of it that nothing else has, as long as there
//! are any: what is left is a graph, with a few faces that had to be taken away alone. Of each pair
//! of a face and an edge the rest of the face's border is noted, so that going back a cocycle of
//! the graph becomes one of the object: its value at the edge is the sum of those at the other
//! three. So each edge has a value for each cocycle, and a cycle's class is the sum of its edges'.
//! The faces that were taken away alone say which sums count as nothing.

use super::{cells::Complex, gf2::Rows, object::Object};
use crate::noise::Noise;

/// What the taking away has left, and how to go back.
#[derive(Clone, Debug)]
pub struct Collapse {
    /// In order: the edge that went with a face, and the other three of that face.
    pairs: Vec<[u32; 4]>,
    /// The borders of faces that went alone, with the component of each.
    alone: Vec<([u32; 4], usize)>,
    /// The edges of the graph that close its cycles: each gives a cocycle.
    generators: Vec<Generator>,
    /// How many generators each component has.
    per_component: Vec<usize>,
    /// How many edges the complex has.
    edges: usize,
}

#[derive(Clone, Copy, Debug)]
struct Generator {
    edge: u32,
    component: usize,
    /// Its number among those of its component.
    number: usize,
}

const NONE: u32 = u32::MAX;

impl Collapse {
    /// Takes away what can be taken. Linear in time and memory.
    ///
    /// # Panics
    /// If there are 2^32 edges or more.
    pub fn of(object: &Object, complex: &Complex) -> Self {
        assert!(complex.count(1) < NONE as usize);
        let faces = faces_left(complex);
        let edges = complex.count(1);
        let borders = borders(complex);
        let around = around(edges, &borders, &faces);
        let mut made = Self {
            pairs: Vec::new(),
            alone: Vec::new(),
            generators: Vec::new(),
            per_component: vec![0; object.count()],
            edges,
        };
        let alone = made.take_pairs(faces, &borders, &around);
        let mut taken = vec![false; edges];
        made.pairs
            .iter()
            .for_each(|pair| taken[pair[0] as usize] = true);
        made.find_generators(object, complex, &taken);
        // few: found by going through all faces once
        let mut alone = alone.into_iter().peekable();
        for (number, face) in complex.cells(2).enumerate() {
            if alone.next_if(|&next| next as usize == number).is_some() {
                let component = complex.component(object, face);
                made.alone
                    .push((borders[number], component.unwrap_or(usize::MAX)));
            }
        }
        made
    }

    /// Takes faces away with edges of no other face; faces that have to go alone, in order.
    fn take_pairs(
        &mut self,
        mut left: Vec<bool>,
        borders: &[[u32; 4]],
        around: &[[u32; 4]],
    ) -> Vec<u32> {
        let mut counts: Vec<u8> = around
            .iter()
            .map(|faces| faces.iter().filter(|&&face| face != NONE).count() as u8)
            .collect();
        let mut open: Vec<u32> = (0..self.edges as u32)
            .filter(|&edge| counts[edge as usize] == 1)
            .collect();
        let (mut next, mut alone) = (0, Vec::new());
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
                    .filter(|&face| face != NONE)
                    .find(|&face| left[face as usize])
                else {
                    continue;
                };
                left[face as usize] = false;
                let mut pair = borders[face as usize];
                let at = pair.iter().position(|&one| one == edge).unwrap_or(0);
                pair.swap(0, at);
                counts[edge as usize] = 0;
                for &other in &pair[1..] {
                    counts[other as usize] -= 1;
                    if counts[other as usize] == 1 {
                        open.push(other);
                    }
                }
                self.pairs.push(pair);
            }
            open.clear();
            done = 0;
            while next < left.len() && !left[next] {
                next += 1;
            }
            if next == left.len() {
                return alone;
            }
            left[next] = false;
            alone.push(next as u32);
            for &edge in &borders[next] {
                counts[edge as usize] -= 1;
                if counts[edge as usize] == 1 {
                    open.push(edge);
                }
            }
        }
    }

    fn find_generators(&mut self, object: &Object, complex: &Complex, taken: &[bool]) {
        let mut parent: Vec<u32> = (0..complex.count(0) as u32).collect();
        for (number, edge) in complex.cells(1).enumerate() {
            if taken[number] {
                continue;
            }
            let mut ends = edge.sides().map(|end| {
                let number = complex.number(end).expect("a side is in the complex");
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
                .expect("an edge is of a voxel");
            self.generators.push(Generator {
                edge: number as u32,
                component,
                number: self.per_component[component],
            });
            self.per_component[component] += 1;
        }
    }

    /// For each edge the values of 64 cocycles, which at the edges of the graph are those of `at`.
    fn spread(&self, at: impl Fn(&Generator) -> u64) -> Vec<u64> {
        let mut values = vec![0u64; self.edges];
        for generator in &self.generators {
            values[generator.edge as usize] = at(generator);
        }
        for &[edge, a, b, c] in self.pairs.iter().rev() {
            values[edge as usize] = values[a as usize] ^ values[b as usize] ^ values[c as usize];
        }
        values
    }

    /// How often [`Collapse::classes`] gives values: each time for 64 more of a component's
    /// generators.
    fn rounds(&self) -> usize {
        let most = self.per_component.iter().max().copied().unwrap_or(0);
        most.div_ceil(64).max(1)
    }

    /// The classes of chains of edges, all of them bits; `chains` are their edges' numbers. Chains
    /// that are no cycles have classes too, which add up to that of a cycle if they do.
    pub fn classes(&self, chains: &[Vec<u32>]) -> Classes<'_> {
        let words = self.rounds();
        let mut made = Classes {
            collapse: self,
            of_chains: vec![vec![0; words]; chains.len()],
            of_alone: vec![vec![0; words]; self.alone.len()],
        };
        for round in 0..words {
            let values = self.spread(|generator| {
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
            for (class, chain) in made.of_chains.iter_mut().zip(chains) {
                class[round] = sum(chain);
            }
            for (class, (border, _)) in made.of_alone.iter_mut().zip(&self.alone) {
                class[round] = sum(border);
            }
        }
        made
    }

    /// 64 random cocycles of the object at each of its edges: a cycle whose values do not add up to
    /// 0 is not the border of anything, and one whose values do is, but for one in 2^64.
    pub fn random_cocycles(&self, seed: u64) -> Vec<u64> {
        let relations = self.classes(&[]).relations();
        let mut noise = Noise(seed);
        let mut chosen: Vec<Vec<u64>> = self
            .per_component
            .iter()
            .map(|&count| (0..count).map(|_| noise.bits()).collect())
            .collect();
        for (values, rows) in chosen.iter_mut().zip(&relations) {
            for (lead, row) in rows.solved() {
                let others =
                    (0..values.len()).filter(|&n| n != lead && row[n / 64] >> (n % 64) & 1 == 1);
                let sum = others.fold(0, |sum, n| sum ^ values[n]);
                values[lead] = sum;
            }
        }
        self.spread(|generator| chosen[generator.component][generator.number])
    }
}

/// Classes of chains.
#[derive(Debug)]
pub struct Classes<'a> {
    collapse: &'a Collapse,
    /// One for each chain.
    pub of_chains: Vec<Vec<u64>>,
    of_alone: Vec<Vec<u64>>,
}

impl Classes<'_> {
    /// For each component the classes that count as nothing.
    pub fn relations(&self) -> Vec<Rows> {
        let mut relations = vec![Rows::new(); self.collapse.per_component.len()];
        for (class, (_, component)) in self.of_alone.iter().zip(&self.collapse.alone) {
            relations[*component].add(class.clone());
        }
        relations
    }

    /// For each component the dimension of its first homology.
    pub fn dimensions(&self, relations: &[Rows]) -> Vec<usize> {
        let counts = self.collapse.per_component.iter().zip(relations);
        counts.map(|(count, rows)| count - rows.rank()).collect()
    }
}

/// The faces that are left when all cubes have been taken away, each with a face that no other cube
/// has.
fn faces_left(complex: &Complex) -> Vec<bool> {
    let mut left = vec![true; complex.count(2)];
    let mut counts: Vec<u8> = Vec::with_capacity(left.len());
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
        let number = complex.number(face).expect("it came from the complex");
        if counts[number] != 1 || !left[number] {
            continue;
        }
        let found = face.cofaces().find_map(|cube| {
            let number = complex.number(cube)?;
            cubes[number].then_some((cube, number))
        });
        let Some((cube, cube_number)) = found else {
            continue;
        };
        left[number] = false;
        cubes[cube_number] = false;
        for side in cube.sides() {
            let side_number = complex.number(side).expect("a side is in the complex");
            counts[side_number] -= 1;
            if counts[side_number] == 1 {
                open.push(side);
            }
        }
    }
    left
}

/// The four edges of each face.
fn borders(complex: &Complex) -> Vec<[u32; 4]> {
    complex
        .cells(2)
        .map(|face| {
            let mut border = [0; 4];
            for (slot, edge) in border.iter_mut().zip(face.sides()) {
                *slot = complex.number(edge).expect("a side is in the complex") as u32;
            }
            border
        })
        .collect()
}

/// Up to four faces around each edge, of those that are left.
fn around(edges: usize, borders: &[[u32; 4]], left: &[bool]) -> Vec<[u32; 4]> {
    let mut around = vec![[NONE; 4]; edges];
    for (number, border) in borders.iter().enumerate().filter(|(n, _)| left[*n]) {
        for &edge in border {
            let faces = &mut around[edge as usize];
            if let Some(slot) = faces.iter_mut().find(|slot| **slot == NONE) {
                *slot = number as u32;
            }
        }
    }
    around
}

/// The representative of a vertex' set.
fn root(parent: &mut [u32], mut at: u32) -> u32 {
    while parent[at as usize] != at {
        let up = parent[parent[at as usize] as usize];
        parent[at as usize] = up;
        at = up;
    }
    at
}
