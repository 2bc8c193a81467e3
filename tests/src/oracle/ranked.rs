//! Sets of places that are numbered in order.

/// A set of numbers, each with how many before it are in the set.
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    words: Vec<u64>,
    before: Vec<u32>,
    count: usize,
}

impl Ranked {
    /// The empty set of numbers below `len`.
    pub fn new(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(64)],
            before: Vec::new(),
            count: 0,
        }
    }

    /// Puts a number in. [`Ranked::finish`] comes after the last.
    pub fn insert(&mut self, at: usize) {
        self.words[at / 64] |= 1 << (at % 64);
    }

    /// Counts.
    pub fn finish(&mut self) {
        self.count = 0;
        self.before = self
            .words
            .iter()
            .map(|word| {
                let before = self.count as u32;
                self.count += word.count_ones() as usize;
                before
            })
            .collect();
    }

    /// How many numbers are in the set.
    pub fn len(&self) -> usize {
        self.count
    }

    /// How many numbers before this one are in the set, if it is too.
    pub fn rank(&self, at: usize) -> Option<usize> {
        let word = self.words.get(at / 64)?;
        let bit = at % 64;
        (word >> bit & 1 == 1).then(|| {
            let lower = word & ((1 << bit) - 1);
            self.before[at / 64] as usize + lower.count_ones() as usize
        })
    }

    /// The numbers in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                (left != 0).then(|| {
                    left &= left - 1;
                    64 * index + bit
                })
            })
        })
    }
}
