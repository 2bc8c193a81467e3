//! The shared memory of one worker: one allocation per shared static, and one for dynamic shared
//! memory.
//!
//! A worker runs one block at a time, so consecutive blocks reuse the same allocations.

mod allocation;
mod guard_page;

pub(crate) use guard_page::guarded_array_at;

use crate::finding::Site;
use crate::untracked::{AccessLog, UntrackedMemory};
use allocation::SharedAllocation;
use std::cell::Cell;
use std::ptr::NonNull;

/// Byte that fills shared memory before a block writes it: recognisable in a debugger, and a large
/// negative value as a float.
pub(crate) const POISON: u8 = 0xA5;

/// One array of shared memory.
struct Array {
    /// Address of the static, or `None` for dynamic shared memory.
    key: Option<usize>,
    start: NonNull<u8>,
    bytes: usize,
    /// Backing memory, or `None` for a persistent value.
    allocation: Option<SharedAllocation>,
    tracking: ArrayTracking,
}

/// Tracking state of an array in checked mode.
#[derive(Default)]
struct ArrayTracking {
    /// Source location at which the kernel obtained a raw pointer to the array, if it did.
    pointer: Cell<Option<Site>>,
    log: AccessLog,
}

impl Array {
    /// Returns the number of bytes between the end of the array and its guard page; less than the
    /// array's alignment.
    fn padding_bytes(&self) -> usize {
        let end = self.start.as_ptr().addr() + self.bytes;
        let limit = self.allocation.as_ref().map_or(end, SharedAllocation::end);
        limit.saturating_sub(end).min(allocation::ALIGN)
    }

    /// Returns `true` if the `bytes` bytes from `offset` on still hold the poison value. Bytes
    /// beyond the array and its padding are ignored.
    fn is_poisoned(&self, offset: usize, bytes: usize) -> bool {
        let limit = self.bytes + self.padding_bytes();
        (offset..offset.saturating_add(bytes).min(limit)).all(|at| {
            // SAFETY: inside the allocation, which only this worker's thread uses.
            unsafe { self.start.as_ptr().add(at).read() == POISON }
        })
    }

    fn poison(&self) {
        if self.allocation.is_some() {
            // SAFETY: the allocation extends to the end of the padding, and only this worker's
            // thread uses it.
            unsafe {
                let bytes = self.bytes + self.padding_bytes();
                self.start.as_ptr().write_bytes(POISON, bytes);
            }
        }
    }
}

/// Position of an address in shared memory.
#[derive(Clone, Copy)]
pub(crate) struct SharedLocation {
    /// Index of the array.
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
    /// Returns the memory of the static `key`: the same for equal keys, poisoned when it is new.
    ///
    /// # Panics
    /// If the static was used before with a smaller size or a weaker alignment, because the two
    /// arrays would overlap.
    pub(crate) fn static_array(&mut self, key: usize, bytes: usize, align: usize) -> *mut u8 {
        if let Some(array) = self.arrays.iter().find(|array| array.key == Some(key)) {
            assert!(
                bytes <= array.bytes && array.start.as_ptr().addr().is_multiple_of(align),
                "a shared static of {} bytes is used again with {bytes} bytes and alignment {align}; use a separate static for each array",
                array.bytes,
            );
            return array.start.as_ptr();
        }
        self.push(Some(key), bytes, align)
    }

    /// Returns the dynamic shared memory of `bytes` bytes.
    pub(crate) fn dynamic_array(&mut self, bytes: usize) -> *mut u8 {
        match self.arrays.iter().find(|array| array.key.is_none()) {
            Some(array) => array.start.as_ptr(),
            None => self.push(None, bytes, allocation::ALIGN),
        }
    }

    /// Returns the memory of the persistent static `key`: the same for all blocks that this
    /// operating-system thread ever runs. `initialise` fills it if it is new.
    ///
    /// # Panics
    /// If the static was used before with another size or alignment.
    pub(crate) fn persistent(
        &mut self,
        key: usize,
        bytes: usize,
        align: usize,
        initialise: impl FnOnce(*mut u8),
    ) -> *mut u8 {
        let has_key = |array: &&Array| array.key == Some(key) && array.allocation.is_none();
        if let Some(array) = self.arrays.iter().find(has_key)
            && array.bytes == bytes
        {
            return array.start.as_ptr();
        }
        let start = allocation::persistent(key, bytes, align, initialise);
        self.arrays.push(Array {
            key: Some(key),
            start,
            bytes,
            allocation: None,
            tracking: ArrayTracking::default(),
        });
        start.as_ptr()
    }

