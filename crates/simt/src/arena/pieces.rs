//! The memory that shared memory is made of. It is kept when a launch ends, and never given back to
//! the system.
//!
//! Safe code may keep what points to shared memory, such as a view that a function called by a
//! kernel put into a thread-local. Were the memory given back, somebody else's values would lie
//! there. So it serves launches only: those of the operating-system thread that had it, or, once
//! that has ended, another one's.

use super::guard::{self, Guard};
use std::alloc::{Layout, alloc, handle_alloc_error};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Alignment of every piece, in bytes: that of a memory transaction, more than any type needs but
/// few.
pub(super) const ALIGN: usize = 128;

/// Memory of a power of two of bytes, initialised, so that pieces fit whoever comes next.
pub(super) struct Piece {
    start: NonNull<u8>,
    layout: Layout,
    /// The page behind it, if it has one.
    guard: Option<&'static Guard>,
}

// SAFETY: an address and a size. A piece is used by the thread that holds it.
unsafe impl Send for Piece {}

impl Piece {
    fn layout_for(bytes: usize, align: usize) -> Layout {
        let size = bytes.max(guard::PAGE_BYTES).checked_next_power_of_two();
        let Some(layout) =
            size.and_then(|size| Layout::from_size_align(size, align.max(ALIGN)).ok())
        else {
            panic!("shared memory of {bytes} bytes aligned to {align} cannot exist");
        };
        layout
    }

    fn new(layout: Layout, fill: u8) -> Piece {
        let (start, guard) = match guard::allocate(layout) {
            Some((start, guard)) => (start, Some(guard)),
            // SAFETY: the size is not zero.
            None => match NonNull::new(unsafe { alloc(layout) }) {
                Some(start) => (start, None),
                None => handle_alloc_error(layout),
            },
        };
        // SAFETY: the allocation holds as many bytes.
        unsafe { start.as_ptr().write_bytes(fill, layout.size()) };
        Piece {
            start,
            layout,
            guard,
        }
    }

    /// Where the piece ends.
    pub(super) fn end(&self) -> usize {
        self.start.as_ptr().addr() + self.layout.size()
    }

    /// Where an array of `bytes` bytes, for which the piece was taken, begins: as near to the
    /// piece's end as its alignment allows.
    pub(super) fn place(&self, bytes: usize, align: usize, dynamic: bool) -> NonNull<u8> {
        if let Some(guard) = self.guard {
            guard.protects(bytes, dynamic);
        }
        let room = bytes.max(1).next_multiple_of(align.max(ALIGN));
        let offset = self.layout.size().saturating_sub(room);
        // SAFETY: within the piece, which is as large and as aligned as the array.
        unsafe { self.start.add(offset) }
    }

    /// A piece of at least `bytes` bytes: one that this thread or one that has ended has done with,
    /// or a new one.
    pub(super) fn take(bytes: usize, align: usize, fill: u8) -> Piece {
        let layout = Piece::layout_for(bytes, align);
        let fitting = |pieces: &mut Vec<Piece>| {
            let place = pieces.iter().position(|piece| piece.layout == layout)?;
            Some(pieces.swap_remove(place))
        };
        OWN.try_with(|own| fitting(&mut own.borrow_mut().spare))
            .ok()
            .flatten()
            .or_else(|| fitting(&mut left_behind().spare))
            .unwrap_or_else(|| Piece::new(layout, fill))
    }

    /// Keeps the piece for this thread's next launches.
    pub(super) fn keep(self) {
        let mut piece = Some(self);
        let _ = OWN.try_with(|own| own.borrow_mut().spare.extend(piece.take()));
        // while the thread exits, what it owned may be gone
        left_behind().spare.extend(piece);
    }
}

