//! Homology classes as interned vectors over Z/2.

use crate::memory::{ExtendOrUnwind, copy_or_unwind};
use std::collections::HashMap;

/// Index of a class in a [`ClassTable`]; 0 is the zero class.
pub type HomologyClass = u32;

/// Table of distinct classes. Nearly all steps have class zero, and classes have few set bits.
pub struct ClassTable {
    /// Set bits of each class, in ascending order.
    bits: Vec<Vec<u32>>,
    /// Index of each class by its bits.
    numbers: HashMap<Vec<u32>, HomologyClass>,
    /// Cached sums of pairs of classes.
    sums: HashMap<(HomologyClass, HomologyClass), HomologyClass>,
}

impl Default for ClassTable {
    fn default() -> Self {
        Self {
            bits: vec![Vec::new()],
            numbers: HashMap::new(),
            sums: HashMap::new(),
        }
    }
}

impl ClassTable {
    /// Returns the class with the given set bits, which must be in ascending order.
    pub fn class_from_bits(&mut self, bits: &[u32]) -> HomologyClass {
        if bits.is_empty() {
            return 0;
        }
        if let Some(&number) = self.numbers.get(bits) {
            return number;
        }
        let number = self.bits.len() as HomologyClass;
        self.bits.push_or_unwind(copy_or_unwind(bits));
        self.numbers.push_or_unwind((copy_or_unwind(bits), number));
        number
    }

    /// Returns the class with a single set bit.
    pub fn single(&mut self, bit: u32) -> HomologyClass {
        self.class_from_bits(&[bit])
    }

    /// Returns the set bits of a class.
    pub fn bits(&self, class: HomologyClass) -> &[u32] {
        &self.bits[class as usize]
    }

    /// Returns `true` if `sum` is the sum of two classes.
    pub fn is_sum(&self, a: HomologyClass, b: HomologyClass, sum: HomologyClass) -> bool {
        match (a, b, sum) {
            (_, 0, _) => sum == a,
            (0, _, _) => sum == b,
            (_, _, 0) => a == b,
            _ => a != b && symmetric_difference(self.bits(a), self.bits(b)) == self.bits(sum),
        }
    }

    /// Returns the sum of two classes.
    #[inline(always)]
    pub fn sum(&mut self, a: HomologyClass, b: HomologyClass) -> HomologyClass {
        if a == 0 {
            b
        } else if b == 0 {
            a
        } else if a == b {
            0
        } else {
            self.new_sum(a.min(b), a.max(b))
        }
    }

    fn new_sum(&mut self, a: HomologyClass, b: HomologyClass) -> HomologyClass {
        if let Some(&sum) = self.sums.get(&(a, b)) {
            return sum;
        }
        let bits = symmetric_difference(self.bits(a), self.bits(b));
        let sum = self.class_from_bits(&bits);
        self.sums.push_or_unwind(((a, b), sum));
        sum
    }
}

/// Returns the elements that occur in exactly one of two ascending lists.
pub fn symmetric_difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut result = Vec::new();
    loop {
        match (a.peek(), b.peek()) {
            (Some(&&x), Some(&&y)) if x == y => {
                a.next();
                b.next();
            }
            (Some(&&x), Some(&&y)) if x < y => {
                result.push_or_unwind(x);
                a.next();
            }
            (Some(&&x), None) => {
                result.push_or_unwind(x);
                a.next();
            }
            (_, Some(&&y)) => {
                result.push_or_unwind(y);
                b.next();
            }
            (None, None) => return result,
        }
    }
}

/// Set of independent classes in echelon form.
#[derive(Default)]
pub struct Basis {
    /// Classes by their highest bits.
    rows: HashMap<u32, Vec<u32>>,
}

impl Basis {
    /// Inserts a class if it is independent of those in the set, and returns `true` if it was.
    pub fn insert(&mut self, table: &ClassTable, class: HomologyClass) -> bool {
        match self.reduce(copy_or_unwind(table.bits(class))) {
            Some((highest, rest)) => {
                self.rows.push_or_unwind((highest, rest));
                true
            }
            None => false,
        }
    }

    /// Returns `true` if a class is independent of those in the set.
    pub fn is_independent(&self, table: &ClassTable, class: HomologyClass) -> bool {
        self.reduce(copy_or_unwind(table.bits(class))).is_some()
    }

    /// Reduces a class by those in the set, and returns the remainder with its highest bit, or
    /// `None` if it is zero.
    fn reduce(&self, mut rest: Vec<u32>) -> Option<(u32, Vec<u32>)> {
        while let Some(&highest) = rest.last() {
            match self.rows.get(&highest) {
                Some(row) => rest = symmetric_difference(&rest, row),
                None => return Some((highest, rest)),
            }
        }
        None
    }

    /// Returns the representative of a class modulo those in the set: the only one without their
    /// highest bits.
    pub fn normal_form(&self, bits: &[u32]) -> Vec<u32> {
        let mut rest = copy_or_unwind(bits);
        let mut kept = Vec::new();
        while let Some(&highest) = rest.last() {
            match self.rows.get(&highest) {
                Some(row) => rest = symmetric_difference(&rest, row),
                None => {
                    kept.push_or_unwind(highest);
                    rest.pop();
                }
            }
        }
        kept.reverse();
        kept
    }

    /// Returns the number of classes.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_ranks_of_classes() {
        let mut table = ClassTable::default();
        let [a, b, c] = [0, 1, 2].map(|bit| table.single(bit));
        let ab = table.sum(a, b);
        let bc = table.sum(b, c);
        let ac = table.sum(ab, bc);
        assert_eq!(table.bits(ac), [0, 2]);
        assert_eq!(table.sum(ac, ac), 0);
        assert_eq!(table.sum(ac, c), a);
        let mut basis = Basis::default();
        assert!(!basis.insert(&table, 0));
        assert!(basis.insert(&table, ab) && basis.insert(&table, bc) && !basis.insert(&table, ac));
        assert_eq!(basis.normal_form(&[0, 1, 2, 5]), [0, 5]);
        assert!(basis.normal_form(&[1, 2]).is_empty());
        assert!(basis.insert(&table, c));
        assert_eq!(basis.rank(), 3);
        assert_eq!(basis.normal_form(&[0, 3]), [3]);
    }
}
