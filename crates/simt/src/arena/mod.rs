//! The block-shared memory of one worker: one piece of memory per shared static, and one for dynamic shared memory.
//!
//! A worker runs one block at a time, so the blocks that it runs use the same pieces one after another.

mod pieces;

use pieces::Piece;
use std::ptr::NonNull;

/// What shared memory holds before a block writes it: recognisable in a debugger, and a huge negative float.
pub(crate) const POISON: u8 = 0xA5;

/// One array of shared memory.
struct Array {
    /// The static's address, or `None` for dynamic shared memory.
    key: Option<usize>,
    start: NonNull<u8>,
    bytes: usize,
    /// The memory, unless it is that of a value which lasts.
    piece: Option<Piece>,
}

impl Array {
    fn poison(&self) {
        if self.piece.is_some() {
            // SAFETY: the piece holds as many bytes, and only the worker's own thread uses it.
            unsafe { self.start.as_ptr().write_bytes(POISON, self.bytes) };
        }
    }
}

/// Where in shared memory an address lies.
pub(crate) struct SharedPlace {
    pub(crate) dynamic: bool,
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
}

/// The shared memory of the block that a worker runs.
#[derive(Default)]
pub(crate) struct Arena {
    arrays: Vec<Array>,
}

impl Arena {
    /// Memory for the static `key`: the same for the same key, poisoned when it is new.
    ///
    /// # Panics
    /// Where one key asks for more bytes, or a stricter alignment, than it did before: two arrays would overlap.
    pub(crate) fn for_static(&mut self, key: usize, bytes: usize, align: usize) -> *mut u8 {
        if let Some(array) = self.arrays.iter().find(|array| array.key == Some(key)) {
            assert!(
                bytes <= array.bytes && array.start.as_ptr().addr().is_multiple_of(align),
                "one shared static is used as {} bytes and as {bytes} bytes aligned to {align}; give each array a static of its own",
                array.bytes,
            );
            return array.start.as_ptr();
        }
        self.push(Some(key), bytes, align)
    }

    /// The dynamic shared memory, `bytes` bytes in all.
    pub(crate) fn dynamic(&mut self, bytes: usize) -> *mut u8 {
        match self.arrays.iter().find(|array| array.key.is_none()) {
            Some(array) => array.start.as_ptr(),
            None => self.push(None, bytes, pieces::ALIGN),
        }
    }

    /// The value of the static `key`, the same for all blocks that this operating-system thread ever runs. `initialise` writes it where
    /// it is new.
    ///
    /// # Panics
    /// Where one key asks for another size or alignment than it did before.
    pub(crate) fn lasting(
        &mut self,
        key: usize,
        bytes: usize,
        align: usize,
        initialise: impl FnOnce(*mut u8),
    ) -> *mut u8 {
        let known = |array: &&Array| array.key == Some(key) && array.piece.is_none();
        if let Some(array) = self.arrays.iter().find(known)
            && array.bytes == bytes
        {
            return array.start.as_ptr();
        }
        let start = pieces::lasting(key, bytes, align, initialise);
        self.arrays.push(Array {
            key: Some(key),
            start,
            bytes,
            piece: None,
        });
        start.as_ptr()
    }

    fn push(&mut self, key: Option<usize>, bytes: usize, align: usize) -> *mut u8 {
        let piece = Piece::take(bytes, align, POISON);
        let array = Array {
            key,
            start: piece.start(),
            bytes,
            piece: Some(piece),
        };
        array.poison();
        let start = array.start.as_ptr();
        self.arrays.push(array);
        start
    }

    /// Overwrites all of it, so that nothing survives from one block to the next.
    pub(crate) fn poison(&mut self) {
        self.arrays.iter().for_each(Array::poison);
    }

    /// Where `address` lies, if in shared memory.
    pub(crate) fn locate(&self, address: usize) -> Option<SharedPlace> {
        self.arrays.iter().find_map(|array| {
            let offset = address.wrapping_sub(array.start.as_ptr().addr());
            let bytes = array.bytes;
            (offset < bytes).then_some(SharedPlace {
                dynamic: array.key.is_none(),
                offset,
                bytes,
            })
        })
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for array in self.arrays.drain(..) {
            if let Some(piece) = array.piece {
                piece.keep();
            }
        }
    }
}
