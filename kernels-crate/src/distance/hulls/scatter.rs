//! Where winners begin.

use super::tile::{ENTRY, STARTS, Tile, link, with_link};
use cuda_std::bits::bfind;

impl Tile {
    /// Clears what [`scatter`](Self::scatter) fills, of the thread's own chunk.
    #[inline(always)]
    pub fn clear(&self) {
        self.put_row(self.chunk, STARTS, 0);
        self.put_row(self.chunk, ENTRY, 0);
    }

    /// Marks the outputs at which the chunk's winners begin, and puts into the word of each which
    /// is the next one.
    #[inline(always)]
    pub fn scatter(&self) {
        let mut hull = self.hull(self.chunk);
        if hull == 0 {
            return;
        }
        // after the last one comes itself
        let mut next = self.first() + bfind(hull);
        let mut later = self.chunk + 1;
        while later < self.chunks {
            let hull = self.hull(later);
            if hull != 0 {
                next = later * 32 + hull.trailing_zeros();
                break;
            }
            later += 1;
        }
        while hull != 0 {
            let bit = bfind(hull);
            hull ^= 1_u32.rotate_left(bit);
            let place = self.first() + bit;
            let word = self.read_own(bit);
            let start = link(word);
            self.or_row(start / 32, STARTS, 1_u32.rotate_left(start));
            self.max_row(start / 32, ENTRY, place);
            self.write_own(bit, with_link(word, next));
            next = place;
        }
    }
}