/// Memory that holds the value of the shared static `key`, the same for all blocks that this
/// operating-system thread runs, for ever. `initialise` writes it where it is new.
pub(super) fn lasting(
    key: usize,
    bytes: usize,
    align: usize,
    initialise: impl FnOnce(*mut u8),
) -> NonNull<u8> {
    let make = || {
        let known = left_behind().lasting.get_mut(&key).and_then(Vec::pop);
        known.unwrap_or_else(|| {
            let piece = Piece::new(Piece::layout_for(bytes, align), 0);
            initialise(piece.start.as_ptr());
            Lasting {
                piece,
                bytes,
                align,
            }
        })
    };
    let of = |lasting: &Lasting| {
        assert!(
            (lasting.bytes, lasting.align) == (bytes, align),
            "one shared static is used as {} bytes and as {bytes} bytes; give each value a static of its own",
            lasting.bytes
        );
        lasting.piece.start
    };
    let mut make = Some(make);
    let known = OWN.try_with(|own| {
        let mut own = own.borrow_mut();
        if let Some(known) = own.lasting.get(&key) {
            return Some(of(known));
        }
        let made = make.take()?();
        let start = of(&made);
        own.lasting.insert(key, made);
        Some(start)
    });
    match (known.ok().flatten(), make) {
        (Some(start), _) => start,
        // the thread exits: it has a value for this launch
        (None, Some(make)) => make().piece.start,
        (None, None) => unreachable!("what was made was returned"),
    }
}

/// The value of a shared static.
struct Lasting {
    piece: Piece,
    bytes: usize,
    align: usize,
}

/// What an operating-system thread owns.
#[derive(Default)]
struct Own {
    spare: Vec<Piece>,
    /// By the static's address.
    lasting: HashMap<usize, Lasting>,
}

thread_local! {
    static OWN: RefCell<Own> = RefCell::default();
}

/// What threads that have ended owned.
struct LeftBehind {
    spare: Vec<Piece>,
    lasting: BTreeMap<usize, Vec<Lasting>>,
}

static LEFT_BEHIND: Mutex<LeftBehind> = Mutex::new(LeftBehind {
    spare: Vec::new(),
    lasting: BTreeMap::new(),
});

fn left_behind() -> MutexGuard<'static, LeftBehind> {
    LEFT_BEHIND.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Own {
    fn drop(&mut self) {
        let mut left = left_behind();
        left.spare.append(&mut self.spare);
        for (key, lasting) in mem::take(&mut self.lasting) {
            left.lasting.entry(key).or_default().push(lasting);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_serves_its_thread_again_and_then_another() {
        // no other test has pieces of this size
        let take = || Piece::take(5 << 20, 64, 0);
        let addresses = std::thread::spawn(move || {
            let first = take();
            let second = take();
            let address = first.start.addr();
            assert_ne!(address, second.start.addr());
            first.keep();
            let again = take();
            assert_eq!(again.start.addr(), address);
            let addresses = [address, second.start.addr()];
            again.keep();
            second.keep();
            addresses
        })
        .join()
        .unwrap();
        let one = take();
        assert!(addresses.contains(&one.start.addr()));
        one.keep();
    }

    #[test]
    fn a_lasting_value_is_made_once_for_each_thread() {
        static KEY: u8 = 0;
        let key = (&raw const KEY).addr();
        let value = move |new: u8| {
            let start = lasting(key, 3, 1, |start| {
                // SAFETY: three bytes.
                unsafe { start.write_bytes(new, 3) }
            });
            // SAFETY: as above.
            (start.addr(), unsafe { start.add(2).read() })
        };
        let here = value(1);
        assert_eq!((here.1, value(2)), (1, here));
        let there = std::thread::spawn(move || value(3)).join().unwrap();
        assert!(there.0 != here.0 && there.1 == 3);
        let third = std::thread::spawn(move || value(4)).join().unwrap();
        assert_eq!(third, there, "the thread before it has ended");
    }

    #[test]
    #[should_panic(expected = "cannot exist")]
    fn what_cannot_exist_is_refused() {
        Piece::take(usize::MAX, 1, 0);
    }
}
