//! Linear algebra over the field of two elements.

/// Basis of independent rows in reduced echelon form: each has a leading bit that no other row
/// contains.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    rows: Vec<(usize, Vec<u64>)>,
}

impl Rows {
    /// Creates an empty basis.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the rank: the number of independent rows.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// Reduces a row by the basis.
    pub fn reduce(&self, mut row: Vec<u64>) -> Vec<u64> {
        for (lead, basis_row) in &self.rows {
            if row[lead / 64] >> (lead % 64) & 1 == 1 {
                row.iter_mut().zip(basis_row).for_each(|(a, b)| *a ^= b);
            }
        }
        row
    }

    /// Adds a row; returns `true` if it is independent of the basis.
    pub fn add(&mut self, row: Vec<u64>) -> bool {
        let row = self.reduce(row);
        let Some(word) = row.iter().position(|&word| word != 0) else {
            return false;
        };
        let lead = 64 * word + row[word].trailing_zeros() as usize;
        // rows are kept reduced by each other, so one pass is enough
        for (_, basis_row) in &mut self.rows {
            if basis_row[lead / 64] >> (lead % 64) & 1 == 1 {
                basis_row.iter_mut().zip(&row).for_each(|(a, b)| *a ^= b);
            }
        }
        self.rows.push((lead, row));
        true
    }

    /// Returns the leading bit and the row of each basis vector: for vectors orthogonal to all
    /// rows, the leading bit is the sum of the others.
    pub fn solved_form(&self) -> impl Iterator<Item = (usize, &[u64])> {
        self.rows.iter().map(|(lead, row)| (*lead, &row[..]))
    }
}

/// Columns of a matrix as sorted lists of row indices, reduced so that their last indices (pivots)
/// are distinct, as in persistent homology.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Column whose pivot is in each row.
    by_pivot: Vec<Option<Vec<u32>>>,
    rank: usize,
}

impl Columns {
    /// Creates an empty set of columns with the given number of rows.
    pub fn new(rows: usize) -> Self {
        Self {
            by_pivot: vec![None; rows],
            rank: 0,
        }
    }

    /// Returns the rank of the columns.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Reduces a column, given as a sorted list without duplicates.
    pub fn reduce(&self, mut column: Vec<u32>) -> Vec<u32> {
        let mut last = column.len();
        while let Some(&row) = column[..last].last() {
            match &self.by_pivot[row as usize] {
                Some(basis_column) => {
                    column = sum(&column, basis_column);
                    last = column.partition_point(|&r| r < row);
                }
                None => last -= 1,
            }
        }
        column
    }

    /// Adds a column; returns `true` if it is independent of the others.
    pub fn add(&mut self, mut column: Vec<u32>) -> bool {
        while let Some(&row) = column.last() {
            match &self.by_pivot[row as usize] {
                Some(basis_column) => column = sum(&column, basis_column),
                None => {
                    self.by_pivot[row as usize] = Some(column);
                    self.rank += 1;
                    return true;
                }
            }
        }
        false
    }
}

/// Returns the symmetric difference of two sorted lists.
fn sum(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (mut a, mut b) = (a, b);
    let mut sum = Vec::with_capacity(a.len() + b.len());
    while let ([x, rest_a @ ..], [y, rest_b @ ..]) = (a, b) {
        if x < y {
            sum.push(*x);
            a = rest_a;
        } else if y < x {
            sum.push(*y);
            b = rest_b;
        } else {
            (a, b) = (rest_a, rest_b);
        }
    }
    sum.extend_from_slice(a);
    sum.extend_from_slice(b);
    sum
}

/// Returns the numbers with odd multiplicity, sorted.
pub fn odd_multiplicity(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    let mut odd_multiplicity: Vec<u32> = Vec::with_capacity(numbers.len());
    for number in numbers {
        if odd_multiplicity.last() == Some(&number) {
            odd_multiplicity.pop();
        } else {
            odd_multiplicity.push(number);
        }
    }
    odd_multiplicity
}
