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

/// Memory of all streams, by its first address. Addresses are unique within a process, also across
/// devices.
static MEMORY: Mutex<BTreeMap<u64, Entry>> = Mutex::new(BTreeMap::new());

struct Entry {
    /// One past the last address.
    end: u64,
    home: Weak<StreamOwner>,
    /// Other streams that have used the memory since it was allocated.
    others: Vec<Arc<StreamOwner>>,
}

fn memory() -> MutexGuard<'static, BTreeMap<u64, Entry>> {
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers `bytes` bytes at `address` as memory of the stream `home`.
pub(super) fn register_memory(address: u64, bytes: usize, home: &Arc<StreamOwner>) {
    if bytes > 0 {
        let entry = Entry {
            end: address + bytes as u64,
            home: Arc::downgrade(home),
            others: Vec::new(),
        };
        memory().insert(address, entry);
    }
}

/// Unregisters the memory at `address`, of `bytes` bytes: later work of its stream waits for its
/// other users.
pub(super) fn unregister_memory(address: u64, bytes: usize, home: &StreamOwner) {
    if bytes == 0 {
        return;
    }
    let entry = memory().remove(&address);
    for other in entry.into_iter().flat_map(|entry| entry.others) {
        if home.wait_for(&other).is_err() {
            // if even this fails the context is lost, and its memory with it
            let _ = other.stream.synchronize();
        }
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
    let mut memory = memory();
    for address in addresses {
        let Some((_, entry)) = memory.range_mut(..=address).next_back() else {
            continue;
        };
        if entry.end <= address {
            continue;
        }
        let home = entry.home.upgrade();
        home.iter().for_each(&mut wait_for);
        entry.others.iter().for_each(&mut wait_for);
        let same = |it: &Arc<StreamOwner>| Arc::ptr_eq(it, stream);
        if !home.iter().any(same) && !entry.others.iter().any(same) {
            entry.others.push(stream.clone());
        }
    }
    drop(memory);
    users.iter().try_for_each(|other| stream.wait_for(other))
}
