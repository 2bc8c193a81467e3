//! Evaluation of the lower envelope at each output.

use super::{
    NO_SITE_COST,
    labels::LabelClamp,
    output::{DistanceOutput, PassBound},
    pass_cost::PassCost,
    tile::{LAST_TAKEOVER, TAKEOVERS, Tile, cost, link},
};
use cuda_std::{bits::bfind, misc::opaque};

/// Lookup of the site of a candidate, in three stages. The first two stages are issued one and two
/// candidates ahead, to hide the memory latency.
pub trait SiteLookup: Copy {
    /// Result of the first stage.
    type Stage1: Copy + Default;
    /// Result of the second stage.
    type Stage2: Copy + Default;
    /// Result of the lookup.
    type Output: Copy + Default;

    /// First stage, for the candidate at `position`.
    fn prefetch(self, position: u32) -> Self::Stage1;

    /// Second stage.
    fn resolve_row(self, position: u32, stage1: Self::Stage1) -> Self::Stage2;

    /// Third stage: returns the result.
    fn finish(self, position: u32, stage2: Self::Stage2) -> Self::Output;
}

/// Disables the lookup.
impl SiteLookup for () {
    type Stage1 = ();
    type Stage2 = ();
    type Output = ();

    #[inline(always)]
    fn prefetch(self, _position: u32) {}

    #[inline(always)]
    fn resolve_row(self, _position: u32, _stage1: ()) {}

    #[inline(always)]
    fn finish(self, _position: u32, _stage2: ()) {}
}

impl<O: DistanceOutput> Tile<O> {
    /// Calls `visit` for each output of the chunk with its index (from 0), the minimum squared
    /// distance, and the `lookup` result of its candidate. With truncation a line may lack
    /// candidates; the lookup result is then the default. For label distances, `clamp` holds the
    /// label changes.
    // The stages issued after the last candidate are not used.
    #[allow(unused_assignments)]
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn evaluate<C: PassCost, S: SiteLookup>(
        &self,
        pass_cost: C,
        mut clamp: LabelClamp,
        lookup: S,
        mut visit: impl FnMut(u32, u32, S::Output),
    ) {
        let chunk_start = self.chunk_start();
        let mut takeovers = self.row(self.chunk, TAKEOVERS);
        let (mut offset, mut squared, mut next_position) = (0, NO_SITE_COST, 0);
        let mut site = S::Output::default();
        let (mut stage1, mut stage2) = (S::Stage1::default(), S::Stage2::default());
        // The first candidate of a line takes over at output 0.
        if !O::TRUNCATED || self.row(0, TAKEOVERS) & 1 != 0 {
            let position = if self.chunk == 0 {
                // This candidate has no predecessor.
                takeovers ^= 1;
                self.first_candidate()
            } else {
                self.entry_candidate()
            };
            let word = self.read(position);
            (squared, next_position) = (pass_cost.squared(cost(word)), link(word));
            offset = chunk_start.wrapping_sub(position);
            site = lookup.finish(
                position,
                lookup.resolve_row(position, lookup.prefetch(position)),
            );
            stage2 = lookup.resolve_row(next_position, lookup.prefetch(next_position));
            stage1 = lookup.prefetch(link(self.read(next_position)));
        }
        let mut events = takeovers;
        if O::LABELS {
            events |= clamp.changes;
        }
        let output_count = self.len - chunk_start;
        if output_count >= 32 {
            unroll_32!(I => {
                if events & 1 << I != 0 {
                    if !O::LABELS || takeovers & 1 << I != 0 {
                        let position = opaque(next_position);
                        let word = self.read(position);
                        (squared, next_position) = (pass_cost.squared(cost(word)), link(word));
                        offset = chunk_start.wrapping_sub(position);
                        site = lookup.finish(position, stage2);
                        stage2 = lookup.resolve_row(next_position, stage1);
                        stage1 = lookup.prefetch(link(self.read(next_position)));
                    }
                    if O::LABELS {
                        clamp.advance(I);
                    }
                }
                let mut squared_distance = squared.wrapping_add(pass_cost.line_squared(offset.wrapping_add(I)));
                if O::LABELS {
                    squared_distance = clamp.clamp_squared(I, squared_distance);
                }
                visit(I, squared_distance, site);
            });
            return;
        }
        let mut i = 0;
        while i < output_count {
            if takeovers & 1 != 0 {
                let position = next_position;
                let word = self.read(position);
                (squared, next_position) = (pass_cost.squared(cost(word)), link(word));
                offset = chunk_start.wrapping_sub(position);
                site = lookup.finish(position, stage2);
                stage2 = lookup.resolve_row(next_position, stage1);
                stage1 = lookup.prefetch(link(self.read(next_position)));
            }
            takeovers >>= 1;
            let mut squared_distance =
                squared.wrapping_add(pass_cost.line_squared(offset.wrapping_add(i)));
            if O::LABELS {
                clamp.advance(i);
                squared_distance = clamp.clamp_squared(i, squared_distance);
            }
            visit(i, squared_distance, site);
            i = opaque(i + 1);
        }
    }

    /// Returns `true` if the chunk may have outputs within the bound: if it contains a candidate or
    /// one is near enough.
    #[inline(always)]
    pub fn is_in_range(&self, bound: PassBound) -> bool {
        if self.envelope(self.chunk) != 0 {
            return true;
        }
        let chunk_start = self.chunk_start();
        // Lower bound of the distance to candidates in the chunk about to be visited.
        let (mut earlier_chunk, mut gap) = (self.chunk, 1);
        while earlier_chunk > 0 && gap <= bound.max_step {
            earlier_chunk -= 1;
            let envelope = self.envelope(earlier_chunk);
            if envelope != 0 {
                if chunk_start - (earlier_chunk * 32 + bfind(envelope)) <= bound.max_step {
                    return true;
                }
                break;
            }
            gap += 32;
        }
        let (mut later_chunk, mut gap) = (self.chunk + 1, 1);
        while later_chunk < self.chunks && gap <= bound.max_step {
            let envelope = self.envelope(later_chunk);
            if envelope != 0 {
                return later_chunk * 32 + envelope.trailing_zeros() - (chunk_start + 31)
                    <= bound.max_step;
            }
            later_chunk += 1;
            gap += 32;
        }
        false
    }

    /// Returns the number of outputs of the chunk.
    #[inline(always)]
    pub fn output_count(&self) -> u32 {
        let output_count = self.len - self.chunk_start();
        if output_count < 32 { output_count } else { 32 }
    }

    /// Returns the position of the first candidate of the line.
    #[inline(always)]
    fn first_candidate(&self) -> u32 {
        let mut chunk = 0;
        let mut envelope = self.envelope(0);
        while envelope == 0 && chunk + 1 < self.chunks {
            chunk += 1;
            envelope = self.envelope(chunk);
        }
        chunk * 32 + (31 - bfind(envelope.reverse_bits()))
    }

    /// Returns the position of the candidate that is nearest at the chunk's first output, unless
    /// another takes over there.
    #[inline(always)]
    fn entry_candidate(&self) -> u32 {
        // Later candidates take over later. If none takes over in a chunk, its row holds 0, which
        // is also the position of the candidate that then takes over first, or of none.
        let mut position = 0;
        let mut earlier_chunk = self.chunk;
        while position == 0 && earlier_chunk > 0 {
            earlier_chunk -= 1;
            position = self.row(earlier_chunk, LAST_TAKEOVER);
        }
        position
    }
}
