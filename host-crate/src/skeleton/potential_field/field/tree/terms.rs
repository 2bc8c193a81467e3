//! The coefficients of a series, and which of them are multiplied.

use crate::memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, with_capacity_or_unwind};
use ferrovox_kernels::skeleton::field::fmm::{self, MAX_TASK_PRODUCTS, ProductTable};

/// The coefficients of an order: triples of powers, in the order of those along x, y and z, the
/// last fastest.
pub(super) struct Terms {
    /// The order.
    pub order: u32,
    /// The triples.
    pub triples: Vec<[u32; 3]>,
    /// For each pair of powers along x and y, `x (order + 1) + y`, where its triples begin.
    pub rows: Vec<u32>,
}

impl Terms {
    pub fn of(order: u32) -> Self {
        let mut triples = with_capacity_or_unwind(fmm::term_count(order));
        let mut rows = Vec::new();
        for i in 0..=order {
            for j in 0..=order {
                rows.push_or_unwind(triples.len() as u32);
                let most = order.saturating_sub(i + j);
                if i + j <= order {
                    triples.extend_or_unwind((0..=most).map(|k| [i, j, k]));
                }
            }
        }
        Self {
            order,
            triples,
            rows,
        }
    }

    pub fn count(&self) -> usize {
        self.triples.len()
    }

    /// The place of a triple whose sum is at most the order.
    pub fn index(&self, [i, j, k]: [u32; 3]) -> usize {
        (self.rows[(i * (self.order + 1) + j) as usize] + k) as usize
    }

    /// The triples with a byte for each power.
    pub fn packed(&self) -> Vec<u32> {
        let pack = |&[i, j, k]: &[u32; 3]| i | j << 8 | k << 16;
        self.triples.iter().map(pack).collect_or_unwind()
    }

    /// The products of a derivative at `a + b` and a moment at `b`, for the coefficient at `a`.
    fn gathered(&self) -> Vec<Vec<[usize; 2]>> {
        let of = |a: &[u32; 3]| {
            let left = self.order - a.iter().sum::<u32>();
            let moments = self.triples.iter().enumerate();
            let fits = moments.filter(|(_, b)| b.iter().sum::<u32>() <= left);
            fits.map(|(moment, b)| [self.index([0, 1, 2].map(|axis| a[axis] + b[axis])), moment])
                .collect_or_unwind()
        };
        self.triples.iter().map(of).collect_or_unwind()
    }

    /// The products of a moment at `r` and a shift at `q - r`, for the moment at `q`.
    fn spread(&self) -> Vec<Vec<[usize; 2]>> {
        let of = |q: &[u32; 3]| {
            let moments = self.triples.iter().enumerate();
            let fits = moments.filter(|(_, r)| (0..3).all(|axis| r[axis] <= q[axis]));
            fits.map(|(moment, r)| [moment, self.index([0, 1, 2].map(|axis| q[axis] - r[axis]))])
                .collect_or_unwind()
        };
        self.triples.iter().map(of).collect_or_unwind()
    }
}

/// The tables of both kinds of products.
pub(super) struct Products {
    /// The tables.
    pub tables: Vec<u32>,
    /// Those that make a series of moments.
    pub gathered: ProductTable,
    /// Those that make moments of the moments of parts.
    pub spread: ProductTable,
}

impl Products {
    pub fn of(terms: &Terms) -> Self {
        let mut tables = Vec::new();
        let gathered = add_table(&mut tables, &terms.gathered());
        let spread = add_table(&mut tables, &terms.spread());
        Self {
            tables,
            gathered,
            spread,
        }
    }
}

/// Adds a table for the products of each coefficient.
fn add_table(tables: &mut Vec<u32>, products: &[Vec<[usize; 2]>]) -> ProductTable {
    // pieces of each coefficient's products, about as long as each other
    let mut tasks: Vec<(usize, &[[usize; 2]])> = Vec::new();
    for (coefficient, products) in products.iter().enumerate() {
        let parts = products.len().div_ceil(MAX_TASK_PRODUCTS);
        let pieces = products.chunks(products.len().div_ceil(parts));
        tasks.extend_or_unwind(pieces.map(|piece| (coefficient, piece)));
    }
    tasks.sort_by_key(|(_, piece)| std::cmp::Reverse(piece.len()));
    let longest = tasks.first().map_or(0, |(_, piece)| piece.len());
    let at = |tables: &Vec<u32>| tables.len() as u32;
    let lengths = at(tables);
    tables.extend_or_unwind(tasks.iter().map(|(_, piece)| piece.len() as u32));
    let entries = at(tables);
    for step in 0..longest {
        let of = |(_, piece): &(usize, &[[usize; 2]])| match piece.get(step) {
            Some([first, second]) => (first | second << 16) as u32,
            None => 0,
        };
        tables.extend_or_unwind(tasks.iter().map(of));
    }
    let mut of_coefficient = filled_or_unwind(Vec::new(), products.len());
    for (task, &(coefficient, _)) in tasks.iter().enumerate() {
        of_coefficient[coefficient].push_or_unwind(task as u32);
    }
    let firsts = at(tables);
    let mut first = 0;
    for tasks in &of_coefficient {
        tables.push_or_unwind(first);
        first += tasks.len() as u32;
    }
    tables.push_or_unwind(first);
    let parts = at(tables);
    tables.extend_or_unwind(of_coefficient.iter().flatten().copied());
    ProductTable {
        tasks: tasks.len() as u32,
        lengths,
        entries,
        firsts,
        parts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrovox_kernels::skeleton::field::fmm::{MAX_ORDER, MAX_TASKS, MAX_TERMS};

    #[test]
    fn triples_are_found_again() {
        for order in 1..=MAX_ORDER {
            let terms = Terms::of(order);
            assert_eq!(terms.count(), fmm::term_count(order));
            for (at, &triple) in terms.triples.iter().enumerate() {
                assert_eq!(terms.index(triple), at);
            }
        }
        assert_eq!(fmm::term_count(MAX_ORDER), MAX_TERMS);
    }

    #[test]
    fn tables_hold_every_product_once_and_fit() {
        for order in [1, 2, 8, MAX_ORDER] {
            let terms = Terms::of(order);
            let Products {
                tables,
                gathered,
                spread,
            } = Products::of(&terms);
            for (pairs, expected) in [(gathered, terms.gathered()), (spread, terms.spread())] {
                assert!(
                    pairs.tasks as usize <= MAX_TASKS,
                    "{order}: {}",
                    pairs.tasks
                );
                for (coefficient, mut expected) in expected.into_iter().enumerate() {
                    let firsts = pairs.firsts as usize + coefficient;
                    let parts = tables[firsts]..tables[firsts + 1];
                    let mut found: Vec<[usize; 2]> = parts
                        .flat_map(|part| {
                            let task = tables[(pairs.parts + part) as usize];
                            let length = tables[(pairs.lengths + task) as usize];
                            let tables = &tables;
                            (0..length).map(move |step| {
                                let at = pairs.entries + step * pairs.tasks + task;
                                let entry = tables[at as usize] as usize;
                                [entry & 0xffff, entry >> 16]
                            })
                        })
                        .collect();
                    found.sort_unstable();
                    expected.sort_unstable();
                    assert_eq!(found, expected);
                }
            }
        }
    }
}
