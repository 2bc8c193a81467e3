//! How a part learns what comes before it.

use crate::{
    partition::workers::{GivenUp, Guard, Shared},
    scan::{Operator, ScanValue},
};
use std::marker::PhantomData;

/// The totals of the parts, as they become known.
pub(super) struct Chain<V, O> {
    known: Shared<Known<V>>,
    operator: PhantomData<fn() -> O>,
}

pub(super) struct Known<V> {
    /// Each part's own total.
    totals: Vec<Option<V>>,
    /// What comes before each of the first parts; one more than there are parts in the end.
    before: Vec<V>,
}

impl<V: ScanValue, O: Operator<V>> Chain<V, O> {
    /// Of `parts` parts after `initial`.
    pub fn new(initial: V, parts: usize) -> Self {
        Self {
            known: Shared::new(Known {
                totals: vec![None; parts],
                before: vec![initial],
            }),
            operator: PhantomData,
        }
    }

    /// Says what a part's own total is.
    pub fn tell(&self, part: usize, total: V) {
        self.known.change(|known| {
            known.totals[part] = Some(total);
            while let Some(&Some(total)) = known.totals.get(known.before.len() - 1) {
                let last = known.before[known.before.len() - 1];
                known.before.push(O::combine(last, total));
            }
        });
    }

    /// What comes before a part. Waits until it is known.
    ///
    /// # Errors
    /// [`GivenUp`] if another device failed.
    pub fn before(&self, part: usize) -> Result<V, GivenUp> {
        self.known.wait(|known| known.before.get(part).copied())
    }

    /// The total of all parts, when all are told.
    pub fn total(self) -> V {
        let before = self.known.into_inner().before;
        before[before.len() - 1]
    }

    /// Lets all others give up when the guard is dropped before it is done.
    pub fn give_up_unless_done(&self) -> Guard<'_, Known<V>> {
        self.known.give_up_unless_done()
    }
}
