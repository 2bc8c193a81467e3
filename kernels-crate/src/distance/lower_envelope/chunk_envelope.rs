//! Lower envelope of a chunk by Graham's scan (1972).

use super::{
    output::DistanceOutput,
    pass_cost::{FLOAT_BIAS, PassCost},
    tile::{CHUNK, COST_BITS, RECIPROCALS, Tile, link, with_link},
};
use cuda_std::{
    bits::{bfind, bfind_shiftamt, shift_right},
    warp,
};

/// Bit of the first position of a chunk in a mask whose first position is highest.
const FIRST_POSITION: u32 = 1 << 31;

impl<O: DistanceOutput> Tile<O> {
    /// Builds the lower envelope of the chunk from the candidates in `survivors` (a bit mask, first
    /// position highest) and returns its vertices as a bit mask (first position lowest). Stores the
    /// takeover output of each vertex in its word. All lanes of a warp must call it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn build_chunk_envelope<C: PassCost>(&self, pass_cost: C, survivors: u32) -> u32 {
        let reciprocals = self.chunk_scratch(RECIPROCALS);
        let mut separation = self.lane;
        while separation < CHUNK {
            reciprocals.write(
                separation as usize,
                if separation == 0 {
                    FLOAT_BIAS
                } else {
                    pass_cost.reciprocal(separation).to_bits()
                },
            );
            separation += O::SCANLINES;
        }
        // SAFETY: all lanes of the warp take part.
        unsafe { warp::sync_warp(u32::MAX) };
        let mut remaining = survivors;
        if remaining == 0 {
            return 0;
        }
        let chunk_start = self.chunk_start();
        // Read back from memory so that it is kept in a register.
        let float_bias = reciprocals.read(0);
        let lift = |word: u32, position: u32| {
            pass_cost.lifted_cost(word, position, chunk_start, float_bias)
        };
        let mut top = bfind_shiftamt(remaining);
        // Vertices, first position highest, as in `remaining`.
        let mut envelope = shift_right(FIRST_POSITION, top);
        remaining &= !envelope;
        let word = self.read_in_chunk(top);
        if O::NEAREST_SITE {
            self.write_in_chunk(top, with_link(word, 0));
        }
        let mut top_value = lift(word, top);
        let mut top_start = 0;
        while remaining != 0 {
            let next = bfind_shiftamt(remaining);
            let bit = shift_right(FIRST_POSITION, next);
            remaining &= !bit;
            let word = self.read_in_chunk(next);
            let next_value = lift(word, next);
            let mut takeover;
            loop {
                let separation = next - top;
                let reciprocal = f32::from_bits(reciprocals.read(separation as usize));
                let takeover_or_negative = if O::NEAREST_SITE {
                    pass_cost.takeover::<true>(
                        [top_value, next_value],
                        separation,
                        reciprocal,
                        chunk_start,
                    )
                } else {
                    pass_cost.takeover::<false>(
                        [top_value, next_value],
                        separation,
                        reciprocal,
                        chunk_start,
                    )
                };
                takeover = if takeover_or_negative < 0 {
                    0
                } else {
                    takeover_or_negative
                };
                if takeover > top_start {
                    break;
                }
                envelope &= envelope - 1;
                if envelope == 0 {
                    break;
                }
                top = bfind(envelope.reverse_bits());
                let word = self.read_in_chunk(top);
                top_value = lift(word, top);
                top_start = link(word) as i32;
            }
            if takeover < self.len as i32 {
                let linked = if O::NEAREST_SITE {
                    with_link(word, takeover as u32)
                } else {
                    // The word has no link yet, so an addition suffices.
                    word + (takeover as u32 * (1 << COST_BITS))
                };
                self.write_in_chunk(next, linked);
                envelope |= bit;
                top = next;
                top_value = next_value;
                top_start = takeover;
            }
        }
        envelope.reverse_bits()
    }
}
