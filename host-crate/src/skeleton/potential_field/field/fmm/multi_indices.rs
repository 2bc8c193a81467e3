//! Multi-indices of the expansion coefficients, and the products of coefficients in translations.

use crate::memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, with_capacity_or_unwind};
use ferrovox_kernels::skeleton::field::fmm::{self, MAX_TASK_PRODUCTS, ProductTable};

/// Multi-indices up to an order, sorted by the powers of x, y and z, the last fastest.
pub(super) struct MultiIndices {
    /// Order.
    pub order: u32,
    /// Multi-indices.
    pub all: Vec<[u32; 3]>,
    /// Index of the first multi-index for each pair of powers of x and y, at `x (order + 1) + y`.
    pub rows: Vec<u32>,
}

impl MultiIndices {
    pub fn new(order: u32) -> Self {
        let mut all = with_capacity_or_unwind(fmm::term_count(order));
        let mut rows = Vec::new();
        for i in 0..=order {
            for j in 0..=order {
                rows.push_or_unwind(all.len() as u32);
                let max = order.saturating_sub(i + j);
                if i + j <= order {
                    all.extend_or_unwind((0..=max).map(|k| [i, j, k]));
                }
            }
        }
        Self { order, all, rows }
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns the index of a multi-index whose sum is at most the order.
    pub fn index(&self, [i, j, k]: [u32; 3]) -> usize {
        (self.rows[(i * (self.order + 1) + j) as usize] + k) as usize
    }

    /// Returns the multi-indices packed into one byte per axis.
    pub fn packed(&self) -> Vec<u32> {
        let pack = |&[i, j, k]: &[u32; 3]| i | j << 8 | k << 16;
        self.all.iter().map(pack).collect_or_unwind()
    }

    /// Returns, for the local coefficient at each `a`, the products of a derivative at `a + b` and
    /// a moment at `b`.
    fn local_products(&self) -> Vec<Vec<[usize; 2]>> {
        let products = |a: &[u32; 3]| {
            let remaining = self.order - a.iter().sum::<u32>();
            let moments = self.all.iter().enumerate();
            let factors = moments.filter(|(_, b)| b.iter().sum::<u32>() <= remaining);
            factors
                .map(|(moment, b)| [self.index([0, 1, 2].map(|axis| a[axis] + b[axis])), moment])
                .collect_or_unwind()
        };
        self.all.iter().map(products).collect_or_unwind()
    }

    /// Returns, for the moment at each `q`, the products of a moment at `r` and a shift at `q - r`.
    fn moment_products(&self) -> Vec<Vec<[usize; 2]>> {
        let products = |q: &[u32; 3]| {
            let moments = self.all.iter().enumerate();
            let factors = moments.filter(|(_, r)| (0..3).all(|axis| r[axis] <= q[axis]));
            factors
                .map(|(moment, r)| [moment, self.index([0, 1, 2].map(|axis| q[axis] - r[axis]))])
                .collect_or_unwind()
        };
        self.all.iter().map(products).collect_or_unwind()
    }
}

/// Tables of the coefficient products of both kinds of translations.
pub(super) struct CoefficientProducts {
    /// Contents of both tables.
    pub tables: Vec<u32>,
    /// Products that translate moments to local expansions.
    pub local_products: ProductTable,
    /// Products that translate moments from a child to its parent.
    pub moment_products: ProductTable,
}

impl CoefficientProducts {
    pub fn new(indices: &MultiIndices) -> Self {
        let mut tables = Vec::new();
        let local_products = append_table(&mut tables, &indices.local_products());
        let moment_products = append_table(&mut tables, &indices.moment_products());
        Self {
            tables,
            local_products,
            moment_products,
        }
    }
}

/// Appends the table of the products that contribute to each coefficient.
fn append_table(tables: &mut Vec<u32>, products: &[Vec<[usize; 2]>]) -> ProductTable {
    // the products of each coefficient are divided into chunks of about equal length
    let mut tasks: Vec<(usize, &[[usize; 2]])> = Vec::new();
    for (coefficient, products) in products.iter().enumerate() {
        let parts = products.len().div_ceil(MAX_TASK_PRODUCTS);
        let chunks = products.chunks(products.len().div_ceil(parts));
        tasks.extend_or_unwind(chunks.map(|chunk| (coefficient, chunk)));
    }
    tasks.sort_by_key(|(_, chunk)| std::cmp::Reverse(chunk.len()));
    let longest = tasks.first().map_or(0, |(_, chunk)| chunk.len());
    let end = |tables: &Vec<u32>| tables.len() as u32;
    let lengths = end(tables);
    tables.extend_or_unwind(tasks.iter().map(|(_, chunk)| chunk.len() as u32));
    let entries = end(tables);
    for step in 0..longest {
        let entry = |(_, chunk): &(usize, &[[usize; 2]])| match chunk.get(step) {
            Some([first, second]) => (first | second << 16) as u32,
            None => 0,
        };
        tables.extend_or_unwind(tasks.iter().map(entry));
    }
    let mut tasks_by_coefficient = filled_or_unwind(Vec::new(), products.len());
    for (task, &(coefficient, _)) in tasks.iter().enumerate() {
        tasks_by_coefficient[coefficient].push_or_unwind(task as u32);
    }
    let firsts = end(tables);
    let mut first = 0;
    for tasks in &tasks_by_coefficient {
        tables.push_or_unwind(first);
        first += tasks.len() as u32;
    }
    tables.push_or_unwind(first);
    let parts = end(tables);
    tables.extend_or_unwind(tasks_by_coefficient.iter().flatten().copied());
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
    fn index_inverts_the_enumeration() {
        for order in 1..=MAX_ORDER {
            let indices = MultiIndices::new(order);
            assert_eq!(indices.count(), fmm::term_count(order));
            for (position, &multi_index) in indices.all.iter().enumerate() {
                assert_eq!(indices.index(multi_index), position);
            }
        }
        assert_eq!(fmm::term_count(MAX_ORDER), MAX_TERMS);
    }

    #[test]
    fn tables_contain_every_product_once() {
        for order in [1, 2, 8, MAX_ORDER] {
            let indices = MultiIndices::new(order);
            let CoefficientProducts {
                tables,
                local_products,
                moment_products,
            } = CoefficientProducts::new(&indices);
            for (table, expected) in [
                (local_products, indices.local_products()),
                (moment_products, indices.moment_products()),
            ] {
                assert!(
                    table.tasks as usize <= MAX_TASKS,
                    "{order}: {}",
                    table.tasks
                );
                for (coefficient, mut expected) in expected.into_iter().enumerate() {
                    let firsts = table.firsts as usize + coefficient;
                    let parts = tables[firsts]..tables[firsts + 1];
                    let mut actual: Vec<[usize; 2]> = parts
                        .flat_map(|part| {
                            let task = tables[(table.parts + part) as usize];
                            let length = tables[(table.lengths + task) as usize];
                            let tables = &tables;
                            (0..length).map(move |step| {
                                let entry_index = table.entries + step * table.tasks + task;
                                let entry = tables[entry_index as usize] as usize;
                                [entry & 0xffff, entry >> 16]
                            })
                        })
                        .collect();
                    actual.sort_unstable();
                    expected.sort_unstable();
                    assert_eq!(actual, expected);
                }
            }
        }
    }
}
