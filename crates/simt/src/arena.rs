//! The block-shared memory of one worker: one allocation per shared static, and one for dynamic shared memory.
//!
//! A worker runs one block at a time, so the blocks that it runs use the same allocations one after another.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// What shared memory holds before a block writes it: recognisable in a debugger, and a huge negative float.
pub(crate) const POISON: u8 = 0xA5;

/// Alignment of dynamic shared memory, in bytes: that of a memory transaction, more than any type needs.
const DYNAMIC_ALIGN: usize = 128;

/// One array of shared memory.
struct Array {
    /// The static's address, or `None` for dynamic shared memory.
    key: Option<usize>,
    start: NonNull<u8>,
    layout: Layout,
}

impl Array {
    fn new(key: Option<usize>, bytes: usize, align: usize) -> Array {
        let size = bytes.max(1);
        let Ok(layout) = Layout::from_size_align(size, align) else {
            panic!("shared memory of {bytes} bytes aligned to {align} cannot exist");
        };
        // SAFETY: the size is not zero.
        let Some(start) = NonNull::new(unsafe { alloc(layout) }) else {
            handle_alloc_error(layout)
        };
        let array = Array { key, start, layout };
        array.poison();
        array
    }

    fn poison(&self) {
        // SAFETY: the allocation holds `layout.size()` bytes, and only the worker's own thread uses it.
        unsafe { self.start.as_ptr().write_bytes(POISON, self.layout.size()) };
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
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
                bytes <= array.layout.size() && array.start.as_ptr().addr().is_multiple_of(align),
                "one shared static is used as {} bytes and as {bytes} bytes aligned to {align}; give each array a static of its own",
                array.layout.size(),
            );
            return array.start.as_ptr();
        }
        self.push(Some(key), bytes, align)
    }

    /// The dynamic shared memory, `bytes` bytes in all.
    pub(crate) fn dynamic(&mut self, bytes: usize) -> *mut u8 {
        match self.arrays.iter().find(|array| array.key.is_none()) {
            Some(array) => array.start.as_ptr(),
            None => self.push(None, bytes, DYNAMIC_ALIGN),
        }
    }

    fn push(&mut self, key: Option<usize>, bytes: usize, align: usize) -> *mut u8 {
        let array = Array::new(key, bytes, align);
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
            let bytes = array.layout.size();
            (offset < bytes).then_some(SharedPlace {
                dynamic: array.key.is_none(),
                offset,
                bytes,
            })
        })
    }
}
