//! Shadow memory: the access history of every byte that a launch accessed.
//!
//! Each page is divided into granules as small as its accesses require: 4 bytes if all accesses are
//! aligned words, 1 byte as soon as one access is a byte. Overlapping accesses of different sizes
//! are thus compared exactly.

use super::history::{AccessRecord, GranuleHistory, HappensBefore};
use std::collections::HashMap;

const PAGE_BYTES: usize = 4096;

/// Number of entries of [`Shadow::recent`].
const RECENT: usize = 64;

/// Maximum size of a granule, in bytes.
const MAX_GRANULE: usize = 16;

struct Page {
    /// Base-2 logarithm of the granule size in bytes.
    shift: u32,
    granules: Vec<GranuleHistory>,
}

impl Page {
    fn new(shift: u32) -> Self {
        Page {
            shift,
            granules: vec![GranuleHistory::default(); PAGE_BYTES >> shift],
        }
    }

    /// Splits the granules into granules of `1 << shift` bytes, each with the history of the
    /// original.
    fn refine(&mut self, shift: u32) {
        if shift < self.shift {
            let parts = 1 << (self.shift - shift);
            let granules = std::mem::take(&mut self.granules);
            self.granules = granules
                .into_iter()
                .flat_map(|granule| std::iter::repeat_n(granule, parts))
                .collect();
            self.shift = shift;
        }
    }
}

/// Result of checking one access against the shadow memory.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct AccessOutcome {
    /// Earlier access that races with this one, and the first address at which it does.
    pub(crate) race: Option<(AccessRecord, usize)>,
    /// First address without a tracked write.
    pub(crate) unwritten: Option<usize>,
    /// Size in bytes of the granule at that address.
    pub(crate) unwritten_bytes: usize,
}

/// Shadow memory of one address space.
pub(crate) struct Shadow {
    pages: Vec<Page>,
    index: HashMap<usize, usize>,
    /// Cache of recently accessed pages, indexed by the low bits of the page number: page number
    /// and position in `pages`. It saves the hash lookup of nearly every access.
    recent: [Option<(usize, usize)>; RECENT],
}

impl Default for Shadow {
    fn default() -> Self {
        Shadow {
            pages: Vec::new(),
            index: HashMap::new(),
            recent: [None; RECENT],
        }
    }
}

impl Shadow {
    /// Clears the shadow memory.
    pub(crate) fn clear(&mut self) {
        *self = Shadow::default();
    }

    /// Checks and records that `now` accesses `bytes` bytes at `address`.
    pub(crate) fn check_and_record(
        &mut self,
        now: AccessRecord,
        address: usize,
        bytes: usize,
        order: &impl HappensBefore,
    ) -> AccessOutcome {
        let mut outcome = AccessOutcome::default();
        let end = address.saturating_add(bytes);
        let mut at = address;
        while at < end {
            let (number, first) = (at / PAGE_BYTES, at % PAGE_BYTES);
            let count = (end - at).min(PAGE_BYTES - first);
            let page = self.page(number, granule_shift(first, count));
            let (low, high) = (first >> page.shift, (first + count) >> page.shift);
            let shift = page.shift;
            for (offset, granule) in page.granules[low..high].iter_mut().enumerate() {
                let address = number * PAGE_BYTES + ((low + offset) << shift);
                if outcome.unwritten.is_none() && !granule.is_written() {
                    (outcome.unwritten, outcome.unwritten_bytes) = (Some(address), 1 << shift);
                }
                let race = granule.check_and_record(now, order);
                outcome.race = outcome.race.or(race.map(|earlier| (earlier, address)));
            }
            at += count;
        }
        outcome
    }

    /// Returns `true` if a write to the byte at `address` was tracked.
    pub(crate) fn is_written(&self, address: usize) -> bool {
        self.index
            .get(&(address / PAGE_BYTES))
            .is_some_and(|&page| {
                let page = &self.pages[page];
                page.granules[(address % PAGE_BYTES) >> page.shift].is_written()
            })
    }