    fn push(&mut self, key: Option<usize>, bytes: usize, align: usize) -> *mut u8 {
        let allocation = SharedAllocation::acquire(bytes, align, POISON);
        let array = Array {
            key,
            start: allocation.place_array(bytes, align, key.is_none()),
            bytes,
            allocation: Some(allocation),
            tracking: ArrayTracking::default(),
        };
        array.poison();
        let start = array.start.as_ptr();
        self.arrays.push(array);
        start
    }

    /// Poisons all arrays, so that no value survives from one block to the next.
    pub(crate) fn poison(&mut self) {
        self.arrays.iter().for_each(Array::poison);
    }

    /// Returns the position of `address` in shared memory, or `None` if it lies elsewhere.
    pub(crate) fn locate(&self, address: usize) -> Option<SharedLocation> {
        self.arrays.iter().enumerate().find_map(|(number, array)| {
            let offset = address.wrapping_sub(array.start.as_ptr().addr());
            let bytes = array.bytes;
            (offset < bytes).then_some(SharedLocation {
                array: number,
                dynamic: array.key.is_none(),
                offset,
                bytes,
            })
        })
    }

    /// Records that the kernel obtained a raw pointer to the array at `address`.
    pub(crate) fn record_raw_pointer(&self, address: usize, site: Site) {
        if let Some(location) = self.locate(address) {
            let pointer = &self.arrays[location.array].tracking.pointer;
            pointer.set(pointer.get().or(Some(site)));
        }
    }

    /// Returns the access log of the array at `address`.
    pub(crate) fn access_log(&self, address: usize) -> Option<&AccessLog> {
        let location = self.locate(address)?;
        Some(&self.arrays[location.array].tracking.log)
    }

    /// Records that an access to the array was tracked.
    pub(crate) fn record_access(&self, location: &SharedLocation) {
        self.arrays[location.array].tracking.log.record_access();
    }

    /// Returns `true` if the `bytes` bytes at `address`, for which no write was tracked, still hold
    /// the poison value. Otherwise records an untracked write.
    pub(crate) fn is_unwritten(&self, address: usize, bytes: usize) -> bool {
        self.locate(address).is_none_or(|location| {
            let array = &self.arrays[location.array];
            let unwritten = array.is_poisoned(location.offset, bytes);
            if !unwritten {
                array.tracking.log.record_hidden_write();
            }
            unwritten
        })
    }

    /// Searches for untracked writes at the end of a block. `is_written` returns `true` for
    /// addresses with a tracked write. Returns the arrays past whose end bytes were written, each
    /// with the source location at which the kernel obtained its pointer.
    pub(crate) fn find_unrecorded_writes(
        &self,
        is_written: impl Fn(usize) -> bool,
    ) -> Vec<(SharedLocation, Site)> {
        let mut past_end = Vec::new();
        for (number, array) in self.arrays.iter().enumerate() {
            let (Some(site), true) = (array.tracking.pointer.get(), array.allocation.is_some())
            else {
                continue;
            };
            let start = array.start.as_ptr().addr();
            let changed = |at: &usize| !array.is_poisoned(*at, 1);
            if !array.tracking.log.has_hidden_write() {
                let mut changed = (0..array.bytes).filter(changed);
                if changed.any(|at| !is_written(start + at)) {
                    array.tracking.log.record_hidden_write();
                }
            }
            if !array.is_poisoned(array.bytes, array.padding_bytes()) {
                let location = SharedLocation {
                    array: number,
                    dynamic: array.key.is_none(),
                    offset: array.bytes.saturating_sub(1),
                    bytes: array.bytes,
                };
                past_end.push((location, site));
            }
        }
        past_end
    }

    /// Returns the arrays that the kernel used through a raw pointer and whose accesses were not
    /// tracked completely.
    pub(crate) fn untracked(&self) -> Vec<UntrackedMemory> {
        let describe_array = |array: &Array| {
            let site = array.tracking.pointer.get()?;
            let gap = array.tracking.log.gap()?;
            array.allocation.as_ref()?;
            Some(UntrackedMemory::Shared {
                dynamic: array.key.is_none(),
                bytes: array.bytes,
                site,
                gap,
            })
        };
        self.arrays.iter().filter_map(describe_array).collect()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for array in self.arrays.drain(..) {
            if let Some(allocation) = array.allocation {
                allocation.release();
            }
        }
    }
}
