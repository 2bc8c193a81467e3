//! Registry of the streams that use memory, so that a buffer may be used on any stream of its
//! device.
//!
//! Memory belongs to the stream that allocated it. Another stream that uses it, by a copy or a
//! launch, first waits for the work enqueued so far by all users of the memory, and becomes a user
//! itself. When the memory is dropped, its own stream waits for all users before it reuses the
//! memory. A caller may therefore lend a buffer for a call and drop it when the call returns, even
//! if work on it is still enqueued.

use super::owner::StreamOwner;
use crate::device::DeviceError;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

/// Memory in use by streams. Addresses are unique within a process, also across devices.
struct Registry {
    /// Memory of all streams, by its first address.
    owned: BTreeMap<u64, Entry>,
    /// Borrowed memory of other libraries with its first address. Several calls can borrow the same
    /// or overlapping memory.
    borrowed: Vec<(u64, Entry)>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    owned: BTreeMap::new(),
    borrowed: Vec::new(),
});

struct Entry {
    /// One past the last address.
    end: u64,
    home: Weak<StreamOwner>,
    /// Other streams that have used the memory since it was allocated.
    others: Vec<Arc<StreamOwner>>,
}

impl Entry {
    fn new(address: u64, bytes: usize, home: &Arc<StreamOwner>) -> Self {
        Self {
            end: address + bytes as u64,
            home: Arc::downgrade(home),
            others: Vec::new(),
        }
    }

    /// Makes later work of the stream `home` wait for the other users.
    fn end_uses(self, home: &StreamOwner) {
        for other in self.others {
            if home.wait_for(&other).is_err() {
                // if even this fails the context is lost, and its memory with it
                let _ = other.stream.synchronize();
            }
        }
    }
}

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers `bytes` bytes at `address` as memory of the stream `home`.
pub(super) fn register_memory(address: u64, bytes: usize, home: &Arc<StreamOwner>) {
    if bytes > 0 {
        let entry = Entry::new(address, bytes, home);
        registry().owned.insert(address, entry);
    }
}

/// Registers `bytes` bytes of another library at `address`, which the stream `home` uses.
pub(super) fn register_borrow(address: u64, bytes: usize, home: &Arc<StreamOwner>) {
    let entry = Entry::new(address, bytes, home);
    registry().borrowed.push((address, entry));
}

/// Unregisters one borrow of `bytes` bytes at `address` by the stream `home`, whose later work
/// waits for the other users.
pub(super) fn unregister_borrow(address: u64, bytes: usize, home: &Arc<StreamOwner>) {
    let end = address + bytes as u64;
    let mut registry = registry();
    let position = registry.borrowed.iter().position(|(first, entry)| {
        let same_home = std::ptr::eq(entry.home.as_ptr(), Arc::as_ptr(home));
        *first == address && entry.end == end && same_home
    });
    let entry = position.map(|position| registry.borrowed.swap_remove(position).1);
    drop(registry);
    if let Some(entry) = entry {
        entry.end_uses(home);
    }
}

/// Unregisters the memory at `address`, of `bytes` bytes: later work of its stream waits for its
/// other users.
pub(super) fn unregister_memory(address: u64, bytes: usize, home: &StreamOwner) {
    if bytes == 0 {
        return;
    }
    let entry = registry().owned.remove(&address);
    if let Some(entry) = entry {
        entry.end_uses(home);
    }
}

/// Registers `stream` as a user of the memory that contains these addresses: its later work waits
/// for the other users.
pub(super) fn register_use(
    stream: &Arc<StreamOwner>,
    addresses: impl Iterator<Item = u64>,
) -> Result<(), DeviceError> {
    if StreamOwner::is_only_stream() {
        return Ok(());
    }
    let mut users: Vec<Arc<StreamOwner>> = Vec::new();
    let mut wait_for = |other: &Arc<StreamOwner>| {
        let same = |it: &Arc<StreamOwner>| Arc::ptr_eq(it, other);
        if !same(stream) && !users.iter().any(same) {
            users.push(other.clone());
        }
    };
    let mut registry = registry();
    let Registry { owned, borrowed } = &mut *registry;
    for address in addresses {
        let owned = owned.range_mut(..=address).next_back();
        let owned = owned.into_iter().map(|(_, entry)| entry);
        let borrowed = borrowed.iter_mut().filter(|(first, _)| *first <= address);
        let entries = owned.chain(borrowed.map(|(_, entry)| entry));
        for entry in entries.filter(|entry| address < entry.end) {
            let home = entry.home.upgrade();
            home.iter().for_each(&mut wait_for);
            entry.others.iter().for_each(&mut wait_for);
            let same = |it: &Arc<StreamOwner>| Arc::ptr_eq(it, stream);
            if !home.iter().any(same) && !entry.others.iter().any(same) {
                entry.others.push(stream.clone());
            }
        }
    }
    drop(registry);
    users.iter().try_for_each(|other| stream.wait_for(other))
}
