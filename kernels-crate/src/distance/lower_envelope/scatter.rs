//! Marks of takeover outputs.

use super::{
    output::DistanceOutput,
    tile::{LAST_TAKEOVER, TAKEOVERS, Tile, link, with_link},
};
use cuda_std::{bits::bfind, misc::opaque};

impl<O: DistanceOutput> Tile<O> {
    /// Clears the rows that [`scatter_takeovers`](Self::scatter_takeovers) fills, for the thread's
    /// own chunk.
    #[inline(always)]
    pub fn clear_takeovers(&self) {
        self.set_row(self.chunk, TAKEOVERS, 0);
        self.set_row(self.chunk, LAST_TAKEOVER, 0);
    }

    /// Marks the takeover outputs of the chunk's candidates, and replaces the link of each
    /// candidate by the next candidate.
    #[inline(always)]
    pub fn scatter_takeovers(&self) {
        let mut envelope = self.envelope(self.chunk);
        if envelope == 0 {
            return;
        }
        // The last candidate links to itself.
        let mut next = self.chunk_start() + bfind(envelope);
        let mut later_chunk = self.chunk + 1;
        while later_chunk < self.chunks {
            let envelope = self.envelope(later_chunk);
            if envelope != 0 {
                next = later_chunk * 32 + envelope.trailing_zeros();
                break;
            }
            later_chunk += 1;
        }
        while envelope != 0 {
            let bit = bfind(envelope);
            envelope &= !1_u32.rotate_left(bit);
            let position = self.chunk_start() + bit;
            let word = self.read_in_chunk(bit);
            let takeover = link(word);
            let chunk = opaque(takeover / 32);
            self.or_row(chunk, TAKEOVERS, 1_u32.rotate_left(takeover));
            self.max_row(chunk, LAST_TAKEOVER, position);
            self.write_in_chunk(bit, with_link(word, next));
            next = position;
        }
    }
}
