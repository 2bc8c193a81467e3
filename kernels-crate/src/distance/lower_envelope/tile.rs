//! Tile of a block in shared memory: 32 or 16 scanlines with one word per position, a few rows of
//! one word per scanline for each chunk, and one common row.
//!
//! With 32 scanlines, a warp processes a chunk; the rows of all chunks precede the positions. With
//! 16, it processes two neighbouring chunks, and the rows of a chunk follow its positions: their
//! odd number makes both halves of the warp access different banks.

use super::output::DistanceOutput;
use core::marker::PhantomData;
use cuda_std::{SharedView, shared::dynamic_shared_mem, thread, warp};

/// Number of positions in a chunk.
pub const CHUNK: u32 = 32;

/// Number of low bits of a word that hold a cost. The bits above them hold a link: first the
/// takeover output, later the next candidate.
pub const COST_BITS: u32 = 22;

/// Mask of the cost bits of a word.
const COST_MASK: u32 = (1 << COST_BITS) - 1;

/// Returns the cost of a word combined with `high_bits`, all of whose bits lie above the cost.
#[inline(always)]
pub fn cost_with_high_bits(word: u32, high_bits: u32) -> u32 {
    word & COST_MASK | high_bits
}

/// Returns the cost of a word.
#[inline(always)]
pub fn cost(word: u32) -> u32 {
    word & COST_MASK
}

/// Returns the link of a word.
#[inline(always)]
pub fn link(word: u32) -> u32 {
    word >> COST_BITS
}

/// Returns a word with its link replaced.
#[inline(always)]
pub fn with_link(word: u32, link: u32) -> u32 {
    word & COST_MASK | link << COST_BITS
}

/// Row of the envelope vertices of a chunk, as a bit mask per lane.
pub const ENVELOPE: usize = 0;
/// Row of the takeover outputs in the chunk, as a bit mask per lane.
pub const TAKEOVERS: usize = 1;
/// Row of the last candidate that takes over in the chunk.
pub const LAST_TAKEOVER: usize = 2;
/// Row of the reciprocals of separations, in use until the chunk's envelope is built.
pub const RECIPROCALS: usize = 3;
/// Row of the label changes of the chunk, as a bit mask per lane; in use after the chunk's envelope
/// is built.
pub const CHANGES: usize = 3;

/// Returns the number of rows of a chunk for a number of scanlines per block.
const fn rows(scanlines: u32) -> u32 {
    if scanlines == 32 { 4 } else { 5 }
}

/// View of a block's tile from one thread.
#[derive(Clone, Copy)]
pub struct Tile<O> {
    /// Words of the thread's scanline.
    line: SharedView<u32>,
    /// Words of the thread's scanline from its chunk on, with a stride of the scanlines.
    chunk_words: SharedView<u32>,
    /// Rows of all chunks, starting at the thread's lane.
    lane_rows: SharedView<u32>,
    /// Words of all positions.
    pub positions: SharedView<u32>,
    /// Rows of all chunks.
    chunk_rows: SharedView<u32>,
    /// Lanes that have envelope vertices, as a bit mask per chunk.
    nonempty: SharedView<u32>,
    /// Position on the scanline of the tile's first position: 0 for complete scanlines. The first
    /// segment starts one chunk before the scanline.
    pub offset: u32,
    /// Number of positions up to the end of the scanline or of the tile.
    pub len: u32,
    /// Number of chunks of the tile.
    pub chunks: u32,
    /// Index of the thread's chunk. Its first position may be past the end of the scanline if a
    /// warp processes two chunks.
    pub chunk: u32,
    /// Index of the thread's scanline.
    pub lane: u32,
    output: PhantomData<O>,
}

/// Returns the number of chunks of a scanline of `len` positions.
pub const fn chunks(len: u32) -> u32 {
    len.div_ceil(CHUNK)
}

/// Returns the number of threads of a block: full warps, with one thread per scanline and chunk.
pub const fn threads<O: DistanceOutput>(len: u32) -> u32 {
    (chunks(len) * O::SCANLINES).next_multiple_of(32)
}

/// Returns the size of a block's dynamic shared memory, in bytes.
pub const fn shared_bytes<O: DistanceOutput>(len: u32) -> u32 {
    threads::<O>(len) * (CHUNK + rows(O::SCANLINES)) * 4 + 128
}

