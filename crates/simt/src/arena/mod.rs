//! The block-shared memory of one worker: one piece of memory per shared static, and one for
//! dynamic shared memory.
//!
//! A worker runs one block at a time, so the blocks that it runs use the same pieces one after
//! another.

mod guard;
mod pieces;

pub(crate) use guard::guarded_at;

use crate::finding::Site;
use crate::unwatched::{Seen, Unwatched};
use pieces::Piece;
use std::cell::Cell;
use std::ptr::NonNull;

/// What shared memory holds before a block writes it: recognisable in a debugger, and a huge
/// negative float.
pub(crate) const POISON: u8 = 0xA5;

/// One array of shared memory.
struct Array {
    /// The static's address, or `None` for dynamic shared memory.
    key: Option<usize>,
    start: NonNull<u8>,
    bytes: usize,
    /// The memory, unless it is that of a value which lasts.
    piece: Option<Piece>,
    watch: Watch,
}

/// What checked mode knows of an array.
#[derive(Default)]
struct Watch {
    /// Where the kernel got a raw pointer to it, if it did.
    pointer: Cell<Option<Site>>,
    seen: Seen,
}

impl Array {
    /// The bytes from the array's end to the guard page, fewer than its alignment.
    fn slack(&self) -> usize {
        let end = self.start.as_ptr().addr() + self.bytes;
        let limit = self.piece.as_ref().map_or(end, Piece::end);
        limit.saturating_sub(end).min(pieces::ALIGN)
    }

    /// Whether the `bytes` bytes from `offset` on, as far as they are the array's or behind it,
    /// hold what they did when the block began.
    fn is_poison(&self, offset: usize, bytes: usize) -> bool {
        let of = self.bytes + self.slack();
        (offset..offset.saturating_add(bytes).min(of)).all(|at| {
            // SAFETY: within the piece, and only the worker's own thread uses it.
            unsafe { self.start.as_ptr().add(at).read() == POISON }
        })
    }

    fn poison(&self) {
        if self.piece.is_some() {
            // SAFETY: the piece holds as many bytes up to its end, and only the worker's own thread
            // uses it.
            unsafe {
                let bytes = self.bytes + self.slack();
                self.start.as_ptr().write_bytes(POISON, bytes);
            }
        }
    }
}

/// Where in shared memory an address lies.
#[derive(Clone, Copy)]
pub(crate) struct SharedPlace {
    /// Which array it is.
    pub(crate) array: usize,
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
    /// Where one key asks for more bytes, or a stricter alignment, than it did before: two arrays
    /// would overlap.
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

    /// The value of the static `key`, the same for all blocks that this operating-system thread
    /// ever runs. `initialise` writes it where it is new.
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
            watch: Watch::default(),
        });
        start.as_ptr()
    }

    fn push(&mut self, key: Option<usize>, bytes: usize, align: usize) -> *mut u8 {
        let piece = Piece::take(bytes, align, POISON);
        let array = Array {
            key,
            start: piece.place(bytes, align, key.is_none()),
            bytes,
            piece: Some(piece),
            watch: Watch::default(),
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
        self.arrays.iter().enumerate().find_map(|(number, array)| {
            let offset = address.wrapping_sub(array.start.as_ptr().addr());
            let bytes = array.bytes;
            (offset < bytes).then_some(SharedPlace {
                array: number,
                dynamic: array.key.is_none(),
                offset,
                bytes,
            })
        })
    }

    /// The kernel got a raw pointer to the array at `address`.
    pub(crate) fn handed_out(&self, address: usize, site: Site) {
        if let Some(place) = self.locate(address) {
            let pointer = &self.arrays[place.array].watch.pointer;
            pointer.set(pointer.get().or(Some(site)));
        }
    }

    /// What is known of the accesses to the array at `address`.
    pub(crate) fn seen(&self, address: usize) -> Option<&Seen> {
        let place = self.locate(address)?;
        Some(&self.arrays[place.array].watch.seen)
    }

    /// An access to the place was seen.
    pub(crate) fn saw(&self, place: &SharedPlace) {
        self.arrays[place.array].watch.seen.access();
    }

    /// Whether nobody can have written the `bytes` bytes at `address`, of which no write was seen.
    /// Where somebody has, that is remembered.
    pub(crate) fn is_unwritten(&self, address: usize, bytes: usize) -> bool {
        self.locate(address).is_none_or(|place| {
            let array = &self.arrays[place.array];
            let unwritten = array.is_poison(place.offset, bytes);
            if !unwritten {
                array.watch.seen.hidden_write();
            }
            unwritten
        })
    }

    /// At the end of a block: looks for arrays that changed without a write that was seen, where
    /// `is_written` says of an address whether one was. Returns the arrays behind whose end
    /// somebody wrote, each with where the kernel got its pointer.
    pub(crate) fn inspect(&self, is_written: impl Fn(usize) -> bool) -> Vec<(SharedPlace, Site)> {
        let mut past_end = Vec::new();
        for (number, array) in self.arrays.iter().enumerate() {
            let (Some(site), true) = (array.watch.pointer.get(), array.piece.is_some()) else {
                continue;
            };
            let start = array.start.as_ptr().addr();
            let changed = |at: &usize| !array.is_poison(*at, 1);
            if !array.watch.seen.has_hidden_write() {
                let mut changed = (0..array.bytes).filter(changed);
                if changed.any(|at| !is_written(start + at)) {
                    array.watch.seen.hidden_write();
                }
            }
            if !array.is_poison(array.bytes, array.slack()) {
                let place = SharedPlace {
                    array: number,
                    dynamic: array.key.is_none(),
                    offset: array.bytes.saturating_sub(1),
                    bytes: array.bytes,
                };
                past_end.push((place, site));
            }
        }
        past_end
    }

    /// The arrays that the kernel used by a raw pointer, and whose accesses were not seen, or not
    /// all of them.
    pub(crate) fn unwatched(&self) -> Vec<Unwatched> {
        let of_one = |array: &Array| {
            let site = array.watch.pointer.get()?;
            let because = array.watch.seen.unseen()?;
            array.piece.as_ref()?;
            Some(Unwatched::Shared {
                dynamic: array.key.is_none(),
                bytes: array.bytes,
                site,
                because,
            })
        };
        self.arrays.iter().filter_map(of_one).collect()
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
