//! Sets of indices with rank queries.

/// Set of indices, with the number of members before each.
#[derive(Clone, Debug, Default)]
pub struct RankedSet {
    words: Vec<u64>,
    before: Vec<u32>,
    count: usize,
}

impl RankedSet {
    /// Creates an empty set of indices below `len`.
    pub fn new(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(64)],
            before: Vec::new(),
            count: 0,
        }
    }

    /// Inserts an index. Call [`RankedSet::finish`] after the last insertion.
    pub fn insert(&mut self, at: usize) {
        self.words[at / 64] |= 1 << (at % 64);
    }

    /// Computes the ranks.
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

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns the number of smaller members if `at` is a member, otherwise `None`.
    pub fn rank(&self, at: usize) -> Option<usize> {
        let word = self.words.get(at / 64)?;
        let bit = at % 64;
        (word >> bit & 1 == 1).then(|| {
            let lower = word & ((1 << bit) - 1);
            self.before[at / 64] as usize + lower.count_ones() as usize
        })
    }

    /// Returns the members in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut remaining = word;
            std::iter::from_fn(move || {
                let bit = remaining.trailing_zeros() as usize;
                (remaining != 0).then(|| {
                    remaining &= remaining - 1;
                    64 * index + bit
                })
            })
        })
    }
}
