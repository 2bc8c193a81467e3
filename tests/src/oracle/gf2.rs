//! Linear algebra over the field of two elements.

/// A set of rows that are independent, each with a leading bit that no other begins with.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    rows: Vec<(usize, Vec<u64>)>,
}

impl Rows {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many there are: the rank of what was added.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// What is left of a row when those that are there are taken away.
    pub fn reduced(&self, mut row: Vec<u64>) -> Vec<u64> {
        for (lead, other) in &self.rows {
            if row[lead / 64] >> (lead % 64) & 1 == 1 {
                row.iter_mut().zip(other).for_each(|(a, b)| *a ^= b);
            }
        }
        row
    }

    /// Adds a row; whether it is independent of those that are there.
    pub fn add(&mut self, row: Vec<u64>) -> bool {
        let row = self.reduced(row);
        let Some(word) = row.iter().position(|&word| word != 0) else {
            return false;
        };
        let lead = 64 * word + row[word].trailing_zeros() as usize;
        // all stay reduced by each other, so one pass over them is enough
        for (_, other) in &mut self.rows {
            if other[lead / 64] >> (lead % 64) & 1 == 1 {
                other.iter_mut().zip(&row).for_each(|(a, b)| *a ^= b);
            }
        }
        self.rows.push((lead, row));
        true
    }

    /// The leading bits with the other bits of their rows: each is their sum in whatever all rows
    /// are 0 for.
    pub fn solved(&self) -> impl Iterator<Item = (usize, &[u64])> {
        self.rows.iter().map(|(lead, row)| (*lead, &row[..]))
    }
}

/// Columns of a matrix as sorted lists of their ones, reduced so that no two have the same last
/// one: the way of persistent homology.
#[derive(Clone, Debug)]
pub struct Columns {
    /// For each row the column whose last one is there.
    by_last: Vec<Option<Vec<u32>>>,
    rank: usize,
}

impl Columns {
    /// Of so many rows, without a column.
    pub fn new(rows: usize) -> Self {
        Self {
            by_last: vec![None; rows],
            rank: 0,
        }
    }

    /// The rank of what was added.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// What is left of a column. The list is sorted, without a number twice.
    pub fn reduced(&self, mut column: Vec<u32>) -> Vec<u32> {
        let mut last = column.len();
        while let Some(&row) = column[..last].last() {
            match &self.by_last[row as usize] {
                Some(other) => {
                    column = sum(&column, other);
                    last = column.partition_point(|&r| r < row);
                }
                None => last -= 1,
            }
        }
        column
    }

    /// Adds a column; whether it is independent of those that are there.
    pub fn add(&mut self, mut column: Vec<u32>) -> bool {
        while let Some(&row) = column.last() {
            match &self.by_last[row as usize] {
                Some(other) => column = sum(&column, other),
                None => {
                    self.by_last[row as usize] = Some(column);
                    self.rank += 1;
                    return true;
                }
            }
        }
        false
    }
}

/// What is in one of two sorted lists and not in the other.
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

/// What comes an odd number of times, sorted.
pub fn odd(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    let mut odd: Vec<u32> = Vec::with_capacity(numbers.len());
    for number in numbers {
        if odd.last() == Some(&number) {
            odd.pop();
        } else {
            odd.push(number);
        }
    }
    odd
}
