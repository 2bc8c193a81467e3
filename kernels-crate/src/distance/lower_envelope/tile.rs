//! Tile of a block in shared memory: 32 scanlines with one word per position, four rows of 32 words
//! per chunk, and one common row.

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
/// Number of rows of a chunk.
const ROWS: usize = 4;

/// View of a block's tile from one thread.
#[derive(Clone, Copy)]
pub struct Tile {
    /// Words of the thread's scanline, with a stride of 32.
    line: SharedView<u32>,
    /// Words of the thread's scanline from its chunk on, with a stride of 32.
    chunk_words: SharedView<u32>,
    /// Rows of all chunks, starting at the thread's lane.
    lane_rows: SharedView<u32>,
    /// Words of all positions.
    pub positions: SharedView<u32>,
    /// Rows of all chunks.
    pub chunk_rows: SharedView<u32>,
    /// Lanes that have envelope vertices, as a bit mask per chunk.
    nonempty: SharedView<u32>,
    /// Position on the scanline of the tile's first position: 0 for complete scanlines. The first
    /// segment starts one chunk before the scanline.
    pub offset: u32,
    /// Number of positions up to the end of the scanline or of the tile.
    pub len: u32,
    /// Number of chunks of the tile.
    pub chunks: u32,
    /// Index of the thread's chunk, which is that of its warp.
    pub chunk: u32,
    /// Index of the thread's scanline.
    pub lane: u32,
}

/// Returns the number of chunks of a scanline of `len` positions.
pub const fn chunks(len: u32) -> u32 {
    len.div_ceil(CHUNK)
}

/// Returns the number of threads of a block: one warp per chunk.
pub const fn threads(len: u32) -> u32 {
    chunks(len) * 32
}

/// Returns the size of a block's dynamic shared memory, in bytes.
pub const fn shared_bytes(len: u32) -> u32 {
    chunks(len) * (CHUNK + ROWS as u32) * 128 + 128
}

impl Tile {
    /// Creates the block's tile of `chunks` chunks that start at position `offset` of the scanline,
    /// with `len` positions up to the end of the scanline or past the tile.
    ///
    /// # Safety
    /// The block has one warp per chunk, and [`shared_bytes`] of dynamic shared memory for this
    /// number of chunks.
    #[inline(always)]
    pub(super) unsafe fn new(len: u32, chunks: u32, offset: u32) -> Self {
        let start = dynamic_shared_mem::<u32>();
        let thread = thread::thread_idx_x();
        let (chunk, lane) = (thread / 32, thread % 32);
        let (row_words, position_words) = (chunks as usize * (ROWS * 32), chunks as usize * 1024);
        let (first_word, column) = (chunk as usize * 1024, lane as usize);
        // SAFETY: the parts are consecutive and lie within the block's shared memory.
        unsafe {
            let position_start = start.add(row_words);
            Self {
                line: SharedView::from_raw_parts(
                    position_start.add(column),
                    position_words - column,
                ),
                chunk_words: SharedView::from_raw_parts(
                    position_start.add(first_word + column),
                    position_words - first_word - column,
                ),
                lane_rows: SharedView::from_raw_parts(start.add(column), row_words - column),
                positions: SharedView::from_raw_parts(position_start, position_words),
                chunk_rows: SharedView::from_raw_parts(start, row_words),
                nonempty: SharedView::from_raw_parts(position_start.add(position_words), 32),
                offset,
                len,
                chunks,
                chunk,
                lane,
            }
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
        self.line.read(position as usize * 32)
    }

    /// Replaces the word of a position of the thread's scanline.
    #[inline(always)]
    pub fn write(&self, position: u32, word: u32) {
        self.line.write(position as usize * 32, word);
    }

    /// Returns the word of a position relative to the thread's chunk.
    #[inline(always)]
    pub fn read_in_chunk(&self, position: u32) -> u32 {
        self.chunk_words.read(position as usize * 32)
    }

    /// Replaces the word of a position relative to the thread's chunk.
    #[inline(always)]
    pub fn write_in_chunk(&self, position: u32, word: u32) {
        self.chunk_words.write(position as usize * 32, word);
    }

    /// Returns the index of a chunk's row in the array of all rows.
    #[inline(always)]
    fn row_index(chunk: u32, row: usize) -> usize {
        (chunk as usize * ROWS + row) * 32
    }

    /// Returns the rows of the thread's chunk from `row` on, for all lanes.
    #[inline(always)]
    pub fn chunk_scratch(&self, row: usize) -> SharedView<u32> {
        let offset = (self.chunk as usize * ROWS + row) * 32;
        // SAFETY: this is a part of the view.
        unsafe {
            SharedView::from_raw_parts(self.chunk_rows.as_mut_ptr().add(offset), (ROWS - row) * 32)
        }
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
        let any = unsafe { warp::warp_vote_ballot(u32::MAX, envelope != 0) };
        if self.lane == 0 {
            self.nonempty.write(self.chunk as usize, any);
        }
    }

    /// Returns the chunks that have envelope vertices in any lane, as a bit mask. All lanes of a
    /// warp must call it.
    #[inline(always)]
    pub fn nonempty_chunks(&self) -> u32 {
        let has = self.lane < self.chunks && self.nonempty.read(self.lane as usize) != 0;
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