impl<O: DistanceOutput> Tile<O> {
    /// Number of scanlines.
    const SCANLINES: usize = O::SCANLINES as usize;
    /// Number of words of the positions of a chunk.
    const POSITION_WORDS: usize = CHUNK as usize * Self::SCANLINES;
    /// Number of words of the rows of a chunk.
    const ROW_WORDS: usize = rows(O::SCANLINES) as usize * Self::SCANLINES;
    /// `true` if the rows of a chunk follow its positions.
    const IS_INTERLEAVED: bool = O::SCANLINES != 32;
    /// Number of words between the positions of neighbouring chunks.
    const CHUNK_STRIDE: usize = if Self::IS_INTERLEAVED {
        Self::POSITION_WORDS + Self::ROW_WORDS
    } else {
        Self::POSITION_WORDS
    };
    /// Number of words between the rows of neighbouring chunks.
    const ROW_STRIDE: usize = if Self::IS_INTERLEAVED {
        Self::CHUNK_STRIDE
    } else {
        Self::ROW_WORDS
    };

    /// Creates the block's tile of `chunks` chunks that start at position `offset` of the scanline,
    /// with `len` positions up to the end of the scanline or past the tile.
    ///
    /// # Safety
    /// The block has [`threads`] and [`shared_bytes`] of dynamic shared memory for this number of
    /// chunks.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub(super) unsafe fn new(len: u32, chunks: u32, offset: u32) -> Self {
        let start = dynamic_shared_mem::<u32>();
        let thread = thread::thread_idx_x();
        let (chunk, lane) = (thread / O::SCANLINES, thread % O::SCANLINES);
        let stored_chunks = (chunks * O::SCANLINES).next_multiple_of(32) / O::SCANLINES;
        let words = stored_chunks as usize * (Self::POSITION_WORDS + Self::ROW_WORDS);
        let (first_row, first_position) = if Self::IS_INTERLEAVED {
            (Self::POSITION_WORDS, 0)
        } else {
            (0, stored_chunks as usize * Self::ROW_WORDS)
        };
        let (first_word, column) = (chunk as usize * Self::CHUNK_STRIDE, lane as usize);
        // SAFETY: the parts lie within the block's shared memory.
        let part = |at: usize| unsafe { SharedView::from_raw_parts(start.add(at), words - at) };
        Self {
            line: part(first_position + column),
            chunk_words: part(first_position + first_word + column),
            lane_rows: part(first_row + column),
            positions: part(first_position),
            chunk_rows: part(first_row),
            // SAFETY: this row is the end of the block's shared memory.
            nonempty: unsafe { SharedView::from_raw_parts(start.add(words), 32) },
            offset,
            len,
            chunks,
            chunk,
            lane,
            output: PhantomData,
        }
    }

    /// Returns the index of the scanline's column in its word.
    #[inline(always)]
    pub fn column(&self) -> u32 {
        if O::SCANLINES == 32 {
            self.lane
        } else {
            thread::block_idx_x() % (32 / O::SCANLINES) * O::SCANLINES + self.lane
        }
    }

    /// Returns the mask of the positions of the thread's chunk that satisfy a condition, first
    /// position lowest, and the same combined for all chunks of the warp. Each lane states whether
    /// the condition holds for position `lane` of its chunk, and, with 16 scanlines, for position
    /// `16 + lane`. All lanes of a warp must call it.
    #[inline(always)]
    pub fn chunk_ballot(&self, conditions: [bool; 2]) -> [u32; 2] {
        // SAFETY: all lanes of the warp take part.
        let first = unsafe { warp::warp_vote_ballot(u32::MAX, conditions[0]) };
        if O::SCANLINES == 32 {
            return [first; 2];
        }
        // SAFETY: as above.
        let second = unsafe { warp::warp_vote_ballot(u32::MAX, conditions[1]) };
        let shift = thread::thread_idx_x() & 16;
        let own = first >> shift & 0xffff | second >> shift << 16;
        [own, first | second]
    }

    /// Returns the index of the word of a position in [`positions`](Self::positions), for the first
    /// scanline.
    #[inline(always)]
    pub fn position_index(position: u32) -> usize {
        let index = position as usize * Self::SCANLINES;
        if Self::IS_INTERLEAVED {
            index + (position / CHUNK) as usize * Self::ROW_WORDS
        } else {
            index
        }
    }

    /// Returns the first position of the thread's chunk, relative to the tile.
    #[inline(always)]
    pub fn chunk_start(&self) -> u32 {
        self.chunk * CHUNK
    }

    /// Returns the first position of the thread's chunk, relative to the scanline. In a chunk
    /// before the scanline it wraps around and exceeds all positions.
    #[inline(always)]
    pub fn chunk_start_in_line(&self) -> u32 {
        self.offset.wrapping_add(self.chunk_start())
    }

    /// Returns the word of a position of the thread's scanline.
    #[inline(always)]
    pub fn read(&self, position: u32) -> u32 {
        self.line.read(Self::position_index(position))
    }

    /// Replaces the word of a position of the thread's scanline.
    #[inline(always)]
    pub fn write(&self, position: u32, word: u32) {
        self.line.write(Self::position_index(position), word);
    }

    /// Returns the word of a position relative to the thread's chunk.
    #[inline(always)]
    pub fn read_in_chunk(&self, position: u32) -> u32 {
        self.chunk_words.read(position as usize * Self::SCANLINES)
    }

    /// Replaces the word of a position relative to the thread's chunk.
    #[inline(always)]
    pub fn write_in_chunk(&self, position: u32, word: u32) {
        self.chunk_words
            .write(position as usize * Self::SCANLINES, word);
    }

    /// Returns the index of a chunk's row in the array of all rows.
    #[inline(always)]
    fn row_index(chunk: u32, row: usize) -> usize {
        chunk as usize * Self::ROW_STRIDE + row * Self::SCANLINES
    }

    /// Returns the rows of the thread's chunk from `row` on, for all lanes.
    #[inline(always)]
    pub fn chunk_scratch(&self, row: usize) -> SharedView<u32> {
        let offset = Self::row_index(self.chunk, row);
        let len = Self::ROW_WORDS - row * Self::SCANLINES;
        // SAFETY: this is a part of the view.
        unsafe { SharedView::from_raw_parts(self.chunk_rows.as_mut_ptr().add(offset), len) }
    }

    /// Returns the thread's word in a row of a chunk.
    #[inline(always)]
    pub fn row(&self, chunk: u32, row: usize) -> u32 {
        self.lane_rows.read(Self::row_index(chunk, row))
    }

    /// Replaces the thread's word in a row of a chunk.
    #[inline(always)]
    pub fn set_row(&self, chunk: u32, row: usize, value: u32) {
        self.lane_rows.write(Self::row_index(chunk, row), value);
    }

    /// Sets bits of the thread's word in a row of a chunk; several threads may do so concurrently.
    #[inline(always)]
    pub fn or_row(&self, chunk: u32, row: usize, value: u32) {
        self.lane_rows
            .atomic_or_no_return(Self::row_index(chunk, row), value);
    }

    /// Raises the thread's word in a row of a chunk to at least `value`; several threads may do so
    /// concurrently.
    #[inline(always)]
    pub fn max_row(&self, chunk: u32, row: usize, value: u32) {
        self.lane_rows
            .atomic_max_no_return(Self::row_index(chunk, row), value);
    }

    /// Stores the envelope vertices of the thread's chunk in the tile, and for
    /// [`nonempty_chunks`](Self::nonempty_chunks) which lanes have any. All lanes of a warp must
    /// call it; a barrier must follow.
    #[inline(always)]
    pub fn publish_chunk_envelope(&self, envelope: u32) {
        self.set_envelope(self.chunk, envelope);
        // SAFETY: all lanes of the warp take part.
        let mut any = unsafe { warp::warp_vote_ballot(u32::MAX, envelope != 0) };
        if O::SCANLINES != 32 {
            any = any >> (thread::thread_idx_x() & 16) & 0xffff;
        }
        if self.lane == 0 {
            self.nonempty.write(self.chunk as usize, any);
        }
    }

    /// Returns the chunks that have envelope vertices in any lane, as a bit mask. All lanes of a
    /// warp must call it.
    #[inline(always)]
    pub fn nonempty_chunks(&self) -> u32 {
        let chunk = thread::thread_idx_x() % 32;
        let has = chunk < self.chunks && self.nonempty.read(chunk as usize) != 0;
        // SAFETY: all lanes of the warp take part.
        unsafe { warp::warp_vote_ballot(u32::MAX, has) }
    }

    /// Returns the envelope vertices of a chunk.
    #[inline(always)]
    pub fn envelope(&self, chunk: u32) -> u32 {
        self.row(chunk, ENVELOPE)
    }

    /// Replaces the envelope vertices of a chunk.
    #[inline(always)]
    pub fn set_envelope(&self, chunk: u32, envelope: u32) {
        self.set_row(chunk, ENVELOPE, envelope);
    }
}