    /// Returns the page, with granules of at most `1 << shift` bytes.
    fn page(&mut self, number: usize, shift: u32) -> &mut Page {
        let recent = &mut self.recent[number % RECENT];
        let position = match *recent {
            Some((cached, position)) if cached == number => position,
            _ => *self.index.entry(number).or_insert_with(|| {
                self.pages.push(Page::new(shift));
                self.pages.len() - 1
            }),
        };
        *recent = Some((number, position));
        let page = &mut self.pages[position];
        page.refine(shift);
        page
    }
}

/// Returns the base-2 logarithm of the largest granule size that divides both the start and the
/// length.
fn granule_shift(start: usize, bytes: usize) -> u32 {
    (start | bytes | MAX_GRANULE).trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Access;
    use std::panic::Location;

    fn by(thread: u16, access: Access) -> AccessRecord {
        AccessRecord {
            site: Location::caller(),
            block: 0,
            epoch: 0,
            clock: 1,
            thread,
            access,
        }
    }

    struct ProgramOrder(u16);

    impl HappensBefore for ProgramOrder {
        fn is_before(&self, earlier: &AccessRecord) -> bool {
            earlier.thread == self.0
        }

        fn is_released(&self, _: &AccessRecord) -> bool {
            false
        }

        fn has_inter_warp_order(&self) -> bool {
            false
        }
    }

    /// Accesses memory as a thread that is ordered after its own past only.
    fn check_access(
        shadow: &mut Shadow,
        now: AccessRecord,
        address: usize,
        bytes: usize,
    ) -> AccessOutcome {
        shadow.check_and_record(now, address, bytes, &ProgramOrder(now.thread))
    }

    #[test]
    fn a_byte_overlaps_its_own_word_only() {
        let mut shadow = Shadow::default();
        check_access(&mut shadow, by(0, Access::Write), 0x1000, 4);
        let inside = check_access(&mut shadow, by(1, Access::Read), 0x1003, 1);
        let (earlier, address) = inside.race.expect("they overlap");
        assert_eq!((earlier.thread, address), (0, 0x1003));
        assert_eq!(
            check_access(&mut shadow, by(1, Access::Read), 0x1004, 1).race,
            None
        );
    }

    #[test]
    fn an_access_across_pages_is_checked_in_both() {
        let mut shadow = Shadow::default();
        check_access(&mut shadow, by(0, Access::Write), 0x1fff, 2);
        assert!(
            check_access(&mut shadow, by(1, Access::Read), 0x1ffe, 2)
                .race
                .is_some()
        );
        assert!(
            check_access(&mut shadow, by(1, Access::Read), 0x2000, 2)
                .race
                .is_some()
        );
        assert!(
            check_access(&mut shadow, by(1, Access::Read), 0x2001, 2)
                .race
                .is_none()
        );
    }

    #[test]
    fn the_first_unwritten_byte_is_reported() {
        let mut shadow = Shadow::default();
        check_access(&mut shadow, by(0, Access::Write), 0x1000, 2);
        let outcome = check_access(&mut shadow, by(0, Access::Read), 0x1000, 4);
        assert_eq!(outcome.unwritten, Some(0x1002));
    }

    #[test]
    fn a_write_races_with_any_of_many_reads() {
        let mut shadow = Shadow::default();
        for thread in 0..100 {
            assert_eq!(
                check_access(&mut shadow, by(thread, Access::Read), 64, 4).race,
                None
            );
        }
        for writer in [0, 31, 32, 99, 200] {
            let mut shadow = Shadow::default();
            for thread in 0..100 {
                check_access(&mut shadow, by(thread, Access::Read), 64, 4);
            }
            assert!(
                check_access(&mut shadow, by(writer, Access::Write), 64, 4)
                    .race
                    .is_some()
            );
        }
    }

    #[test]
    fn a_plain_read_races_with_an_older_atomic_hidden_by_a_newer_one() {
        let mut shadow = Shadow::default();
        check_access(&mut shadow, by(0, Access::Atomic), 64, 4);
        assert_eq!(
            check_access(&mut shadow, by(1, Access::Atomic), 64, 4).race,
            None
        );
        assert!(
            check_access(&mut shadow, by(1, Access::Read), 64, 4)
                .race
                .is_some()
        );
    }
}
